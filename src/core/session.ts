import { isTaggedEndSeed } from './cut.ts';
import { deriveEventMessage, messageOf } from './derive.ts';
import { dialectOf, type Dialect } from './dialects/dialect.ts';
import { envelopeProblem, payloadProblem } from './envelope.ts';
import type {
  EpochHeader,
  RequestContext,
  SessionEvent,
  SessionEventMap,
  SessionHeader,
  StoredEvent,
  SurfaceOp,
} from './events.ts';
import { deepFreeze, equalJson, isRecord, isSeq, snapshotJsonValue } from './json.ts';
import type { Message } from './messages.ts';
import { repairClosers } from './repair.ts';
import { contextOf, headerOf } from './request.ts';
import { creationHeader, inWrittenOrder } from './session-header.ts';
import { SurfaceFold } from './surface.ts';
import { english } from './text.ts';

/** How an appended event joins the surface. Required for surface types, refused for all others. format/surface.md §1. */
export interface AppendOptions {
  readonly surfaceOp: SurfaceOp;
  readonly sourceEventSeqs?: readonly number[];
}

export interface SessionOptions {
  /** Given for a fresh fork: how many leading events of the seed are the parent's. Left out when a stored session is restored. */
  readonly inheritedEventCount?: number;
  /** Epoch milliseconds; `Date.now` when absent. */
  readonly now?: () => number;
}

/** The surface of a live session. */
export interface SessionSurface {
  /** Seqs of the current nodes in model order: an unchanging list, made anew after the surface changed. */
  readonly nodes: readonly number[];
  /** Replacements so far; appends leave it alone. */
  readonly replaceGeneration: number;
}

/** What a store learns of a session's appends. */
export interface Publisher {
  committed(event: SessionEvent): void;
  /** The append is over: what was put off during it may happen now. */
  settled(): void;
}

const publishers = new WeakMap<Session, Publisher>();

/** Tells a store about every append to a session; a session has one store at a time. Not for use outside the core. */
export function publishTo(session: Session, publisher: Publisher): void {
  if (publishers.has(session)) throw new Error(`session "${session.id}" already belongs to a store`);
  publishers.set(session, publisher);
}

/** Ends {@link publishTo}. */
export function unpublish(session: Session): void {
  publishers.delete(session);
}

/**
 * A session in memory: an append-only log of deep-frozen events, its surface and its derived history. `header.version` picks the dialect.
 * It does no I/O; a SessionStore makes it known to others. format/events.md, format/surface.md, format/fork-resume.md §3.
 */
export class Session {
  readonly header: SessionHeader;
  /** Length of the constructor's seed: where this process's own events begin. Not stored. format/fork-resume.md §3. */
  readonly firstLiveSeq: number;
  /** Leading events that came from a parent; 0 for a session that is no fork. */
  readonly inheritedEventCount: number;

  readonly #log: SessionEvent[] = [];
  readonly #dialect: Dialect;
  readonly #now: () => number;
  readonly #fold: SurfaceFold;
  #appending = false;
  #events: readonly SessionEvent[] | undefined;
  #surface: SessionSurface | undefined;
  #latestHeader: SessionEvent | undefined;
  #latestContext: SessionEvent | undefined;
  #requestHeader: { readonly seq: number; readonly header: EpochHeader | undefined } | undefined;
  /** Messages derived so far, the nodes they cover, and the generation of the surface they belong to. */
  #derived: Message[] = [];
  #derivedNodes = 0;
  #derivedGeneration = 0;

  /**
   * A session over a copy of `seed` (events dense from seq 0), or an empty one. With a seed it appends the marker of the new lifecycle:
   * a cut for a fresh fork, an ordinary end-seed for a restored or replayed log that does not already end in one.
   * Throws on the first event that dsh would refuse, and when header and marker disagree about the cut. format/fork-resume.md §3.
   */
  static create(
    id: string,
    seed?: readonly SessionEvent[],
    header: Partial<SessionHeader> = {},
    options: SessionOptions = {},
  ): Session {
    return new Session(id, seed, header, options);
  }

  private constructor(
    id: string,
    seed: readonly SessionEvent[] | undefined,
    meta: Partial<SessionHeader>,
    options: SessionOptions,
  ) {
    this.#now = options.now ?? Date.now;
    const created = creationHeader(id, meta, this.#now);
    this.#dialect = dialectOf(created.version);
    this.#fold = new SurfaceFold(created.version, (seq) => this.#log[seq]);
    for (const event of seed ?? []) this.#admit(seedEvent(event, this.#log.length, created.version));
    this.firstLiveSeq = this.#log.length;
    const cut = cutOf(this.#log, created, options.inheritedEventCount);
    this.header = deepFreeze(withCut(created, this.#dialect, cut));
    this.inheritedEventCount = cut.inherited ?? 0;
    if (seed !== undefined || cut.fresh) this.#mark(cut);
  }

  get id(): string {
    return this.header.id;
  }

  /** Seq of the next event: the length of the log. */
  get seq(): number {
    return this.#log.length;
  }

  /** The log so far: an unchanging list, made anew after an append. */
  get events(): readonly SessionEvent[] {
    this.#events ??= Object.freeze(this.#log.slice());
    return this.#events;
  }

  /** One event without copying the list. */
  eventAt(seq: number): SessionEvent | undefined {
    return this.#log[seq];
  }

  get surface(): SessionSurface {
    this.#surface ??= Object.freeze({
      nodes: Object.freeze(this.#fold.nodes.slice()),
      replaceGeneration: this.#fold.replaceGeneration,
    });
    return this.#surface;
  }

  /**
   * Adds one event and tells the store's observers, in that order: once in the log it stays, whatever an observer does. The data is
   * copied, every property read once. Throws with the log unchanged when data is not lossless JSON, the surface rules are broken, the
   * type or header reason is retired, or an observer of an append appends in turn. format/surface.md §3.
   */
  append<T extends keyof SessionEventMap>(type: T, data: SessionEventMap[T], opts?: AppendOptions): SessionEvent<T> {
    const kind: string = type;
    const copy = snapshotJsonValue(data);
    if (copy === undefined) throw new Error(`${kind}: the data is not lossless JSON`);
    const marks = surfaceMarks(kind, opts);
    if (kind === 'request/header-delta') throw new Error('request/header-delta is retired; append a whole request/header');
    if (kind === 'request/header' && isRecord(copy) && copy['reason'] === 'fallback') {
      throw new Error('request/header: the reason "fallback" is retired');
    }
    if (this.#appending) throw new Error(`${kind}: an append cannot begin while another is being published`);
    this.#appending = true;
    const publisher = publishers.get(this);
    try {
      const time = this.#now();
      if (!Number.isSafeInteger(time)) throw new Error(`${kind}: the clock gave ${String(time)}, not whole milliseconds`);
      const event = deepFreeze({ type: kind, seq: this.#log.length, time, data: copy, ...marks });
      // The event has the type of the map entry it was asked for, whose payload was copied as it came.
      const typed = event as unknown as SessionEvent;
      this.#admit(typed);
      publisher?.committed(typed);
      return typed as SessionEvent<T>;
    } finally {
      this.#appending = false;
      publisher?.settled();
    }
  }

  /**
   * The model history. Costs the nodes that came since the last call, and a rebuild after a replacement or a message projection. The list
   * is the caller's own; its messages are shared and frozen. format/surface.md §5.
   */
  deriveMessages(): Message[] {
    const { nodes, contentGeneration } = this.#fold;
    if (contentGeneration !== this.#derivedGeneration) {
      this.#derived = this.#fold.messagesAt(Infinity);
      for (const message of this.#derived) deepFreeze(message);
      this.#derivedGeneration = contentGeneration;
      this.#derivedNodes = nodes.length;
    }
    for (; this.#derivedNodes < nodes.length; this.#derivedNodes++) {
      const event = this.#log[nodes[this.#derivedNodes] ?? -1];
      const message = event === undefined ? undefined : messageOf(event, this.header.version);
      if (message !== undefined) this.#derived.push(message);
    }
    return this.#derived.slice();
  }

  /** The message one event alone derives to, or null. */
  deriveEventMessage(event: SessionEvent): Message | null {
    return deriveEventMessage(event, this.header.version);
  }

  /** The envelope of the next request, frozen: the latest `request/header`, undefined before the first. */
  requestHeader(): EpochHeader | undefined {
    const latest = this.#latestHeader;
    if (latest === undefined) return undefined;
    if (this.#requestHeader?.seq !== latest.seq) {
      const header = headerOf(latest);
      this.#requestHeader = { seq: latest.seq, header: header === undefined ? undefined : deepFreeze(header) };
    }
    return this.#requestHeader.header;
  }

  /** The route of the next request: the latest `request/context`, undefined before the first. */
  requestContext(): RequestContext | undefined {
    return this.#latestContext === undefined ? undefined : contextOf(this.#latestContext);
  }

  /** Takes a frozen event into the log, or throws with nothing changed. */
  #admit(event: SessionEvent): void {
    const plan = this.#fold.plan(event);
    if (plan !== undefined && 'template' in plan) throw new Error(english(plan));
    this.#log.push(event);
    this.#events = undefined;
    if (plan !== undefined) {
      this.#fold.commit(plan);
      this.#surface = undefined;
    }
    if (event.type === 'request/header') this.#latestHeader = event;
    if (event.type === 'request/context') this.#latestContext = event;
  }

  #mark(cut: Cut): void {
    const last = this.#log.at(-1);
    if (cut.fresh && this.#dialect.cut === 'marker') {
      if (cut.marked) return;
      const time = this.#dialect.openTurnFork === 'closed' && last !== undefined ? last.time : this.#now();
      this.#admit(deepFreeze({ type: 'session/end-seed', seq: this.#log.length, time, data: { inherited: true } }));
    } else if (last?.type !== 'session/end-seed') {
      this.#admit(deepFreeze({ type: 'session/end-seed', seq: this.#log.length, time: this.#now(), data: {} }));
    }
  }
}

/** Where the inherited part ends. `fresh`: this is a new fork, not a stored one. `marked`: its seed holds the marker of the cut already. */
interface Cut {
  readonly inherited: number | undefined;
  readonly fresh: boolean;
  readonly marked: boolean;
}

/** Throws when header, marker and the given count contradict one another. format/on-disk.md §7. */
function cutOf(seed: readonly SessionEvent[], header: SessionHeader, given: number | undefined): Cut {
  if (given !== undefined && (!isSeq(given) || given > seed.length)) {
    throw new Error(`inheritedEventCount ${String(given)} is not a number of seed events (${seed.length})`);
  }
  if (dialectOf(header.version).cut === 'seed-length') {
    const { seedLength } = header;
    if (given !== undefined && seedLength !== undefined && seedLength !== given) {
      throw new Error(`seedLength ${seedLength} and inheritedEventCount ${given} differ`);
    }
    return { inherited: given ?? seedLength, fresh: given !== undefined, marked: false };
  }
  if (given === undefined) {
    const tagged = seed.findLastIndex(isTaggedEndSeed);
    const seeded = header.isSeeded ?? tagged >= 0;
    if (seeded !== tagged >= 0) {
      throw new Error(seeded ? 'isSeeded without a marker of the cut' : 'a marker of the cut without isSeeded');
    }
    return { inherited: seeded ? tagged : undefined, fresh: false, marked: seeded };
  }
  if (header.isSeeded === false) throw new Error('inheritedEventCount given, yet isSeeded is false');
  if (given === seed.length) return { inherited: given, fresh: true, marked: false };
  const tagged = seed.findLastIndex(isTaggedEndSeed);
  if (tagged !== given) throw new Error(`no marker of the cut at ${given}`);
  return { inherited: given, fresh: isBareForkSeed(seed, given, header.version), marked: true };
}

/** Whether nothing but the closers of a fork follows its marker: a seed as `buildForkSeed` makes it. format/fork-resume.md §2.1. */
function isBareForkSeed(seed: readonly SessionEvent[], cut: number, version: number): boolean {
  const closers = repairClosers(seed.slice(0, cut + 1), { version, cause: 'forked' });
  return equalJson(closers, seed.slice(cut + 1));
}

function withCut(header: SessionHeader, dialect: Dialect, cut: Cut): SessionHeader {
  if (dialect.cut === 'marker') return inWrittenOrder({ ...header, isSeeded: cut.inherited !== undefined });
  return cut.inherited === undefined ? header : inWrittenOrder({ ...header, seedLength: cut.inherited });
}

/** A frozen copy of one seed event, its envelope and payload checked as dsh checks them. */
function seedEvent(source: unknown, index: number, version: number): SessionEvent {
  const copy = snapshotJsonValue(source);
  const fail = (reason: string): never => {
    throw new Error(`seed event at index ${index}: ${reason}`);
  };
  if (!isRecord(copy)) return fail('not a lossless JSON record');
  const envelope = envelopeProblem(copy);
  if (envelope !== undefined) return fail(english(envelope));
  if (copy['seq'] !== index) return fail(`its seq is not ${index}`);
  // The envelope is complete; the payload is looked at next.
  const event = copy as unknown as StoredEvent;
  // A turn/end is a matter for readers; a session of dsh takes any.
  const problem = event.type === 'turn/end' ? undefined : payloadProblem(event, version);
  if (problem?.refuses === true) return fail(english(problem.text));
  if (!areSeqs(event.sourceEventSeqs)) return fail('sourceEventSeqs are not seqs');
  return deepFreeze(event) as SessionEvent;
}

/** Surface marks as they are stored, each read once; the fold judges them. */
function surfaceMarks(
  type: string,
  opts: AppendOptions | undefined,
): { sourceEventSeqs?: readonly number[]; surfaceOp?: SurfaceOp } {
  if (opts === undefined) return {};
  const { sourceEventSeqs, surfaceOp } = opts;
  const marks = snapshotJsonValue({
    ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }),
    ...(surfaceOp === undefined ? {} : { surfaceOp }),
  }) as { sourceEventSeqs?: readonly number[]; surfaceOp?: SurfaceOp } | undefined;
  if (marks === undefined) throw new Error(`${type}: the surface marks are not lossless JSON`);
  if (!areSeqs(marks.sourceEventSeqs)) throw new Error(`${type}: sourceEventSeqs are not seqs`);
  return marks;
}

/** In memory sources are plain seqs; ranges belong to stored lines. format/on-disk.md §6.3. */
function areSeqs(sources: unknown): boolean {
  return sources === undefined || (Array.isArray(sources) && sources.every(isSeq));
}
