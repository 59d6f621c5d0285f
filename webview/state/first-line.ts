import type { LitElement, ReactiveController } from 'lit';

/**
 * Counts how many children of a wrapping box that shows only its first line are on it; the host is drawn again when that changes. The box
 * keeps its children in place whatever the count, so that measuring changes nothing it measures.
 */
export class FirstLine implements ReactiveController {
  /** Children on the first line; 0 when even the first does not fit. */
  count = Infinity;
  readonly #host: LitElement;
  readonly #selector: string;
  #box: Element | undefined;
  readonly #observer = new ResizeObserver(() => {
    this.#measure();
  });

  constructor(host: LitElement, selector: string) {
    this.#host = host;
    this.#selector = selector;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#observer.disconnect();
    this.#box = undefined;
  }

  hostUpdated(): void {
    const box = this.#host.shadowRoot?.querySelector(this.#selector) ?? undefined;
    if (box !== this.#box) {
      this.#observer.disconnect();
      this.#box = box;
      if (box) this.#observer.observe(box);
    }
    this.#measure();
  }

  #measure(): void {
    const count = this.#box ? onFirstLine(this.#box) : Infinity;
    if (count === this.count) return;
    this.count = count;
    this.#host.requestUpdate();
  }
}

function onFirstLine(box: Element): number {
  const children = [...box.children].filter((child) => child instanceof HTMLElement);
  const [first] = children;
  if (!first) return Infinity;
  if (first.scrollWidth > first.clientWidth + 1) return 0;
  return children.filter((child) => child.offsetTop === first.offsetTop).length;
}
