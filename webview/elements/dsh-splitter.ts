import { css, html, LitElement, type TemplateResult } from 'lit';
import { sashStyles } from '../theme/sash-styles.ts';

/** A thin bar between two panes; drag or arrow keys. Fires `dsh-resize` with the share of the second pane, 0 to 1, and by a double click `dsh-reset`. */
export class DshSplitter extends LitElement {
  static override properties = { value: { type: Number }, rows: { type: Boolean }, label: { type: String } };
  declare value: number;
  /** One pane above the other instead of side by side. */
  declare rows: boolean;
  declare label: string;

  constructor() {
    super();
    this.value = 0.5;
    this.rows = false;
    this.label = '';
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
    this.#resize(this.rows ? (box.bottom - event.clientY) / box.height : (box.right - event.clientX) / box.width);
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
      class="grip ${this.rows ? 'rows' : ''}"
      role="separator"
      aria-orientation=${this.rows ? 'horizontal' : 'vertical'}
      tabindex="0"
      aria-label=${this.label}
      aria-valuemin="15"
      aria-valuemax="75"
      aria-valuenow=${Math.round(this.value * 100)}
      @pointerdown=${this.#onDown}
      @pointermove=${this.#onMove}
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
        position: relative;
        background: var(--dsh-line);
        z-index: 3;
      }
    `,
  ];
}

customElements.define('dsh-splitter', DshSplitter);
