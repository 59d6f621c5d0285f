/** Paints the visible stretch of the lanes: ruler, gaps, dividers and names; bars and nodes by their own painters. */
import { DIVIDER, NONE } from '../../src/timeline/index.ts';
import type { LaneBox } from '../../src/timeline/layout/lanes.ts';
import { visibleRange } from '../../src/timeline/layout/spans.ts';
import { axisTicks } from '../../src/timeline/layout/ticks.ts';
import { toPixel, type PixelScale } from '../../src/timeline/layout/viewport.ts';
import { formatDuration, formatNumber, formatTick } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import { paintModel, paintSteps, paintTurns } from './bars-paint.ts';
import { fitText, hatch, paintPlayhead, setFont, textWidth, verticalLine } from './canvas.ts';
import { lanesScale, type LanesInput } from './lanes-input.ts';
import { paintForks } from './overview-paint.ts';
import { paintAgents, paintCalls } from './stacked-paint.ts';
import { paintPlayed, paintSurface } from './surface-paint.ts';

export function paintLanes(context: CanvasRenderingContext2D, input: LanesInput): void {
  const { geometry, layout, palette, width, gutter, view, height, scrollTop } = input;
  const scale = lanesScale(view, width, gutter);
  const box = (name: LaneBox['name']): LaneBox => layout.lanes.find((lane) => lane.name === name)!; // the layout has all five
  setFont(context, `11px ${palette.font}`);
  context.textBaseline = 'middle';
  // Not clipped: a mark at the very edge of the view is whole.
  const { first, last } = visibleRange(geometry.boundaries, view.from, view.to);
  paintForks(context, geometry.boundaries.start.subarray(first, last), scale, palette.fork, layout.ruler.height - 1, 6);
  clipped(context, gutter, 0, width - gutter, height, () => {
    paintRuler(context, input, scale);
  });
  clipped(context, gutter, layout.ruler.height, width - gutter, height, () => {
    context.translate(0, -scrollTop);
    paintGaps(context, input, scale);
    paintInherited(context, input, scale);
    paintTurns(context, input, scale, box('turns'));
    paintSteps(context, input, scale, box('steps'));
    paintModel(context, input, scale, box('model'));
    paintCalls(context, input, scale);
    paintAgents(context, input, scale);
    paintSurface(context, input, scale, box('surface'));
    paintGapLabels(context, input, scale);
    paintDividers(context, input, scale);
  });
  clipped(context, gutter, 0, width - gutter, height, () => {
    paintMarked(context, input, scale);
    paintPlayhead(context, palette, toPixel(scale, input.playhead), width, height);
    if (Number.isNaN(input.selectedUnit)) return;
    context.strokeStyle = palette.selection;
    context.globalAlpha = 0.8;
    verticalLine(context, toPixel(scale, input.selectedUnit), 0, height);
    context.globalAlpha = 1;
  });
  if (!Number.isNaN(input.playhead))
    clipped(context, gutter, layout.ruler.height, width - gutter, height, () => {
      context.translate(0, -scrollTop);
      paintPlayed(context, input, scale, box('surface'));
    });
  clipped(context, 0, layout.ruler.height, width, height, () => {
    context.translate(0, -scrollTop);
    paintGutter(context, input);
  });
}

function clipped(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  paint: () => void,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  paint();
  context.restore();
}

function paintRuler(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { geometry, layout, palette, width, height, zoneOffset } = input;
  const { axis } = geometry;
  const { ticks, step } = axisTicks(axis, scale, width - 8, 92, zoneOffset);
  context.textAlign = 'center';
  for (const { value, pixel } of ticks) {
    context.strokeStyle = palette.grid;
    verticalLine(context, pixel, layout.ruler.height - 5, height);
    const label = axis.kind === 'time' ? formatTick(value, step) : `#${formatNumber(value)}`;
    const half = textWidth(context, label) / 2;
    if (pixel - half < scale.left || pixel + half > width - 2) continue;
    context.fillStyle = palette.dim;
    context.fillText(label, pixel, layout.ruler.height / 2 - 1);
  }
  context.textAlign = 'start';
}

function paintGaps(context: CanvasRenderingContext2D, { geometry, palette, layout }: LanesInput, scale: PixelScale): void {
  for (const gap of geometry.axis.gaps) {
    const x = toPixel(scale, gap.start);
    const to = toPixel(scale, gap.end);
    context.fillStyle = palette.gap;
    context.fillRect(x, layout.ruler.height, to - x, layout.height - layout.caption - layout.ruler.height);
    if (to - x < 8) continue;
    context.strokeStyle = palette.dim;
    context.globalAlpha = 0.6;
    for (const edge of [x, to]) zigzag(context, edge, layout.ruler.height, layout.height - layout.caption);
    context.globalAlpha = 1;
  }
}

function zigzag(context: CanvasRenderingContext2D, x: number, top: number, bottom: number): void {
  context.beginPath();
  for (let y = top, side = -1; y <= bottom; y += 6, side = -side) context.lineTo(x + side * 2, y);
  context.stroke();
}

/** Over the lanes, since only nodes of the surface reach into a gap: sideways where there is room, else upright, else not at all. */
function paintGapLabels(context: CanvasRenderingContext2D, { geometry, palette, layout }: LanesInput, scale: PixelScale): void {
  context.fillStyle = palette.dim;
  for (const gap of geometry.axis.gaps) {
    const x = toPixel(scale, gap.start);
    const room = toPixel(scale, gap.end) - x;
    const label = t('{duration} idle', { duration: formatDuration(gap.to - gap.from) });
    const width = textWidth(context, label);
    const surface = layout.lanes.at(-1)!.top; // the last of them
    const isFree = width < surface - layout.ruler.height - 4;
    const bottom = isFree ? surface : layout.height - layout.caption;
    const middle = (layout.ruler.height + bottom) / 2;
    context.textAlign = 'center';
    if (width + 14 <= room) context.fillText(label, x + room / 2, middle);
    else if (room >= 13 && width < bottom - layout.ruler.height - 4) {
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
function paintMarked(context: CanvasRenderingContext2D, { marked, palette, height, width }: LanesInput, scale: PixelScale): void {
  if (!marked) return;
  const from = toPixel(scale, marked.from);
  const to = toPixel(scale, marked.to);
  context.fillStyle = palette.shade;
  context.fillRect(scale.left, 0, Math.max(0, from - scale.left), height);
  context.fillRect(to, 0, Math.max(0, width - to), height);
  context.strokeStyle = palette.selection;
  for (const x of [from, to]) verticalLine(context, x, 0, height);
}

function paintInherited(
  context: CanvasRenderingContext2D,
  { geometry, palette, layout, gutter }: LanesInput,
  scale: PixelScale,
): void {
  const at = geometry.cut === NONE ? -1 : geometry.dividers.row.indexOf(geometry.cut);
  if (at < 0) return;
  const x = toPixel(scale, geometry.dividers.start[at]!);
  if (x > gutter) hatch(context, gutter, layout.ruler.height, x - gutter, layout.height - layout.ruler.height, palette.hatch, 8);
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

/** Lane names stay where they are, whatever part of the session is shown; they are there before it is. */
export function paintGutter(
  context: CanvasRenderingContext2D,
  { layout, palette, width, gutter }: Pick<LanesInput, 'layout' | 'palette' | 'width' | 'gutter'>,
): void {
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
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
