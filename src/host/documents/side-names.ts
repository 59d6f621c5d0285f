/** What the two sessions of a comparison are called beside each other. */
import { plainLine, text, type Text } from '../../core/index.ts';
import type { SessionItem } from '../../protocol/index.ts';
import { shortId } from '../sessions/session-facts.ts';
import { lastSegment } from '../sessions/path-rules.ts';

export interface ComparedSession {
  readonly path: string;
  readonly title: string;
  readonly item: Pick<SessionItem, 'id' | 'parentSession' | 'origin'> | undefined;
}

/** Its title, which is content, and what it is to the other. */
interface NamedSession {
  readonly session: string;
  readonly role: Text | undefined;
}

const TITLE = 60;

/**
 * The titles, with what the two are to each other: a fork keeps its parent's title until it gets its own. Any other two of one title are told
 * apart by their ids, and copies of one session by their files or folders.
 */
export function sideNames(left: ComparedSession, right: ComparedSession): readonly [NamedSession, NamedSession] {
  const [one, other] = [plainLine(left.title, TITLE), plainLine(right.title, TITLE)];
  const [a, b] = [left.item, right.item];
  const isKnown = a?.id !== undefined && b?.id !== undefined && a.id !== b.id;
  if (isKnown && a.parentSession === b.id) return [called(one, childRole(a)), called(other, text('parent'))];
  if (isKnown && b.parentSession === a.id) return [called(one, text('parent')), called(other, childRole(b))];
  if (one !== other) return [called(one), called(other)];
  if (!isKnown) {
    const [file, otherFile] = placesOf(left.path, right.path);
    return [called(`${one} (${file})`), called(`${other} (${otherFile})`)];
  }
  return [called(`${one} (${shortId(a.id)})`), called(`${other} (${shortId(b.id)})`)];
}

const called = (session: string, role?: Text): NamedSession => ({ session, role });

const childRole = ({ origin }: Pick<SessionItem, 'origin'>): Text => (origin === 'subagent' ? text('subagent') : text('fork'));

/** The last part in which two paths differ: their files, else folders they lie in. */
function placesOf(left: string, right: string): readonly [string, string] {
  const [one, other] = [left, right].map((path) => path.split(/[/\\]/).reverse()) as [string[], string[]]; // of two paths
  const at = one.findIndex((part, i) => part !== other[i]);
  const [a, b] = [one[at], other[at]];
  return a === undefined || b === undefined
    ? [lastSegment(left), lastSegment(right)]
    : [plainLine(a, TITLE), plainLine(b, TITLE)];
}
