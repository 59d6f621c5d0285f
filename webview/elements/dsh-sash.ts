import { css, html, LitElement, type TemplateResult } from 'lit';
import { sashStyles } from '../theme/sash-styles.ts';

/**
 * The lower edge of what stands above it; drag or arrow keys, and a double click for the height it has by itself. Fires `dsh-resize` with
 * the height in px, `dsh-reset` for its own.
 */
export class DshSash extends LitElement {
  static override properties = {
    value: { type: Number },
    least: { type: Number },
    most: { type: Number },
    label: { type: String },
  };
  /** Heights in px: the present one, and how far it goes. */
  declare value: number;
  declare least: number;
  declare most: number;
  declare label: string;
  #grip: { readonly y: number; readonly value: number } | undefined;

  constructor() {
    super();
    this.value = 0;
    this.least = 0;
    this.most = 0;
    this.label = '';
  }

  #resize(height: number): void {
    const detail = Math.round(Math.min(this.most, Math.max(this.least, height)));
    this.dispatchEvent(new CustomEvent('dsh-resize', { detail }));
  }

  #onDown = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof HTMLElement) || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#grip = { y: event.clientY, value: this.value };
  };

  #onMove = (event: PointerEvent): void => {
    if (this.#grip) this.#resize(this.#grip.value + event.clientY - this.#grip.y);
  };

  #onEnd = (): void => {
    this.#grip = undefined;
  };

  #onKey = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowUp: this.value - 12,
      ArrowDown: this.value + 12,
      Home: this.least,
      End: this.most,
    };
    const height = moves[event.key];
    if (height === undefined) return;
    this.#resize(height);
    event.preventDefault();
    event.stopPropagation();
  };

  override render(): TemplateResult {
    return html`<div
      class="grip rows"
      role="separator"
      tabindex="0"
      aria-orientation="horizontal"
      aria-label=${this.label}
      aria-valuemin=${this.least}
      aria-valuemax=${this.most}
      aria-valuenow=${this.value}
      @pointerdown=${this.#onDown}
      @pointermove=${this.#onMove}
      @pointerup=${this.#onEnd}
      @pointercancel=${this.#onEnd}
      @keydown=${this.#onKey}
      @dblclick=${() => {
        this.dispatchEvent(new CustomEvent('dsh-reset'));
      }}
    ></div>`;
  }

  static override styles = [
    sashStyles,
    css`
      :host {
        display: block;
        position: relative;
        height: 0;
        z-index: 3;
      }
    `,
  ];
}

customElements.define('dsh-sash', DshSash);
