import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { NONE } from '../../src/timeline/index.ts';
import { toUnit } from '../../src/timeline/layout/axis.ts';
import { fromPixel, isFit, panBy, toPixel, zoomAt, type Viewport } from '../../src/timeline/layout/viewport.ts';
import { prepareCanvas } from '../paint/canvas.ts';
import { overviewBoxes, overviewScale, paintBrush, paintOverview, type OverviewBoxes } from '../paint/overview-paint.ts';
import { FrameScheduler } from '../state/frame.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel, Topic } from '../state/model.ts';
import { overviewTooltip } from '../state/overview-tooltip.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { tipStyles } from '../theme/tip-styles.ts';
import { readPalette, type Palette } from '../theme/palette.ts';

type Drag =
  | { readonly kind: 'from' | 'to' }
  | { readonly kind: 'move'; readonly grip: number }
  | { readonly kind: 'new'; readonly start: number; readonly x: number };

/** Changes that only what lies over the picture shows. */
const overlaid: ReadonlySet<Topic> = new Set(['view', 'selection', 'replay', 'playhead']);

/** The whole session at a glance, with the brush that says which part the lanes show. */
export class DshOverview extends LitElement {
  static override properties = {
    model: { attribute: false },
    compact: { type: Boolean, reflect: true },
    tip: { state: true },
  };
  declare model: TimelineModel;
  /** For a panel with little room. */
  declare compact: boolean;
  declare tip: { readonly x: number; readonly lines: readonly string[] } | undefined;
  #width = 0;
  #palette: Palette | undefined;
  #isBaseOld = true;
  #drag: Drag | undefined;
  #observer: ResizeObserver | undefined;
  readonly #frame = new FrameScheduler(() => {
    this.#paint();
  });

  constructor() {
    super();
    this.compact = false;
    this.tip = undefined;
    new ModelController(
      this,
      ['data', 'geometry', 'view', 'selection', 'search', 'theme', 'replay', 'playhead'],
      (topic: Topic) => {
        if (topic === 'theme') this.#palette = undefined;
        if (!overlaid.has(topic)) this.#isBaseOld = true;
        this.#frame.request();
      },
    );
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry?.contentRect.width ?? 0);
      this.#isBaseOld = true;
      this.#frame.request();
    });
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#frame.cancel();
  }

  get #boxes(): OverviewBoxes {
    return overviewBoxes(this.compact);
  }

  #canvas(name: string): HTMLCanvasElement | undefined {
    return this.shadowRoot?.querySelector<HTMLCanvasElement>(`.${name}`) ?? undefined;
  }

  #paint(): void {
    const { tables, geometry, overview, view, selectedEntry } = this.model;
    const base = this.#canvas('base');
    const overlay = this.#canvas('overlay');
    if (!tables || !geometry || !overview || !base || !overlay) return;
    const palette = (this.#palette ??= readPalette());
    const width = this.#width;
    const boxes = this.#boxes;
    if (this.#isBaseOld) {
      const context = prepareCanvas(base, width, boxes.height);
      if (!context) return;
      paintOverview(context, {
        tables,
        geometry,
        palette,
        boxes,
        width,
        contextWindow: overview.contextWindow,
        found: this.model.search.entries,
      });
      this.#isBaseOld = false;
    }
    const context = prepareCanvas(overlay, width, boxes.height);
    const { axis } = geometry;
    const { seq, time } = tables.entries.columns;
    const selected =
      selectedEntry === NONE ? NaN : axis.kind === 'seq' ? seq[selectedEntry]! : toUnit(axis, time[selectedEntry]!);
    const playhead = this.model.replay.unitOn(axis);
    if (context) paintBrush(context, { geometry, palette, boxes, width, view, selected, playhead });
  }

  // --- pointer

  #unitAt(event: MouseEvent): number {
    const { geometry } = this.model;
    if (!geometry) return 0;
    const x = event.clientX - this.getBoundingClientRect().left;
    return Math.min(geometry.axis.length, Math.max(0, fromPixel(overviewScale(geometry, this.#width), x)));
  }

  #zoneAt(event: MouseEvent): 'from' | 'to' | 'inside' | 'outside' {
    const { geometry, view } = this.model;
    if (!geometry) return 'outside';
    const scale = overviewScale(geometry, this.#width);
    const x = event.clientX - this.getBoundingClientRect().left;
    const from = toPixel(scale, view.from);
    const to = toPixel(scale, view.to);
    if (Math.abs(x - from) <= 6) return 'from';
    if (Math.abs(x - to) <= 6) return 'to';
    // A brush over everything cannot be moved: a drag inside of it chooses a stretch.
    return x > from && x < to && !isFit(view, geometry.axis.length) ? 'inside' : 'outside';
  }

  #onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const zone = this.#zoneAt(event);
    const unit = this.#unitAt(event);
    if (zone === 'from' || zone === 'to') this.#drag = { kind: zone };
    else if (zone === 'inside') this.#drag = { kind: 'move', grip: unit - this.model.view.from };
    else this.#drag = { kind: 'new', start: unit, x: event.clientX };
    if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
  };

  #onMove = (event: PointerEvent): void => {
    const zone = this.#zoneAt(event);
    if (!this.#drag) {
      this.#showTip(event);
      this.style.cursor = zone === 'from' || zone === 'to' ? 'ew-resize' : zone === 'inside' ? 'grab' : 'crosshair';
      return;
    }
    const next = this.#dragged(this.#drag, this.#unitAt(event), event.clientX);
    if (next) this.model.setView(next);
  };

  #showTip(event: MouseEvent): void {
    const { tables, geometry } = this.model;
    if (!tables || !geometry) return;
    const { perUnit } = overviewScale(geometry, this.#width);
    const x = event.clientX - this.getBoundingClientRect().left;
    this.tip = { x, lines: overviewTooltip(tables, geometry, this.#unitAt(event), 4 / perUnit) };
  }

  #dragged(drag: Drag, unit: number, x: number): Viewport | undefined {
    const { view, geometry } = this.model;
    if (!geometry) return undefined;
    switch (drag.kind) {
      case 'from':
        return unit < view.to ? { from: unit, to: view.to } : undefined;
      case 'to':
        return unit > view.from ? { from: view.from, to: unit } : undefined;
      case 'move':
        return panBy(view, unit - drag.grip - view.from, geometry.axis.length);
      case 'new':
        return Math.abs(x - drag.x) < 4 ? undefined : { from: Math.min(unit, drag.start), to: Math.max(unit, drag.start) };
    }
  }

  #onUp = (event: PointerEvent): void => {
    const drag = this.#drag;
    this.#drag = undefined;
    this.tip = undefined;
    const { geometry, view } = this.model;
    if (drag?.kind !== 'new' || Math.abs(event.clientX - drag.x) >= 4 || !geometry || isFit(view, geometry.axis.length)) return;
    // A click beside the brush brings it there.
    const middle = (view.from + view.to) / 2;
    this.model.setView(panBy(view, drag.start - middle, geometry.axis.length));
  };

  #onWheel = (event: WheelEvent): void => {
    const { geometry, view } = this.model;
    if (!geometry) return;
    event.preventDefault();
    this.model.setView(zoomAt(view, Math.exp(event.deltaY * 0.002), this.#unitAt(event), geometry.axis.length));
  };

  override render(): TemplateResult {
    return html`<div
        class="frame"
        aria-hidden="true"
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerup=${this.#onUp}
        @pointerleave=${() => (this.tip = undefined)}
        @pointercancel=${() => (this.#drag = undefined)}
        @dblclick=${() => {
          this.model.fit();
        }}
        @wheel=${{ handleEvent: this.#onWheel, passive: false }}
      >
        <canvas class="base"></canvas><canvas class="overlay"></canvas>
      </div>
      ${this.tip ? html`<div class="tip" aria-hidden="true">${this.tip.lines.map((line, at) => html`<div class=${at === 0 ? 'head' : ''}>${line}</div>`)}</div>` : nothing}`;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('compact')) {
      this.#isBaseOld = true;
      this.#frame.request();
    }
    const tip = this.shadowRoot?.querySelector<HTMLElement>('.tip');
    if (!tip || !this.tip) return;
    const room = this.#width - tip.offsetWidth - 8;
    tip.style.setProperty('left', `${String(Math.max(4, Math.min(this.tip.x + 12, room)))}px`);
    tip.style.setProperty('top', `${String(this.#boxes.height + 4)}px`);
  }

  static override styles = [
    sharedStyles,
    tipStyles,
    css`
      :host {
        display: block;
        position: relative;
        height: ${overviewBoxes(false).height}px;
        border-top: 1px solid var(--dsh-line);
        touch-action: none;
      }
      :host([compact]) {
        height: ${overviewBoxes(true).height}px;
      }
      .frame {
        position: relative;
        height: 100%;
        overflow: hidden;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
      }
    `,
  ];
}

customElements.define('dsh-overview', DshOverview);
