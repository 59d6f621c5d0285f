/** Paints the whole session into the overview: the base once per change of data, axis, theme or size, the brush per frame. */
import { compactCount, DIVIDER, MARK, NONE, REPLACEMENT, type TimelineTables } from '../../src/timeline/index.ts';
import { toUnit } from '../../src/timeline/layout/axis.ts';
import type { Geometry } from '../../src/timeline/layout/geometry.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { fitViewport, pixelScale, toPixel, type PixelScale, type Viewport } from '../../src/timeline/layout/viewport.ts';
import { t } from '../l10n/strings.ts';
import type { Palette } from '../theme/palette.ts';
import { hatch, paintPlayhead, setFont, textWidth, verticalLine } from './canvas.ts';

/** What lies where in the overview, px from its top. */
export interface OverviewBoxes {
  readonly height: number;
  readonly bands: { readonly top: number; readonly height: number };
  readonly chart: { readonly top: number; readonly bottom: number };
  readonly strip: { readonly top: number; readonly bottom: number };
  /** Base lines of labels, the one to use first first. */
  readonly labels: readonly number[];
}

const roomy: OverviewBoxes = {
  height: 92,
  bands: { top: 6, height: 7 },
  chart: { top: 30, bottom: 76 },
  strip: { top: 77, bottom: 90 },
  labels: [25, 38],
};
const compact: OverviewBoxes = {
  height: 66,
  bands: { top: 4, height: 6 },
  chart: { top: 26, bottom: 52 },
  strip: { top: 53, bottom: 64 },
  labels: [21],
};

export const overviewBoxes = (isCompact: boolean): OverviewBoxes => (isCompact ? compact : roomy);

export interface OverviewInput {
  readonly tables: TimelineTables;
  readonly geometry: Geometry;
  readonly palette: Palette;
  readonly boxes: OverviewBoxes;
  readonly width: number;
  readonly contextWindow: number | undefined;
  readonly found: Uint32Array;
}

/** Horizontal scale of the overview: it always shows everything. */
export const overviewScale = (geometry: Geometry, width: number): PixelScale =>
  pixelScale(fitViewport(geometry.axis.length), 8, width - 16);

export function paintOverview(context: CanvasRenderingContext2D, input: OverviewInput): void {
  const { geometry, palette, width, boxes } = input;
  const scale = overviewScale(geometry, width);
  setFont(context, `11px ${palette.font}`);
  context.textBaseline = 'alphabetic';
  paintGaps(context, input, scale);
  paintTurnBands(context, input, scale);
  const taken = new LabelRoom();
  const replaced = replacementLines(input, scale);
  paintReplacements(context, input, replaced); // under all words
  paintContext(context, input, scale, taken);
  paintDividers(context, input, scale, taken);
  nameReplacements(context, input, replaced, taken);
  paintMarks(context, input, scale);
  context.fillStyle = palette.border;
  context.fillRect(0, boxes.height - 1, width, 1);
}

/** Keeps labels of one line from overlapping. */
class LabelRoom {
  readonly #taken: { from: number; to: number; line: number }[] = [];

  take(from: number, to: number, line: number): boolean {
    if (this.#taken.some((other) => other.line === line && from < other.to && to > other.from)) return false;
    this.#taken.push({ from: from - 8, to: to + 8, line });
    return true;
  }
}

function paintGaps(context: CanvasRenderingContext2D, { geometry, palette, boxes }: OverviewInput, scale: PixelScale): void {
  context.fillStyle = palette.gap;
  for (const gap of geometry.axis.gaps) {
    const x = toPixel(scale, gap.start);
    context.fillRect(x, 0, Math.max(1, toPixel(scale, gap.end) - x), boxes.height);
  }
}

function paintTurnBands(context: CanvasRenderingContext2D, { geometry, palette, boxes }: OverviewInput, scale: PixelScale): void {
  const { start, end } = geometry.turns;
  let drawn = -Infinity;
  for (let i = 0; i < start.length; i++) {
    const x = toPixel(scale, start[i]!);
    const to = Math.max(x + 2, toPixel(scale, end[i]!) - 1);
    if (to <= drawn) continue;
    context.fillStyle = i % 2 === 0 ? palette.turn : palette.turnEven;
    context.beginPath();
    context.roundRect(Math.max(x, drawn), boxes.bands.top, to - Math.max(x, drawn), boxes.bands.height, 2);
    context.fill();
    drawn = to;
  }
}

function paintContext(context: CanvasRenderingContext2D, input: OverviewInput, scale: PixelScale, taken: LabelRoom): void {
  const { tables, geometry, palette, width, contextWindow, boxes } = input;
  const { tokens, window } = tables.context.columns;
  const { start, row } = geometry.context;
  if (start.length === 0) {
    const none = t('No token usage was recorded');
    const middle = (width - textWidth(context, none)) / 2;
    placeLabel(context, taken, none, middle, (boxes.chart.top + boxes.chart.bottom) / 2 + 4, palette.dim, palette.background);
    return;
  }
  let most = 0;
  for (let i = 0; i < tables.context.length; i++) most = Math.max(most, tokens[i]!);
  const limit = window[row[row.length - 1]!]! > 0 ? window[row[row.length - 1]!]! : (contextWindow ?? 0);
  // Far below its window a session would be a flat line; then it gets its own scale and the label says so.
  const isOnScale = limit > 0 && most >= limit * 0.2;
  const top = isOnScale ? Math.max(limit, most) : most * 1.1;
  const y = (value: number): number => boxes.chart.bottom - (value / Math.max(1, top)) * (boxes.chart.bottom - boxes.chart.top);
  context.beginPath();
  context.moveTo(toPixel(scale, start[0]!), boxes.chart.bottom);
  let level = boxes.chart.bottom;
  for (let i = 0; i < start.length; i++) {
    const x = toPixel(scale, start[i]!);
    context.lineTo(x, level);
    level = y(tokens[row[i]!]!);
    context.lineTo(x, level);
  }
  const end = toPixel(scale, geometry.axis.length);
  context.lineTo(end, level);
  context.strokeStyle = palette.decode;
  context.lineWidth = 1.25;
  context.stroke();
  context.lineTo(end, boxes.chart.bottom);
  context.closePath();
  context.globalAlpha = palette.highContrast ? 0.25 : 0.22;
  context.fillStyle = palette.decode;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1;
  const label = scaleLabel(most, limit, isOnScale);
  if (isOnScale) {
    context.strokeStyle = palette.error;
    context.setLineDash([2, 3]);
    context.globalAlpha = 0.8;
    context.beginPath();
    context.moveTo(8, Math.round(y(limit)) + 0.5);
    context.lineTo(width - 8, Math.round(y(limit)) + 0.5);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
  placeLabel(context, taken, label, width - 10 - textWidth(context, label), boxes.labels[0]!, palette.dim, palette.background);
}

/** What the height of the chart means. */
function scaleLabel(most: number, limit: number, isOnScale: boolean): string {
  if (limit === 0) return t('context up to {n}', { n: compactCount(most) });
  return isOnScale
    ? t('window {n}', { n: compactCount(limit) })
    : t('context up to {n} of {window}', { n: compactCount(most), window: compactCount(limit) });
}

function placeLabel(
  context: CanvasRenderingContext2D,
  taken: LabelRoom,
  label: string,
  x: number,
  y: number,
  color: string,
  background: string,
): boolean {
  const width = textWidth(context, label);
  if (x < 4 || !taken.take(x, x + width, y)) return false;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = background; // letters stay readable over the area
  context.strokeText(label, x, y);
  context.lineWidth = 1;
  context.fillStyle = color;
  context.fillText(label, x, y);
  return true;
}

function paintDividers(context: CanvasRenderingContext2D, input: OverviewInput, scale: PixelScale, taken: LabelRoom): void {
  const { tables, geometry, palette, width, boxes } = input;
  const { start, row } = geometry.dividers;
  for (let i = 0; i < start.length; i++) {
    const x = Math.round(toPixel(scale, start[i]!));
    const isCut = tables.dividers.columns.kind[row[i]!] === DIVIDER.cut;
    if (isCut) {
      hatch(context, 0, 0, x, boxes.height - 1, palette.hatch);
      context.fillStyle = palette.cut;
      context.fillRect(x - 1, 0, 2, boxes.height - 1);
      const left = t('inherited');
      const right = t('own');
      placeLabel(context, taken, left, x - 5 - textWidth(context, left), boxes.labels[0]!, palette.cut, palette.background);
      if (x + 6 + textWidth(context, right) < width)
        placeLabel(context, taken, right, x + 6, boxes.labels[0]!, palette.cut, palette.background);
    } else {
      context.strokeStyle = palette.lifecycle;
      context.setLineDash([3, 3]);
      verticalLine(context, x, 0, boxes.height - 1);
      context.setLineDash([]);
      context.fillStyle = palette.lifecycle;
      context.beginPath();
      context.moveTo(x - 4, 0);
      context.lineTo(x + 5, 0);
      context.lineTo(x + 0.5, 6);
      context.fill();
    }
  }
}

interface ReplacementLine {
  readonly x: number;
  readonly row: number;
}

/** Where the context was folded or trimmed. */
function paintReplacements(
  context: CanvasRenderingContext2D,
  { palette, width, boxes }: OverviewInput,
  lines: readonly ReplacementLine[],
): void {
  context.strokeStyle = palette.replace;
  context.globalAlpha = lines.length > width / 24 ? 0.55 : 1;
  context.setLineDash([2, 2]);
  for (const { x } of lines) verticalLine(context, x, boxes.bands.top + boxes.bands.height + 3, boxes.chart.bottom);
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** What was freed, only where the words neither touch each other nor cross the next line. */
function nameReplacements(
  context: CanvasRenderingContext2D,
  { tables, palette, width, boxes }: OverviewInput,
  lines: readonly ReplacementLine[],
  taken: LabelRoom,
): void {
  const { kind, tokensBefore, tokensAfter } = tables.replacements.columns;
  lines.forEach(({ x, row }, at) => {
    const freed = tokensBefore[row]! - (Number.isNaN(tokensAfter[row]!) ? 0 : tokensAfter[row]!);
    const word = kind[row] === REPLACEMENT.compaction ? t('compacted') : t('pruned');
    const label = freed > 0 ? `${word} −${compactCount(freed)}` : word;
    const end = x + 5 + textWidth(context, label);
    const limit = Math.min(lines[at + 1]?.x ?? width, width - 4);
    if (end >= limit) return;
    // Above the chart where there is room, so that no line runs through the words.
    for (const line of boxes.labels)
      if (placeLabel(context, taken, label, x + 5, line, palette.replace, palette.background)) break;
  });
}

/** One line per pixel at most. */
function replacementLines({ tables, geometry }: OverviewInput, scale: PixelScale): ReplacementLine[] {
  const { seq, kind } = tables.replacements.columns;
  const { axis } = geometry;
  const lines: ReplacementLine[] = [];
  for (let row = 0; row < tables.replacements.length; row++) {
    if (kind[row] !== REPLACEMENT.compaction && kind[row] !== REPLACEMENT.prune) continue;
    const entry = entryOfSeq(tables.entries, seq[row]!);
    const unit = axis.kind === 'seq' ? seq[row]! : entry === NONE ? NaN : toUnit(axis, tables.entries.columns.time[entry]!);
    const x = Math.round(toPixel(scale, unit));
    if (!Number.isNaN(x) && x !== lines.at(-1)?.x) lines.push({ x, row });
  }
  return lines;
}

function paintMarks(context: CanvasRenderingContext2D, input: OverviewInput, scale: PixelScale): void {
  const { tables, geometry, palette, found, boxes } = input;
  const { start, row } = geometry.marks;
  const { kind } = tables.marks.columns;
  // Errors last, so that nothing lies over them. Each kind has its own shape as well as its colour.
  const draw = (wanted: number, color: string, top: number, bottom: number, thick: number): void => {
    const columns = new Uint32Array(Math.ceil(input.width / thick) + 1);
    let most = 1;
    for (let i = 0; i < start.length; i++) {
      if (kind[row[i]!] !== wanted) continue;
      const column = Math.max(0, Math.round(toPixel(scale, start[i]!) / thick));
      most = Math.max(most, ++columns[column]!);
    }
    context.fillStyle = color;
    // Where marks lie on top of each other the crowded places stand out, instead of all becoming one solid band.
    for (let column = 0; column < columns.length; column++) {
      if (columns[column] === 0) continue;
      context.globalAlpha = most < 3 ? 1 : 0.35 + (0.65 * columns[column]!) / most;
      context.fillRect(column * thick - Math.floor(thick / 2), top, thick, bottom - top);
    }
    context.globalAlpha = 1;
  };
  draw(MARK.prompt, palette.human, boxes.strip.top + 2, boxes.strip.top + 6, 4);
  draw(MARK.approval, palette.approval, boxes.strip.top + 2, boxes.strip.bottom - 5, 2);
  draw(MARK.retry, palette.warning, boxes.strip.top + 5, boxes.strip.bottom - 1, 2);
  draw(MARK.damage, palette.warning, boxes.strip.top, boxes.strip.bottom, 3);
  draw(MARK.error, palette.error, boxes.strip.top + 1, boxes.strip.bottom, 2);
  paintForks(context, geometry.boundaries.start, scale, palette.fork, boxes.height - 2, 5);
  let last = -Infinity;
  if (found.length === 0) return;
  context.fillStyle = palette.warning;
  const { seq, time } = tables.entries.columns;
  for (const entry of found) {
    const x = Math.round(toPixel(scale, geometry.axis.kind === 'seq' ? seq[entry]! : toUnit(geometry.axis, time[entry]!)));
    if (x <= last) continue;
    last = x;
    context.fillRect(x - 1, 0, 2, 5);
  }
}

/** Legal fork points as triangles; where they would touch, a thin band stands for them. */
export function paintForks(
  context: CanvasRenderingContext2D,
  units: ArrayLike<number>,
  scale: PixelScale,
  color: string,
  bottom: number,
  size: number,
): void {
  context.fillStyle = color;
  let i = 0;
  while (i < units.length) {
    const from = toPixel(scale, units[i]!);
    let to = from;
    let end = i + 1;
    while (end < units.length && toPixel(scale, units[end]!) - to < size * 2) to = toPixel(scale, units[end++]!);
    if (end - i <= 2) for (let at = i; at < end; at += 2) triangle(context, toPixel(scale, units[at]!), bottom, size);
    else context.fillRect(from - 1, bottom - 2, to - from + 2, 2);
    i = end;
  }
}

function triangle(context: CanvasRenderingContext2D, x: number, bottom: number, size: number): void {
  context.beginPath();
  context.moveTo(x - size * 0.7, bottom);
  context.lineTo(x + size * 0.7, bottom);
  context.lineTo(x, bottom - size);
  context.fill();
}

export interface BrushInput {
  readonly geometry: Geometry;
  readonly palette: Palette;
  readonly boxes: OverviewBoxes;
  readonly width: number;
  readonly view: Viewport;
  readonly selected: number; // unit, NaN
  readonly playhead: number; // unit, NaN
}

export function paintBrush(
  context: CanvasRenderingContext2D,
  { geometry, palette, boxes, width, view, selected, playhead }: BrushInput,
): void {
  const scale = overviewScale(geometry, width);
  if (!Number.isNaN(selected)) {
    context.strokeStyle = palette.selection;
    verticalLine(context, toPixel(scale, selected), 0, boxes.height - 1);
  }
  paintPlayhead(context, palette, toPixel(scale, playhead), width, boxes.height - 1);
  const from = Math.round(toPixel(scale, view.from));
  const to = Math.max(from + 3, Math.round(toPixel(scale, view.to)));
  context.fillStyle = palette.veil;
  context.fillRect(0, 0, from, boxes.height - 1);
  context.fillRect(to, 0, width - to, boxes.height - 1);
  context.strokeStyle = palette.highContrast ? palette.selection : palette.dim;
  context.globalAlpha = palette.highContrast ? 1 : 0.65;
  context.strokeRect(from + 0.5, 0.5, to - from - 1, boxes.height - 2);
  context.globalAlpha = 1;
  context.fillStyle = palette.foreground;
  for (const x of [from, to]) {
    context.beginPath();
    context.roundRect(x - 3, boxes.height / 2 - 11, 6, 22, 2);
    context.fill();
  }
}
