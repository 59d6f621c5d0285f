/** Parsed lines, the least recently used dropped first; bounded by the length of their text. */
export class LineCache<T> {
  readonly #entries = new Map<number, { readonly value: T; readonly length: number }>();
  readonly #capacity: number;
  #held = 0;

  /** `capacity` in UTF-16 code units of line text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(line: number, load: () => { value: T; length: number }): T {
    const found = this.#entries.get(line);
    if (found !== undefined) {
      this.#entries.delete(line);
      this.#entries.set(line, found);
      return found.value;
    }
    const loaded = load();
    this.#entries.set(line, loaded);
    this.#held += loaded.length;
    for (const [oldest, entry] of this.#entries) {
      if (this.#held <= this.#capacity || oldest === line) break;
      this.#entries.delete(oldest);
      this.#held -= entry.length;
    }
    return loaded.value;
  }

  clear(): void {
    this.#entries.clear();
    this.#held = 0;
  }
}
