/** Type to find: letters typed within a short while make one word; the next row that starts with it is taken. */
const pauseMs = 700;
/** Rows looked at per key: past this the search field is the better tool. */
const reach = 20_000;

export class TypeAhead {
  #word = '';
  #last = -Infinity;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Row found, going round; -1. A row may have several words to match. */
  find(key: string, from: number, length: number, wordsOf: (row: number) => readonly string[]): number {
    const time = this.#now();
    const fresh = time - this.#last > pauseMs;
    this.#last = time;
    this.#word = fresh ? key.toLowerCase() : this.#word + key.toLowerCase();
    // A first letter moves on from the present row, a longer word may stay on it.
    const first = this.#word.length === 1 ? from + 1 : from;
    for (let i = 0; i < Math.min(length, reach); i++) {
      const row = (first + i) % length;
      if (wordsOf(row).some((word) => word.toLowerCase().startsWith(this.#word))) return row;
    }
    return -1;
  }
}
