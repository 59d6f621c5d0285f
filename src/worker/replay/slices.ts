/** Milliseconds of work after which other calls get their turn. */
const SLICE = 30;

/** Cuts long work into slices, and ends it when nobody wants it any more. */
export class Slices {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() - this.#since > SLICE;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
