/** Places to go back to and forward again, as a browser keeps its pages. */
const capacity = 100;

export class History<T> {
  readonly #places: T[] = [];
  #at = -1;

  /** A new place; what lay ahead is forgotten. */
  push(place: T): void {
    this.#places.length = this.#at + 1;
    this.#places.push(place);
    if (this.#places.length > capacity) this.#places.shift();
    this.#at = this.#places.length - 1;
  }

  clear(): void {
    this.#places.length = 0;
    this.#at = -1;
  }

  /** The place one step back (-1) or forward (1); undefined at either end. */
  go(step: -1 | 1): T | undefined {
    const next = this.#at + step;
    if (next < 0 || next >= this.#places.length) return undefined;
    this.#at = next;
    return this.#places[next];
  }
}
