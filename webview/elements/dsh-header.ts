import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SessionOverview } from '../../src/protocol/index.ts';
import { formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { FirstLine } from '../state/first-line.ts';
import { ModelController } from '../state/model-controller.ts';
import { sessionFacts, type Chip } from '../state/session-facts.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon, type IconName } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import './dsh-more.ts';
import './dsh-search.ts';

/** Title, facts and switches in one line. Facts that do not fit are behind a button; nothing is ever pushed out of sight. */
export class DshHeader extends LitElement {
  static override properties = { model: { attribute: false }, isDamageOpen: { attribute: false } };
  declare model: TimelineModel;
  declare isDamageOpen: boolean;
  readonly #line = new FirstLine(this, '.chips');

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
    const lineage = this.#lineage(overview);
    const chips = sessionFacts(overview);
    return html`
      <header>
        <h1 title=${overview.title}>${overview.title}</h1>
        ${this.#damage(overview)} ${lineage ? lineageChip(lineage) : nothing}
        <div class="chips">${chips.map((chip, at) => factChip(chip, at >= this.#line.count))}</div>
        ${this.#more(lineage, chips.slice(this.#line.count))}
        ${overview.eventCount === 0 ? nothing : html`<div class="tools">${this.#switches()}</div>`}
      </header>
    `;
  }

  #lineage(overview: SessionOverview): Lineage | undefined {
    const parent = overview.header?.parentSession;
    if (parent === undefined) return undefined;
    const isChild = overview.header?.origin === 'subagent';
    const cut = overview.inheritedEventCount;
    const words = lineageText(isChild, cut, this.model.parentTitle);
    const brief = shortLineage(isChild, cut);
    const run = (): void => {
      this.model.openSession(parent);
    };
    const title = t('Open the parent session {id}', { id: parent });
    return { words, line: this.model.parentTitle === undefined ? brief : words, brief, title, run };
  }

  /** What did not fit; without anything its place is kept, so that it coming and going folds nothing more. */
  #more(lineage: Lineage | undefined, folded: readonly Chip[]): TemplateResult {
    return html`<dsh-more class=${folded.length === 0 ? 'absent' : ''} .label=${t('More about the session')}>
      <span slot="label">${icon('ellipsis')}</span>
      ${
        lineage
          ? html`<button class="item tight" title=${lineage.title} @click=${lineage.run}>
              ${icon('fork')}<span>${lineage.words}</span>
            </button>`
          : nothing
      }
      ${folded.map(({ words, title }) => html`<div class="item number" title=${title === '' ? nothing : title}>${words}</div>`)}
    </dsh-more>`;
  }

  #damage(overview: SessionOverview): TemplateResult | typeof nothing {
    const elsewhere = overview.damage.filter(({ isElsewhere }) => isElsewhere).length;
    const count = overview.damageCount - elsewhere;
    if (count + elsewhere === 0 && overview.salvagedLines === 0 && overview.uncommittedEvents === 0) return nothing;
    const label =
      count === 0
        ? elsewhere > 0
          ? t('problem of the sessions folder')
          : t('unfinished tail')
        : count === 1
          ? t('1 problem')
          : t('{n} problems', { n: formatNumber(count) });
    return html`<button
      class="chip action ${count === 0 && elsewhere > 0 ? '' : 'warn'}"
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
    const { axis, hasTime } = model;
    const { collapseIdle } = model.kept;
    const noTime = hasTime ? '' : t('No time passes between the events of this log');
    return html`
      <div class="switch" role="group" aria-label=${t('Axis')}>
        ${this.#switch('clock', t('Time'), axis === 'time', !hasTime, noTime, () => {
          model.setAxis('time');
        })}
        ${this.#switch('list-ordered', t('Seq'), axis === 'seq', false, noTime, () => {
          model.setAxis('seq');
        })}
      </div>
      <div class="switch">
        ${this.#switch('fold', t('Collapse idle'), collapseIdle, axis === 'seq', noTime, () => {
          model.setCollapseIdle(!collapseIdle);
        })}
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

  /** A word where there is room, else its icon. `why` there is no choice goes into its tooltip. */
  #switch(name: IconName, word: string, isOn: boolean, isDisabled: boolean, why: string, run: () => void): TemplateResult {
    return html`<button
      aria-label=${word}
      title=${why === '' ? word : `${word} · ${why}`}
      aria-pressed=${isOn ? 'true' : 'false'}
      ?disabled=${isDisabled}
      @click=${run}
    >
      ${icon(name)}<span class="word">${word}</span>
    </button>`;
  }

  static override styles = [
    sharedStyles,
    css`
      header {
        display: flex;
        align-items: center;
        gap: 6px;
        height: 38px;
        padding: 0 12px;
      }
      .chips {
        display: flex;
        flex-wrap: wrap;
        flex: 1 1 0;
        gap: 0 6px;
        min-width: 0;
        height: 22px;
        overflow: hidden;
      }
      .tools {
        display: flex;
        flex: none;
        align-items: center;
        gap: 6px;
      }
      dsh-more {
        flex: none;
      }
      .absent {
        visibility: hidden;
      }
      .item {
        display: flex;
        align-items: center;
        gap: 6px;
        padding: 1px 10px;
        line-height: 22px;
        border: 0;
      }
      h1 {
        font-size: 1.15em;
        font-weight: 600;
        line-height: 24px;
        flex: 0 1 auto;
        margin: 0 6px 0 0;
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
      .chip > span {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .chip .icon {
        font-size: 14px;
        width: 14px;
      }
      .lineage {
        flex: none; /* a long title gives way to it */
        max-width: 24em;
      }
      .brief,
      .tight {
        display: none;
      }
      .action:hover {
        background: color-mix(in srgb, var(--vscode-foreground) 16%, transparent);
      }
      .warn .icon {
        color: var(--vscode-editorWarning-foreground);
      }
      .warn {
        flex: none; /* a long title gives way to it */
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
      .switch .icon {
        display: none;
      }
      @container app (max-width: 900px) {
        .word {
          display: none;
        }
        .switch .icon {
          display: inline-block;
        }
        .switch button {
          padding: 1px 6px;
        }
        .lineage .line {
          margin-right: -4px; /* no gap either */
          font-size: 0; /* still its name */
        }
        .brief {
          display: inline;
        }
      }
      /* Then it is behind the button. */
      @container app (max-width: 560px) {
        .warn ~ .lineage {
          display: none;
        }
        .warn ~ dsh-more .tight {
          display: flex;
        }
      }
      @container app (max-width: 460px) {
        .lineage {
          display: none;
        }
        .tight {
          display: flex;
        }
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

/** Where the session comes from. */
interface Lineage {
  readonly words: string;
  /** For the header's line, and for it in a narrow panel. */
  readonly line: string;
  readonly brief: string;
  readonly title: string;
  readonly run: () => void;
}

const lineageChip = ({ line, brief, title, run }: Lineage): TemplateResult =>
  html`<button class="chip action lineage" title=${title} @click=${run}>
    ${icon('fork')}<span class="line">${line}</span><span class="brief" aria-hidden="true">${brief}</span>
  </button>`;

const factChip = ({ words, title }: Chip, isFolded: boolean): TemplateResult =>
  html`<span class="chip number ${isFolded ? 'absent' : ''}" title=${title === '' ? nothing : title}>${words}</span>`;

/** "fork of “Fix the login” at #175"; without the parent's name where the list does not know it. */
function lineageText(isChild: boolean, cut: number, title: string | undefined): string {
  if (title === undefined) {
    if (isChild) return t('Subagent: open its parent');
    return cut > 0 ? t('Forked at #{seq}: open the parent', { seq: cut - 1 }) : t('Forked: open the parent');
  }
  if (isChild) return t('subagent of “{title}”', { title });
  return cut > 0 ? t('fork of “{title}” at #{seq}', { title, seq: cut - 1 }) : t('fork of “{title}”', { title });
}

/** In the line itself its icon and its title say that it leads somewhere. */
function shortLineage(isChild: boolean, cut: number): string {
  if (isChild) return t('Subagent');
  return cut > 0 ? t('Forked at #{seq}', { seq: cut - 1 }) : t('Forked');
}

customElements.define('dsh-header', DshHeader);
