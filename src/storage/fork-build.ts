import { join } from 'node:path';
import {
  creationHeader,
  dialectOf,
  forkMarker,
  packChunkRuns,
  repairClosers,
  text,
  type SessionEvent,
  type SessionHeader,
} from '../core/index.ts';
import { ForkSessionError } from './fork-error.ts';
import { projectProblem } from './header-check.ts';
import type { ForkSource } from './fork-source.ts';
import type { Encoding } from './generations.ts';
import { projectDirectoryName } from './names.ts';
import { batchText } from './stored-lines.ts';
import { encodeFrame } from './zstd/encode.ts';

/** A new session over a prefix of a log, ready to be written. */
export interface SeededSession {
  readonly header: SessionHeader;
  /** Events taken from the source. */
  readonly prefixCount: number;
  /** Events the child inherits by its own account: those of the prefix, or none without lineage. */
  readonly inherited: number;
  /** What follows the prefix: marker and closers. */
  readonly tail: readonly SessionEvent[];
}

export interface SeedOptions {
  readonly id: string;
  readonly now: number;
  readonly agentPreset?: string;
}

/** The child of a fork. `closes`: the boundary lies in an open turn of a v4 log. format/fork-resume.md §2, §2.1. */
export function forkedSession(source: ForkSource, boundary: number, closes: boolean, options: SeedOptions): SeededSession {
  const cut = boundary + 1;
  const { version, id }: { readonly version: number; readonly id: unknown } = sourceHeader(source);
  // A source without a name of its own is no reason against a fork; the child only cannot name it.
  const parentSession = typeof id === 'string' && id !== '' ? { parentSession: id } : {};
  const byMarker = dialectOf(version).cut === 'marker';
  const header = seededHeader(source, options, { ...parentSession, ...(byMarker ? { isSeeded: true } : { seedLength: cut }) });
  const marker = forkMarker(eventAt(source, boundary), { version, now: options.now });
  const tail: SessionEvent[] = marker === undefined ? [] : [marker];
  if (closes && marker !== undefined) {
    tail.push(...repairClosers([...openTurn(source, boundary), marker], { version, cause: 'forked' }));
  }
  return { header, prefixCount: cut, inherited: cut, tail };
}

/**
 * A session over the same events without lineage, as a restore makes it: an open turn is closed as interrupted, then an ordinary end-seed
 * follows unless there is one already. format/fork-resume.md §3, §5, §6.
 */
export function replayedSession(source: ForkSource, boundary: number, options: SeedOptions): SeededSession {
  const { version } = sourceHeader(source);
  const header = seededHeader(source, options, dialectOf(version).cut === 'marker' ? { isSeeded: false } : {});
  const tail: SessionEvent[] = source.turnEdges?.isOpenAt(boundary)
    ? repairClosers(openTurn(source, boundary), { version, cause: 'interrupted' })
    : [];
  const last = tail.at(-1) ?? eventAt(source, boundary);
  if (last.type !== 'session/end-seed') tail.push({ type: 'session/end-seed', seq: last.seq + 1, time: options.now, data: {} });
  return { header, prefixCount: boundary + 1, inherited: 0, tail };
}

/** The log's plain lines in pieces: the header, then the prefix and what follows it. One piece is one frame. */
function* sessionLines(source: ForkSource, session: SeededSession): Generator<Uint8Array, void> {
  yield Buffer.from(`${JSON.stringify(session.header)}\n`);
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const { seq0, count, bytes: line } of source.storedLines(session.prefixCount - 1)) {
    const over = seq0 + count - session.prefixCount;
    pieces.push(over > 0 ? cutLine(source, seq0, session.prefixCount) : line, NEWLINE);
    bytes += line.length + 1;
    if (bytes < FRAME_BYTES) continue;
    yield Buffer.concat(pieces);
    [pieces, bytes] = [[], 0];
  }
  pieces.push(Buffer.from(batchText(session.tail, session.header.version, false)));
  const rest = Buffer.concat(pieces);
  if (rest.length > 0) yield rest;
}

/** The whole file. */
export async function sessionBytes(
  source: ForkSource,
  session: SeededSession,
  encoding: Encoding,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (const piece of sessionLines(source, session)) {
    signal?.throwIfAborted();
    pieces.push(encoding === 'zstd' ? await encodeFrame(piece) : piece);
  }
  return Buffer.concat(pieces);
}

/** dsh writes a first batch as one frame; a reader has a limit for one, so a very large prefix becomes several. */
const FRAME_BYTES = 2 ** 27;
const NEWLINE = Uint8Array.of(10);

/** The members of a packed line up to the cut, stored as a writer that never saw the others would. format/on-disk.md §6.1. */
function cutLine(source: ForkSource, from: number, toExclusive: number): Uint8Array {
  const members = packChunkRuns([...source.events(from, toExclusive)]);
  return Buffer.from(members.map((member) => JSON.stringify(member)).join('\n'));
}

/** Events from the start of the turn that is open at a boundary; nothing before it can be left unfinished. */
function openTurn(source: ForkSource, boundary: number): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (let seq = source.turnEdges?.lastStartAt(boundary) ?? 0; seq <= boundary; seq++) events.push(eventAt(source, seq));
  return events;
}

function eventAt(source: ForkSource, seq: number): SessionEvent {
  const event = source.viewAt(seq);
  if (event === undefined) throw new RangeError(`there is no readable event ${seq}`);
  return event;
}

function sourceHeader(source: ForkSource): SessionHeader {
  const { header } = source;
  if (header === undefined) throw new ForkSessionError('HEADER', text('The log has no header that can be read'));
  return header;
}

/** The project directory that a new session made of a log that can be forked lies in. */
export function projectDirectoryOf(root: string, header: SessionHeader): string {
  if (projectProblem(header) !== undefined) throw new RangeError('the header names no project folder a session may have');
  return join(root, projectDirectoryName(header.cwd));
}

function seededHeader(source: ForkSource, options: SeedOptions, own: Partial<SessionHeader>): SessionHeader {
  const { version, cwd } = sourceHeader(source);
  const agentPreset = options.agentPreset ?? source.effectivePreset;
  try {
    return creationHeader(
      options.id,
      {
        version,
        createdAt: options.now,
        ...(cwd === undefined ? {} : { cwd }),
        ...own,
        delegationDepth: 0,
        ...(agentPreset === undefined ? {} : { agentPreset }),
      },
      () => options.now,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = text('The header of the new session would not be valid: {reason}', { reason });
    throw new ForkSessionError('HEADER', sentence, { cause: error });
  }
}
