import { css, html, LitElement, type TemplateResult } from 'lit';

/** A thin bar between two panes; drag or arrow keys. Fires `dsh-resize` with the share of the second pane, 0 to 1. */
export class DshSplitter extends LitElement {
  static override properties = { value: { type: Number }, label: { type: String } };
  declare value: number;
  declare label: string;

  constructor() {
    super();
    this.value = 0.5;
    this.label = '';
  }

  /** Side by side, or one above the other where the panel is narrow. */
  get #isVertical(): boolean {
    return this.offsetHeight > this.offsetWidth;
  }

  #resize(share: number): void {
    this.dispatchEvent(new CustomEvent('dsh-resize', { detail: Math.min(0.75, Math.max(0.15, share)) }));
  }

  #onDown = (event: PointerEvent): void => {
    const bar = event.currentTarget;
    if (!(bar instanceof HTMLElement)) return;
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  };

  #onMove = (event: PointerEvent): void => {
    const bar = event.currentTarget;
    if (!(bar instanceof HTMLElement) || !bar.hasPointerCapture(event.pointerId)) return;
    const box = this.parentElement?.getBoundingClientRect();
    if (!box) return;
    this.#resize(this.#isVertical ? (box.right - event.clientX) / box.width : (box.bottom - event.clientY) / box.height);
  };

  #onKey = (event: KeyboardEvent): void => {
    const wider = event.key === 'ArrowLeft' || event.key === 'ArrowUp';
    const narrower = event.key === 'ArrowRight' || event.key === 'ArrowDown';
    if (!wider && !narrower) return;
    this.#resize(this.value + (wider ? 0.03 : -0.03));
    event.preventDefault();
  };

  override render(): TemplateResult {
    return html`<div
      class="grip"
      role="separator"
      tabindex="0"
      aria-label=${this.label}
      aria-valuemin="15"
      aria-valuemax="75"
      aria-valuenow=${Math.round(this.value * 100)}
      @pointerdown=${this.#onDown}
      @pointermove=${this.#onMove}
      @keydown=${this.#onKey}
    ></div>`;
  }

  static override styles = css`
    :host {
      position: relative;
      background: var(--dsh-line);
      z-index: 3;
    }
    .grip {
      position: absolute;
      inset: 0 -3px;
      cursor: ew-resize;
      touch-action: none;
      transition: background 0.1s 0.15s;
    }
    .grip:hover,
    .grip:active,
    .grip:focus-visible {
      background: var(--vscode-sash-hoverBorder, var(--vscode-focusBorder));
      outline: none;
    }
    @container app (max-width: 760px) {
      .grip {
        inset: -3px 0;
        cursor: ns-resize;
      }
    }
    @media (prefers-reduced-motion: reduce) {
      .grip {
        transition: none;
      }
    }
  `;
}

customElements.define('dsh-splitter', DshSplitter);
