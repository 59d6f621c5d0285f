import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { SESSION_FORMAT_VERSION, type Damage, type DshOutcome } from '../../src/core/index.ts';
import type { SessionOverview } from '../../src/protocol/index.ts';
import { formatNumber } from '../l10n/format.ts';
import { closed, say, t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon, type IconName } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

const salvagedPage = 100;

/** Sentences about the log as a whole: what cannot be derived and why, and on demand every damage and the salvaged lines. */
export class DshNotices extends LitElement {
  static override properties = { model: { attribute: false }, isOpen: { attribute: false }, salvaged: { state: true } };
  declare model: TimelineModel;
  declare isOpen: boolean;
  declare salvaged: readonly { readonly frame: number; readonly line: number; readonly text: string }[];
  #salvagedOf = -1;

  constructor() {
    super();
    this.isOpen = false;
    this.salvaged = [];
    new ModelController(this, ['data', 'problem']);
  }

  protected override willUpdate(_changed: PropertyValues): void {
    const { overview } = this.model;
    this.toggleAttribute('alone', overview?.eventCount === 0);
    const wanted = this.isOpen || overview?.refusal?.kind === 'newer-format' || overview?.refusal?.kind === 'no-header';
    if (!overview || overview.salvagedLines === 0 || !wanted || this.#salvagedOf === overview.generation) return;
    this.#salvagedOf = overview.generation;
    this.#loadSalvaged(0);
  }

  #loadSalvaged(from: number): void {
    this.model.client.call('salvaged', { from, to: from + salvagedPage }).then(
      ({ lines }) => {
        this.salvaged = from === 0 ? lines : [...this.salvaged, ...lines];
      },
      (error: unknown) => {
        this.model.fail(error);
      },
    );
  }

  override render(): TemplateResult {
    const { overview, problem } = this.model;
    return html`
      ${problem ? this.#bar('error', 'error', problem) : nothing}
      ${overview?.refusal ? this.#bar('warning', 'warning', closed(say(overview.refusal.text)), refusalConsequence(overview)) : nothing}
      ${overview && !overview.refusal && overview.eventCount === 0 ? this.#bar('info', 'info', t('This session is empty: its log holds a header and no events yet.')) : nothing}
      ${overview && !overview.refusal && !this.isOpen ? this.#refusedByDsh(overview) : nothing}
      ${overview && this.isOpen ? this.#panel(overview) : this.#salvagedAlone(overview)}
    `;
  }

  #bar(tone: string, name: IconName, sentence: string, more = ''): TemplateResult {
    return html`<div class="bar ${tone}" role="note">
      ${icon(name)}<span>${sentence}${more === '' ? nothing : html` ${more}`}</span>
    </div>`;
  }

  /** A log that dsh will not open says so unasked: that is no remark to be found behind a button. */
  #refusedByDsh(overview: SessionOverview): TemplateResult | typeof nothing {
    const damage = overview.damage.find(({ dsh }) => dsh.open === 'refuses' || dsh.open === 'skips');
    return damage
      ? html`<div class="bar warning" role="note">
          ${icon('warning')}<span
            >${closed(say(damage.text))} ${t('dsh refuses to open this session; what can be read of it is shown here.')}</span
          ><button class="link" @click=${() => this.dispatchEvent(new CustomEvent('dsh-open'))}>${t('Show all problems')}</button>
        </div>`
      : nothing;
  }

  #panel(overview: SessionOverview): TemplateResult {
    return html`<section class="panel" aria-label=${t('Problems of this log')}>
      <button
        class="close"
        aria-label=${t('Close')}
        title=${t('Close')}
        @click=${() => this.dispatchEvent(new CustomEvent('dsh-close'))}
      >
        ${icon('close')}
      </button>
      ${
        overview.uncommittedEvents > 0
          ? html`<p>
              ${icon('info')}<span
                >${t('{n} events were recovered from an unfinished last write. That is normal while dsh is writing; they are shown as not yet committed.', { n: formatNumber(overview.uncommittedEvents) })}</span
              >
            </p>`
          : nothing
      }
      <ul>
        ${overview.damage.map((damage) => this.#damage(damage, overview))}
      </ul>
      ${
        overview.damageCount > overview.damage.length
          ? html`<p>
              ${icon('info')}<span
                >${t('{n} more are not listed here.', { n: formatNumber(overview.damageCount - overview.damage.length) })}</span
              >
            </p>`
          : nothing
      }
      <button
        class="link"
        @click=${() => {
          this.model.client.call('openDocument', { ref: { kind: 'damage' } }).catch((error: unknown) => {
            this.model.fail(error);
          });
        }}
      >
        ${t('Open the damage report')}
      </button>
      ${this.#salvagedLines(overview)}
    </section>`;
  }

  #damage(damage: Damage, overview: SessionOverview): TemplateResult {
    const place = placeOf(damage, overview.encoding === 'zstd');
    return html`<li class=${damage.isElsewhere ? 'info' : ''}>
      ${icon(damage.isElsewhere ? 'info' : 'warning')}
      <div>
        <div>
          ${say(damage.text)}
          ${
            damage.seq === undefined
              ? nothing
              : html`<button
                  class="link number"
                  @click=${() => {
                    this.model.reveal(damage.seq!);
                  }}
                >
                  #${damage.seq}
                </button>`
          }
        </div>
        ${place === '' ? nothing : html`<div class="dim number">${place}</div>`}
        <div class="dim">
          ${t('dsh, listing: {list}. dsh, opening: {open}.', { list: outcome(damage.dsh.list), open: outcome(damage.dsh.open) })}
          ${damage.isElsewhere ? t('This is about the sessions folder; this log itself is as it should be.') : nothing}
          ${adviceFor(damage, overview)}
        </div>
      </div>
    </li>`;
  }

  #salvagedAlone(overview: SessionOverview | undefined): TemplateResult | typeof nothing {
    if (!overview || overview.eventCount > 0 || overview.salvagedLines === 0) return nothing;
    return html`<section class="panel" aria-label=${t('Readable lines')}>${this.#salvagedLines(overview)}</section>`;
  }

  #salvagedLines(overview: SessionOverview): TemplateResult | typeof nothing {
    if (overview.salvagedLines === 0) return nothing;
    const rest = overview.salvagedLines - this.salvaged.length;
    return html`
      <h2>
        ${overview.salvagedLines === 1 ? t('1 readable line outside the timeline') : t('{n} readable lines outside the timeline', { n: formatNumber(overview.salvagedLines) })}
      </h2>
      <ol class="salvaged" tabindex="0" aria-label=${t('Readable lines')}>
        ${this.salvaged.map((line) => html`<li><span class="dim number">${t('line {line}', { line: line.line })}</span><code>${line.text.slice(0, 2000)}</code></li>`)}
      </ol>
      ${
        rest > 0
          ? html`<button
              class="link"
              @click=${() => {
                this.#loadSalvaged(this.salvaged.length);
              }}
            >
              ${t('Show more')}
            </button>`
          : nothing
      }
    `;
  }

  static override styles = [
    sharedStyles,
    css`
      :host {
        display: block;
        flex: 0 1 auto;
        min-height: 0;
        max-height: 55%;
        overflow: auto;
      }
      :host([alone]) {
        max-height: none;
      }
      :host([alone]) .salvaged {
        max-height: none;
      }
      .bar {
        display: flex;
        gap: 8px;
        padding: 6px 12px;
        border-top: 1px solid var(--dsh-line);
        line-height: 18px;
        overflow-wrap: anywhere;
      }
      .bar .icon,
      li > .icon,
      p > .icon {
        margin-top: 1px;
      }
      .bar > .link {
        flex: none;
        align-self: start;
      }
      .warning .icon,
      li > .icon {
        color: var(--vscode-editorWarning-foreground);
      }
      .error .icon {
        color: var(--vscode-editorError-foreground);
      }
      .info .icon,
      p > .icon {
        color: var(--vscode-editorInfo-foreground);
      }
      .warning {
        background: color-mix(in srgb, var(--vscode-editorWarning-foreground) 10%, transparent);
      }
      .error {
        background: color-mix(in srgb, var(--vscode-editorError-foreground) 10%, transparent);
      }
      .panel {
        position: relative;
        padding: 8px 36px 10px 12px;
        border-top: 1px solid var(--dsh-line);
        overflow-wrap: anywhere;
      }
      .close {
        position: absolute;
        inset: 6px 8px auto auto;
        padding: 2px;
        line-height: 16px;
      }
      ul,
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      ul li,
      p {
        display: flex;
        gap: 8px;
        margin: 0 0 8px;
        line-height: 18px;
      }
      .dim {
        color: var(--vscode-descriptionForeground);
      }
      h2 {
        font-size: 1em;
        font-weight: 600;
        margin: 10px 0 4px;
      }
      .salvaged {
        max-height: 220px;
        overflow: auto;
        border: 1px solid var(--dsh-line);
        border-radius: 4px;
      }
      .salvaged li {
        display: grid;
        grid-template-columns: 80px minmax(0, 1fr);
        gap: 8px;
        padding: 2px 8px;
      }
      code {
        font-family: var(--vscode-editor-font-family, monospace);
        font-size: var(--vscode-editor-font-size, 12px);
        white-space: pre-wrap;
      }
    `,
  ];
}

function refusalConsequence(overview: SessionOverview): string {
  if (overview.refusal?.kind === 'no-header' && overview.salvagedLines === 0) return t('Nothing in it can be read.');
  return overview.refusal?.kind === 'unknown-event'
    ? t('Everything before that event is read as usual; from it on nothing is derived, forked or replayed.')
    : t('The stored lines are shown as they are; nothing is derived, forked or replayed.');
}

/** Plain lines have no frames. */
function placeOf(damage: Damage, hasFrames: boolean): string {
  const parts: string[] = [];
  if (damage.line !== undefined) parts.push(t('line {line}', { line: formatNumber(damage.line) }));
  if (hasFrames && damage.frame !== undefined) parts.push(t('frame {frame}', { frame: formatNumber(damage.frame) }));
  if (damage.byte !== undefined) parts.push(t('byte {byte}', { byte: formatNumber(damage.byte) }));
  return parts.join(' · ');
}

function outcome(value: DshOutcome): string {
  switch (value) {
    case 'accepts':
      return t('accepts it');
    case 'repairs':
      return t('repairs the tail');
    case 'skips':
      return t('leaves the session out');
    case 'refuses':
      return t('refuses it');
    case 'breaks-root':
      return t('fails for the whole list');
  }
}

/** What a reader can do about it, by what dsh makes of it. */
function adviceFor(damage: Damage, overview: SessionOverview): string {
  if (damage.kind === 'misnamed') return t('A fork of it is a sound copy.');
  if (damage.dsh.list === 'breaks-root') return t('Move that log out of the sessions folder to get dsh’s list back.');
  if (damage.dsh.open === 'refuses' && !mayFork(overview)) {
    return overview.olderCopies.length > 0
      ? t('Nothing of it can be forked; an older copy lies beside it, to be opened from the session’s menu.')
      : t('Nothing of it can be forked; what is readable is shown here.');
  }
  if (damage.dsh.open === 'refuses' && OF_THE_WHOLE.has(damage.kind)) return t('A fork of it is a sound copy.');
  if (damage.dsh.open === 'refuses') return t('Fork from a point before it to go on in a sound copy.');
  if (damage.dsh.open === 'skips') return t('What is readable is shown here.');
  return t('Nothing needs to be done.');
}

/** Damage that no event of the log has a part in. */
const OF_THE_WHOLE: ReadonlySet<Damage['kind']> = new Set(['header', 'generation', 'first-frame', 'placement', 'duplicate-id']);

/** Whether any point of the log may be forked: an ordinary one, or one inside a turn of the newest format before what dsh refuses. */
function mayFork({ tables, version, eventCount, refusal, damage }: SessionOverview): boolean {
  if (tables.boundaries > 0) return true;
  const isClosable = version === SESSION_FORMAT_VERSION && eventCount > 0 && refusal === undefined;
  return isClosable && !damage.some(({ kind, seq }) => kind === 'wrong-cut' || seq === 0);
}

customElements.define('dsh-notices', DshNotices);
