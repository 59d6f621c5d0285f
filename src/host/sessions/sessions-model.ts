/**
 * The sessions of the current root as last listed, which of them are live, and the titles filled in afterwards. Owner of
 * this state for tree and commands; knows no editor.
 */
import type { Damage, Text } from '../../core/index.ts';
import {
  RpcError,
  type ArgsOf,
  type ListMethods,
  type ListResult,
  type SessionItem,
  type ValueOf,
} from '../../protocol/index.ts';

/** The listing worker as far as the model needs it. */
export interface SessionSource {
  call<K extends keyof ListMethods>(
    method: K,
    args: ArgsOf<ListMethods[K]>,
    signal?: AbortSignal,
  ): Promise<ValueOf<ListMethods[K]>>;
}

export interface SessionsModelOptions {
  readonly source: SessionSource;
  /** The configured root; '' means dsh's own rule (format/on-disk.md §1). */
  readonly configuredRoot: () => string;
  readonly now: () => number;
  /** Waits this long, ms: between two logs read as a whole the machine is left alone for as long as one took. */
  readonly rest: (ms: number) => Promise<void>;
  onError(error: unknown): void;
}

export type SessionsState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly root: string | undefined; readonly message: Text | string }
  | {
      readonly status: 'ready';
      readonly root: string;
      readonly exists: boolean;
      readonly items: readonly SessionItem[];
      readonly problems: readonly Text[];
    };

interface Completion {
  readonly item: SessionItem | undefined; // undefined: asked, but not answered for this file
  readonly size: number;
  readonly mtime: number;
  readonly at: number;
}

/** A log counts as live for this long after it grew (decisions.md "Live badge"). */
const liveMs = 60_000;
/** At first sight: how long ago the last human or model act may be. A call may run for minutes without one. */
const recentMs = 10 * liveMs;
/** A log being written is not read as a whole again for its title before this has passed. */
const completeAgainMs = 30_000;
const batch = 8;
/** Longest rest after a log was read whole. */
const mostRestMs = 2000;

export class SessionsModel {
  readonly #options: SessionsModelOptions;
  readonly #listeners = new Set<(changed: ReadonlySet<string>) => void>();
  readonly #grewAt = new Map<string, number>();
  readonly #completions = new Map<string, Completion>();
  /** When a log was last read whole, event by event, and how it was then. */
  readonly #checks = new Map<string, Pick<Completion, 'size' | 'mtime' | 'at'>>();
  readonly #wanted = new Set<string>();
  readonly #unchecked = new Set<string>();
  #background = new AbortController();
  #state: SessionsState = { status: 'loading' };
  #listed: readonly SessionItem[] = [];
  #revision = -1;
  #refreshing: Promise<void> | undefined;
  #again = false;
  #completing = false;

  constructor(options: SessionsModelOptions) {
    this.#options = options;
  }

  get state(): SessionsState {
    return this.#state;
  }

  get items(): readonly SessionItem[] {
    return this.#state.status === 'ready' ? this.#state.items : [];
  }

  get root(): string | undefined {
    return this.#state.status === 'loading' ? undefined : this.#state.root;
  }

  /** Told after every change, with the paths whose files changed on disk. */
  onChange(listener: (changed: ReadonlySet<string>) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  byPath(path: string): SessionItem | undefined {
    return this.items.find((item) => item.path === path || item.olderCopies.includes(path));
  }

  byId(id: string): readonly SessionItem[] {
    return this.items.filter((item) => item.id === id);
  }

  isLive(path: string): boolean {
    const grew = this.#grewAt.get(path);
    return grew !== undefined && this.#options.now() - grew < liveMs;
  }

  /** Lists again. Calls during a listing are answered by one more listing after it. */
  refresh(): Promise<void> {
    if (this.#refreshing) {
      this.#again = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#refreshLoop().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshLoop(): Promise<void> {
    do {
      this.#again = false;
      await this.#list();
    } while (this.#again);
  }

  async #list(): Promise<void> {
    let root: string | undefined;
    try {
      ({ root } = await this.#options.source.call('resolveRoot', { configured: this.#options.configuredRoot() }));
      this.#accept(await this.#options.source.call('list', { root }));
    } catch (error) {
      this.#options.onError(error);
      this.#state = { status: 'failed', root, message: messageOf(error) };
      this.#emit(new Set());
    }
  }

  #accept(result: ListResult): void {
    const sameRoot = this.#state.status === 'ready' && this.#state.root === result.root;
    if (!sameRoot) this.#stopBackground();
    const before = new Map(sameRoot ? this.#listed.map((item) => [item.path, item]) : []);
    const changed = new Set<string>();
    for (const item of result.items) {
      const old = before.get(item.path);
      before.delete(item.path);
      if (old && old.size === item.size && old.mtime === item.mtime) continue;
      if (sameRoot) changed.add(item.path);
      this.#noteGrowth(item, old);
    }
    for (const path of before.keys()) changed.add(path); // gone
    // Polling mostly finds nothing new, and whoever listens draws everything again.
    if (sameRoot && changed.size === 0 && result.revision === this.#revision) return;
    this.#revision = result.revision;
    this.#listed = result.items;
    this.#state = {
      status: 'ready',
      root: result.root,
      exists: result.exists,
      items: result.items.map((item) => this.#completed(item)),
      problems: result.problems,
    };
    this.#emit(changed);
  }

  /**
   * Bytes that came since the last listing are growth. A file seen for the first time tells by its mtime, but a copy of
   * an old log has a young one too: its last act must not be long ago either.
   */
  #noteGrowth(item: SessionItem, old: SessionItem | undefined): void {
    const now = this.#options.now();
    if (old) {
      if (item.size > old.size) this.#grewAt.set(item.path, now);
    } else if (now - item.mtime < liveMs && now - (item.lastActivity ?? item.createdAt ?? -Infinity) < recentMs) {
      this.#grewAt.set(item.path, item.mtime);
    }
  }

  /** The item with what an earlier completion found, as long as nothing better is known. */
  #completed(item: SessionItem): SessionItem {
    const completion = this.#completions.get(item.path);
    if ((item.titleIsComplete && item.isChecked) || !completion?.item) return item;
    if (completion.size === item.size && completion.mtime === item.mtime) return completion.item;
    const damage = item.size < completion.size ? item.damage : withInner(item.damage, completion.item.damage);
    // What the ends tell of an unfinished title is the log's beginning: the whole log told more.
    const { title, titleIsInherited } = item.titleIsComplete || completion.item.title === undefined ? item : completion.item;
    return { ...item, title, titleIsInherited, damage };
  }

  /**
   * Asks for what the ends of these logs did not tell: titles first, eight at a time, then damage inside, log by log. In the background; the
   * last asked come last.
   */
  complete(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#wanted.add(path);
      this.#unchecked.add(path);
    }
    if (!this.#completing) void this.#completeLoop();
  }

  dispose(): void {
    this.#stopBackground();
  }

  #stopBackground(): void {
    this.#background.abort();
    this.#background = new AbortController();
    this.#wanted.clear();
    this.#unchecked.clear();
  }

  async #completeLoop(): Promise<void> {
    this.#completing = true;
    const { signal } = this.#background;
    try {
      for (;;) {
        const paths = this.#nextBatch();
        if (paths.length > 0) {
          this.#take((await this.#options.source.call('complete', { paths }, signal)).items);
          continue;
        }
        const path = this.#nextUnchecked();
        if (path === undefined) break;
        const started = this.#options.now();
        const { item } = await this.#options.source.call('check', { path }, signal);
        this.#take(item ? [item] : []);
        await this.#options.rest(Math.min(this.#options.now() - started, mostRestMs));
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#wanted.clear();
        this.#unchecked.clear();
        this.#options.onError(error);
      }
    } finally {
      this.#completing = false;
    }
    if (this.#wanted.size + this.#unchecked.size > 0) void this.#completeLoop(); // asked for while the former root's were given up
  }

  #take(items: readonly SessionItem[]): void {
    for (const item of items) {
      this.#completions.set(item.path, { item, size: item.size, mtime: item.mtime, at: this.#options.now() });
    }
    if (this.#state.status !== 'ready' || items.length === 0) return;
    this.#state = { ...this.#state, items: this.#listed.map((item) => this.#completed(item)) };
    this.#emit(new Set());
  }

  #nextBatch(): string[] {
    const items = new Map(this.#listed.map((item) => [item.path, item]));
    const paths: string[] = [];
    for (const path of this.#wanted) {
      if (paths.length === batch) break;
      this.#wanted.delete(path);
      const item = items.get(path);
      if (!item || item.titleIsComplete || !this.#isDue(item, this.#completions.get(path))) continue;
      this.#completions.set(path, {
        item: this.#completions.get(path)?.item,
        size: item.size,
        mtime: item.mtime,
        at: this.#options.now(),
      });
      paths.push(path);
    }
    return paths;
  }

  #nextUnchecked(): string | undefined {
    for (const path of this.#unchecked) {
      this.#unchecked.delete(path);
      const item = this.#listed.find((one) => one.path === path);
      if (!item || item.isChecked || !this.#isDue(item, this.#checks.get(path))) continue;
      if (this.#checks.has(path) && this.isLive(path)) continue; // once it rests; what was found so far stays
      this.#checks.set(path, { size: item.size, mtime: item.mtime, at: this.#options.now() });
      return path;
    }
    return undefined;
  }

  #isDue(item: SessionItem, last: Pick<Completion, 'size' | 'mtime' | 'at'> | undefined): boolean {
    if (!last) return true;
    const unchanged = last.size === item.size && last.mtime === item.mtime;
    return !unchanged && this.#options.now() - last.at >= completeAgainMs;
  }

  #emit(changed: ReadonlySet<string>): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}

function messageOf(error: unknown): Text | string {
  if (error instanceof RpcError && error.text) return error.text;
  return error instanceof Error ? error.message : String(error);
}

/** What an earlier reading found between the ends of a log that has only grown since is still there. */
function withInner(own: readonly Damage[], earlier: readonly Damage[]): readonly Damage[] {
  const inner = earlier.filter(
    ({ line, frame, dsh, message }) =>
      (line !== undefined || frame !== undefined) && dsh.open === 'refuses' && !own.some((one) => one.message === message),
  );
  return inner.length === 0 ? own : [...own, ...inner];
}
