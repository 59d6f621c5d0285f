import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { NONE } from '../../src/timeline/index.ts';
import { toUnit } from '../../src/timeline/layout/axis.ts';
import { laneLayout, type LaneLayout } from '../../src/timeline/layout/lanes.ts';
import { visibleRange } from '../../src/timeline/layout/spans.ts';
import { fromPixel, panBy, zoomAt } from '../../src/timeline/layout/viewport.ts';
import { ROW } from '../../src/timeline/layout/rows.ts';
import { say, t } from '../l10n/strings.ts';
import { prepareCanvas } from '../paint/canvas.ts';
import { lanesScale } from '../paint/lanes-input.ts';
import { paintGutter, paintLanes } from '../paint/lanes-paint.ts';
import { FrameScheduler } from '../state/frame.ts';
import { hitLanes, type LaneHit } from '../state/lane-hit.ts';
import { menuOfSeq, stepMenu, turnMenu } from '../state/menu-of.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel, Topic } from '../state/model.ts';
import { readPalette, type Palette } from '../theme/palette.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { tipStyles } from '../theme/tip-styles.ts';
import './dsh-sash.ts';
import { tooltipOf } from '../state/lane-tooltip.ts';

const zoomStep = 0.8;
/** Lowest the pane gets, px: the ruler and two lanes. */
const lowest = 72;
/** Wide enough for words beside the name: their texts are asked for. */
const wordyWidth = 90;

/** Turns, steps, model, calls and surface of the visible stretch on one canvas. */
export class DshLanes extends LitElement {
  static override properties = {
    model: { attribute: false },
    compact: { type: Boolean },
    room: { type: Number },
    hit: { state: true },
  };
  declare model: TimelineModel;
  /** For a panel with little room. */
  declare compact: boolean;
  /** Height of the whole view, px. */
  declare room: number;
  declare hit: (LaneHit & { readonly x: number; readonly y: number }) | undefined;
  #width = 0;
  #palette: Palette | undefined;
  #drag:
    | {
        readonly x: number;
        readonly y: number;
        readonly from: number;
        readonly to: number;
        readonly scrollTop: number;
        readonly isRange: boolean;
        moved: boolean;
      }
    | undefined;
  /** Stretch being marked out, units. */
  #marking: { readonly from: number; readonly to: number } | undefined;
  #isInside = false;
  #arrivals = 0;
  #observer: ResizeObserver | undefined;
  readonly #frame = new FrameScheduler(() => {
    this.#paint();
  });

  constructor() {
    super();
    this.compact = false;
    this.room = 0;
    this.hit = undefined;
    new ModelController(
      this,
      ['data', 'geometry', 'view', 'selection', 'rows', 'texts', 'hover', 'theme', 'replay', 'playhead', 'layout'],
      (topic: Topic) => {
        if (topic === 'theme') this.#palette = undefined;
        if (topic === 'texts' && !this.#hasNewTexts()) return;
        if (topic === 'data' || topic === 'geometry' || topic === 'layout') this.requestUpdate();
        this.#frame.request();
      },
    );
  }

  #hasNewTexts(): boolean {
    const before = this.#arrivals;
    this.#arrivals = this.model.texts.arrivals('lanes');
    return this.#arrivals !== before;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('keydown', this.#onWindowKey, { capture: true });
    this.#observer = new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry?.contentRect.width ?? 0);
      this.#frame.request();
    });
    void this.updateComplete.then(() => {
      // What its scrollbar leaves free.
      if (this.#scroller) this.#observer?.observe(this.#scroller);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('keydown', this.#onWindowKey, { capture: true });
    this.#observer?.disconnect();
    this.#frame.cancel();
  }

  get #layout(): LaneLayout {
    const { geometry, overview } = this.model;
    return laneLayout({
      callLanes: geometry?.callLanes ?? overview?.callLanes ?? 1,
      agentLanes: geometry?.agentLanes ?? 0,
      hasReplacements: (overview?.tables.replacements ?? 1) > 0,
      isCompact: this.compact,
    });
  }

  get #scroller(): HTMLElement | null {
    return this.shadowRoot?.querySelector('.scroll') ?? null;
  }

  /** As high as the reader made it, else as what is in it needs within a third of the view. */
  #heightOf(layout: LaneLayout): number {
    const wanted = this.model.kept.lanesHeight ?? Math.max(lowest, this.room / 3);
    return Math.round(Math.min(layout.height, wanted));
  }

  get #gutter(): number {
    return this.#width < 700 ? 62 : 84;
  }

  #paint(): void {
    const { tables, geometry, overview, view, selected, hover, selectedEntry } = this.model;
    const canvas = this.shadowRoot?.querySelector('canvas');
    if (!overview || !canvas) return;
    const layout = this.#layout;
    const height = this.#heightOf(layout);
    const context = prepareCanvas(canvas, this.#width, height);
    if (!context) return;
    const palette = (this.#palette ??= readPalette());
    if (!tables || !geometry) {
      paintGutter(context, { layout, palette, width: this.#width, gutter: this.#gutter });
      return;
    }
    const { texts } = this.model;
    const { axis } = geometry;
    const { time, seq } = tables.entries.columns;
    const words = (kind: number, index: number): string => {
      const text = texts.get(((kind << 30) | index) >>> 0);
      return text ? say(text.detail) : '';
    };
    this.#wantTexts();
    paintLanes(context, {
      tables,
      strings: overview.strings,
      geometry,
      layout,
      palette,
      width: this.#width,
      height,
      scrollTop: this.#scroller?.scrollTop ?? 0,
      gutter: this.#gutter,
      view,
      selected: selected ?? NONE,
      hover: hover ?? NONE,
      selectedUnit: selectedEntry === NONE ? NaN : axis.kind === 'seq' ? seq[selectedEntry]! : toUnit(axis, time[selectedEntry]!),
      marked: this.#marked(),
      zoneOffset: overview.time ? -new Date(overview.time.first).getTimezoneOffset() * 60_000 : 0,
      turnText: (turn) => words(ROW.turn, turn),
      childText: (child) => words(ROW.entry, tables.children.columns.entry[child]!),
      requestEnd: Math.min(this.model.hoveredRequest, this.model.replay.playedTo ?? NONE),
      playedTo: this.model.replay.playedTo ?? NONE,
      playhead: this.model.replay.unitOn(axis),
      callText: (call) => words(ROW.entry, tables.calls.columns.entry[call]!),
    });
  }

  /** The stretch being marked out, else the one the list is narrowed to. */
  #marked(): { readonly from: number; readonly to: number } | undefined {
    const { range } = this.model.filter;
    const axis = this.model.geometry?.axis;
    if (this.#marking || !range || range.axis !== axis?.kind) return this.#marking;
    return { from: toUnit(axis, range.from), to: toUnit(axis, range.to) };
  }

  /** Words for bars with room for them, at most a screenful. */
  #wantTexts(): void {
    const { tables, geometry, view, texts } = this.model;
    if (!tables || !geometry) return;
    const scale = lanesScale(view, this.#width, this.#gutter);
    const codes: number[] = [];
    const turns = visibleRange(geometry.turns, view.from, view.to);
    for (let i = turns.first; i < turns.last && codes.length < 60; i++) {
      if ((geometry.turns.end[i]! - geometry.turns.start[i]!) * scale.perUnit > wordyWidth) codes.push(geometry.turns.row[i]!);
    }
    const calls = visibleRange(geometry.calls, view.from, view.to);
    // Of few calls all are told: the words may stand beside a bar too short for them.
    const isSparse = calls.last - calls.first <= 100;
    for (let i = calls.first; i < calls.last && codes.length < 160; i++) {
      if (!isSparse && (geometry.calls.end[i]! - geometry.calls.start[i]!) * scale.perUnit <= 70) continue;
      codes.push(((ROW.entry << 30) | tables.calls.columns.entry[geometry.calls.row[i]!]!) >>> 0);
    }
    for (let child = 0; child < Math.min(60, tables.children.length); child++) {
      codes.push(((ROW.entry << 30) | tables.children.columns.entry[child]!) >>> 0);
    }
    texts.want('lanes', codes);
  }

  // --- pointer and keys

  #hitAt(event: MouseEvent): LaneHit | undefined {
    const { tables, geometry, view } = this.model;
    const canvas = this.shadowRoot?.querySelector('canvas');
    if (!tables || !geometry || !canvas) return undefined;
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    if (x < this.#gutter) return undefined;
    const layout = this.#layout;
    const y = event.clientY - box.top;
    const inLanes = y < layout.ruler.height ? y : y + (this.#scroller?.scrollTop ?? 0);
    return hitLanes(tables, geometry, layout, lanesScale(view, this.#width, this.#gutter), x, inLanes);
  }

  menuContextAt(event: MouseEvent): string | undefined {
    const { tables } = this.model;
    const hit = this.#hitAt(event);
    if (!hit || !tables) return undefined;
    this.model.select(hit.seq, { unfold: true, showOnAxis: false });
    if (hit.kind === 'turn') return turnMenu(tables, hit.row);
    return hit.kind === 'step' ? stepMenu(tables, hit.row) : menuOfSeq(tables, hit.seq);
  }

  #onDown = (event: PointerEvent): void => {
    const scroller = this.#scroller;
    const onScrollbar = scroller !== null && event.clientX >= scroller.getBoundingClientRect().left + scroller.clientWidth;
    if (event.button !== 0 || onScrollbar) return;
    const { view } = this.model;
    this.#drag = {
      x: event.clientX,
      y: event.clientY,
      from: view.from,
      to: view.to,
      scrollTop: scroller?.scrollTop ?? 0,
      isRange: event.shiftKey,
      moved: false,
    };
    if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
  };

  #onMove = (event: PointerEvent): void => {
    this.#isInside = true;
    const { geometry } = this.model;
    const drag = this.#drag;
    if (drag && geometry) {
      const moved = event.clientX - drag.x;
      const down = event.clientY - drag.y;
      const scrolls = this.#heightOf(this.#layout) < this.#layout.height && !drag.isRange;
      if (Math.abs(moved) < 4 && !(scrolls && Math.abs(down) >= 4) && !drag.moved) return;
      drag.moved = true;
      this.hit = undefined;
      const scale = lanesScale({ from: drag.from, to: drag.to }, this.#width, this.#gutter);
      if (drag.isRange) {
        const left = this.getBoundingClientRect().left;
        const ends = [drag.x, event.clientX].map((x) => fromPixel(scale, Math.max(this.#gutter, x - left)));
        this.#marking = { from: Math.min(...ends), to: Math.max(...ends) };
        this.#frame.request();
        return;
      }
      this.#scroller?.scrollTo({ top: drag.scrollTop - down });
      this.model.setView(panBy({ from: drag.from, to: drag.to }, -moved / scale.perUnit, geometry.axis.length));
      return;
    }
    const hit = this.#hitAt(event);
    this.model.setHover(hit?.seq);
    const box = this.getBoundingClientRect();
    this.hit = hit ? { ...hit, x: event.clientX - box.left, y: event.clientY - box.top } : undefined;
  };

  #onUp = (event: PointerEvent): void => {
    const drag = this.#drag;
    this.#drag = undefined;
    const marked = this.#marking;
    this.#marking = undefined;
    if (marked) this.model.setRange(marked);
    if (!drag || drag.moved) return;
    const hit = this.#hitAt(event);
    if (hit) this.model.select(hit.seq, { unfold: true, showOnAxis: false });
  };

  #onDoubleClick = (event: MouseEvent): void => {
    const { tables, overview } = this.model;
    const hit = this.#hitAt(event);
    const id = hit?.kind === 'agent' && tables ? overview?.strings.children[tables.children.columns.child[hit.row]!] : undefined;
    if (id === undefined) this.model.fit();
    else this.model.openSession(id);
  };

  #onLeave = (): void => {
    this.#isInside = false;
    this.hit = undefined;
    this.model.setHover(undefined);
  };

  #onWheel = (event: WheelEvent): void => {
    const { geometry, view } = this.model;
    if (!geometry || event.altKey) return; // with Alt it scrolls the lanes
    event.preventDefault();
    const scale = lanesScale(view, this.#width, this.#gutter);
    const perLine = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) {
      const delta = (event.deltaX === 0 ? event.deltaY : event.deltaX) * perLine;
      this.model.setView(panBy(view, delta / scale.perUnit, geometry.axis.length));
    } else {
      const x = event.clientX - this.getBoundingClientRect().left;
      const at = fromPixel(scale, Math.max(this.#gutter, x));
      this.model.setView(zoomAt(view, Math.exp(event.deltaY * perLine * 0.002), at, geometry.axis.length));
    }
  };

  /**
   * The keys work while the lanes have the focus, and while the pointer is over them and no field is being typed in. Captured: the list,
   * which usually has the focus, would take the letters for a search of its own.
   */
  #onWindowKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLInputElement) return;
    if (!this.#isInside && !event.composedPath().includes(this)) return;
    const { geometry, view } = this.model;
    if (!geometry) return;
    const { length } = geometry.axis;
    const span = view.to - view.from;
    const middle = (view.from + view.to) / 2;
    switch (event.key.toLowerCase()) {
      case 'w':
      case '+':
      case '=':
        this.model.setView(zoomAt(view, zoomStep, middle, length));
        break;
      case 's':
      case '-':
        this.model.setView(zoomAt(view, 1 / zoomStep, middle, length));
        break;
      case 'a':
        this.model.setView(panBy(view, -span * 0.15, length));
        break;
      case 'd':
        this.model.setView(panBy(view, span * 0.15, length));
        break;
      case 'z':
        this.model.goView(event.shiftKey ? 1 : -1);
        break;
      case '0':
        this.model.fit();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  override render(): TemplateResult {
    return html`<div
        class="scroll"
        tabindex="0"
        role="group"
        aria-label=${t('Lanes: zoom with W and S, move with A and D, 0 shows all')}
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerup=${this.#onUp}
        @pointercancel=${() => (this.#drag = undefined)}
        @pointerleave=${this.#onLeave}
        @dblclick=${this.#onDoubleClick}
        @wheel=${{ handleEvent: this.#onWheel, passive: false }}
        @scroll=${() => {
          this.#frame.request();
        }}
      >
        <div class="whole"><canvas aria-hidden="true"></canvas></div>
      </div>
      <dsh-sash
        rows
        label=${t('Height of the lanes')}
        .value=${this.#heightOf(this.#layout)}
        .least=${lowest}
        .most=${this.#layout.height}
        @dsh-resize=${(event: CustomEvent<number>) => {
          this.model.setLanesHeight(Math.round(event.detail));
        }}
        @dsh-reset=${() => {
          this.model.setLanesHeight(undefined);
        }}
      ></dsh-sash>
      ${this.#tooltip()}`;
  }

  #tooltip(): TemplateResult | typeof nothing {
    const { hit } = this;
    if (!hit) return nothing;
    const lines = tooltipOf(this.model, hit);
    return html`<div class="tip" aria-hidden="true">
      ${lines.map((line, at) => html`<div class=${at === 0 ? 'head' : ''}>${line}</div>`)}
    </div>`;
  }

  protected override updated(): void {
    const layout = this.#layout;
    this.style.setProperty('--lanes-height', `${String(layout.height)}px`);
    this.style.setProperty('--lanes-box', `${String(this.#heightOf(layout))}px`);
    const tip = this.shadowRoot?.querySelector<HTMLElement>('.tip');
    if (tip && this.hit) {
      const room = this.#width - tip.offsetWidth - 8;
      tip.style.setProperty('left', `${String(Math.max(4, Math.min(this.hit.x + 12, room)))}px`);
      tip.style.setProperty('top', `${String(this.hit.y + 18)}px`);
    }
    this.#frame.request();
  }

  static override styles = [
    sharedStyles,
    tipStyles,
    css`
      :host {
        display: block;
        position: relative;
        border-top: 1px solid var(--dsh-line);
      }
      .scroll {
        height: var(--lanes-box, 180px);
        overflow: hidden auto;
        touch-action: none;
        cursor: default;
      }
      .whole {
        height: var(--lanes-height, 180px);
      }
      canvas {
        position: sticky;
        top: 0;
        display: block;
        width: 100%;
        height: var(--lanes-box, 180px);
      }
    `,
  ];
}

customElements.define('dsh-lanes', DshLanes);
