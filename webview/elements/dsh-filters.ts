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
import { FirstLine } from '../state/first-line.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import './dsh-more.ts';

interface Chip {
  readonly name: string;
  readonly isOn: boolean;
  /** Of the second group, which a line stands before. */
  readonly isFirst?: boolean;
  readonly toggle: () => void;
}

/** One line above the list: fold and unfold everything, chips that narrow it, and what is left in figures. */
export class DshFilters extends LitElement {
  static override properties = { model: { attribute: false } };
  declare model: TimelineModel;
  readonly #line = new FirstLine(this, '.chips');

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
    const chips: readonly Chip[] = [
      ...filterKinds.map((kind) => ({
        name: kindNames[kind],
        isOn: filter.kinds.has(kind),
        toggle: () => {
          this.#set({ kinds: toggled(filter.kinds, kind) });
        },
      })),
      ...states.map((state, at) => ({
        name: stateNames[state],
        isOn: filter.states.has(state),
        isFirst: at === 0,
        toggle: () => {
          this.#set({ states: toggled(filter.states, state) });
        },
      })),
    ];
    const folded = chips.slice(this.#line.count);
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
      <div class="chips">${chips.map((chip, at) => this.#chip(chip, at >= this.#line.count))}</div>
      ${this.#more(folded)} ${this.#range(filter)} ${isFiltering(filter) ? this.#sums() : nothing}
    </div>`;
  }

  /** What did not fit; without anything its place is kept, so that it coming and going folds nothing more. */
  #more(folded: readonly Chip[]): TemplateResult {
    const on = folded.filter((chip) => chip.isOn).length;
    const name = on === 0 ? t('More filters') : t('More filters, {n} on', { n: on });
    return html`<dsh-more class=${folded.length === 0 ? 'absent' : ''} .label=${name} ?marked=${on > 0}>
      <span slot="label" class="opener"
        >${icon('filter')}${on === 0 ? nothing : html`<span class="number">${on}</span>`}${icon('chevron-down')}</span
      >
      ${folded.map(
        ({ name: words, isOn, toggle }) =>
          html`<button class="item" aria-pressed=${isOn ? 'true' : 'false'} @click=${toggle}>
            ${isOn ? icon('check') : html`<span class="icon"></span>`}<span>${words}</span>
          </button>`,
      )}
    </dsh-more>`;
  }

  #chip({ name, isOn, isFirst, toggle }: Chip, isFolded: boolean): TemplateResult {
    return html`<button
      class="chip ${isFirst ? 'first' : ''} ${isFolded ? 'absent' : ''}"
      aria-pressed=${isOn ? 'true' : 'false'}
      @click=${toggle}
    >
      ${name}
    </button>`;
  }

  #range({ range }: Filter): TemplateResult | typeof nothing {
    if (!range) return nothing;
    const words =
      range.axis === 'time'
        ? `${formatClock(range.from)} – ${formatClock(range.to)}`
        : `#${String(Math.ceil(range.from))} – #${String(Math.floor(range.to))}`;
    return html`<button
      class="chip number range"
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
      <span class="sums number" role="status" title=${words.join(' · ')}>${words.join(' · ')}</span>`;
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
        align-items: center;
        gap: 2px;
        height: 28px;
        padding: 0 10px 0 8px;
      }
      .chips {
        display: flex;
        flex-wrap: wrap;
        flex: 0 1 auto;
        gap: 0 2px;
        min-width: 0;
        height: 20px;
        overflow: hidden;
      }
      .absent {
        visibility: hidden;
      }
      dsh-more,
      .range,
      .bar > .square {
        flex: none;
      }
      .opener {
        display: inline-flex;
        align-items: center;
        gap: 1px;
        font-size: 0.92em;
        color: var(--vscode-descriptionForeground);
      }
      .opener .icon {
        font-size: 14px;
        width: 14px;
      }
      .item {
        display: flex;
        align-items: center;
        gap: 6px;
        padding: 1px 20px 1px 4px;
        line-height: 22px;
        border-radius: 4px;
      }
      .item:hover,
      .item:focus-visible {
        color: var(--vscode-menu-selectionForeground, var(--vscode-foreground));
        background: var(--vscode-menu-selectionBackground, var(--vscode-list-hoverBackground));
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
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        border-radius: 9px;
        color: var(--vscode-descriptionForeground);
      }
      .chip.first {
        position: relative;
        margin-left: 9px;
        overflow: visible;
      }
      .chip.first::before {
        content: '';
        position: absolute;
        inset: 3px auto 3px -7px;
        border-left: 1px solid var(--dsh-line);
      }
      .chip[aria-pressed='true'] {
        color: var(--vscode-foreground);
        background: var(--vscode-toolbar-activeBackground, color-mix(in srgb, var(--vscode-foreground) 16%, transparent));
        box-shadow: inset 0 0 0 1px var(--vscode-contrastActiveBorder, transparent);
      }
      .chip .icon {
        font-size: 12px;
        width: 12px;
      }
      .sums {
        flex: 0 100000 auto; /* gives way whole before the chips give way by any part of a pixel */
        min-width: 12ch;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
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
