import { SESSION_FORMAT_VERSION, text, type Text } from '../../core/index.ts';
import type { ComparedSide, Comparison, SideName } from '../../protocol/index.ts';
import { line } from '../labels/words.ts';
import { columnsOf, cutToColumns, LINE_COLUMNS, wrapped } from './line-width.ts';
import type { Lines } from './lines.ts';
import type { Translate } from './message-text.ts';
import { compactCount } from '../../timeline/index.ts';

/** Longest part of a title. */
const NAME = 400;
/** Names of tools in one list. */
const TOOL_NAMES = 2_000;

/**
 * What is compared and how it differs, instead of each document's own first lines: the same in both, so that the first change
 * the reader goes to from there is one of the messages. No line is wider than half a window.
 */
export function addComparison(lines: Lines, compared: Comparison, t: Translate): void {
  const { left, right, same, changed, onlyLeft, onlyRight, first, request, heading } = compared;
  addNames(lines, compared, t);
  if (heading === 'id') lines.add(t(text('migrated in memory to format {to}; nothing written', { to: SESSION_FORMAT_VERSION })));
  lines.add(t(text('messages: {left} | {right}', { left: left.messages, right: right.messages })));
  if (left.tokens !== undefined || right.tokens !== undefined)
    lines.add(t(text('tokens: {left} | {right}', { left: tokens(left), right: tokens(right) })));
  lines.add(t(text('on both sides: {same} · changed: {changed}', { same, changed })));
  lines.add(t(text('left only: {onlyLeft} · right only: {onlyRight}', { onlyLeft, onlyRight })));
  if (!first) lines.add(t(text('The messages are the same.')));
  else addFirst(lines, first, t);
  if (request) addRequestChanges(lines, request, t);
  if (heading === 'id') lines.add(t(text('headings end in a hash of the message’s id')));
  else if (heading !== 'seq') lines.add(t(text('headings end in a hash of the message’s content')));
  lines.add();
}

function addFirst(lines: Lines, { message, left, right }: NonNullable<Comparison['first']>, t: Translate): void {
  const sides = { left: line(left ?? '–', NAME), right: line(right ?? '–', NAME) };
  const inOneLine = t(text('first difference: message {message}, {left} | {right}', { message, ...sides }));
  if (columnsOf(inOneLine) <= LINE_COLUMNS) lines.add(inOneLine);
  else lines.add(t(text('first difference: message {message}', { message }))).add(`  ${sides.left} | ${sides.right}`);
}

function addNames(lines: Lines, { subject, left, right }: Comparison, t: Translate): void {
  const points = `${left.point} | ${right.point}`;
  const inOneLine = t(text('Compared: {title}', { title: line(subject === '' ? points : `${points} · ${subject}`, NAME) }));
  if (left.session === '' && right.session === '' && columnsOf(inOneLine) <= LINE_COLUMNS) {
    lines.add(inOneLine);
    return;
  }
  const side = ({ session, point }: SideName, words: (name: string) => string): string => {
    const room = LINE_COLUMNS - columnsOf(words(point)) - 1;
    return words(session === '' ? point : `${cutToColumns(line(session, NAME), room)} ${point}`);
  };
  lines.add(t(text('Compared: {title}', { title: line(subject === '' ? points : subject, NAME) })));
  lines.add(
    side(left, (name) =>
      t(left.role === '' ? text('left: {name}', { name }) : text('left ({role}): {name}', { role: line(left.role, NAME), name })),
    ),
  );
  lines.add(
    side(right, (name) =>
      t(
        right.role === ''
          ? text('right: {name}', { name })
          : text('right ({role}): {name}', { role: line(right.role, NAME), name }),
      ),
    ),
  );
}

function addRequestChanges(lines: Lines, request: NonNullable<Comparison['request']>, t: Translate): void {
  lines.add(t(request.systemChanged ? text('system prompt: changed') : text('system prompt: the same')));
  lines.add(t(request.settingsChanged ? text('settings: changed') : text('settings: the same')));
  const { toolsAdded, toolsRemoved, toolsChanged } = request;
  if (toolsAdded.length + toolsRemoved.length + toolsChanged.length === 0) lines.add(t(text('tools: the same')));
  const list = (sentence: Text): void => {
    for (const part of wrapped(t(sentence))) lines.add(part);
  };
  if (toolsAdded.length > 0) list(text('tools added: {names}', { names: names(toolsAdded) }));
  if (toolsRemoved.length > 0) list(text('tools removed: {names}', { names: names(toolsRemoved) }));
  if (toolsChanged.length > 0) list(text('tools changed: {names}', { names: names(toolsChanged) }));
}

const names = (tools: readonly string[]): string => line(tools.join(', '), TOOL_NAMES);
const tokens = (side: ComparedSide): string => (side.tokens === undefined ? '–' : compactCount(side.tokens));
