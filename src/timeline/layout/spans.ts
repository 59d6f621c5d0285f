/** Spans along an axis, sorted for binary-search culling and hit-testing. */
import { ascendingOrder, lowerBound, upperBound } from './axis.ts';

export interface SpanIndex {
  /** Units, ascending. */
  readonly start: Float64Array;
  /** Units, ≥ start. */
  readonly end: Float64Array;
  /** Largest end up to and including each position: where a scan may begin. */
  readonly maxEnd: Float64Array;
  /** Position -> row of the table the span comes from. */
  readonly row: Uint32Array;
}

/** Builds the index; spans with an unknown start are left out. `rows` defaults to 0, 1, 2… */
export function indexSpans(start: Float64Array, end: Float64Array, rows?: Uint32Array): SpanIndex {
  const order = ascendingOrder(start);
  let length = order.length;
  while (length > 0 && Number.isNaN(start[order[length - 1]!]!)) length--;
  const index = {
    start: new Float64Array(length),
    end: new Float64Array(length),
    maxEnd: new Float64Array(length),
    row: new Uint32Array(length),
  };
  let maxEnd = -Infinity;
  for (let i = 0; i < length; i++) {
    const at = order[i]!;
    const from = start[at]!;
    const to = end[at]! >= from ? end[at]! : from;
    if (to > maxEnd) maxEnd = to;
    index.start[i] = from;
    index.end[i] = to;
    index.maxEnd[i] = maxEnd;
    index.row[i] = rows ? rows[at]! : at;
  }
  return index;
}

/** Positions [first, last) that may touch [from, to]. */
export function visibleRange(index: SpanIndex, from: number, to: number): { readonly first: number; readonly last: number } {
  const last = upperBound(index.start, to);
  return { first: Math.min(last, lowerBound(index.maxEnd, from)), last };
}

/**
 * Position of the span at a unit, within `slack` units: the narrowest one that covers the point, else the nearest.
 * `accept` narrows to a lane. -1 when there is none.
 */
export function hitSpan(index: SpanIndex, unit: number, slack: number, accept: (row: number) => boolean = () => true): number {
  const { first, last } = visibleRange(index, unit - slack, unit + slack);
  let best = -1;
  let bestDistance = Infinity;
  let bestWidth = Infinity;
  for (let i = first; i < last; i++) {
    const start = index.start[i]!;
    const end = index.end[i]!;
    const distance = unit < start ? start - unit : unit > end ? unit - end : 0;
    if (distance > slack || !accept(index.row[i]!)) continue;
    const width = end - start;
    if (distance < bestDistance || (distance === bestDistance && width < bestWidth)) {
      best = i;
      bestDistance = distance;
      bestWidth = width;
    }
  }
  return best;
}
