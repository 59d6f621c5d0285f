import { dialectOf } from './dialects/dialect.ts';
import { SESSION_FORMAT_VERSION, versionRefusalText } from './dialects/gates.ts';
import { SessionFormatUnsupportedError } from './errors.ts';
import type { SessionHeader } from './events.ts';
import { isSeq, snapshotJsonValue } from './json.ts';
import { english } from './text.ts';

/** Members of a header over all versions, in the order they are written. format/on-disk.md §5. */
const KEYS = [
  'type',
  'version',
  'id',
  'createdAt',
  'cwd',
  'parentSession',
  'seedLength',
  'isSeeded',
  'origin',
  'delegationDepth',
  'agentPreset',
] as const satisfies readonly (keyof SessionHeader)[];

/**
 * The header of a new session: `meta` checked, completed and in written order. `version` defaults to the newest, `createdAt` to `now`,
 * `delegationDepth` to 0; `isSeeded` is left to the caller, who knows the seed. Throws an Error for a member that no harness of that
 * version would accept, a SessionFormatUnsupportedError for a version that is not 0–4. format/on-disk.md §5.
 */
export function creationHeader(id: string, meta: Partial<SessionHeader>, now: () => number): SessionHeader {
  const given = snapshotJsonValue(withoutUndefined(meta)) as Partial<SessionHeader> | undefined;
  if (given === undefined) throw new Error('the session header is not lossless JSON');
  const version = given.version ?? SESSION_FORMAT_VERSION;
  if (!isSeq(version) || version > SESSION_FORMAT_VERSION) {
    throw new SessionFormatUnsupportedError(english(versionRefusalText(id, version)));
  }
  const whole: Partial<SessionHeader> = {
    ...given,
    type: 'session',
    version,
    id,
    createdAt: given.createdAt ?? now(),
    delegationDepth: given.delegationDepth ?? 0,
  };
  const problem = memberProblem(whole, given, version);
  if (problem !== undefined) throw new Error(`session header: ${problem}`);
  // Every member was just checked.
  return inWrittenOrder(whole as SessionHeader);
}

/** The same header with its members in the order dsh writes them. */
export function inWrittenOrder(header: SessionHeader): SessionHeader {
  const ordered: Record<string, unknown> = {};
  for (const key of KEYS) if (header[key] !== undefined) ordered[key] = header[key];
  // The same members as before.
  return ordered as unknown as SessionHeader;
}

function memberProblem(header: Partial<SessionHeader>, given: Partial<SessionHeader>, version: number): string | undefined {
  const known: ReadonlySet<string> = new Set(KEYS);
  const unknown = Object.keys(header).find((key) => !known.has(key));
  if (unknown !== undefined) return `unknown member "${unknown}"`;
  const { id, createdAt, cwd, parentSession, seedLength, isSeeded, origin, delegationDepth, agentPreset } = header;
  if (typeof id !== 'string' || id === '') return 'id is not a non-empty string';
  if (given.id !== undefined && given.id !== id) return 'id differs from the session id';
  if (given.type !== undefined && given.type !== 'session') return 'type is not "session"';
  if (!isSeq(createdAt)) return 'createdAt is not a non-negative safe integer';
  if (cwd !== undefined && !isAbsolutePath(cwd)) return 'cwd is not an absolute path';
  if (parentSession !== undefined && typeof parentSession !== 'string') return 'parentSession is not a string';
  if (origin !== undefined && origin !== 'subagent') return 'origin is not "subagent"';
  if (!isSeq(delegationDepth)) return 'delegationDepth is not a non-negative safe integer';
  if (agentPreset !== undefined && typeof agentPreset !== 'string') return 'agentPreset is not a string';
  if (dialectOf(version).cut === 'marker') {
    if (seedLength !== undefined) return `seedLength belongs to formats 0 and 1, not to format ${version}`;
    if (isSeeded !== undefined && typeof isSeeded !== 'boolean') return 'isSeeded is not a boolean';
    return undefined;
  }
  if (isSeeded !== undefined) return `isSeeded begins with format 2, and this is format ${version}`;
  return seedLength !== undefined && !isSeq(seedLength) ? 'seedLength is not a non-negative safe integer' : undefined;
}

/** Absolute by the rules of POSIX or of Windows: the log may come from either. */
function isAbsolutePath(path: unknown): boolean {
  return typeof path === 'string' && /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}

/** An explicit `undefined` in options means the same as leaving the member out. */
function withoutUndefined(meta: Partial<SessionHeader>): Partial<SessionHeader> {
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined));
}
