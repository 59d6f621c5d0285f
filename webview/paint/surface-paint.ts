/** The surface lane: every node current or shadowed, and what replaced what. */
import { compactCount, NONE, REPLACEMENT } from '../../src/timeline/index.ts';
import { toUnit } from '../../src/timeline/layout/axis.ts';
import { captionStart } from '../../src/timeline/layout/bracket-labels.ts';
import type { LaneBox } from '../../src/timeline/layout/lanes.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { visibleRange } from '../../src/timeline/layout/spans.ts';
import { toPixel, type PixelScale } from '../../src/timeline/layout/viewport.ts';
import { t } from '../l10n/strings.ts';
import { nodeState } from '../state/node-state.ts';
import { wasInRequest } from '../state/requests.ts';
import { nodeColor } from '../theme/tool-color.ts';
import { textWidth } from './canvas.ts';
import type { LanesInput } from './lanes-input.ts';

const nodeHeight = 13;
const nodeTop = 5;
const widest = 16;
/** More brackets than this on screen are drawn without curve and words. */
const crowd = 40;

export function paintSurface(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  paintNodes(context, input, scale, box.top + nodeTop);
  paintReplacements(context, input, scale, box);
}

/**
 * A node stands to the right of its time, also of that at the playhead, and so do the words of a replacement: what has been played is
 * painted over the veil of what is ahead.
 */
export function paintPlayed(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  context.beginPath();
  context.rect(toPixel(scale, input.playhead) + 1, box.top, input.width, box.height);
  context.clip();
  paintNodes(context, input, scale, box.top + nodeTop, input.playedTo);
  paintReplacements(context, input, scale, box);
}

/** `end`: seq from which on they are left out. */
function paintNodes(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, top: number, end = NONE): void {
  const { tables, geometry, palette, view, strings, selected, hover, requestEnd } = input;
  const { surface } = geometry;
  const { type, seq, flags } = tables.entries.columns;
  const slack = widest / scale.perUnit;
  const { first, last } = visibleRange(surface, view.from - slack, view.to);
  let drawn = -Infinity;
  for (let i = first; i < last; i++) {
    const entry = surface.row[i]!;
    const x = Math.max(toPixel(scale, surface.start[i]!), drawn);
    const next = i + 1 < surface.start.length ? toPixel(scale, surface.start[i + 1]!) : Infinity;
    const isMarked = seq[entry] === selected || seq[entry] === hover;
    // A node moved aside by more than its own width would lie about its time: it is part of its neighbour then.
    if (x - toPixel(scale, surface.start[i]!) > 4 && !isMarked) continue;
    const width = Math.min(widest, Math.max(3, next - x - 1.5));
    drawn = x + width + (width > 4 ? 1.5 : 0.5);
    if (seq[entry]! >= end) continue;
    const color = nodeColor(palette, strings.types[type[entry]!] ?? '', flags[entry]!);
    const lit = requestEnd === NONE ? undefined : wasInRequest(tables, entry, requestEnd);
    if (lit === false) context.globalAlpha = 0.22;
    const state = nodeState(tables, entry);
    if (lit ?? state === 'current') {
      context.fillStyle = color;
      if (width < 5) context.fillRect(x, top, width, nodeHeight);
      else {
        context.beginPath();
        context.roundRect(x, top, width, nodeHeight, 2);
        context.fill();
      }
    } else if (width >= 6) {
      context.strokeStyle = palette.dim;
      if (state === 'shadowed') context.setLineDash([2, 2]);
      context.strokeRect(x + 0.5, top + 0.5, width - 1, nodeHeight - 1);
      context.setLineDash([]);
    } else {
      context.globalAlpha *= 0.45;
      context.fillStyle = palette.dim;
      context.fillRect(x, top + 3, width, nodeHeight - 6); // shadowed: lower as well as paler
    }
    context.globalAlpha = 1;
    if (!isMarked) continue;
    context.strokeStyle = seq[entry] === selected ? palette.selection : palette.foreground;
    context.lineWidth = 2;
    context.strokeRect(x, top, Math.max(4, width), nodeHeight);
    context.lineWidth = 1;
  }
}

/** A bracket under the replaced nodes and a curve to the node that stands for them now. */
function paintReplacements(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale, box: LaneBox): void {
  const { tables, palette, view, width, selected } = input;
  const { seq, kind, firstSeq, lastSeq } = tables.replacements.columns;
  const at = (of: number): number => {
    const { axis } = input.geometry;
    const entry = entryOfSeq(tables.entries, of);
    return axis.kind === 'seq' ? of : entry === NONE ? NaN : toUnit(axis, tables.entries.columns.time[entry]!);
  };
  const shown: { row: number; from: number; to: number; target: number }[] = [];
  for (let row = 0; row < tables.replacements.length; row++) {
    if (firstSeq[row] === NONE || seq[row]! >= input.playedTo) continue;
    const [from, to, target] = [at(firstSeq[row]!), at(lastSeq[row]!), at(seq[row]!)];
    if (Math.max(to, target) < view.from || Math.min(from, target) > view.to) continue;
    shown.push({ row, from: toPixel(scale, from), to: toPixel(scale, to) + 6, target: toPixel(scale, target) + 4 });
  }
  const isCrowded = shown.length > crowd;
  const top = box.top + nodeTop + nodeHeight + 4;
  let labelled = -Infinity;
  let drawnTo = -Infinity;
  for (const { row, from, to, target } of shown) {
    // Of brackets that end in the same pixel one is enough.
    if (isCrowded && Math.round(to) === drawnTo) continue;
    drawnTo = Math.round(to);
    const isLoud = kind[row] === REPLACEMENT.compaction || seq[row] === selected;
    context.strokeStyle = isLoud ? palette.replace : palette.dim;
    context.fillStyle = context.strokeStyle;
    context.globalAlpha = isLoud ? 1 : 0.7;
    context.lineWidth = 1.25;
    context.beginPath();
    context.moveTo(from, top);
    context.lineTo(from, top + 5);
    context.lineTo(to, top + 5);
    context.lineTo(to, top);
    context.stroke();
    // Next to its range a replacement needs no curve to be seen as its successor.
    if (!isCrowded && Math.abs(target - (from + to) / 2) > 24) {
      const middle = (from + to) / 2;
      context.beginPath();
      context.moveTo(middle, top + 5);
      context.bezierCurveTo(middle + 20, top + 18, target - 10, top + 18, target, top + 1);
      context.stroke();
      context.beginPath();
      context.arc(target, top, 2.5, 0, Math.PI * 2);
      context.fill();
      if (isLoud && input.layout.caption > 0) {
        const at = captionStart({ from, target, left: input.gutter + 6, right: width - 10, after: labelled + 12 });
        labelled = paintLabel(context, input, row, at, box) ?? labelled;
      }
    }
    context.lineWidth = 1;
    context.globalAlpha = 1;
  }
}

/** The words about a replacement, as many as have room; where they end, px. */
function paintLabel(
  context: CanvasRenderingContext2D,
  input: LanesInput,
  row: number,
  x: number,
  box: LaneBox,
): number | undefined {
  const { tables, palette } = input;
  const { seq, firstSeq, lastSeq, from, to, tokensBefore, tokensAfter } = tables.replacements.columns;
  const [first, last, by] = [firstSeq[row]!, lastSeq[row]!, seq[row]!];
  const range =
    first === last
      ? t('#{first} replaced by #{seq}', { first, seq: by })
      : t('#{first} – #{last} replaced by #{seq}', { first, last, seq: by });
  const n = to[row]! - from[row]!;
  const count = n === 1 ? t('1 message') : t('{n} messages', { n });
  const before = tokensBefore[row]!;
  const tokensLeft = tokensAfter[row]!;
  const tokens =
    before > 0 && tokensLeft > 0
      ? `, ${t('{before} → ≈{after} tokens', { before: compactCount(before), after: compactCount(tokensLeft) })}`
      : '';
  const room = input.width - 10 - x;
  const label = [`${range}: ${count}${tokens}`, `${range}: ${count}`, range].find((words) => textWidth(context, words) <= room);
  if (label === undefined) return undefined;
  context.fillStyle = palette.replace;
  context.fillText(label, x, box.top + box.height - 8);
  return x + textWidth(context, label);
}
