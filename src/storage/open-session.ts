import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  SessionFormatUnsupportedError,
  boundaryAt,
  english,
  isSeq,
  refusedBoundary,
  text,
  type Attempt,
  type Damage,
  type DamageKind,
  type ForkBoundary,
  type Message,
  type NodeState,
  type Refusal,
  type SessionEvent,
  type SessionHeader,
  type Text,
  type TurnEdges,
} from '../core/index.ts';
import { ACCEPTS, makeDamage, settleList } from './damage-list.ts';
import type { EventFolds } from './event-folds.ts';
import { parseGenerationFilename, sortGenerations, type Encoding } from './generations.ts';
import { projectProblem } from './header-check.ts';
import { LineStore } from './line-store.ts';
import { LogEvents, type StoredBytes, type StoredLine } from './log-events.ts';
import { FrameLogReader, readPlainLog, stretches } from './log-reader.ts';
import { placementDamage } from './placement.ts';
import { readFileSnapshot } from './read-file.ts';
import { mayBeLog } from './root-scan.ts';
import { misnamed, storedForm } from './stored-form.ts';
import { loadDecoder, type DecoderKind } from './zstd/decode.ts';
import { beginsWithMagic } from './zstd/frames.ts';

export interface OpenSessionOptions {
  readonly signal?: AbortSignal;
  /** Which zstd decoder; the runtime's own when absent and there is one. */
  readonly decoder?: DecoderKind;
  /** Called once per readable line, in order, while the log is read. */
  readonly visit?: (line: StoredLine) => void;
  /** Awaited every hundred lines or so, for whoever shares the thread. */
  readonly pause?: () => Promise<void>;
  /** Whether to look over the root for misplaced and mixed logs; true when absent. */
  readonly placement?: boolean;
}

/** A log of the disk, opened as far as it can be read. Nothing it holds is ever written to. */
export interface OpenSession {
  readonly path: string;
  /** By the header, else by the file's name. */
  readonly version: number | undefined;
  /** By the file's name, as dsh goes by it. */
  readonly encoding: Encoding;
  /** The stored first line, unchanged. */
  readonly header: SessionHeader | undefined;
  /** The first line as it is stored, whether it is a header or not; absent where no line is complete. */
  readonly firstLine: string | undefined;
  /** Readable events: dense from 0 up to the first line that cannot be read or the first broken frame. */
  readonly eventCount: number;
  /** The last events of those, recovered from an unfinished last frame: not yet committed. */
  readonly uncommittedEvents: number;
  readonly inheritedEventCount: number;
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
  /** Stored lines, the header included. */
  readonly lineCount: number;
  /** Bytes of the file as read. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly mtime: number;
  /** Names of older generations in the same directory. */
  readonly olderCopies: readonly string[];
  eventAt(seq: number): SessionEvent | undefined;
  /** An event in today's shape of its version: the legacy view of v0. format/migrations.md §1. */
  viewAt(seq: number): SessionEvent | undefined;
  events(from?: number, toExclusive?: number): Iterable<SessionEvent>;
  /** The stored line that holds an event, without its line end. Throws a RangeError past the readable events. */
  rawLineOf(seq: number): string;
  /** Where that line stands: `line` from 1, `frame` from 0. */
  lineOf(seq: number): { line: number; frame: number };
  /** The stored lines of the events 0 to `last`, in order; the last line may hold later events too. Throws like {@link rawLineOf}. */
  storedLines(last: number): Iterable<StoredBytes>;
  salvagedLines(): Iterable<{ frame: number; line: number; text: string }>;
  /** Nodes as they stood after `atSeq` (inclusive). Throws a SessionFormatUnsupportedError at or past a refusal. */
  surfaceNodes(atSeq?: number): number[];
  nodeState(seq: number, atSeq?: number): NodeState;
  shadowedBy(seq: number): number | undefined;
  /** Model history after `atSeq` (inclusive). Throws like {@link surfaceNodes}. */
  deriveMessages(atSeq?: number): Message[];
  /** The model calls of the log; a request is the history before an attempt's `beforeSeq`. */
  attempts(): readonly Attempt[];
  forkBoundary(seq: number): ForkBoundary;
  /** How many leading events a fork may hold at most, open turns aside; 0 where none is legal. */
  readonly forkableCount: number;
  /** The agent preset the session runs with: the last one selected, else its header's. format/fork-resume.md §1. */
  readonly effectivePreset: string | undefined;
  /** Absent without a header this reader interprets. */
  readonly turnEdges: TurnEdges | undefined;
  close(): Promise<void>;
}

/**
 * Opens a log file, or the highest generation of a session directory. Rejects when there is no such file, or no canonical log in the
 * directory; whatever the file holds is a report, not an error.
 */
export async function openSession(path: string, options: OpenSessionOptions = {}): Promise<OpenSession> {
  const { signal } = options;
  signal?.throwIfAborted();
  const target = await locate(resolve(path));
  const snapshot = await readFileSnapshot(target.path, signal);
  const { bytes } = snapshot;
  const store = new LineStore();
  const named = parseGenerationFilename(basename(target.path));
  const encoding = named?.encoding ?? encodingOf(target.path, bytes);
  const form = storedForm(bytes, encoding);
  const events = new LogEvents(store, { encoding: form, fileVersion: named?.version, visit: options.visit });
  const damage: Damage[] = misnamed(form, encoding, named?.version);
  if (snapshot.changedWhileReading) {
    damage.push(
      makeDamage('changed-while-reading', text('The file kept changing while it was read; this is how it stood before'), ACCEPTS),
    );
  }
  const log = { bytes, version: named?.version };
  const reader = form === 'none' ? undefined : new FrameLogReader(log, store, damage, await loadDecoder(options.decoder));
  for (const part of stretches(reader === undefined ? readPlainLog(log, store, damage) : reader.batches())) {
    events.take(part);
    await options.pause?.();
    signal?.throwIfAborted();
  }
  const starts = reader?.starts ?? [];
  events.finish();
  const version = events.header?.version ?? named?.version;
  if (options.placement !== false) {
    const placed = { path: target.path, encoding, version, header: events.header };
    damage.push(...(await placementDamage(placed, signal)));
  }
  const all = settleList([...damage, ...withBytes(events.damage, starts)]);
  return new ReadSession({ ...target, encoding, version, events, store, damage: all, size: bytes.length, mtime: snapshot.mtime });
}

async function locate(path: string): Promise<{ path: string; olderCopies: readonly string[] }> {
  const isDirectory = (await stat(path)).isDirectory();
  const directory = isDirectory ? path : dirname(path);
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    // The folder may be closed to us and the file in it open.
    if (isDirectory) throw error;
    return [];
  });
  const generations = sortGenerations(entries.filter(mayBeLog).map((entry) => entry.name));
  const [highest] = generations;
  if (isDirectory && highest === undefined) throw new Error(`${path} holds no session log`);
  const name = isDirectory ? (highest?.name ?? '') : basename(path);
  const version = parseGenerationFilename(name)?.version;
  const older = generations.filter((generation) => version !== undefined && generation.version < version);
  return { path: join(directory, name), olderCopies: older.map((generation) => generation.name) };
}

/** For a file that is not named like a log. */
function encodingOf(path: string, bytes: Uint8Array): Encoding {
  return path.endsWith('.zstd') || path.endsWith('.zst') || beginsWithMagic(bytes) ? 'zstd' : 'none';
}

/** Damage known by its frame also gets the byte that frame begins at. */
function withBytes(damage: readonly Damage[], starts: readonly number[]): Damage[] {
  return damage.map((one) => {
    const byte = one.frame === undefined || one.byte !== undefined ? undefined : starts[one.frame];
    return byte === undefined ? one : { ...one, byte };
  });
}

/** Damage behind which there may be more. */
const HIDES_EVENTS: ReadonlySet<DamageKind> = new Set(['corrupt-frame', 'foreign-bytes', 'torn-record', 'frame-limit']);

interface Parts {
  readonly path: string;
  readonly olderCopies: readonly string[];
  readonly encoding: Encoding;
  readonly version: number | undefined;
  readonly events: LogEvents;
  readonly store: LineStore;
  readonly damage: readonly Damage[];
  readonly size: number;
  readonly mtime: number;
}

class ReadSession implements OpenSession {
  readonly path: string;
  readonly version: number | undefined;
  readonly encoding: Encoding;
  readonly header: SessionHeader | undefined;
  readonly eventCount: number;
  readonly uncommittedEvents: number;
  readonly inheritedEventCount: number;
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
  readonly lineCount: number;
  readonly size: number;
  readonly mtime: number;
  readonly olderCopies: readonly string[];
  readonly #events: LogEvents;
  readonly #store: LineStore;
  readonly #folds: EventFolds | undefined;
  /** Why no fork is possible anywhere: the cut cannot be told, or no new session could lie where the header says. */
  readonly #unforkable: Text | undefined;
  /** Whether events may lie behind the last readable one. An unfinished write is none of them: it is not committed. */
  readonly #endsEarly: boolean;

  constructor(parts: Parts) {
    const { events } = parts;
    this.path = parts.path;
    this.version = parts.version;
    this.encoding = parts.encoding;
    this.header = events.header;
    this.eventCount = events.eventCount;
    this.uncommittedEvents = events.eventCount - events.committedCount;
    this.inheritedEventCount = events.folds?.cut.inheritedEventCount ?? 0;
    this.damage = parts.damage;
    this.refusal = events.refusal;
    this.lineCount = parts.store.lineCount;
    this.size = parts.size;
    this.mtime = parts.mtime;
    this.olderCopies = parts.olderCopies;
    this.#events = events;
    this.#store = parts.store;
    this.#folds = events.folds;
    this.#unforkable = events.folds?.cutProblem ?? projectProblem(events.header);
    this.#endsEarly = events.stoppedEarly || parts.damage.some(({ kind }) => HIDES_EVENTS.has(kind));
  }

  get firstLine(): string | undefined {
    return this.#store.lineCount === 0 ? undefined : this.#store.textOf(0);
  }

  eventAt(seq: number): SessionEvent | undefined {
    // The map of known types is open, and what a log holds beyond it stays an event.
    return this.#has(seq) ? (this.#events.eventAt(seq) as SessionEvent) : undefined;
  }

  viewAt(seq: number): SessionEvent | undefined {
    return this.#has(seq) ? (this.#folds?.viewAt(seq) as SessionEvent) : undefined;
  }

  events(from = 0, toExclusive: number = this.eventCount): Iterable<SessionEvent> {
    const first = Math.max(0, Math.ceil(from));
    const last = Math.min(this.eventCount, Math.ceil(toExclusive));
    const events = this.#events;
    return { [Symbol.iterator]: () => events.events(first, last) as Generator<SessionEvent, void> };
  }

  rawLineOf(seq: number): string {
    return this.#store.textOf(this.#lineIndex(seq));
  }

  lineOf(seq: number): { line: number; frame: number } {
    const line = this.#lineIndex(seq);
    return { line: line + 1, frame: this.#store.frameOf(line) };
  }

  storedLines(last: number): Iterable<StoredBytes> {
    this.#lineIndex(last);
    const events = this.#events;
    return { [Symbol.iterator]: () => events.linesUpTo(last) };
  }

  salvagedLines(): Iterable<{ frame: number; line: number; text: string }> {
    const events = this.#events;
    return { [Symbol.iterator]: () => events.salvage() };
  }

  surfaceNodes(atSeq: number = this.eventCount - 1): number[] {
    return this.#derivable(atSeq).surface.nodesAt(atSeq);
  }

  nodeState(seq: number, atSeq: number = this.eventCount - 1): NodeState {
    return this.#folds?.surface.nodeState(seq, atSeq) ?? 'log-only';
  }

  shadowedBy(seq: number): number | undefined {
    return this.#folds?.surface.shadowedBy(seq);
  }

  deriveMessages(atSeq: number = this.eventCount - 1): Message[] {
    return this.#derivable(atSeq).surface.messagesAt(atSeq);
  }

  attempts(): readonly Attempt[] {
    return this.#folds?.attempts.attempts() ?? [];
  }

  forkBoundary(seq: number): ForkBoundary {
    if (!isSeq(seq)) return refusedBoundary('INVALID_BOUNDARY', text('#{seq} is not the seq of an event', { seq: String(seq) }));
    const folds = this.#folds;
    if (folds === undefined) return refusedBoundary('UNREADABLE', this.refusal?.text ?? NO_HEADER);
    if (this.#unforkable !== undefined) return refusedBoundary('UNREADABLE', this.#unforkable);
    const end = Math.min(this.eventCount, folds.unsafeSeq);
    const isPast = seq >= this.eventCount;
    if (seq < end || (isPast && end === this.eventCount && !this.#endsEarly)) {
      return boundaryAt(folds.edges, end, seq, folds.surface.dialect.version);
    }
    return refusedBoundary('UNREADABLE', this.#unreadable(folds, seq), folds.edges.lastClosedBefore(end));
  }

  get forkableCount(): number {
    const folds = this.#folds;
    return folds === undefined || this.#unforkable !== undefined ? 0 : Math.min(this.eventCount, folds.unsafeSeq);
  }

  get effectivePreset(): string | undefined {
    const preset: unknown = this.#folds?.selectedPreset ?? this.header?.agentPreset;
    return typeof preset === 'string' ? preset : undefined;
  }

  get turnEdges(): TurnEdges | undefined {
    return this.#folds?.edges;
  }

  close(): Promise<void> {
    this.#events.forget();
    return Promise.resolve();
  }

  #unreadable(folds: EventFolds, seq: number): Text {
    const { refusal, eventCount } = this;
    if (refusal?.seq !== undefined && seq >= refusal.seq && refusal.seq === folds.unsafeSeq) return refusal.text;
    if (seq >= eventCount) return text('#{seq} lies past the {count} events that can be read', { seq, count: eventCount });
    return text('#{first} is not as dsh wants it, so no fork may hold it or what follows', { first: folds.unsafeSeq });
  }

  #has(seq: number): boolean {
    return isSeq(seq) && seq < this.eventCount;
  }

  #lineIndex(seq: number): number {
    if (!this.#has(seq)) throw new RangeError(`there is no readable event ${seq}`);
    return this.#events.lineOf(seq);
  }

  #derivable(atSeq: number): EventFolds {
    const { refusal } = this;
    const folds = this.#folds;
    if (folds === undefined) throw new SessionFormatUnsupportedError(english(refusal?.text ?? NO_HEADER));
    if (refusal?.seq !== undefined && atSeq >= refusal.seq) throw new SessionFormatUnsupportedError(refusal.message);
    return folds;
  }
}

const NO_HEADER = text('The log has no header that can be read');
