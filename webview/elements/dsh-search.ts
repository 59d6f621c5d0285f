import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { NONE } from '../../src/timeline/index.ts';
import { formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

const pauseMs = 180;

/** Find in session: a button that opens into a field with its count and the way to the next and previous match. */
export class DshSearch extends LitElement {
  static override properties = { model: { attribute: false } };
  declare model: TimelineModel;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasOpen = false;

  constructor() {
    super();
    new ModelController(this, ['search', 'selection', 'data']);
  }

  #onInput = (event: InputEvent): void => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.model.search.run(field.value.trim()), pauseMs);
  };

  #onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') this.#go(event.shiftKey);
    else if (event.key === 'Escape') {
      this.model.search.close();
      void this.updateComplete.then(() => this.shadowRoot?.querySelector('button')?.focus());
    } else return;
    event.preventDefault();
  };

  #go(backwards: boolean): void {
    const { model } = this;
    const entry = model.search.next(model.selectedEntry === NONE ? -1 : model.selectedEntry, backwards);
    if (entry !== undefined && model.tables) model.reveal(model.tables.entries.columns.seq[entry]!);
  }

  override render(): TemplateResult {
    const { search } = this.model;
    if (!search.isOpen) {
      return html`<button
        class="open"
        aria-label=${t('Search')}
        title=${t('Find in session')}
        @click=${() => {
          search.open();
        }}
      >
        ${icon('search')}<span class="word">${t('Search')}</span>
      </button>`;
    }
    return html`<div class="field" role="search">
      ${icon('search')}
      <input
        type="text"
        spellcheck="false"
        .value=${search.query}
        placeholder=${t('Find in session')}
        aria-label=${t('Find in session')}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      />
      ${search.query === '' ? nothing : html`<span class="count number">${this.#count()}</span>`}
      <button
        title=${t('Previous match (Shift+Enter)')}
        aria-label=${t('Previous match (Shift+Enter)')}
        ?disabled=${search.total === 0}
        @click=${() => {
          this.#go(true);
        }}
      >
        ${icon('arrow-up')}
      </button>
      <button
        title=${t('Next match (Enter)')}
        aria-label=${t('Next match (Enter)')}
        ?disabled=${search.total === 0}
        @click=${() => {
          this.#go(false);
        }}
      >
        ${icon('arrow-down')}
      </button>
      <button
        title=${t('Close (Escape)')}
        aria-label=${t('Close (Escape)')}
        @click=${() => {
          search.close();
        }}
      >
        ${icon('close')}
      </button>
    </div>`;
  }

  #count(): string {
    const { search, selectedEntry } = this.model;
    if (search.isRunning) return '…';
    if (search.total === 0) return t('No matches');
    const at = selectedEntry === NONE ? 0 : search.placeOf(selectedEntry);
    return at > 0
      ? t('{at} of {n}', { at: formatNumber(at), n: formatNumber(search.total) })
      : search.total === 1
        ? t('1 match')
        : t('{count} matches', { count: formatNumber(search.total) });
  }

  protected override updated(_changed: PropertyValues): void {
    const { isOpen } = this.model.search;
    if (isOpen && !this.#wasOpen) this.shadowRoot?.querySelector('input')?.focus();
    this.#wasOpen = isOpen;
  }

  static override styles = [
    sharedStyles,
    css`
      .open {
        display: inline-flex;
        align-items: center;
        gap: 4px;
        border-color: var(--dsh-line);
        padding: 1px 8px 1px 6px;
        line-height: 20px;
      }
      .field {
        display: inline-flex;
        align-items: center;
        gap: 2px;
        padding: 0 2px 0 4px;
        border: 1px solid var(--vscode-input-border, var(--dsh-line));
        border-radius: 4px;
        background: var(--vscode-input-background);
        color: var(--vscode-input-foreground);
      }
      .field:focus-within {
        border-color: var(--vscode-focusBorder);
      }
      input {
        width: 150px;
        font: inherit;
        line-height: 20px;
        padding: 1px 4px;
        border: 0;
        outline: 0;
        background: none;
        color: inherit;
      }
      input::placeholder {
        color: var(--vscode-input-placeholderForeground);
        opacity: 1;
      }
      .count {
        font-size: 0.92em;
        color: var(--vscode-descriptionForeground);
        white-space: nowrap;
        padding: 0 4px;
      }
      .field button {
        padding: 1px;
        line-height: 16px;
      }
      @container app (max-width: 900px) {
        .word {
          display: none;
        }
        .open {
          padding: 1px 4px;
        }
        input {
          width: 110px;
        }
      }
    `,
  ];
}

customElements.define('dsh-search', DshSearch);
