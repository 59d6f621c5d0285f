import { css, html, LitElement, type TemplateResult } from 'lit';
import { sharedStyles } from '../theme/shared-styles.ts';

/** A button that opens what did not fit beside it. Its words are the slot `label`, what opens is everything else in it. */
export class DshMore extends LitElement {
  static override properties = { label: { type: String }, isOpen: { state: true }, marked: { type: Boolean } };
  /** Name of the button where its own words are none. */
  declare label: string;
  declare isOpen: boolean;
  /** Something among what opens is on. */
  declare marked: boolean;

  constructor() {
    super();
    this.label = '';
    this.isOpen = false;
    this.marked = false;
  }

  get #items(): HTMLElement[] {
    const slot = this.shadowRoot?.querySelector<HTMLSlotElement>('slot:not([name])');
    return (slot?.assignedElements() ?? []).filter((item) => item instanceof HTMLButtonElement);
  }

  #onToggle = (event: ToggleEvent): void => {
    this.isOpen = event.newState === 'open';
    // The event comes late: a key pressed meanwhile may have gone to an item already.
    if (this.isOpen && !this.#items.some((item) => item.matches(':focus'))) this.#items[0]?.focus();
  };

  /** The browser gives the focus back only from what stands inside the popover; slotted items do not. */
  #onBeforeToggle = (event: ToggleEvent): void => {
    if (event.newState === 'closed' && this.#items.some((item) => item.matches(':focus')))
      this.shadowRoot?.querySelector('button')?.focus();
  };

  #onKey = (event: KeyboardEvent): void => {
    if (!this.shadowRoot?.querySelector('#pop')?.matches(':popover-open')) return;
    const items = this.#items;
    const at = items.findIndex((item) => item.matches(':focus'));
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(at, 0) - 1,
      Home: 0,
      End: items.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined || items.length === 0) return;
    items[(next + items.length) % items.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  override render(): TemplateResult {
    return html`<button
        class="opener ${this.marked ? 'marked' : ''}"
        popovertarget="pop"
        aria-label=${this.label}
        title=${this.label}
        aria-expanded=${this.isOpen ? 'true' : 'false'}
        @keydown=${this.#onKey}
      >
        <slot name="label"></slot>
      </button>
      <div id="pop" popover @beforetoggle=${this.#onBeforeToggle} @toggle=${this.#onToggle} @keydown=${this.#onKey}>
        <slot></slot>
      </div>`;
  }

  static override styles = [
    sharedStyles,
    css`
      :host {
        display: inline-flex;
      }
      .opener {
        display: inline-flex;
        align-items: center;
        gap: 3px;
        padding: 1px 6px;
        line-height: 18px;
        anchor-name: --opener;
      }
      .marked {
        background: var(--vscode-toolbar-activeBackground, color-mix(in srgb, var(--vscode-foreground) 16%, transparent));
        box-shadow: inset 0 0 0 1px var(--vscode-contrastActiveBorder, transparent);
      }
      #pop {
        position: fixed;
        position-anchor: --opener;
        position-area: block-end span-inline-end;
        position-try-fallbacks: flip-inline, flip-block;
        inset: auto;
        margin: 4px 0;
        padding: 4px;
        max-width: calc(100vw - 16px);
        max-height: 70vh;
        overflow: auto;
        color: var(--vscode-menu-foreground, var(--vscode-foreground));
        background: var(--vscode-menu-background, var(--vscode-editorWidget-background));
        border: 1px solid var(--vscode-menu-border, var(--vscode-editorWidget-border, var(--vscode-contrastBorder)));
        border-radius: 6px;
        box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent);
      }
      #pop:popover-open {
        display: flex;
        flex-direction: column;
        gap: 1px;
      }
    `,
  ];
}

customElements.define('dsh-more', DshMore);
