import { dialectOf } from './dialects/dialect.ts';
import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import { SessionForkError } from './errors.ts';
import type { SessionEvent, SessionHeader } from './events.ts';
import { buildForkSeed } from './fork.ts';
import { publishTo, Session, unpublish } from './session.ts';
import { text } from './text.ts';

/** What ends a subscription. */
export interface Disposable {
  dispose(): void;
}

export interface StoreOptions {
  /** Format of sessions that name none; the newest when absent. */
  readonly version?: number;
  /** Epoch milliseconds; `Date.now` when absent. */
  readonly now?: () => number;
  /** Ids of sessions that name none; `session-<uuid>` when absent. */
  readonly newId?: () => string;
  /** Where a failure of an observer goes, since it must not disturb the append. A warning on the console when absent. */
  readonly onListenerError?: (error: unknown, session: Session) => void;
}

export interface CreateOptions {
  readonly seed?: readonly SessionEvent[];
  readonly meta?: Partial<SessionHeader>;
  readonly inheritedEventCount?: number;
}

interface Entry {
  readonly session: Session;
  /** Publications going on; a detach waits for the last one. */
  publishing: number;
  detachRequested: boolean;
}

type Listener<A extends readonly unknown[]> = (...args: A) => unknown;

/**
 * The live sessions of a process, and who is told about them. Persistence is a listener: it hears events after they are committed and is
 * awaited in {@link flush}. A seed is never announced as events; listeners that want it read it from the session.
 */
export class SessionStore {
  readonly #version: number;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #report: (error: unknown, session: Session) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #onCreate = new Set<Listener<[Session]>>();
  readonly #onEvent = new Set<Listener<[Session, SessionEvent]>>();
  readonly #onFlush = new Set<Listener<[Session]>>();
  readonly #onDetach = new Set<Listener<[Session]>>();

  constructor(options: StoreOptions = {}) {
    this.#version = options.version ?? SESSION_FORMAT_VERSION;
    this.#now = options.now ?? Date.now;
    this.#newId = options.newId ?? ((): string => `session-${crypto.randomUUID()}`);
    this.#report = options.onListenerError ?? warn;
  }

  /** A new live session. Throws when the id is taken, and whatever {@link Session.create} throws. */
  create(id?: string, options: CreateOptions = {}): Session {
    const own = id ?? this.#freshId();
    if (this.#entries.has(own)) throw new Error(`session "${own}" already exists`);
    const { seed, meta, inheritedEventCount } = options;
    const session = Session.create(
      own,
      seed,
      { ...meta, version: meta?.version ?? this.#version },
      { now: this.#now, ...(inheritedEventCount === undefined ? {} : { inheritedEventCount }) },
    );
    const entry: Entry = { session, publishing: 0, detachRequested: false };
    this.#entries.set(own, entry);
    publishTo(session, {
      committed: (event) => {
        this.#publish(entry, this.#onEvent, [session, event]);
      },
      settled: () => {
        this.#detachIfDue(entry);
      },
    });
    this.#publish(entry, this.#onCreate, [session]);
    this.#detachIfDue(entry);
    return session;
  }

  /**
   * A live child over the events of a live source up to the inclusive `boundary`, its last event when absent. The child has the source's
   * format, cwd and nothing else of its header. Throws a SessionForkError. format/fork-resume.md §1, §2.
   */
  fork(source: Session | string, boundary?: number, childSessionId?: string): Session {
    if (childSessionId !== undefined && this.#entries.has(childSessionId)) {
      throw new SessionForkError('SESSION_ALREADY_EXISTS', text('Session {id} already exists', { id: childSessionId }));
    }
    const parent = this.#liveSource(source);
    const { version, cwd } = parent.header;
    const meta: Partial<SessionHeader> = { version, parentSession: parent.id, ...(cwd === undefined ? {} : { cwd }) };
    if (boundary === undefined && parent.seq === 0) {
      return this.create(childSessionId, { seed: [], meta, inheritedEventCount: 0 });
    }
    // Not `??`: null is a wrong boundary, not an omitted one.
    const at = boundary === undefined ? parent.seq - 1 : boundary;
    const built = buildForkSeed(parent.events, at, { version, now: this.#now() });
    // Before v4 the child's constructor writes the marker, so that it is no part of the seed. format/fork-resume.md §3.
    const seed = dialectOf(version).openTurnFork === 'closed' ? built.events : built.events.slice(0, built.cut);
    return this.create(childSessionId, { seed, meta, inheritedEventCount: built.cut });
  }

  get(id: string): Session | undefined {
    return this.#entries.get(id)?.session;
  }

  /** All live sessions in the order of their creation; the list is the caller's own. */
  list(): Session[] {
    return Array.from(this.#entries.values(), (entry) => entry.session);
  }

  /** Takes a session out of the store; asked for while one of its events is being published, right after that. Others are left alone. */
  detach(session: Session): void {
    const entry = this.#entryOf(session);
    if (entry === undefined) return;
    entry.detachRequested = true;
    this.#detachIfDue(entry);
  }

  /**
   * Waits until every flush listener has stored what it holds of the session. All start, all are awaited, then the failures are thrown
   * together as one AggregateError. Rejects for a session that is not live here.
   */
  async flush(session: Session): Promise<void> {
    if (this.#entryOf(session) === undefined) throw new Error(`session "${session.id}" is not live in this store`);
    const started = Array.from(this.#onFlush, async (listener) => {
      await listener(session);
    });
    const failures: unknown[] = [];
    for (const result of await Promise.allSettled(started)) if (result.status === 'rejected') failures.push(result.reason);
    if (failures.length === 0) return;
    const reasons = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
    throw new AggregateError(failures, `session "${session.id}" could not be stored: ${reasons.join('; ')}`);
  }

  /** Tells of new sessions, before anything is appended to them. */
  onCreate(listener: (session: Session) => void): Disposable {
    return subscribe(this.#onCreate, listener);
  }

  /** Tells of every event after it is in the log. A throwing listener neither undoes it nor keeps others from hearing. */
  onEvent(listener: (session: Session, event: SessionEvent) => void): Disposable {
    return subscribe(this.#onEvent, listener);
  }

  /** Awaited by {@link flush}. */
  onFlush(listener: (session: Session) => Promise<void> | void): Disposable {
    return subscribe(this.#onFlush, listener);
  }

  /** Tells of sessions that left the store. */
  onDetach(listener: (session: Session) => void): Disposable {
    return subscribe(this.#onDetach, listener);
  }

  #freshId(): string {
    for (;;) {
      const id = this.#newId();
      if (!this.#entries.has(id)) return id;
    }
  }

  #entryOf(session: Session): Entry | undefined {
    const entry = this.#entries.get(session.id);
    return entry?.session === session ? entry : undefined;
  }

  #liveSource(source: Session | string): Session {
    const id = typeof source === 'string' ? source : source.id;
    const live = this.get(id);
    if (live === undefined) throw new SessionForkError('SESSION_NOT_FOUND', text('There is no live session {id}', { id }));
    if (typeof source !== 'string' && live !== source) {
      throw new SessionForkError('SESSION_NOT_LIVE', text('This is not the live session {id}', { id }));
    }
    return live;
  }

  #publish<A extends readonly unknown[]>(entry: Entry, listeners: ReadonlySet<Listener<A>>, args: A): void {
    entry.publishing++;
    try {
      this.#notify(listeners, entry.session, args);
    } finally {
      entry.publishing--;
    }
  }

  #detachIfDue(entry: Entry): void {
    if (!entry.detachRequested || entry.publishing > 0) return;
    entry.detachRequested = false;
    this.#entries.delete(entry.session.id);
    unpublish(entry.session);
    this.#notify(this.#onDetach, entry.session, [entry.session]);
  }

  /** Calls everyone who is subscribed now; who fails, now or later, is reported and holds nobody up. */
  #notify<A extends readonly unknown[]>(listeners: ReadonlySet<Listener<A>>, session: Session, args: A): void {
    for (const listener of Array.from(listeners)) {
      try {
        const returned = listener(...args);
        if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(error, session));
      } catch (error) {
        this.#report(error, session);
      }
    }
  }
}

function subscribe<A extends readonly unknown[]>(listeners: Set<Listener<A>>, listener: Listener<A>): Disposable {
  // Its own function object, so that one listener subscribed twice is told twice and ends once.
  const own: Listener<A> = (...args) => listener(...args);
  listeners.add(own);
  return {
    dispose: () => {
      listeners.delete(own);
    },
  };
}

function warn(error: unknown, session: Session): void {
  // eslint-disable-next-line no-console -- whoever gave no place for such failures still has to learn of them
  console.warn(`a listener of session "${session.id}" failed:`, error);
}
