/** One-line texts of the rows on screen: asked for in batches, kept, and given up when scrolled away before they come. */
import type { RowText } from '../../src/protocol/index.ts';
import { ROW, rowIndex, rowKind } from '../../src/timeline/layout/rows.ts';
import { isObsolete, type SessionClient } from '../api/session-client.ts';

const batch = 400;
const capacity = 6_000;

export class RowTextCache {
  readonly #client: SessionClient;
  readonly #onArrival: () => void;
  readonly #onFailure: (error: unknown) => void;
  #texts = new Map<number, RowText>();
  /** Of the generation before: shown until the new ones are here, so that a growing log does not flicker. */
  #former: ReadonlyMap<number, RowText> = new Map();
  readonly #asked = new Set<number>();
  /** What each part of the view shows now. */
  readonly #wanted = new Map<string, readonly number[]>();
  readonly #arrivals = new Map<string, number>();
  #generation = 0;
  #running: AbortController | undefined;

  constructor(client: SessionClient, onArrival: () => void, onFailure: (error: unknown) => void) {
    this.#client = client;
    this.#onArrival = onArrival;
    this.#onFailure = onFailure;
  }

  reset(generation: number): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#asked.clear();
    this.#former = this.#texts;
    this.#texts = new Map();
    this.#wanted.clear();
    this.#generation = generation;
  }

  get(code: number): RowText | undefined {
    return this.#texts.get(code) ?? this.#former.get(code);
  }

  /** States which rows a part of the view shows now; a running request for nothing on screen is cancelled. */
  want(part: string, codes: readonly number[]): void {
    this.#wanted.set(part, codes);
    this.#next();
  }

  /** How often texts have come that this part wanted: it need not be drawn again for those of others. */
  arrivals(part: string): number {
    return this.#arrivals.get(part) ?? 0;
  }

  #next(): void {
    const missing = new Set<number>();
    for (const codes of this.#wanted.values()) for (const code of codes) if (!this.#texts.has(code)) missing.add(code);
    if (missing.size === 0) return;
    if (this.#running) {
      for (const code of this.#asked) if (missing.has(code)) return; // its arrival asks for the rest
      this.#running.abort();
    }
    void this.#fetch([...missing].slice(0, batch));
  }

  async #fetch(codes: readonly number[]): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    this.#asked.clear();
    const lists: [number[], number[], number[]] = [[], [], []];
    for (const code of codes) {
      this.#asked.add(code);
      lists[rowKind(code)]?.push(rowIndex(code));
    }
    const [turns, steps, entries] = lists;
    try {
      const reply = await this.#client.call('rows', { generation: this.#generation, turns, steps, entries }, controller.signal);
      this.#keep(ROW.turn, turns, reply.turns);
      this.#keep(ROW.step, steps, reply.steps);
      this.#keep(ROW.entry, entries, reply.entries);
      if (this.#running === controller) this.#running = undefined;
      const arrived = new Set(codes);
      for (const [part, wanted] of this.#wanted)
        if (wanted.some((code) => arrived.has(code))) this.#arrivals.set(part, this.arrivals(part) + 1);
      this.#onArrival();
      this.#next();
    } catch (error) {
      if (this.#running === controller) this.#running = undefined;
      if (!isObsolete(error)) this.#onFailure(error);
    }
  }

  #keep(kind: number, indexes: readonly number[], texts: readonly RowText[]): void {
    for (let i = 0; i < indexes.length; i++) {
      const value = texts[i];
      if (value) this.#texts.set(((kind << 30) | indexes[i]!) >>> 0, value);
    }
    // Oldest first; a row scrolled far away is simply asked for again.
    for (const code of this.#texts.keys()) {
      if (this.#texts.size <= capacity) break;
      this.#texts.delete(code);
    }
  }
}
