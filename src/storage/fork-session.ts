import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { SessionForkError, dialectOf, isRecord, text, type ForkBoundary, type StoredEvent } from '../core/index.ts';
import { forkedSession, replayedSession, sessionBytes, type SeededSession } from './fork-build.ts';
import { ForkSessionError } from './fork-error.ts';
import { SourceWatch, type ForkSource } from './fork-source.ts';
import { verifySession } from './fork-verify.ts';
import { createSessionLog, targetProblem, type WriterFs } from './log-writer.ts';
import { openSession } from './open-session.ts';
import { scanRoot } from './root-scan.ts';

export interface ForkOptions {
  /** Absolute path of the root the new session goes to. */
  readonly root: string;
  /** `session-<uuid>` when absent. */
  readonly id?: string;
  /** Epoch milliseconds; the clock's when absent. */
  readonly now?: number;
  readonly signal?: AbortSignal;
  /** The source's effective one when absent. */
  readonly agentPreset?: string;
  readonly fs?: WriterFs;
}

/**
 * Writes the child of a fork at an inclusive boundary: the source's generation and encoding, its stored lines copied byte for byte, the cut,
 * and in v4 the closers of an open turn. The source is only read. The bytes are read back and checked before they get their name, and the
 * child is looked up afterwards. Throws a SessionForkError for a boundary that is refused or an id that is taken, a {@link ForkSessionError}
 * or a LogWriteError for everything else; then nothing is left behind. format/fork-resume.md §1–2, format/on-disk.md §10.
 */
export async function forkSession(
  source: ForkSource,
  boundary: number,
  options: ForkOptions,
): Promise<{ id: string; path: string; cut: number }> {
  const refusal = branchRefusal(source, boundary, 'fork');
  if (refusal !== undefined) throw refusal;
  const closes = source.turnEdges?.isOpenAt(boundary) === true;
  const id = options.id ?? `session-${randomUUID()}`;
  const now = options.now ?? Date.now();
  const child = forkedSession(source, boundary, closes, { id, now, ...presetOf(options) });
  return { id, path: await publish(source, child, options), cut: child.inherited };
}

/**
 * Writes a session over the same events up to a boundary a fork may have, or over the whole log, with no lineage to the source. Safe and
 * throwing like {@link forkSession}; refused where the events hold the mark of an inherited part or an upload acknowledgement. format/fork-resume.md §6.
 */
export async function replayAsNewSession(
  source: ForkSource,
  boundary: number,
  options: ForkOptions,
): Promise<{ id: string; path: string }> {
  const refusal = branchRefusal(source, boundary, 'replay');
  if (refusal !== undefined) throw refusal;
  const id = options.id ?? `session-${randomUUID()}`;
  const now = options.now ?? Date.now();
  const session = replayedSession(source, boundary, { id, now, ...presetOf(options) });
  return { id, path: await publish(source, session, options) };
}

/** The root a log lies in, three levels up, or undefined when it does not lie as in one. format/on-disk.md §2. */
export function rootOfLog(path: string): string | undefined {
  const project = dirname(dirname(path));
  const name = basename(project);
  return name === '_no-cwd' || /^--.*--$/.test(name) ? dirname(project) : undefined;
}

/** Whether a boundary is the last event of a log that has one and all of which can be read and kept. */
function isWhole(source: ForkSource, boundary: number): boolean {
  return (
    boundary >= 0 &&
    boundary === source.eventCount - 1 &&
    source.forkableCount === source.eventCount &&
    source.refusal === undefined
  );
}

/** Why a fork or a replay may not end at a boundary, or undefined. Says nothing about the root. */
export function branchRefusal(
  source: ForkSource,
  boundary: number,
  kind: 'fork' | 'replay',
): SessionForkError | ForkSessionError | undefined {
  const answer = source.forkBoundary(boundary);
  const refusal = answer.legal || (kind === 'replay' && isWhole(source, boundary)) ? undefined : refusalOf(answer);
  // What a replay may not hold is the better reason than an open turn: no other end of that turn would help.
  const mayLook = refusal === undefined || (refusal instanceof SessionForkError && refusal.code === 'OPEN_TURN');
  return (kind === 'replay' && mayLook ? heldAgainstReplay(source, boundary) : undefined) ?? refusal;
}

function refusalOf({ code, text: sentence }: Extract<ForkBoundary, { legal: false }>): SessionForkError | ForkSessionError {
  return code === 'UNREADABLE' ? new ForkSessionError(code, sentence) : new SessionForkError(code, sentence);
}

/** What a session without lineage may not hold. */
function heldAgainstReplay(source: ForkSource, boundary: number): ForkSessionError | undefined {
  const marker = cutMarker(source, boundary);
  if (marker !== undefined) {
    const sentence = text(
      'This session is a fork itself: #{seq} marks what it inherited, which a session without a parent may not hold',
      { seq: marker },
    );
    return new ForkSessionError('INHERITED_PART', sentence, { seq: marker });
  }
  const seq = acknowledgement(source, boundary);
  if (seq === undefined) return undefined;
  const sentence = text('#{seq} acknowledges an upload of this session, which a session without a parent may not hold', {
    seq,
  });
  return new ForkSessionError('ACKNOWLEDGED_UPLOAD', sentence, { seq });
}

const DELIVERY = 'session-log-deepseek/delivery-accepted';

/**
 * The first upload acknowledgement that would name the wrong session in one without lineage. Only lines with its type in them are parsed;
 * one that spells it with escapes is left to the check of what was written. format/events.md §7.
 */
function acknowledgement(source: ForkSource, boundary: number): number | undefined {
  for (const { seq0, bytes } of source.storedLines(boundary)) {
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(DELIVERY)) continue;
    const event: StoredEvent | undefined = source.eventAt(seq0);
    if (event?.type !== DELIVERY || !isRecord(event.data)) continue;
    const { sessionFormatVersion = 0 } = event.data;
    if (sessionFormatVersion === source.version) return seq0;
  }
  return undefined;
}

/** Seq of the first mark of an inherited part. */
function cutMarker(source: ForkSource, boundary: number): number | undefined {
  const { header } = source;
  if (header === undefined || dialectOf(header.version).cut !== 'marker' || header.isSeeded !== true) return undefined;
  for (const event of source.events(0, boundary + 1)) {
    if (event.type === 'session/end-seed' && event.data.inherited === true) return event.seq;
  }
  return undefined;
}

function presetOf({ agentPreset }: ForkOptions): { agentPreset?: string } {
  return agentPreset === undefined ? {} : { agentPreset };
}

async function publish(source: ForkSource, session: SeededSession, options: ForkOptions): Promise<string> {
  const { root, signal, fs } = options;
  const { encoding } = source;
  const { header } = session;
  signal?.throwIfAborted();
  await checkTarget(root, header.id, encoding, signal);
  const watch = new SourceWatch(source, session.prefixCount - 1);
  await watch.confirm(signal);
  const bytes = await sessionBytes(source, session, encoding, signal);
  return createSessionLog(
    { root, header, encoding, bytes },
    {
      verify: async (path) => {
        await verifySession(path, source, session, encoding, signal);
        await watch.confirm(signal);
        // Another program may have been at it since the first look.
        await checkTarget(root, header.id, encoding, signal);
      },
      confirm: (path) => confirmListed(root, path, header.id),
      ...(signal === undefined ? {} : { signal }),
      ...(fs === undefined ? {} : { fs }),
    },
  );
}

async function checkTarget(
  root: string,
  id: string,
  encoding: ForkSource['encoding'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const problem = await targetProblem(root, id, encoding, signal);
  if (problem === undefined) return;
  if (problem.code === 'ID_TAKEN') throw new SessionForkError('SESSION_ALREADY_EXISTS', problem.text);
  throw new ForkSessionError(problem.code, problem.text);
}

/** Looks the published session up as a listing would: once in the root, and nothing about it that dsh would mind. */
async function confirmListed(root: string, path: string, id: string): Promise<void> {
  const { sessions } = await scanRoot(root);
  const places = sessions.filter(({ directory }) => directory === dirname(path));
  const found = await openSession(path);
  await found.close();
  // A flat log in the project was there before and is not the child's doing.
  const trouble = found.damage.find(({ kind, dsh }) => kind !== 'flat-log' && (dsh.list !== 'accepts' || dsh.open !== 'accepts'));
  if (places.length === 1 && found.header?.id === id && trouble === undefined) return;
  const reason = trouble?.message ?? '';
  throw new ForkSessionError(
    'NOT_VERIFIED',
    text('The new session could not be found again after it was written, so it was taken away: {reason}', { reason }),
  );
}
