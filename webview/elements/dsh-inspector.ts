import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { DocumentRef, EventDetail, ViewAct } from '../../src/protocol/index.ts';
import { formatClockMs, formatDuration, formatFull, formatNumber } from '../l10n/format.ts';
import { closed, say, t } from '../l10n/strings.ts';
import { menuOfSeq } from '../state/menu-of.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { detailAtPlayhead } from '../state/streamed-detail.ts';
import { rowView, type RowView } from '../state/row-view.ts';
import { inspectorTabs, type InspectorTab } from '../state/view-state.ts';
import { ROW } from '../../src/timeline/layout/rows.ts';
import { NONE } from '../../src/timeline/index.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { eventActs } from './inspector-acts.ts';
import { inspectorStyles } from './inspector-styles.ts';
import { citedView, requestName, seenView } from './seen-view.ts';
import { sessionSummary } from './session-summary.ts';
import { link, sectionView, sectionViews, type SectionActions } from './section-view.ts';

/** Everything about the selected event, in four views. */
export class DshInspector extends LitElement {
  static override properties = { model: { attribute: false }, isRawText: { state: true } };
  declare model: TimelineModel;
  declare isRawText: boolean;
  #shownSeq: number | undefined;
  #isSessionShown = false;

  constructor() {
    super();
    this.isRawText = false;
    new ModelController(this, ['data', 'detail', 'selection', 'layout', 'stream']);
  }

  get #actions(): SectionActions {
    return {
      jump: (seq) => {
        this.model.reveal(seq);
      },
      openSession: (id) => {
        this.model.openSession(id);
      },
      copy: (text) => {
        this.#host('copy', { text });
      },
      loadImage: (id, signal) => this.model.client.call('attachment', { id }, signal),
      isRawText: this.isRawText,
    };
  }

  #host(method: 'copy', args: { readonly text: string }): void {
    this.model.client.call(method, args).catch((error: unknown) => {
      this.model.fail(error);
    });
  }

  #act(name: ViewAct, seq: number): void {
    this.model.client.call('act', { name, seq }).catch((error: unknown) => {
      this.model.fail(error);
    });
  }

  #open(ref: DocumentRef): void {
    this.model.client.call('openDocument', { ref }).catch((error: unknown) => {
      this.model.fail(error);
    });
  }

  override render(): TemplateResult {
    const { model } = this;
    const { detail } = model;
    if (model.selected === undefined) return this.#session();
    if (detail?.problem) return html`<div class="empty">${detail.problem}</div>`;
    const { value, isPending } = detailAtPlayhead(model, detail?.value);
    if (!value) return this.#isSessionShown ? this.#session() : html`<div class="empty"></div>`;
    this.#isSessionShown = false;
    const { tab } = model.kept;
    return html`
      <header>
        <div class="top">
          <h2>
            <span class="number">#${value.seq}</span> ${say(value.row.title)}
            ${value.row.note ? html`<span class="top-note ${this.#row?.tone === 'error' ? 'bad' : ''}">${say(value.row.note)}</span>` : nothing}
          </h2>
          <button
            class="square"
            ?disabled=${isPending && tab !== 'pretty'}
            title=${t('Copy')}
            aria-label=${t('Copy')}
            @click=${() => {
              this.#host('copy', { text: copyText(value, tab) });
            }}
          >
            ${icon('copy')}
          </button>
        </div>
        <p class="facts-line number" title=${formatFull(value.time)}>${this.#facts(value).join(' · ')}</p>
        ${this.#tabs(tab)}
      </header>
      <div
        class="panel ${value.seq === model.selected ? '' : 'stale'}"
        id="panel"
        role="tabpanel"
        tabindex="0"
        aria-labelledby="tab-${tab}"
      >
        ${this.#isAhead(value.seq) ? html`<p class="note info ahead">${icon('info')}<span>${t('Not yet played: shown as at the end of the log.')}</span></p>` : nothing}
        ${isPending && tab !== 'pretty' ? html`<section><p class="dim">${t('It is written to the log when its stream has ended.')}</p></section>` : this.#panel(value, tab)}
      </div>
    `;
  }

  /** The session itself: while nothing is selected, and then until what was selected first is here. */
  #session(): TemplateResult {
    const { overview } = this.model;
    if (!overview) return html`<div class="empty"></div>`;
    this.#isSessionShown = true;
    return html`<div class="panel" tabindex="0">
      <h2 class="sr">${t('Session')}</h2>
      ${sessionSummary(overview).map((section) => sectionView(section, this.#actions))}
      ${overview.eventCount === 0 ? nothing : html`<p class="dim hint">${t('Select a turn, step or event to see what it holds.')}</p>`}
    </div>`;
  }

  menuContextAt(): string | undefined {
    const { tables, selected } = this.model;
    return tables && selected !== undefined ? menuOfSeq(tables, selected) : undefined;
  }

  /** The row of the event in the list: of a call, whether its result failed and how long it took, as far as the playhead knows. */
  get #row(): RowView | undefined {
    const entry = this.model.selectedEntry;
    return entry === NONE ? undefined : rowView(this.model, ((ROW.entry << 30) | entry) >>> 0);
  }

  #isAhead(seq: number): boolean {
    const { playedTo, streamingEntry } = this.model.replay;
    return playedTo !== undefined && seq >= playedTo && streamingEntry !== this.model.selectedEntry;
  }

  #facts(value: EventDetail): string[] {
    const facts = [value.type];
    if (value.turn !== undefined) facts.push(t('turn {n}', { n: value.turn }));
    if (value.step !== undefined) facts.push(t('step {n}', { n: value.step }));
    facts.push(formatClockMs(value.time));
    const duration = this.#row?.duration ?? NaN;
    if (duration > 0) facts.push(formatDuration(duration));
    if (value.callId !== undefined) facts.push(value.callId);
    return facts;
  }

  #tabs(selected: InspectorTab): TemplateResult {
    const names: Readonly<Record<InspectorTab, string>> = {
      pretty: t('Pretty'),
      raw: t('Raw'),
      model: t('Model’s view'),
      sources: t('Sources'),
    };
    return html`<div role="tablist" aria-label=${t('Views of the event')} @keydown=${this.#onTabKey}>
      ${inspectorTabs.map(
        (tab) =>
          html`<button
            role="tab"
            id="tab-${tab}"
            aria-selected=${tab === selected ? 'true' : 'false'}
            aria-controls="panel"
            tabindex=${tab === selected ? '0' : '-1'}
            @click=${() => {
              this.model.setTab(tab);
            }}
          >
            ${names[tab]}
          </button>`,
      )}
    </div>`;
  }

  #onTabKey = (event: KeyboardEvent): void => {
    const at = inspectorTabs.indexOf(this.model.kept.tab);
    const count = inspectorTabs.length;
    const moves: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at + count - 1, Home: 0, End: count - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    const tab = inspectorTabs[next % count]!;
    this.model.setTab(tab);
    void this.updateComplete.then(() => this.shadowRoot?.getElementById(`tab-${tab}`)?.focus());
    event.preventDefault();
  };

  #panel(value: EventDetail, tab: InspectorTab): TemplateResult {
    const actions = this.#actions;
    switch (tab) {
      case 'pretty': {
        const hasMarkdown = value.pretty.some((section) => section.kind === 'text' && section.markdown);
        return html`
          ${value.damage.map((damage) => sectionView({ kind: 'note', text: damage.text, tone: 'warning' }, actions))}
          ${sectionViews(value.pretty, actions)} ${seenView(this.model, value, actions)} ${citedView(this.model, value, actions)}
          ${this.#fork(value, actions)}
          <div class="actions">
            ${hasMarkdown ? this.#action(this.isRawText ? t('Show formatted') : t('Show as written'), () => (this.isRawText = !this.isRawText)) : nothing}
            ${eventActs(this.model, value)}
            ${this.#action(t('Show History Here'), () => {
              this.#act('showHistory', value.seq);
            })}
            ${this.#action(t('Open as a document'), () => {
              this.#open({ kind: 'event', seq: value.seq });
            })}
            ${this.#action(t('Reveal in the tree'), () => {
              this.#revealInTree(value.seq);
            })}
          </div>
        `;
      }
      case 'raw':
        return html`<section>
          <h3>
            ${t('Stored line {line}', { line: formatNumber(value.line) })}${value.frame === undefined ? nothing : ` · ${t('frame {frame}', { frame: formatNumber(value.frame) })}`}
          </h3>
          <pre class="raw" tabindex="0">${value.raw.text}</pre>
          ${value.raw.cut > 0 ? html`<p class="dim number">${t('{n} more characters; open the event as a document for all of it', { n: formatNumber(value.raw.cut) })}</p>` : nothing}
          <div class="actions">
            ${this.#action(t('Open as a document'), () => {
              this.#open({ kind: 'event', seq: value.seq });
            })}
          </div>
        </section>`;
      case 'model':
        return html`<section><p>${stateSentence(value, actions)}</p></section>
          ${sectionViews(value.model.sections, actions)} ${this.#requests(value, actions)}`;
      case 'sources':
        return html`${value.sources.length === 0 ? html`<section><p class="dim">${t('Nothing is cited by this event, and nothing cites it.')}</p></section>` : value.sources.map((section) => sectionView(section, actions))}`;
    }
  }

  #action(label: string, run: () => void): TemplateResult {
    return html`<button class="link" @click=${run}>${label}</button>`;
  }

  #revealInTree(seq: number): void {
    this.model.client.call('revealInTree', { seq }).catch((error: unknown) => {
      this.model.fail(error);
    });
  }

  /** Whether a fork is legal right after this event, and if not, why and where the nearest legal points are. */
  #fork({ fork, forkSeq }: EventDetail, actions: SectionActions): TemplateResult {
    if (fork.legal) {
      const sentence = fork.closes
        ? t('A fork here would close the open turn first.')
        : t('A fork is possible here, after #{seq}.', { seq: forkSeq });
      return html`<section>
        <h3>${t('Fork')}</h3>
        <p>${sentence}</p>
      </section>`;
    }
    const { before, after } = fork;
    return html`<section>
      <h3>${t('Fork')}</h3>
      <p>
        ${closed(say(fork.text))}
        ${before === undefined ? nothing : html`${t('Possible before:')} ${link(before, `#${String(before)}`, actions)}`}
        ${before === undefined || after === undefined ? nothing : '·'}
        ${after === undefined ? nothing : html`${t('Possible after:')} ${link(after, `#${String(after)}`, actions)}`}
      </p>
    </section>`;
  }

  #requests(value: EventDetail, actions: SectionActions): TemplateResult | typeof nothing {
    const { requests, requestCount } = value.model;
    if (requestCount === 0) return nothing;
    return html`<section>
      <h3>${requestCount === 1 ? t('In 1 request') : t('In {n} requests', { n: formatNumber(requestCount) })}</h3>
      <ul class="refs">
        ${requests.map(
          (request) =>
            html`<li>
              ${link(request.seq, requestName(request), actions)}
              <button
                class="link"
                @click=${() => {
                  this.#open({ kind: 'request', turn: request.turn, step: request.step, attempt: request.attempt });
                }}
              >
                ${t('Show request')}
              </button>
            </li>`,
        )}
      </ul>
      ${requestCount > requests.length ? html`<p class="dim">${t('{n} more', { n: formatNumber(requestCount - requests.length) })}</p>` : nothing}
    </section>`;
  }

  protected override updated(): void {
    const seq = this.model.detail?.value?.seq;
    if (seq === this.#shownSeq) return;
    this.#shownSeq = seq;
    this.shadowRoot?.getElementById('panel')?.scrollTo(0, 0);
  }

  static override styles = [sharedStyles, inspectorStyles];
}

function stateSentence(value: EventDetail, actions: SectionActions): TemplateResult {
  switch (value.model.state) {
    case 'current':
      return html`${t('On the surface: the model sees this in its next request.')}`;
    case 'shadowed':
      return html`${t('Shadowed: a later event took its place, the model no longer sees it.')}
      ${value.model.shadowedBy === undefined ? nothing : link(value.model.shadowedBy, `#${String(value.model.shadowedBy)}`, actions)}`;
    case 'log-only':
      return html`${t('Log only: this event is recorded and never becomes a message.')}`;
    case 'refused':
      return html`${t('Not derived: it comes at or after an event this format version does not know.')}`;
  }
}

function copyText(value: EventDetail, tab: InspectorTab): string {
  if (tab === 'raw') return value.raw.text;
  const sections = tab === 'pretty' ? value.pretty : tab === 'model' ? value.model.sections : value.sources;
  const parts: string[] = [];
  for (const section of sections) {
    if (section.kind === 'text' || section.kind === 'code') parts.push(section.text);
    else if (section.kind === 'diff') parts.push(section.after);
    else if (section.kind === 'facts')
      parts.push(section.facts.map((fact) => `${say(fact.name)}: ${say(fact.value)}`).join('\n'));
    else if (section.kind === 'checklist')
      parts.push(section.items.map((item) => `[${item.state === 'completed' ? 'x' : ' '}] ${item.text}`).join('\n'));
    else if (section.kind === 'links') parts.push(section.links.map((ref) => `#${String(ref.seq)} ${say(ref.title)}`).join('\n'));
    else if (section.kind === 'note') parts.push(say(section.text));
  }
  return parts.join('\n\n');
}

customElements.define('dsh-inspector', DshInspector);
