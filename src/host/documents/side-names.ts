/** What the two sessions of a comparison are called beside each other. */
import { plainLine, text, type Text } from '../../core/index.ts';
import type { SessionItem } from '../../protocol/index.ts';
import { shortId } from '../sessions/session-facts.ts';
import { lastSegment } from '../sessions/path-rules.ts';

export interface ComparedSession {
  readonly path: string;
  readonly title: string;
  readonly item: Pick<SessionItem, 'id' | 'parentSession'> | undefined;
}

/** Content and, as a Text, a word of ours. */
type SideName = string | Text;

const TITLE = 60;

/**
 * The titles. Where they are the same, as a fork keeps its parent's until it gets its own, they would not say which is which: the parent is
 * then called that, any other two are told apart by their ids, and copies of one session by their files.
 */
export function sideNames(left: ComparedSession, right: ComparedSession): readonly [SideName, SideName] {
  const [one, other] = [plainLine(left.title, TITLE), plainLine(right.title, TITLE)];
  if (one !== other) return [one, other];
  const [a, b] = [left.item, right.item];
  if (a?.id === undefined || b?.id === undefined || a.id === b.id) return [fileOf(left), fileOf(right)];
  if (a.parentSession === b.id) return [one, text('its parent')];
  if (b.parentSession === a.id) return [text('its parent'), other];
  return [`${one} (${shortId(a.id)})`, `${other} (${shortId(b.id)})`];
}

const fileOf = ({ title, path }: ComparedSession): string => `${plainLine(title, TITLE)} (${lastSegment(path)})`;
