/** The comparison a document's address carries, rebuilt from the members that are allowed; an address can come from anywhere. */
import type { ComparedSide, Comparison, HeadingStyle } from './compare.ts';

const LONGEST = 400;
const MOST_TOOLS = 400;

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isWord = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST;

function isHeading(value: unknown): value is HeadingStyle {
  return value === 'seq' || value === 'seq-content' || value === 'content' || value === 'id';
}

/** Undefined for what is no comparison: the document is then shown without one. */
export function comparisonOf(value: unknown): Comparison | undefined {
  if (!isMembers(value)) return undefined;
  const { subject, heading, same, changed, onlyLeft, onlyRight } = value;
  const left = sideOf(value['left']);
  const right = sideOf(value['right']);
  if (!isWord(subject) || !isHeading(heading) || !left || !right) return undefined;
  if (!isCount(same) || !isCount(changed) || !isCount(onlyLeft) || !isCount(onlyRight)) return undefined;
  const sides = { subject, heading, left, right, same, changed, onlyLeft, onlyRight };
  return { ...sides, first: firstOf(value['first']), request: requestOf(value['request']) };
}

function sideOf(value: unknown): ComparedSide | undefined {
  if (!isMembers(value) || !isCount(value['messages'])) return undefined;
  const { session, role, point, messages, tokens } = value;
  if (!isWord(session) || !isWord(role) || !isWord(point)) return undefined;
  return { session, role, point, messages, tokens: isCount(tokens) ? tokens : undefined };
}

function firstOf(value: unknown): Comparison['first'] {
  if (!isMembers(value) || !isCount(value['message'])) return undefined;
  const { message, left, right } = value;
  return { message, ...(isWord(left) ? { left } : {}), ...(isWord(right) ? { right } : {}) };
}

function requestOf(value: unknown): Comparison['request'] {
  if (!isMembers(value)) return undefined;
  return {
    systemChanged: value['systemChanged'] === true,
    settingsChanged: value['settingsChanged'] === true,
    toolsAdded: wordsOf(value['toolsAdded']),
    toolsRemoved: wordsOf(value['toolsRemoved']),
    toolsChanged: wordsOf(value['toolsChanged']),
  };
}

function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isWord).slice(0, MOST_TOOLS) : [];
}
