import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { ReplayProof } from '../../src/protocol/index.ts';
import { SPEEDS, type StepUnit } from '../../src/timeline/layout/replay-clock.ts';
import { formatClock, formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import type { ReplayState } from '../state/replay.ts';
import { icon, type IconName } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { proofView } from './replay-proof.ts';
import { stageView } from './replay-stage.ts';
import { replayStyles } from './replay-styles.ts';

/** The replay bar: what streams at the playhead, the session's state there, and the controls. */
export class DshReplayBar extends LitElement {
  static override properties = {
    model: { attribute: false },
    low: { type: Boolean },
    isWhole: { state: true },
    wholeProof: { state: true },
  };
  declare model: TimelineModel;
  /** In a low panel one line says what happens, until all of it is asked for. */
  declare low: boolean;
  declare isWhole: boolean;
  /** The proof whose differences are all named. */
  declare wholeProof: ReplayProof | undefined;
  /** Words of the item the todo list was scrolled to. */
  #currentTodo = '';
  /** What had the focus when the bar came, until it has its points. */
  #focused: Element | null | undefined;

  constructor() {
    super();
    this.low = false;
    this.isWhole = false;
    new ModelController(this, ['data', 'playhead', 'replay']);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#focused = deepFocus();
    window.addEventListener('keydown', this.#onWindowKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('keydown', this.#onWindowKey);
  }

  get #replay(): ReplayState {
    return this.model.replay;
  }

  // --- keys and pointer

  /** Space everywhere but where it types or presses something else; arrows only where nothing else moves by them. */
  #onWindowKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const [target] = event.composedPath();
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
      return;
    const isOurs = event.composedPath().includes(this);
    const isNowhere = target === document.body || target === document.documentElement;
    if (event.key === ' ') {
      if (target instanceof HTMLElement && target.closest('button, [role=tab], summary')) return;
      this.#replay.toggle();
    } else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && (isOurs || isNowhere)) {
      this.#replay.step(event.shiftKey ? 'step' : 'event', event.key === 'ArrowRight' ? 1 : -1);
    } else if ((event.key === '.' || event.key === ',') && (isOurs || isNowhere)) {
      this.#replay.step('group', event.key === '.' ? 1 : -1);
    } else return;
    event.preventDefault();
  };

  #onSliderKey = (event: KeyboardEvent): void => {
    const replay = this.#replay;
    if (event.key === 'Home') replay.seek(0);
    else if (event.key === 'End') replay.seek((replay.plan?.length ?? 1) - 1);
    else if (event.key === 'PageUp' || event.key === 'PageDown') replay.step('step', event.key === 'PageUp' ? 1 : -1);
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') replay.step('event', event.key === 'ArrowUp' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  #onScrub = (event: PointerEvent): void => {
    const { currentTarget } = event;
    if (!(currentTarget instanceof HTMLElement)) return;
    if (event.type === 'pointerdown') {
      if (event.button !== 0) return;
      currentTarget.setPointerCapture(event.pointerId);
      this.#replay.pause();
    } else if (!currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = currentTarget.getBoundingClientRect();
    this.#replay.seekShare((event.clientX - box.left) / Math.max(1, box.width));
  };

  // --- drawing

  override render(): TemplateResult {
    const replay = this.#replay;
    const isReady = replay.plan !== undefined;
    return html`<section aria-label=${t('Replay')} aria-busy=${isReady ? 'false' : 'true'}>
      ${stageView(this.model, {
        isLine: this.low && !this.isWhole,
        toggle: this.low ? () => (this.isWhole = !this.isWhole) : undefined,
      })}
      <div class="controls">
        <span class="buttons">
          ${this.#step('debug-reverse-continue', t('Back by a step (Shift Left)'), 'step', -1)}
          ${this.#step('debug-step-back', t('Back by a block of the stream (,)'), 'group', -1)}
          ${this.#step('chevron-left', t('Back by an event (Left)'), 'event', -1)}
          <button
            class="square play"
            ?disabled=${!isReady}
            title=${replay.isPlaying ? t('Pause (Space)') : t('Play (Space)')}
            aria-label=${replay.isPlaying ? t('Pause (Space)') : t('Play (Space)')}
            @click=${() => {
              replay.toggle();
            }}
          >
            ${icon(replay.isPlaying ? 'debug-pause' : 'play')}
          </button>
          ${this.#step('chevron-right', t('On by an event (Right)'), 'event', 1)}
          ${this.#step('debug-step-over', t('On by a block of the stream (.)'), 'group', 1)}
          ${this.#step('debug-continue', t('On by a step (Shift Right)'), 'step', 1)}
        </span>
        ${this.#speeds(replay)}
        <select
          class="few"
          aria-label=${t('Speed')}
          title=${t('Speed')}
          @change=${(event: Event) => {
            replay.setSpeed(Number((event.currentTarget as HTMLSelectElement).value));
          }}
        >
          ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === replay.speed}>${speedName(speed)}×</option>`)}
        </select>
        ${this.#slider(replay)} ${this.#place(replay)}
        <button class="action" ?disabled=${!isReady || replay.isVerifying} @click=${() => void replay.verify()}>
          ${replay.isVerifying ? t('Verifying…') : t('Verify')}
        </button>
        <button
          class="square leave"
          title=${t('Leave the replay')}
          aria-label=${t('Leave the replay')}
          @click=${() => {
            replay.close();
          }}
        >
          ${icon('close')}
        </button>
      </div>
      <div class="proof" role="status">${replay.proof ? this.#proof(replay, replay.proof) : nothing}</div>
    </section>`;
  }

  /** The speeds side by side, one tab stop; in a narrow bar a drop-down stands in their place. */
  #speeds(replay: ReplayState): TemplateResult {
    return html`<div class="speeds" role="radiogroup" aria-label=${t('Speed')} @keydown=${this.#onSpeedKey}>
      ${SPEEDS.map((speed) => {
        const isOn = speed === replay.speed;
        return html`<button
          role="radio"
          data-speed=${speed}
          aria-checked=${isOn ? 'true' : 'false'}
          aria-label=${t('{speed} times', { speed: formatNumber(speed) })}
          tabindex=${isOn ? '0' : '-1'}
          @click=${() => {
            replay.setSpeed(speed);
          }}
        >
          ${speedName(speed)}×
        </button>`;
      })}
    </div>`;
  }

  #onSpeedKey = (event: KeyboardEvent): void => {
    const replay = this.#replay;
    const at = SPEEDS.findIndex((speed) => speed === replay.speed);
    const count = SPEEDS.length;
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at + count - 1,
      ArrowUp: at + count - 1,
      Home: 0,
      End: count - 1,
    };
    const next = SPEEDS[(moves[event.key] ?? NaN) % count];
    if (next === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    replay.setSpeed(next);
    void this.updateComplete.then(() => this.shadowRoot?.querySelector<HTMLElement>(`[data-speed="${String(next)}"]`)?.focus());
    event.preventDefault();
    event.stopPropagation(); // the arrows of the playhead
  };

  #step(name: IconName, label: string, unit: StepUnit, direction: 1 | -1): TemplateResult {
    return html`<button
      class="square"
      ?disabled=${!this.#replay.plan}
      title=${label}
      aria-label=${label}
      @click=${() => {
        this.#replay.step(unit, direction);
      }}
    >
      ${icon(name)}
    </button>`;
  }

  #place(replay: ReplayState): TemplateResult {
    if (!replay.plan) return html`<span class="place"><span class="says">${t('Reading the log for its replay…')}</span></span>`;
    const last = this.model.overview ? this.model.overview.eventCount - 1 : replay.lastSeq;
    const at = (seq: number): string => t('#{seq} of #{last}', { seq, last });
    const says = t('playing the log, nothing is run');
    return html`<span class="place number" title="${at(replay.seq)} · ${says}"
      ><span class="at" data-widest=${at(last)}>${at(replay.seq)}</span
      ><span class="says" data-short=${t('nothing is run')}
        ><span class="dot"> · </span><span class="full">${says}</span></span
      ></span
    >`;
  }

  #slider(replay: ReplayState): TemplateResult {
    const percent = (replay.share * 100).toFixed(2);
    return html`<div
      class="slider"
      role="slider"
      tabindex="0"
      aria-label=${t('Place in the replay')}
      aria-valuemin="0"
      aria-valuemax=${Math.max(0, (replay.plan?.length ?? 1) - 1)}
      aria-valuenow=${replay.at}
      aria-valuetext=${`#${String(replay.seq)}, ${formatClock(replay.time)}`}
      @keydown=${this.#onSliderKey}
      @pointerdown=${this.#onScrub}
      @pointermove=${this.#onScrub}
    >
      <span class="track"><i .style=${`width:${percent}%`}></i></span>
      <span class="knob" .style=${`left:${percent}%`}></span>
    </div>`;
  }

  #proof(replay: ReplayState, proof: ReplayProof): TemplateResult {
    return proofView(replay, proof, {
      isWhole: this.wholeProof === proof,
      showAll: () => (this.wholeProof = proof),
      jump: (seq) => {
        this.model.reveal(seq);
      },
    });
  }

  protected override updated(): void {
    if (this.#focused !== undefined && this.#replay.plan) this.#takeFocus(this.#focused);
    this.#showEnd();
    this.#showCurrentTodo();
  }

  /** Its keys are at hand; but whoever has gone on to something else, here or elsewhere in the editor, is not called back. */
  #takeFocus(before: Element | null): void {
    this.#focused = undefined;
    const isWhereItWas = deepFocus() === before || document.activeElement === document.body;
    if (document.hasFocus() && isWhereItWas) this.shadowRoot?.querySelector<HTMLElement>('.play')?.focus();
  }

  /** The end of what streams stays in sight. */
  #showEnd(): void {
    const stream = this.shadowRoot?.querySelector('.stream');
    if (!stream) return;
    stream.scrollTop = stream.scrollHeight;
    stream.scrollLeft = stream.scrollWidth; // of one line
    stream.toggleAttribute('cut', stream.scrollLeft > 0);
  }

  /** Brings the item in progress into sight when it is another one; in between the reader scrolls as he likes. */
  #showCurrentTodo(): void {
    const list = this.shadowRoot?.querySelector('ul');
    const current = list?.querySelector('li.in_progress');
    const words = current?.textContent ?? '';
    if (words === this.#currentTodo) return;
    this.#currentTodo = words;
    if (list && current) list.scrollTop += current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }

  static override styles = [sharedStyles, replayStyles];
}

/** What has the focus, through all shadow roots. */
function deepFocus(): Element | null {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

const fractions: Readonly<Record<number, string>> = { 0.25: '¼', 0.5: '½' };

const speedName = (speed: number): string => fractions[speed] ?? String(speed);

customElements.define('dsh-replay-bar', DshReplayBar);
