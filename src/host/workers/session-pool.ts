/**
 * One worker per open log, shared by everyone who looks at that log: tree, timelines, documents (decisions.md "Worker").
 * A worker nobody holds is kept for a while, since a tree node is usually followed by the timeline of the same log.
 */
import { text, type Text } from '../../core/index.ts';
import { RpcError, type ArgsOf, type SessionMethods, type ValueOf } from '../../protocol/index.ts';
import { WorkerClient, type SpawnWorker } from './worker-client.ts';

export interface SessionPoolOptions {
  readonly spawn: SpawnWorker;
  /** How long an unused worker stays, ms. */
  readonly idleMs: number;
  /** Workers kept at most while unused; those in use are never counted out. */
  readonly maxIdle: number;
  onCrash(path: string, reason: Text | string): void;
  /** An event of any running reader, whoever holds it. */
  onEvent?(path: string, name: string, data: unknown): void;
  onNoise?(path: string, what: string): void;
}

export interface LeaseEvents {
  onEvent?(name: string, data: unknown): void;
  /** The reader is there again after a crash: what was known of the log is to be asked again. */
  onRestart?(): void;
}

/** A hold on the reader of one log. */
export interface SessionLease {
  readonly path: string;
  call<K extends keyof SessionMethods>(
    method: K,
    args: ArgsOf<SessionMethods[K]>,
    signal?: AbortSignal,
  ): Promise<ValueOf<SessionMethods[K]>>;
  /** Says whether its holder looks at the log just now: while nobody does, changes of the file are not read. Not at the start. */
  look(on: boolean): void;
  dispose(): void;
}

const STOPPED = text('The reader of this log has stopped. Press Restart in its message, or open the log again.');

interface Entry {
  readonly path: string;
  readonly leases: Set<LeaseEvents>;
  readonly looking: Set<LeaseEvents>;
  client: WorkerClient<SessionMethods> | undefined; // undefined after a crash
  hasCrashed: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  idleSince: number;
}

export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #entries = new Map<string, Entry>();
  #clock = 0;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
  }

  /** Paths whose reader runs or has crashed while held. */
  get paths(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Takes hold of the reader of a log, starting it if need be; a crashed one is started anew. */
  acquire(path: string, events: LeaseEvents = {}): SessionLease {
    const entry = this.#entries.get(path) ?? this.#add(path);
    if (entry.timer !== undefined) clearTimeout(entry.timer);
    entry.timer = undefined;
    if (entry.client === undefined) this.restart(path);
    entry.leases.add(events);
    let held = true;
    return {
      path,
      call: (method, args, signal) => {
        if (!held) return Promise.reject(new RpcError('closed', text('The log was closed')));
        if (entry.client) return entry.client.call(method, args, signal);
        return Promise.reject(new RpcError('closed', entry.hasCrashed ? STOPPED : text('The log was closed')));
      },
      look: (on) => {
        if (held) this.#look(entry, events, on);
      },
      dispose: () => {
        if (!held) return;
        this.#look(entry, events, false);
        held = false;
        entry.leases.delete(events);
        if (entry.leases.size === 0) this.#idle(entry);
      },
    };
  }

  /** Holds the reader for one piece of work. */
  async use<T>(path: string, work: (lease: SessionLease) => Promise<T>): Promise<T> {
    const lease = this.acquire(path);
    try {
      return await work(lease);
    } finally {
      lease.dispose();
    }
  }

  /** Starts the reader of a log again after a crash; nothing happens if it runs or nobody holds it. */
  restart(path: string): void {
    const entry = this.#entries.get(path);
    if (!entry || entry.client) return;
    entry.hasCrashed = false;
    entry.client = this.#start(entry);
    for (const lease of [...entry.leases]) lease.onRestart?.();
  }

  async dispose(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) if (entry.timer !== undefined) clearTimeout(entry.timer);
    await Promise.all(entries.map((entry) => entry.client?.dispose() ?? Promise.resolve()));
  }

  #add(path: string): Entry {
    const entry: Entry = {
      path,
      leases: new Set(),
      looking: new Set(),
      client: undefined,
      hasCrashed: false,
      timer: undefined,
      idleSince: 0,
    };
    entry.client = this.#start(entry);
    this.#entries.set(path, entry);
    return entry;
  }

  #look(entry: Entry, events: LeaseEvents, on: boolean): void {
    const before = entry.looking.size > 0;
    if (on) entry.looking.add(events);
    else entry.looking.delete(events);
    const now = entry.looking.size > 0;
    if (now !== before && entry.client) this.#tell(entry.client, now);
  }

  #tell(client: WorkerClient<SessionMethods>, on: boolean): void {
    client.call('follow', { on }).catch((error: unknown) => {
      if (!client.ended) throw error; // of one that has ended, its end is told already
    });
  }

  #start(entry: Entry): WorkerClient<SessionMethods> {
    const client = new WorkerClient<SessionMethods>(this.#options.spawn({ role: 'session', path: entry.path }), {
      onEvent: (name, data) => {
        for (const lease of [...entry.leases]) lease.onEvent?.(name, data);
        this.#options.onEvent?.(entry.path, name, data);
      },
      onCrash: (reason) => {
        if (entry.client !== client) return;
        entry.client = undefined;
        entry.hasCrashed = true;
        if (entry.leases.size === 0) this.#close(entry);
        this.#options.onCrash(entry.path, reason);
      },
      onNoise: (what) => this.#options.onNoise?.(entry.path, what),
    });
    this.#tell(client, entry.looking.size > 0);
    return client;
  }

  #idle(entry: Entry): void {
    if (entry.client === undefined) {
      this.#close(entry);
      return;
    }
    entry.idleSince = ++this.#clock;
    entry.timer = setTimeout(() => this.#close(entry), this.#options.idleMs);
    const idle = [...this.#entries.values()].filter((e) => e.leases.size === 0).sort((a, b) => b.idleSince - a.idleSince);
    for (const old of idle.slice(this.#options.maxIdle)) this.#close(old);
  }

  #close(entry: Entry): void {
    if (entry.timer !== undefined) clearTimeout(entry.timer);
    if (this.#entries.get(entry.path) === entry) this.#entries.delete(entry.path);
    void entry.client?.dispose();
  }
}
