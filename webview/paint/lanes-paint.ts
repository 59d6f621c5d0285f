/** Paints the visible stretch of the lanes. Reads arrays only; culls by binary search and skips pixels already drawn. */
import { DIVIDER, ENTRY_FLAG, NONE, OUTCOME, type TimelineStrings, type TimelineTables } from '../../src/timeline/index.ts';
import type { Geometry } from '../../src/timeline/layout/geometry.ts';
import { stackedTop, type LaneBox, type LaneLayout } from '../../src/timeline/layout/lanes.ts';
import { visibleRange, type SpanIndex } from '../../src/timeline/layout/spans.ts';
import { axisTicks } from '../../src/timeline/layout/ticks.ts';
import { pixelScale, toPixel, type PixelScale, type Viewport } from '../../src/timeline/layout/viewport.ts';
import { formatDuration, formatNumber, formatTick } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { wantsDarkText, type Palette } from '../theme/palette.ts';
import { toolColor } from '../theme/tool-color.ts';
import { fitText, hatch, textWidth, verticalLine } from './canvas.ts';
import { paintForks } from './overview-paint.ts';
import { paintSurface } from './surface-paint.ts';

export interface LanesInput {
  readonly tables: TimelineTables;
  readonly strings: TimelineStrings;
  readonly geometry: Geometry;
  readonly layout: LaneLayout;
  readonly palette: Palette;
  readonly width: number;
  readonly gutter: number;
  readonly view: Viewport;
  /** Seq of the selection and of what is under the pointer, NONE. */
  readonly selected: number;
  readonly hover: number;
  readonly selectedUnit: number;
  readonly zoneOffset: number;
  /** Text of a turn or call when it is known. */
  readonly turnText: (turn: number) => string;
  readonly callText: (call: number) => string;
  readonly childText: (child: number) => string;
  /** Seq before which the request under the pointer was put together; its nodes are lit. NONE: no request. */
  readonly requestSeq: number;
  /** Stretch the list is narrowed to, units. */
  readonly marked: Viewport | undefined;
}

export interface Bar {
  readonly x: number;
  readonly width: number;
}

/** Room for a node at the very end. */
const rightMargin = 20;

export const lanesScale = (view: Viewport, width: number, gutter: number): PixelScale =>
  pixelScale(view, gutter, width - gutter - rightMargin);

export function paintLanes(context: CanvasRenderingContext2D, input: LanesInput): void {
  const { geometry, layout, palette, width, gutter, view } = input;
  const scale = lanesScale(view, width, gutter);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  // Not clipped: a mark at the very edge of the view is whole.
  const { first, last } = visibleRange(geometry.boundaries, view.from, view.to);
  paintForks(context, geometry.boundaries.start.subarray(first, last), scale, palette.fork, layout.ruler.height - 1, 6);
  context.save();
  context.beginPath();
  context.rect(gutter, 0, width - gutter, layout.height);
  context.clip();
  paintRuler(context, input, scale);
  paintGaps(context, input, scale);
  paintInherited(context, input, scale);
  const box = (name: LaneBox['name']): LaneBox => layout.lanes.find((lane) => lane.name === name)!; // the layout has all five
  paintTurns(context, input, scale, box('turns'));
  paintSteps(context, input, scale, box('steps'));
  paintModel(context, input, scale, box('model'));
  paintCalls(context, input, scale);
  paintAgents(context, input, scale);
  paintSurface(context, input, scale, box('surface'));
  paintGapLabels(context, input, scale);
  paintDividers(context, input, scale);
  paintMarked(context, input, scale);
  if (!Number.isNaN(input.selectedUnit)) {
    context.strokeStyle = palette.selection;
    context.globalAlpha = 0.8;
    verticalLine(context, toPixel(scale, input.selectedUnit), 0, layout.height);
    context.globalAlpha = 1;
  }
  context.restore();
  paintGutter(context, input);
}

function paintRuler(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { geometry, layout, palette, width, zoneOffset } = input;
  const { axis } = geometry;
  const { ticks, step } = axisTicks(axis, scale, width - 8, 92, zoneOffset);
  context.textAlign = 'center';
  for (const { value, pixel } of ticks) {
    context.strokeStyle = palette.grid;
    verticalLine(context, pixel, layout.ruler.height - 5, layout.height);
    const label = axis.kind === 'time' ? formatTick(value, step) : `#${formatNumber(value)}`;
    const half = textWidth(context, label) / 2;
    if (pixel - half < scale.left || pixel + half > width - 2) continue;
    context.fillStyle = palette.dim;
    context.fillText(label, pixel, layout.ruler.height / 2 - 1);
  }
  context.textAlign = 'start';
}

/** Strip at the bottom that the words about replacements have to themselves. */
const captionHeight = 16;

function paintGaps(context: CanvasRenderingContext2D, { geometry, palette, layout }: LanesInput, scale: PixelScale): void {
  for (const gap of geometry.axis.gaps) {
    const x = toPixel(scale, gap.start);
    const to = toPixel(scale, gap.end);
    context.fillStyle = palette.gap;
    context.fillRect(x, layout.ruler.height, to - x, layout.height - captionHeight - layout.ruler.height);
    if (to - x < 8) continue;
    context.strokeStyle = palette.dim;
    context.globalAlpha = 0.6;
    for (const edge of [x, to]) zigzag(context, edge, layout.ruler.height, layout.height - captionHeight);
    context.globalAlpha = 1;
  }
}

function zigzag(context: CanvasRenderingContext2D, x: number, top: number, bottom: number): void {
  context.beginPath();
  for (let y = top, side = -1; y <= bottom; y += 6, side = -side) context.lineTo(x + side * 2, y);
  context.stroke();
}

/** Over the lanes, since nothing else may stand in a gap: sideways where there is room, else upright, else not at all. */
function paintGapLabels(context: CanvasRenderingContext2D, { geometry, palette, layout }: LanesInput, scale: PixelScale): void {
  context.fillStyle = palette.dim;
  for (const gap of geometry.axis.gaps) {
    const x = toPixel(scale, gap.start);
    const room = toPixel(scale, gap.end) - x;
    const label = t('{duration} idle', { duration: formatDuration(gap.to - gap.from) });
    const width = textWidth(context, label);
    const middle = (layout.ruler.height + layout.height - captionHeight) / 2;
    context.textAlign = 'center';
    if (width + 14 <= room) context.fillText(label, x + room / 2, middle);
    else if (room >= 18 && width < layout.height - layout.ruler.height - captionHeight - 8) {
      context.save();
      context.translate(x + room / 2, middle);
      context.rotate(-Math.PI / 2);
      context.fillText(label, 0, 0);
      context.restore();
    }
    context.textAlign = 'start';
  }
}

/** What lies outside the marked stretch is shaded, its edges are drawn. */
function paintMarked(context: CanvasRenderingContext2D, { marked, palette, layout, width }: LanesInput, scale: PixelScale): void {
  if (!marked) return;
  const from = toPixel(scale, marked.from);
  const to = toPixel(scale, marked.to);
  context.fillStyle = palette.shade;
  context.fillRect(scale.left, 0, Math.max(0, from - scale.left), layout.height);
  context.fillRect(to, 0, Math.max(0, width - to), layout.height);
  context.strokeStyle = palette.selection;
  for (const x of [from, to]) verticalLine(context, x, 0, layout.height);
}

function paintInherited(
  context: CanvasRenderingContext2D,
  { geometry, palette, layout, gutter }: LanesInput,
  scale: PixelScale,
): void {
  const at = geometry.cut === NONE ? -1 : geometry.dividers.row.indexOf(geometry.cut);
  if (at < 0) return;
  const x = toPixel(scale, geometry.dividers.start[at]!);
  if (x > gutter) hatch(context, gutter, layout.ruler.height, x - gutter, layout.height - layout.ruler.height, palette.gap, 8);
}

function paintDividers(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { tables, geometry, palette, layout, view } = input;
  const { first, last } = visibleRange(geometry.dividers, view.from, view.to);
  for (let i = first; i < last; i++) {
    const x = Math.round(toPixel(scale, geometry.dividers.start[i]!));
    if (tables.dividers.columns.kind[geometry.dividers.row[i]!] === DIVIDER.cut) {
      context.fillStyle = palette.cut;
      context.fillRect(x - 1, layout.ruler.height, 2, layout.height);
    } else {
      context.strokeStyle = palette.lifecycle;
      context.setLineDash([3, 3]);
      verticalLine(context, x, layout.ruler.height, layout.height);
      context.setLineDash([]);
    }
  }
}

/**
 * Calls `draw` for every visible span with its box. Spans narrower than `least` are drawn that wide; one that falls into
 * a pixel its lane has already drawn is skipped.
 */
export function forEachBar(
  index: SpanIndex,
  view: Viewport,
  scale: PixelScale,
  least: number,
  draw: (row: number, bar: Bar, position: number) => void,
  laneOf: (row: number) => number = () => 0,
): void {
  const { first, last } = visibleRange(index, view.from, view.to);
  const drawn: number[] = [];
  const left = scale.left - 4;
  for (let i = first; i < last; i++) {
    const row = index.row[i]!;
    const lane = laneOf(row);
    const from = toPixel(scale, index.start[i]!);
    const to = Math.max(from + least, toPixel(scale, index.end[i]!));
    const before = drawn[lane] ?? -Infinity;
    if (to <= before + 0.5 || to < left) continue;
    const x = Math.max(from, Math.min(before, from + least), left);
    draw(row, { x, width: to - x }, i);
    drawn[lane] = to;
  }
}

interface BarLook {
  readonly color: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly isBad: boolean;
  readonly isSelected: boolean;
  readonly isHover: boolean;
  /** Edges of the visible stretch, px: a label keeps inside of them. */
  readonly left: number;
  readonly right: number;
}

function paintBar(
  context: CanvasRenderingContext2D,
  palette: Palette,
  bar: Bar,
  top: number,
  height: number,
  look: BarLook,
): void {
  const gap = bar.width > 5 ? 1 : 0;
  const width = Math.max(1, bar.width - gap);
  context.fillStyle = look.color;
  if (width < 5) context.fillRect(bar.x, top, width, height);
  else {
    context.beginPath();
    // An unfinished bar has no right end.
    context.roundRect(bar.x, top, width, height, look.isOpen ? [2, 0, 0, 2] : 2);
    context.fill();
  }
  if (look.isOpen && width > 6) openEnd(context, palette, bar.x + width, top, height);
  if (look.isBad && width >= 3) {
    context.fillStyle = palette.error;
    context.fillRect(bar.x, top + height - 2, width, 2);
  }
  if (palette.highContrast && width > 3) {
    context.strokeStyle = palette.border;
    context.strokeRect(bar.x + 0.5, top + 0.5, width - 1, height - 1);
  }
  if (look.isSelected || look.isHover) {
    context.strokeStyle = look.isSelected ? palette.selection : palette.foreground;
    context.lineWidth = look.isSelected ? 2 : 1;
    context.strokeRect(bar.x + 0.5, top + 0.5, Math.max(2, width - 1), height - 1);
    context.lineWidth = 1;
  }
  if (look.label === '' || height < 13) return;
  // A bar that begins left of the view keeps its label in sight.
  const from = Math.max(bar.x, look.left) + 5;
  const text = fitText(context, look.label, Math.min(bar.x + width, look.right) - 5 - from);
  if (text === '') return;
  context.fillStyle = wantsDarkText(look.color) ? '#000000' : '#ffffff';
  context.fillText(text, from, top + height / 2 + 0.5);
}

function openEnd(context: CanvasRenderingContext2D, palette: Palette, x: number, top: number, height: number): void {
  context.fillStyle = palette.background;
  const teeth = Math.max(2, Math.round(height / 5));
  const tooth = height / teeth;
  for (let i = 0; i < teeth; i++) {
    context.beginPath();
    context.moveTo(x + 1, top + i * tooth);
    context.lineTo(x - 4, top + (i + 0.5) * tooth);
    context.lineTo(x + 1, top + (i + 1) * tooth);
    context.fill();
  }
}

const isBad = (outcome: number): boolean =>
  outcome === OUTCOME.error || outcome === OUTCOME.maxTokens || outcome === OUTCOME.blocked;

function paintTurns(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { number, firstSeq, outcome } = tables.turns.columns;
  context.font = `600 11px ${palette.font}`;
  forEachBar(geometry.turns, view, scale, 3, (turn, bar) => {
    const name = bar.width < 20 ? '' : t('Turn {n}', { n: number[turn]! });
    const words = name === '' || textWidth(context, name) + 40 > bar.width ? '' : input.turnText(turn);
    paintBar(context, palette, bar, box.top + 3, box.height - 6, {
      color: turn % 2 === 0 ? palette.turn : palette.turnEven,
      label: words === '' ? name : `${name} · ${words}`,
      isOpen: outcome[turn] === OUTCOME.open || outcome[turn] === OUTCOME.abandoned,
      isBad: isBad(outcome[turn]!),
      isSelected: firstSeq[turn] === selected,
      isHover: firstSeq[turn] === hover,
      left: scale.left,
      right: input.width,
    });
  });
  context.font = `11px ${palette.font}`;
}

function paintSteps(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { number, turn, firstSeq, outcome } = tables.steps.columns;
  forEachBar(geometry.steps, view, scale, 2, (step, bar) => {
    paintBar(context, palette, bar, box.top + 3, box.height - 6, {
      color: palette.step,
      label: bar.width < 24 ? '' : `${String(tables.turns.columns.number[turn[step]!] ?? '')}.${String(number[step]!)}`,
      isOpen: outcome[step] === OUTCOME.open || outcome[step] === OUTCOME.abandoned,
      isBad: isBad(outcome[step]!),
      isSelected: firstSeq[step] === selected,
      isHover: firstSeq[step] === hover,
      left: scale.left,
      right: input.width,
    });
  });
}

/** Waiting for the first token, then decoding: two tones of one bar. */
function paintModel(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { seq, outcome } = tables.attempts.columns;
  const top = box.top + 4;
  const height = box.height - 8;
  forEachBar(geometry.attempts, view, scale, 2, (attempt, bar) => {
    const bad = outcome[attempt] === OUTCOME.error;
    const look = {
      label: '',
      isOpen: outcome[attempt] === OUTCOME.open,
      isBad: bad,
      isSelected: seq[attempt] === selected,
      isHover: seq[attempt] === hover,
      left: scale.left,
      right: input.width,
    };
    paintBar(context, palette, bar, top, height, { ...look, color: bad ? palette.error : palette.wait });
    const token = toPixel(scale, geometry.firstToken[attempt]!);
    const from = Number.isNaN(token) ? bar.x : Math.max(bar.x, token);
    const width = bar.x + bar.width - from - (bar.width > 5 ? 1 : 0);
    // Without a recorded first token there is no telling waiting and decoding apart; only an answer is known to have come.
    if (bad || width <= 0 || (Number.isNaN(token) && outcome[attempt] !== OUTCOME.completed)) return;
    context.fillStyle = palette.decode;
    if (width < 5) context.fillRect(from, top, width, height);
    else {
      context.beginPath();
      context.roundRect(from, top, width, height, 2);
      context.fill();
    }
    if (look.isSelected) {
      context.strokeStyle = palette.selection;
      context.lineWidth = 2;
      context.strokeRect(bar.x + 0.5, top + 0.5, Math.max(2, bar.width - 2), height - 1);
      context.lineWidth = 1;
    }
  });
}

function paintCalls(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { tables, geometry, palette, layout, view, selected, hover, strings } = input;
  const { seq, result, lane, name, outcome, parent } = tables.calls.columns;
  forEachBar(
    geometry.calls,
    view,
    scale,
    4,
    (call, bar) => {
      const tool = strings.names[name[call]!] ?? '';
      const failed = isBad(outcome[call]!);
      const detail = bar.width < 70 ? '' : input.callText(call);
      const inset = parent[call] === NONE ? 0 : 2; // a sub-call is a little lower than its parent's bar
      paintBar(context, palette, bar, stackedTop(layout, 'calls', lane[call]!) + inset, layout.callHeight - inset, {
        color: failed ? palette.error : toolColor(palette, tool),
        label: layout.callHeight < 13 ? '' : detail === '' ? tool : `${tool} ${detail}`,
        isOpen: outcome[call] === OUTCOME.open || outcome[call] === OUTCOME.abandoned,
        isBad: false,
        isSelected: seq[call] === selected || (result[call] !== NONE && result[call] === selected),
        isHover: seq[call] === hover,
        left: scale.left,
        right: input.width,
      });
    },
    (call) => lane[call]!,
  );
}

/** Child sessions under the calls they run under; one without an end is a tick. */
function paintAgents(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { geometry, palette, layout, view, selected, hover, tables } = input;
  const { seq } = tables.children.columns;
  forEachBar(
    geometry.agents,
    view,
    scale,
    6,
    (child, bar) => {
      paintBar(context, palette, bar, stackedTop(layout, 'agents', geometry.agentLane[child]!), layout.agentPitch - 3, {
        color: palette.agent,
        label: bar.width < 30 ? '' : `▸ ${input.childText(child)}`,
        isOpen: false,
        isBad: false,
        isSelected: seq[child] === selected,
        isHover: seq[child] === hover,
        left: scale.left,
        right: input.width,
      });
    },
    (child) => geometry.agentLane[child]!,
  );
}

/** Lane names stay where they are, whatever part of the session is shown. */
function paintGutter(context: CanvasRenderingContext2D, { layout, palette, width, gutter }: LanesInput): void {
  const names: Readonly<Record<LaneBox['name'], string>> = {
    turns: t('Turns'),
    steps: t('Steps'),
    model: t('Model'),
    calls: t('Calls'),
    agents: t('Agents'),
    surface: t('Surface'),
  };
  context.fillStyle = palette.grid;
  for (const lane of layout.lanes) context.fillRect(0, lane.top, width, 1);
  context.fillStyle = palette.dim;
  for (const lane of layout.lanes) {
    const label = fitText(context, names[lane.name], gutter - 14);
    context.fillText(label, 12, lane.top + Math.min(lane.height, 24) / 2 + 1);
  }
}

export const isCurrentNode = (tables: TimelineTables, entry: number): boolean =>
  tables.entries.columns.shadowedBy[entry] === NONE && (tables.entries.columns.flags[entry]! & ENTRY_FLAG.invalid) === 0;
