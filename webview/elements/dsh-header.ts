import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { compactCount } from '../../src/timeline/index.ts';
import type { SessionOverview, UsageTotals } from '../../src/protocol/index.ts';
import { formatFull, formatNumber, formatPercent } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import './dsh-search.ts';

/** Title, facts and switches. Everything wraps; nothing is ever pushed out of sight. */
export class DshHeader extends LitElement {
  static override properties = { model: { attribute: false }, isDamageOpen: { attribute: false } };
  declare model: TimelineModel;
  declare isDamageOpen: boolean;

  constructor() {
    super();
    new ModelController(this, ['data', 'geometry', 'search', 'layout']);
  }

  #fire(name: string): void {
    this.dispatchEvent(new CustomEvent(name));
  }

  override render(): TemplateResult {
    const { overview } = this.model;
    if (!overview) return html`<header><h1 class="waiting">${t('Reading the log…')}</h1></header>`;
    return html`
      <header>
        <div class="facts">
          <h1 title=${overview.title}>${overview.title}</h1>
          ${this.#lineage(overview)} ${this.#facts(overview)} ${this.#damage(overview)}
        </div>
        ${overview.eventCount === 0 ? nothing : html`<div class="tools">${this.#switches()}</div>`}
      </header>
    `;
  }

  #lineage(overview: SessionOverview): TemplateResult | typeof nothing {
    const parent = overview.header?.parentSession;
    if (parent === undefined) return nothing;
    const isChild = overview.header?.origin === 'subagent';
    const cut = overview.inheritedEventCount;
    const label = isChild
      ? t('Subagent: open its parent')
      : cut > 0
        ? t('Forked at #{seq}: open the parent', { seq: cut - 1 })
        : t('Forked: open the parent');
    return html`<button
      class="chip action"
      title=${t('Parent session {id}', { id: parent })}
      @click=${() => {
        this.model.openSession(parent);
      }}
    >
      ${icon('fork')}<span>${label}</span>
    </button>`;
  }

  #facts(overview: SessionOverview): TemplateResult {
    const { counts, header } = overview;
    const format =
      overview.version === undefined
        ? t('no format')
        : `v${overview.version} · ${overview.encoding === 'zstd' ? 'zstd' : t('plain')}`;
    const numbers = [
      counts.turns === 1 ? t('1 turn') : t('{n} turns', { n: formatNumber(counts.turns) }),
      counts.steps === 1 ? t('1 step') : t('{n} steps', { n: formatNumber(counts.steps) }),
      counts.calls === 1 ? t('1 call') : t('{n} calls', { n: formatNumber(counts.calls) }),
    ];
    return html`
      ${header?.cwd === undefined ? nothing : html`<span class="chip" title=${header.cwd}>${lastPart(header.cwd)}</span>`}
      <span class="chip number" title=${fileFacts(overview)}>${format}</span>
      ${overview.eventCount === 0 ? nothing : html`<span class="chip number">${numbers.join(' · ')}</span>`}
      ${this.#tokens(overview)}
    `;
  }

  /** Own requests and inherited ones are never added up: the parent has paid for those. */
  #tokens({ usage }: SessionOverview): TemplateResult | typeof nothing {
    const { own, inherited } = usage;
    if (own.attempts + inherited.attempts === 0) return nothing;
    const parts = [t('{n} tokens', { n: compactCount(billed(own) + own.output) })];
    if (billed(own) > 0) parts.push(t('{share} cached', { share: formatPercent(own.cacheRead / billed(own)) }));
    const title = [t('Tokens of this session’s own requests'), ...tokenLines(own)];
    if (inherited.attempts > 0) {
      parts.push(t('+{n} inherited', { n: compactCount(billed(inherited) + inherited.output) }));
      title.push('', t('Tokens of the inherited requests, counted in the parent'), ...tokenLines(inherited));
    }
    return html`<span class="chip number" title=${title.join('\n')}>${parts.join(' · ')}</span>`;
  }

  #damage(overview: SessionOverview): TemplateResult | typeof nothing {
    const count = overview.damageCount;
    if (count === 0 && overview.salvagedLines === 0 && overview.uncommittedEvents === 0) return nothing;
    const label =
      count === 0 ? t('unfinished tail') : count === 1 ? t('1 problem') : t('{n} problems', { n: formatNumber(count) });
    return html`<button
      class="chip action warn"
      aria-expanded=${this.isDamageOpen ? 'true' : 'false'}
      @click=${() => {
        this.#fire('dsh-damage');
      }}
    >
      ${icon(count === 0 ? 'info' : 'warning')}<span>${label}</span>
    </button>`;
  }

  #switches(): TemplateResult {
    const { model } = this;
    const { axis, collapseIdle } = model.kept;
    return html`
      <div class="switch" role="group" aria-label=${t('Axis')}>
        <button
          aria-pressed=${axis === 'time' ? 'true' : 'false'}
          @click=${() => {
            model.setAxis('time');
          }}
        >
          ${t('Time')}
        </button>
        <button
          aria-pressed=${axis === 'seq' ? 'true' : 'false'}
          @click=${() => {
            model.setAxis('seq');
          }}
        >
          ${t('Seq')}
        </button>
      </div>
      <div class="switch">
        <button
          aria-pressed=${collapseIdle ? 'true' : 'false'}
          ?disabled=${axis === 'seq'}
          @click=${() => {
            model.setCollapseIdle(!collapseIdle);
          }}
        >
          ${t('Collapse idle')}
        </button>
      </div>
      <dsh-search .model=${model}></dsh-search>
      <button
        class="square"
        title=${t('Keys and mouse')}
        aria-label=${t('Keys and mouse')}
        @click=${() => {
          this.#fire('dsh-help');
        }}
      >
        ${icon('question')}
      </button>
    `;
  }

  static override styles = [
    sharedStyles,
    css`
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px 12px;
        padding: 8px 12px;
      }
      .facts,
      .tools {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px;
        min-width: 0;
      }
      .facts {
        flex: 1 1 340px;
      }
      h1 {
        font-size: 1.15em;
        font-weight: 600;
        line-height: 24px;
        margin: 0 6px 0 0;
        max-width: 100%;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .waiting {
        color: var(--vscode-descriptionForeground);
        font-weight: 400;
      }
      .chip {
        display: inline-flex;
        align-items: center;
        gap: 4px;
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-size: 0.92em;
        line-height: 16px;
        padding: 2px 8px;
        border: 1px solid var(--vscode-contrastBorder, transparent);
        border-radius: 10px;
        background: color-mix(in srgb, var(--vscode-foreground) 8%, transparent);
      }
      .chip .icon {
        font-size: 14px;
        width: 14px;
      }
      .action:hover {
        background: color-mix(in srgb, var(--vscode-foreground) 16%, transparent);
      }
      .warn .icon {
        color: var(--vscode-editorWarning-foreground);
      }
      .warn {
        border-color: color-mix(in srgb, var(--vscode-editorWarning-foreground) 50%, transparent);
      }
      .switch {
        display: inline-flex;
        border: 1px solid var(--dsh-line);
        border-radius: 4px;
        overflow: hidden;
      }
      .switch button {
        border: 0;
        border-radius: 0;
        padding: 1px 9px;
        line-height: 20px;
      }
      .switch button + button {
        border-left: 1px solid var(--dsh-line);
      }
      .switch button[aria-pressed='true'] {
        background: var(--vscode-toolbar-activeBackground, color-mix(in srgb, var(--vscode-foreground) 16%, transparent));
        box-shadow: inset 0 0 0 1px var(--vscode-contrastActiveBorder, transparent);
      }
      .square {
        padding: 3px;
        line-height: 16px;
      }
    `,
  ];
}

const billed = (totals: UsageTotals): number => totals.input + totals.cacheRead + totals.cacheWrite;

const tokenLines = (totals: UsageTotals): string[] => [
  t('{n} input, uncached', { n: formatNumber(totals.input) }),
  t('{n} read from the cache', { n: formatNumber(totals.cacheRead) }),
  t('{n} written to the cache', { n: formatNumber(totals.cacheWrite) }),
  t('{n} output, {r} of it reasoning', { n: formatNumber(totals.output), r: formatNumber(totals.reasoning) }),
  t('{n} requests', { n: formatNumber(totals.attempts) }),
];

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

function fileFacts(overview: SessionOverview): string {
  const lines = [
    overview.path,
    t('{n} events in {lines} lines, {bytes} bytes', {
      n: formatNumber(overview.eventCount),
      lines: formatNumber(overview.lineCount),
      bytes: formatNumber(overview.size),
    }),
  ];
  if (overview.time) lines.push(`${formatFull(overview.time.first)} – ${formatFull(overview.time.last)}`);
  return lines.join('\n');
}

customElements.define('dsh-header', DshHeader);
