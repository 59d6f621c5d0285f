/** Paints turns, steps and model attempts: bars, culled by binary search, without a pixel drawn twice. */
import { OUTCOME } from '../../src/timeline/index.ts';
import type { LaneBox } from '../../src/timeline/layout/lanes.ts';
import { visibleRange, type SpanIndex } from '../../src/timeline/layout/spans.ts';
import { toPixel, type PixelScale, type Viewport } from '../../src/timeline/layout/viewport.ts';
import { t } from '../l10n/strings.ts';
import type { Palette } from '../theme/palette.ts';
import { fitText, setFont, textWidth } from './canvas.ts';
import type { LanesInput } from './lanes-input.ts';

export interface Bar {
  readonly x: number;
  readonly width: number;
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
  /** Of the label; the palette's where none is given. */
  readonly words?: string;
  /** Longest first; the first that fits whole is written, and the very first also shortened to what it has more than the next. */
  readonly labels: readonly string[];
  readonly isOpen: boolean;
  readonly isBad: boolean;
  readonly isSelected: boolean;
  readonly isHover: boolean;
  /** Edges of the visible stretch, px: a label keeps inside of them. */
  readonly left: number;
  readonly right: number;
}

export function paintBar(
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
  outline(context, palette, bar.x, top, width, height);
  if (look.isSelected || look.isHover) {
    context.strokeStyle = look.isSelected ? palette.selection : palette.foreground;
    context.lineWidth = look.isSelected ? 2 : 1;
    context.strokeRect(bar.x + 0.5, top + 0.5, Math.max(2, width - 1), height - 1);
    context.lineWidth = 1;
  }
  if (look.isBad && width >= 3) {
    context.fillStyle = palette.error;
    context.fillRect(bar.x, top + height - 3, width, 3);
  }
  if (height < 13) return;
  // A bar that begins left of the view keeps its label in sight.
  const from = Math.max(bar.x, look.left) + 5;
  const text = chooseLabel(context, look.labels, Math.min(bar.x + width, look.right) - 4 - from);
  if (text === '') return;
  context.fillStyle = look.words ?? palette.words;
  context.fillText(text, from, top + height / 2 + 0.5);
}

/** In high contrast no bar is told by its colour alone. */
function outline(
  context: CanvasRenderingContext2D,
  palette: Palette,
  x: number,
  top: number,
  width: number,
  height: number,
): void {
  if (!palette.highContrast || width <= 3) return;
  context.strokeStyle = palette.border;
  context.strokeRect(x + 0.5, top + 0.5, width - 1, height - 1);
}

/** Room for a few more letters beside the shorter label: fewer than that say nothing. */
const worthwhile = 28;

export function chooseLabel(context: CanvasRenderingContext2D, labels: readonly string[], room: number): string {
  const [longest, shorter] = labels;
  if (longest !== undefined && shorter !== undefined && textWidth(context, shorter) + worthwhile <= room)
    return fitText(context, longest, room);
  return labels.find((label) => textWidth(context, label) <= room) ?? '';
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

export const isBad = (outcome: number): boolean =>
  outcome === OUTCOME.error || outcome === OUTCOME.maxTokens || outcome === OUTCOME.blocked;

export function paintTurns(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { number, firstSeq, outcome } = tables.turns.columns;
  setFont(context, `600 11px ${palette.font}`);
  forEachBar(geometry.turns, view, scale, 3, (turn, bar) => {
    const name = t('Turn {n}', { n: number[turn]! });
    const words = bar.width < 60 ? '' : input.turnText(turn);
    paintBar(context, palette, bar, box.top + 3, box.height - 6, {
      color: turn % 2 === 0 ? palette.turn : palette.turnEven,
      labels: [...(words === '' ? [] : [`${name} · ${words}`]), name, String(number[turn]!)],
      isOpen: outcome[turn] === OUTCOME.open || outcome[turn] === OUTCOME.abandoned,
      isBad: isBad(outcome[turn]!),
      isSelected: firstSeq[turn] === selected,
      isHover: firstSeq[turn] === hover,
      left: scale.left,
      right: input.width,
    });
  });
  setFont(context, `11px ${palette.font}`);
}

export function paintSteps(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { number, turn, firstSeq, outcome } = tables.steps.columns;
  forEachBar(geometry.steps, view, scale, 2, (step, bar) => {
    paintBar(context, palette, bar, box.top + 3, box.height - 6, {
      color: palette.step,
      words: palette.stepWords,
      labels: bar.width < 16 ? [] : [`${String(tables.turns.columns.number[turn[step]!] ?? '')}.${String(number[step]!)}`],
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
export function paintModel(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, geometry, palette, view, selected, hover } = input;
  const { seq, outcome } = tables.attempts.columns;
  const top = box.top + 4;
  const height = box.height - 8;
  forEachBar(geometry.attempts, view, scale, 2, (attempt, bar) => {
    const bad = outcome[attempt] === OUTCOME.error;
    const look = {
      labels: [],
      isOpen: outcome[attempt] === OUTCOME.open,
      isBad: bad,
      isSelected: seq[attempt] === selected,
      isHover: seq[attempt] === hover,
      left: scale.left,
      right: input.width,
    };
    paintBar(context, palette, bar, top, height, { ...look, color: bad ? palette.failed : palette.wait });
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
    outline(context, palette, from, top, width, height);
    if (look.isSelected) {
      context.strokeStyle = palette.selection;
      context.lineWidth = 2;
      context.strokeRect(bar.x + 0.5, top + 0.5, Math.max(2, bar.width - 2), height - 1);
      context.lineWidth = 1;
    }
  });
}
