/** One animation frame at a time, however often it is asked for; also tells tests when the view is at rest. */
export class FrameScheduler {
  readonly #paint: () => void;
  #handle: number | undefined;

  constructor(paint: () => void) {
    this.#paint = paint;
  }

  request(): void {
    this.#handle ??= requestAnimationFrame(() => {
      this.#handle = undefined;
      this.#paint();
    });
  }

  cancel(): void {
    if (this.#handle !== undefined) cancelAnimationFrame(this.#handle);
    this.#handle = undefined;
  }
}
