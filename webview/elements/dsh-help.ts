import { css, html, LitElement, type TemplateResult } from 'lit';
import { t } from '../l10n/strings.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

/** The keys, as a modal dialog; the browser's own one keeps focus inside and gives it back. */
export class DshHelp extends LitElement {
  protected override firstUpdated(): void {
    this.shadowRoot?.querySelector('dialog')?.showModal();
  }

  #close = (): void => {
    this.dispatchEvent(new CustomEvent('dsh-close'));
  };

  override render(): TemplateResult {
    const groups: readonly (readonly [string, readonly (readonly [sign: string, meaning: string, tone?: string])[]])[] = [
      [
        t('List'),
        [
          ['↑ ↓', t('previous, next row')],
          ['PgUp PgDn', t('a page up, down')],
          ['Home End', t('first, last row')],
          ['→ ←', t('unfold or go in, fold or go out')],
          ['* −', t('unfold all, fold all')],
          [t('letters'), t('jump to the next row that starts with them')],
          ['Shift F10', t('the row’s menu')],
        ],
      ],
      [
        t('Timeline'),
        [
          ['W S', t('zoom in, out')],
          ['A D', t('move left, right')],
          ['+ − 0', t('zoom in, out, show all')],
          ['Z Shift Z', t('zoom before, zoom after')],
          [t('wheel'), t('zoom at the pointer; with Shift, or sideways, move')],
          [t('drag'), t('move; on the overview, choose a stretch')],
          [t('Shift drag'), t('keep only a stretch in the list')],
          [t('double click'), t('show all')],
        ],
      ],
      [
        t('Replay'),
        [
          ['Ctrl/⌘ Alt P', t('replay from the selected event')],
          [t('Space'), t('play or pause')],
          ['← →', t('in the bar: an event back, on')],
          ['Shift ← →', t('in the bar: a step back, on')],
          [', .', t('in the bar: a block of the stream back, on')],
        ],
      ],
      [
        t('Everywhere'),
        [
          ['Ctrl/⌘ F', t('find in session')],
          ['Ctrl/⌘ Alt F', t('fork from the selected event')],
          ['[ ] Alt ← →', t('selection before, selection after')],
          ['⌃− ⌃⇧−', t('the same on a Mac')],
          ['?', t('this help')],
        ],
      ],
      [
        t('Marks'),
        [
          ['▲', t('a fork is possible here')],
          ['▨', t('inherited from the parent session')],
          ['┄', t('shadowed: the model no longer sees it')],
          ['⊔', t('replaced by the node the curve leads to')],
          ['❯', t('unfinished, or cut off')],
          ['≷', t('idle time, shortened')],
          ['┊', t('context compacted or pruned: the tokens that freed')],
        ],
      ],
      [
        t('Colours'),
        [
          ['■', t('a prompt')],
          ['■', t('an answer; paler: waiting for its first word'), 'answer'],
          ['■', t('the result of a tool'), 'result'],
          ['■', t('system prompt and injected context'), 'context'],
          ['■', t('a summary, and what it stands for'), 'summary'],
          ['■', t('an error'), 'error'],
          ['■', t('a retry, or damage'), 'warning'],
          ['■', t('an approval'), 'approval'],
        ],
      ],
    ];
    return html`<dialog aria-labelledby="title" @close=${this.#close}>
      <header>
        <h2 id="title">${t('Keys and mouse')}</h2>
        <form method="dialog"><button aria-label=${t('Close')} title=${t('Close')}>${icon('close')}</button></form>
      </header>
      <div class="groups">
        ${groups.map(
          ([name, keys]) =>
            html`<section>
              <h3>${name}</h3>
              <dl>
                ${keys.map(
                  ([sign, meaning, tone]) =>
                    html`<dt><kbd class=${tone ?? ''}>${sign}</kbd></dt>
                      <dd>${meaning}</dd>`,
                )}
              </dl>
            </section>`,
        )}
      </div>
    </dialog>`;
  }

  static override styles = [
    sharedStyles,
    css`
      dialog {
        color: var(--vscode-editorWidget-foreground, var(--vscode-foreground));
        background: var(--vscode-editorWidget-background);
        border: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder));
        border-radius: 6px;
        padding: 12px 16px 16px;
        max-width: min(920px, 92vw);
        max-height: 88vh;
        overflow: auto;
        box-shadow: 0 4px 16px var(--vscode-widget-shadow, transparent);
      }
      .groups {
        columns: 2 380px;
        column-gap: 32px;
      }
      section {
        break-inside: avoid;
      }
      header {
        display: flex;
        justify-content: space-between;
        align-items: center;
      }
      h2 {
        font-size: 1.15em;
        margin: 0;
      }
      h3 {
        font-size: 1em;
        margin: 0;
        padding: 14px 0 6px;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(104px, max-content) 1fr;
        align-items: baseline;
        gap: 5px 16px;
        margin: 0;
      }
      dd {
        margin: 0;
        line-height: 20px;
      }
      kbd {
        font: inherit;
        padding: 1px 6px;
        line-height: 16px;
        border: 1px solid var(--vscode-keybindingLabel-border, var(--dsh-line));
        border-radius: 3px;
        background: var(--vscode-keybindingLabel-background);
        color: var(--vscode-keybindingLabel-foreground);
      }
      /* Those of the canvases, mixed with the foreground until they read well. */
      .answer {
        --tone: var(--vscode-charts-blue);
      }
      .result {
        --tone: var(--vscode-symbolIcon-classForeground, var(--vscode-charts-orange));
      }
      .context {
        --tone: var(--vscode-charts-green);
      }
      .summary {
        --tone: var(--vscode-charts-purple);
      }
      .error {
        --tone: var(--vscode-charts-red);
      }
      .warning {
        --tone: var(--vscode-charts-yellow);
      }
      .approval {
        --tone: var(--vscode-terminal-ansiCyan);
      }
      kbd[class]:not([class='']) {
        color: color-mix(in srgb, var(--tone) 75%, var(--vscode-foreground));
      }
      header button {
        padding: 2px;
        line-height: 16px;
      }
    `,
  ];
}

customElements.define('dsh-help', DshHelp);
