/** How two documents differ, told from their digests. */
import {
  HEADING_DIGITS,
  type Comparison,
  type DigestMessage,
  type DocumentDigest,
  type HeadingStyle,
  type SideName,
} from '../../protocol/index.ts';

/** Names of tools an address carries. */
const MOST_TOOLS = 100;

/** What is compared, before it is known how it differs. */
export interface ComparedNames {
  readonly subject: string;
  readonly left: SideName;
  readonly right: SideName;
}

/**
 * Messages are matched by id first, then those left over by content, in order; a document's first message that is not the
 * same on the other side at the same place is where the two part.
 */
export function compareDigests(
  left: DocumentDigest,
  right: DocumentDigest,
  names: ComparedNames,
  heading: HeadingStyle,
): Comparison {
  const { same, changed } = matched(left.messages, right.messages);
  return {
    subject: names.subject,
    heading,
    left: { ...names.left, messages: left.messages.length, tokens: left.tokens },
    right: { ...names.right, messages: right.messages.length, tokens: right.tokens },
    same,
    changed,
    onlyLeft: left.messages.length - same - changed,
    onlyRight: right.messages.length - same - changed,
    first: firstDifference(left.messages, right.messages, heading),
    request: left.request && right.request ? requestChanges(left.request, right.request) : undefined,
  };
}

/** How the messages of two different logs are best named: by seq where both mean the same by one. */
export function headingFor(left: DocumentDigest, right: DocumentDigest): HeadingStyle {
  const seqs = new Map<string, number | undefined>();
  for (const { id, seq } of left.messages) if (id !== '') seqs.set(id, seq);
  let shared = 0;
  for (const { id, seq } of right.messages) {
    if (!seqs.has(id)) continue;
    if (seqs.get(id) !== seq) return 'content';
    shared++;
  }
  return shared > 0 ? 'seq-content' : 'content';
}

function matched(left: readonly DigestMessage[], right: readonly DigestMessage[]): { same: number; changed: number } {
  const byId = new Map<string, DigestMessage>();
  for (const message of right) if (message.id !== '') byId.set(message.id, message);
  const taken = new Set<DigestMessage>();
  const rest: DigestMessage[] = [];
  let same = 0;
  let changed = 0;
  for (const message of left) {
    const other = byId.get(message.id);
    if (other === undefined || taken.has(other)) {
      rest.push(message);
      continue;
    }
    taken.add(other);
    if (other.hash === message.hash) same++;
    else changed++;
  }
  const contents = new Map<string, number>();
  for (const message of right) if (!taken.has(message)) contents.set(message.hash, (contents.get(message.hash) ?? 0) + 1);
  for (const { hash } of rest) {
    const there = contents.get(hash) ?? 0;
    if (there === 0) continue;
    contents.set(hash, there - 1);
    same++;
  }
  return { same, changed };
}

function firstDifference(
  left: readonly DigestMessage[],
  right: readonly DigestMessage[],
  heading: HeadingStyle,
): Comparison['first'] {
  const length = Math.max(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left[i];
    const b = right[i];
    if (a !== undefined && b !== undefined && a.hash === b.hash) continue;
    return {
      message: i + 1,
      ...(a === undefined ? {} : { left: nameOf(a, heading) }),
      ...(b === undefined ? {} : { right: nameOf(b, heading) }),
    };
  }
  return undefined;
}

/** What the heading of a message shows of it, so that it can be found by that. */
function nameOf({ seq, hash, idHash }: DigestMessage, heading: HeadingStyle): string {
  if (heading === 'id') return idHash.slice(0, HEADING_DIGITS);
  return heading === 'content' || seq === undefined ? hash.slice(0, HEADING_DIGITS) : `#${seq}`;
}

type RequestDigest = NonNullable<DocumentDigest['request']>;

function requestChanges(left: RequestDigest, right: RequestDigest): NonNullable<Comparison['request']> {
  const before = new Map(left.tools.map(({ name, hash }) => [name, hash]));
  const after = new Map(right.tools.map(({ name, hash }) => [name, hash]));
  const only = (from: Map<string, string>, other: Map<string, string>): string[] =>
    [...from.keys()].filter((name) => !other.has(name)).slice(0, MOST_TOOLS);
  return {
    systemChanged: left.system !== right.system,
    settingsChanged: left.settings !== right.settings,
    toolsAdded: only(after, before),
    toolsRemoved: only(before, after),
    toolsChanged: [...before.keys()]
      .filter((name) => after.has(name) && after.get(name) !== before.get(name))
      .slice(0, MOST_TOOLS),
  };
}
