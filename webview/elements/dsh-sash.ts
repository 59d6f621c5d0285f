import { css, html, LitElement, type TemplateResult } from 'lit';

/**
 * The edge between two panes; drag or arrow keys, Home and End for its limits, and a double click for the size they have by themselves. Fires
 * `dsh-resize` with the new value, `dsh-reset` for their own.
 */
export class DshSash extends LitElement {
  static override properties = {
    value: { type: Number },
    least: { type: Number },
    most: { type: Number },
    share: { type: Boolean },
    rows: { type: Boolean },
    label: { type: String },
  };
  /** The pane before it in px; with `share`, the pane after it in percent of the element both are in. */
  declare value: number;
  declare least: number;
  declare most: number;
  declare share: boolean;
  /** One pane above the other instead of side by side. */
  declare rows: boolean;
  declare label: string;
  #grip: { readonly at: number; readonly value: number } | undefined;

  constructor() {
    super();
    this.value = 0;
    this.least = 0;
    this.most = 0;
    this.share = false;
    this.rows = false;
    this.label = '';
  }

  #resize(value: number): void {
    const detail = Math.min(this.most, Math.max(this.least, value));
    this.dispatchEvent(new CustomEvent('dsh-resize', { detail }));
  }

  #at(event: PointerEvent): number {
    return this.rows ? event.clientY : event.clientX;
  }

  /** What a pixel towards the end changes. */
  get #perPixel(): number {
    if (!this.share) return 1;
    const box = this.parentElement?.getBoundingClientRect();
    return box ? -100 / (this.rows ? box.height : box.width) : 0;
  }

  #onDown = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof HTMLElement) || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#grip = { at: this.#at(event), value: this.value };
  };

  #onMove = (event: PointerEvent): void => {
    if (this.#grip) this.#resize(this.#grip.value + (this.#at(event) - this.#grip.at) * this.#perPixel);
  };

  #onEnd = (): void => {
    this.#grip = undefined;
  };

  #onKey = (event: KeyboardEvent): void => {
    const step = this.share ? -3 : 12; // towards the end
    const moves: Readonly<Record<string, number>> = {
      ArrowUp: this.value - step,
      ArrowLeft: this.value - step,
      ArrowDown: this.value + step,
      ArrowRight: this.value + step,
      Home: this.least,
      End: this.most,
    };
    const value = moves[event.key];
    if (value === undefined) return;
    this.#resize(value);
    event.preventDefault();
    event.stopPropagation();
  };

  override render(): TemplateResult {
    return html`<div
      class="grip ${this.rows ? 'rows' : ''}"
      role="separator"
      tabindex="0"
      aria-orientation=${this.rows ? 'horizontal' : 'vertical'}
      aria-label=${this.label}
      aria-valuemin=${this.least}
      aria-valuemax=${this.most}
      aria-valuenow=${Math.round(this.value)}
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

  /** Unseen until it is pointed at or focused, as the workbench has it. */
  static override styles = css`
    :host {
      display: block;
      position: relative;
      z-index: 3;
    }
    .grip {
      position: absolute;
      inset: 0 -3px;
      cursor: ew-resize;
      touch-action: none;
      user-select: none;
      transition: background 0.1s 0.15s;
    }
    .grip.rows {
      inset: -3px 0;
      cursor: ns-resize;
    }
    .grip:hover,
    .grip:active,
    .grip:focus-visible {
      background: var(--vscode-sash-hoverBorder, var(--vscode-focusBorder));
      outline: none;
    }
    @media (prefers-reduced-motion: reduce) {
      .grip {
        transition: none;
      }
    }
  `;
}

customElements.define('dsh-sash', DshSash);
