import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { initialState } from '../state/view-state.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { sessionMenu } from '../state/context-menu.ts';
import { watchTheme } from '../theme/palette.ts';
import './dsh-announcer.ts';
import './dsh-filters.ts';
import './dsh-header.ts';
import './dsh-help.ts';
import './dsh-inspector.ts';
import './dsh-lanes.ts';
import './dsh-list.ts';
import type { DshList } from './dsh-list.ts';
import './dsh-notices.ts';
import './dsh-overview.ts';
import './dsh-replay-bar.ts';
import './dsh-sash.ts';
import { LOW, NARROW, tallEnough } from './panel-size.ts';

/** The whole view: header, overview, lanes, list and inspector under one model. */
export class DshApp extends LitElement {
  static override properties = {
    model: { attribute: false },
    isHelpOpen: { state: true },
    isDamageOpen: { state: true },
    size: { state: true },
  };
  declare model: TimelineModel;
  declare isHelpOpen: boolean;
  declare isDamageOpen: boolean;
  /** Of the whole view, px. */
  declare size: { readonly width: number; readonly height: number };
  #stopTheme: (() => void) | undefined;
  readonly #observer = new ResizeObserver(([entry]) => {
    if (entry) this.size = { width: entry.contentRect.width, height: entry.contentRect.height };
  });

  constructor() {
    super();
    this.isHelpOpen = false;
    this.isDamageOpen = false;
    this.size = { width: 1280, height: 860 };
    new ModelController(this, ['data', 'layout', 'problem']);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stopTheme = watchTheme(() => {
      this.model.emit('theme');
    });
    this.#observer.observe(this);
    window.addEventListener('keydown', this.#onKey);
    window.addEventListener('focus', this.#onFocus);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTheme?.();
    this.#observer.disconnect();
    window.removeEventListener('keydown', this.#onKey);
    window.removeEventListener('focus', this.#onFocus);
  }

  menuContextAt(): string | undefined {
    return sessionMenu(this.model.overview);
  }

  /** Who comes to the view by keyboard is in the list at once; focus that is somewhere already stays. */
  readonly #onFocus = (): void => {
    if (document.activeElement === document.body)
      this.shadowRoot?.querySelector<DshList>('dsh-list')?.focus({ preventScroll: true });
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const typing = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      this.model.search.open();
      event.preventDefault();
    } else if (!typing && (event.key === '[' || event.key === ']')) {
      this.model.goSelection(event.key === '[' ? -1 : 1);
      event.preventDefault();
    } else if (!typing && event.key === '?') {
      this.isHelpOpen = true;
      event.preventDefault();
    }
  };

  override render(): TemplateResult {
    const { model } = this;
    if (!model.boot) return html`<main aria-busy="true"></main>`;
    const { kept, overview } = model;
    const isStacked = this.size.width <= NARROW;
    const isCompact = isStacked || this.size.height <= LOW;
    const share = isStacked ? 'stackedShare' : 'inspectorShare';
    return html`
      <main aria-busy=${model.tables || model.problem ? 'false' : 'true'} aria-label=${t('Session timeline')}>
        <dsh-header
          .model=${model}
          .isDamageOpen=${this.isDamageOpen}
          @dsh-damage=${() => (this.isDamageOpen = !this.isDamageOpen)}
          @dsh-help=${() => (this.isHelpOpen = true)}
        ></dsh-header>
        <dsh-notices
          .model=${model}
          .isOpen=${this.isDamageOpen}
          @dsh-open=${() => (this.isDamageOpen = true)}
          @dsh-close=${() => (this.isDamageOpen = false)}
        ></dsh-notices>
        ${
          overview && overview.eventCount === 0 && model.tables
            ? overview.refusal
              ? nothing
              : html`<dsh-inspector class="alone" .model=${model}></dsh-inspector>`
            : html`
                <dsh-overview .model=${model} ?compact=${isCompact}></dsh-overview>
                <dsh-lanes .model=${model} .compact=${isCompact} .room=${this.size.height}></dsh-lanes>
                <div class="body ${isStacked ? 'stacked' : ''}">
                  <div class="listing">
                    <dsh-filters .model=${model}></dsh-filters>
                    <dsh-list .model=${model}></dsh-list>
                  </div>
                  <dsh-sash
                    share
                    .value=${kept[share] * 100}
                    .least=${15}
                    .most=${75}
                    .rows=${isStacked}
                    label=${isStacked ? t('Height of the inspector') : t('Width of the inspector')}
                    @dsh-resize=${(event: CustomEvent<number>) => {
                      model.setInspectorShare(share, event.detail / 100);
                    }}
                    @dsh-reset=${() => {
                      model.setInspectorShare(share, undefined);
                    }}
                  ></dsh-sash>
                  <dsh-inspector .model=${model}></dsh-inspector>
                </div>
              `
        }
        ${model.replay.isOpen ? html`<dsh-replay-bar .model=${model} .low=${this.size.height < tallEnough(isStacked)}></dsh-replay-bar>` : nothing}
        <dsh-announcer .model=${model}></dsh-announcer>
        ${this.isHelpOpen ? html`<dsh-help @dsh-close=${() => (this.isHelpOpen = false)}></dsh-help>` : nothing}
      </main>
    `;
  }

  protected override updated(): void {
    if (document.hasFocus()) this.#onFocus();
    const { inspectorShare, stackedShare } = this.model.kept;
    this.style.setProperty('--inspector-share', String(this.size.width <= NARROW ? stackedShare : inspectorShare));
    // Whoever has made it another height gets that height.
    this.style.setProperty('--inspector-least', stackedShare === initialState.stackedShare ? '130px' : '0px');
  }

  static override styles = [
    sharedStyles,
    css`
      :host {
        display: block;
        position: fixed;
        inset: 0;
        background: var(--vscode-editor-background);
        overflow: hidden;
        /* Only the high contrast themes define a contrast border. */
        --dsh-line: var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-foreground) 14%, transparent));
      }
      main {
        display: flex;
        flex-direction: column;
        height: 100%;
        overflow: hidden auto;
        container: app / size;
      }
      dsh-header,
      dsh-overview,
      dsh-lanes,
      dsh-replay-bar {
        flex: none;
      }
      dsh-replay-bar {
        position: sticky;
        bottom: 0;
        z-index: 3;
      }
      .body {
        flex: 1 0 0;
        min-height: 220px; /* in a very low panel the page scrolls instead of squeezing the list away */
        display: grid;
        grid-template-columns: minmax(0, 1fr) 1px minmax(0, calc(var(--inspector-share) * 100%));
        border-top: 1px solid var(--dsh-line);
      }
      .body > dsh-sash {
        background: var(--dsh-line);
      }
      .listing {
        display: flex;
        flex-direction: column;
        min-width: 0;
        min-height: 0;
      }
      dsh-list {
        flex: 1 1 0;
        min-height: 0;
      }
      dsh-inspector.alone {
        flex: 1;
      }
      dsh-inspector {
        min-width: 0;
        min-height: 0;
      }
      .body.stacked {
        grid-template-columns: minmax(0, 1fr);
        min-height: 340px;
        /* The inspector's least: its title, its tabs and the beginning of what it holds. */
        grid-template-rows: minmax(0, 1fr) 1px minmax(var(--inspector-least), calc(var(--inspector-share) * 100%));
      }
    `,
  ];
}

customElements.define('dsh-app', DshApp);
