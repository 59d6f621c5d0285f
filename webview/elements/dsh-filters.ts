import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { compactCount } from '../../src/timeline/index.ts';
import { formatClock, formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import {
  filterKinds,
  filterStates,
  isFiltering,
  noFilter,
  type Filter,
  type FilterKind,
  type FilterState,
} from '../state/filters.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

/** One line above the list: fold and unfold everything, chips that narrow it, and what is left in figures. */
export class DshFilters extends LitElement {
  static override properties = { model: { attribute: false } };
  declare model: TimelineModel;

  constructor() {
    super();
    new ModelController(this, ['data', 'rows']);
  }

  #set(part: Partial<Filter>): void {
    this.model.setFilter({ ...this.model.filter, ...part });
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this;
    const { filter, overview } = model;
    if (!overview) return nothing;
    const kindNames: Readonly<Record<FilterKind, string>> = {
      conversation: t('Conversation'),
      settings: t('Settings'),
      context: t('Context'),
      state: t('State'),
      structure: t('Structure'),
    };
    const stateNames: Readonly<Record<FilterState, string>> = {
      errors: t('Errors'),
      current: t('In context'),
      shadowed: t('Shadowed'),
      own: t('Own'),
    };
    const states = filterStates.filter((state) => state !== 'own' || overview.inheritedEventCount > 0);
    return html`<div class="bar" role="toolbar" aria-label=${t('Filter and fold')}>
      <button
        class="square"
        title=${t('Fold all')}
        aria-label=${t('Fold all')}
        @click=${() => {
          model.foldAll(true);
        }}
      >
        ${icon('collapse-all')}
      </button>
      <button
        class="square"
        title=${t('Unfold all')}
        aria-label=${t('Unfold all')}
        @click=${() => {
          model.foldAll(false);
        }}
      >
        ${icon('expand-all')}
      </button>
      <span class="line" aria-hidden="true"></span>
      ${filterKinds.map((kind) =>
        this.#chip(kindNames[kind], filter.kinds.has(kind), () => {
          this.#set({ kinds: toggled(filter.kinds, kind) });
        }),
      )}
      <span class="line" aria-hidden="true"></span>
      ${states.map((state) =>
        this.#chip(stateNames[state], filter.states.has(state), () => {
          this.#set({ states: toggled(filter.states, state) });
        }),
      )}
      ${this.#range(filter)} ${isFiltering(filter) ? this.#sums() : nothing}
    </div>`;
  }

  #chip(name: string, isOn: boolean, toggle: () => void): TemplateResult {
    return html`<button class="chip" aria-pressed=${isOn ? 'true' : 'false'} @click=${toggle}>${name}</button>`;
  }

  #range({ range }: Filter): TemplateResult | typeof nothing {
    if (!range) return nothing;
    const words =
      range.axis === 'time'
        ? `${formatClock(range.from)} – ${formatClock(range.to)}`
        : `#${String(Math.ceil(range.from))} – #${String(Math.floor(range.to))}`;
    return html`<button
      class="chip number"
      aria-pressed="true"
      title=${t('Clear the stretch')}
      @click=${() => {
        this.#set({ range: undefined });
      }}
    >
      ${words} ${icon('close')}
    </button>`;
  }

  #sums(): TemplateResult {
    const sums = this.model.filterSums();
    const words = [
      t('{n} of {all} rows', { n: formatNumber(sums.entries), all: formatNumber(this.model.tables?.entries.length ?? 0) }),
      sums.calls === 1 ? t('1 call') : t('{n} calls', { n: formatNumber(sums.calls) }),
      t('{n} tokens', { n: compactCount(sums.tokens) }),
    ];
    return html`<button
        class="square"
        title=${t('Clear the filter')}
        aria-label=${t('Clear the filter')}
        @click=${() => {
          this.model.setFilter(noFilter);
        }}
      >
        ${icon('close')}
      </button>
      <span class="sums number" role="status">${words.join(' · ')}</span>`;
  }

  static override styles = [
    sharedStyles,
    css`
      :host {
        display: block;
        border-bottom: 1px solid var(--dsh-line);
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 3px 2px;
        padding: 3px 10px 3px 8px;
      }
      .square {
        padding: 2px;
        line-height: 16px;
      }
      .line {
        width: 1px;
        height: 14px;
        margin: 0 3px;
        background: var(--dsh-line);
      }
      .chip {
        font-size: 0.92em;
        line-height: 16px;
        padding: 1px 6px;
        border-radius: 9px;
        color: var(--vscode-descriptionForeground);
      }
      .chip[aria-pressed='true'] {
        color: var(--vscode-foreground);
        background: var(--vscode-toolbar-activeBackground, color-mix(in srgb, var(--vscode-foreground) 16%, transparent));
        border-color: var(--vscode-contrastActiveBorder, transparent);
      }
      .chip .icon {
        font-size: 12px;
        width: 12px;
      }
      .sums {
        margin-left: 6px;
        font-size: 0.92em;
        color: var(--vscode-descriptionForeground);
      }
    `,
  ];
}

function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

customElements.define('dsh-filters', DshFilters);
