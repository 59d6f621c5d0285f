import { isObsolete, type SessionClient } from '../api/session-client.ts';
import { lowerBound } from '../../src/timeline/layout/axis.ts';

const limit = 20_000;

/** Find in session: the query, what the worker found, and which match the reader is at. */
export class SearchState {
  isOpen = false;
  query = '';
  isRunning = false;
  /** Entry indexes, ascending. */
  entries = new Uint32Array(0);
  total = 0;
  readonly #client: SessionClient;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  #generation = 0;
  #request: AbortController | undefined;

  constructor(client: SessionClient, changed: () => void, failed: (error: unknown) => void) {
    this.#client = client;
    this.#changed = changed;
    this.#failed = failed;
  }

  reset(generation: number): void {
    this.#generation = generation;
    if (this.query !== '') void this.run(this.query);
  }

  open(): void {
    this.isOpen = true;
    this.#changed();
  }

  close(): void {
    this.isOpen = false;
    void this.run('');
  }

  async run(query: string): Promise<void> {
    this.#request?.abort();
    this.#request = undefined;
    this.query = query;
    this.isRunning = query !== '';
    if (query === '') {
      this.entries = new Uint32Array(0);
      this.total = 0;
      this.#changed();
      return;
    }
    this.#changed();
    const controller = new AbortController();
    this.#request = controller;
    try {
      const found = await this.#client.call('search', { generation: this.#generation, query, limit }, controller.signal);
      this.entries = Uint32Array.from(found.entries);
      this.total = found.total;
      this.isRunning = false;
      this.#changed();
    } catch (error) {
      if (isObsolete(error)) return;
      this.isRunning = false;
      this.#failed(error);
    }
  }

  has(entry: number): boolean {
    return this.entries[lowerBound(this.entries, entry)] === entry;
  }

  /** Place of an entry among the matches, from 1; 0 when it is none. */
  placeOf(entry: number): number {
    const at = lowerBound(this.entries, entry);
    return this.entries[at] === entry ? at + 1 : 0;
  }

  /** Entry of the match after (or before) an entry, going round; undefined without matches. */
  next(from: number, backwards: boolean): number | undefined {
    const { length } = this.entries;
    if (length === 0) return undefined;
    const at = lowerBound(this.entries, from);
    if (backwards) return this.entries[(at - 1 + length) % length];
    const after = this.entries[at] === from ? at + 1 : at;
    return this.entries[after % length];
  }
}
