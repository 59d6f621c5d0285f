/**
 * The horizontal axis: a piecewise linear, monotonic map from values (epoch ms, or seqs) to units. Idle gaps take a short
 * stretch of units each, so that an hour without activity does not squeeze the minutes that matter.
 */
export type AxisKind = 'time' | 'seq';

export interface IdleGap {
  /** Values, epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Units. */
  readonly start: number;
  readonly end: number;
}

export interface Axis {
  readonly kind: AxisKind;
  /** Breakpoints, ascending; `values[i]` lies at `units[i]`. At least two. */
  readonly values: Float64Array;
  readonly units: Float64Array;
  readonly gaps: readonly IdleGap[];
  /** Units from the first to the last breakpoint; > 0. */
  readonly length: number;
}

/** Sorted, disjoint stretches of activity. */
export interface Intervals {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

/** Axis over event numbers: unit = seq. */
export function seqAxis(eventCount: number): Axis {
  const length = Math.max(1, eventCount);
  return { kind: 'seq', values: Float64Array.of(0, length), units: Float64Array.of(0, length), gaps: [], length };
}

/** Axis over wall clock time without collapsing. */
export function plainTimeAxis(first: number, last: number): Axis {
  const length = Math.max(1, last - first);
  return { kind: 'time', values: Float64Array.of(first, first + length), units: Float64Array.of(0, length), gaps: [], length };
}

/** Merges intervals (any order; NaN bounds are left out) into sorted disjoint ones. */
export function mergeIntervals(starts: Float64Array, ends: Float64Array): Intervals {
  const order = ascendingOrder(starts);
  const outStarts: number[] = [];
  const outEnds: number[] = [];
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!;
    const start = starts[at]!;
    if (Number.isNaN(start)) continue;
    const end = Math.max(start, Number.isNaN(ends[at]!) ? start : ends[at]!);
    const last = outEnds.length - 1;
    if (last >= 0 && start <= outEnds[last]!) outEnds[last] = Math.max(outEnds[last]!, end);
    else {
      outStarts.push(start);
      outEnds.push(end);
    }
  }
  return { starts: Float64Array.from(outStarts), ends: Float64Array.from(outEnds) };
}

/** Indexes in ascending order of `values`; NaN last. The usual log is sorted already and pays one pass. */
export function ascendingOrder(values: Float64Array): Uint32Array {
  const order = new Uint32Array(values.length);
  let sorted = true;
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
    if (i > 0 && !(values[i]! >= values[i - 1]!)) sorted = false;
  }
  const key = (i: number): number => (Number.isNaN(values[i]!) ? Infinity : values[i]!);
  // Equal keys keep their order; Infinity - Infinity would be NaN, so keys are compared and never subtracted.
  return sorted ? order : order.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b));
}

const minimumGapMs = 20_000;

/**
 * Time axis over [first, last] with the gaps between busy intervals collapsed. A gap counts as idle from 20 s on, and only
 * when it exceeds a fortieth of all activity: a short session keeps its pauses. One gap takes at most 2 % of the active
 * length, all together at most a quarter.
 */
export function collapsedTimeAxis(first: number, last: number, busy: Intervals): Axis {
  let active = 0;
  for (let i = 0; i < busy.starts.length; i++) active += busy.ends[i]! - busy.starts[i]!;
  const threshold = Math.max(minimumGapMs, active / 40);
  const gaps: { from: number; to: number }[] = [];
  for (let i = 1; i < busy.starts.length; i++) {
    const from = busy.ends[i - 1]!;
    const to = busy.starts[i]!;
    // A little of the silence stays on both sides, so that nothing drawn at its edges runs into the gap.
    const margin = Math.min((to - from) / 4, active * 0.012);
    if (to - from >= threshold) gaps.push({ from: from + margin, to: to - margin });
  }
  if (gaps.length === 0) return plainTimeAxis(first, last);
  let collapsed = 0;
  for (const gap of gaps) collapsed += gap.to - gap.from;
  const shown = Math.max(1, last - first - collapsed);
  const gapUnits = Math.min(shown * 0.03, (shown * 0.25) / gaps.length, threshold);
  const values = new Float64Array(gaps.length * 2 + 2);
  const units = new Float64Array(gaps.length * 2 + 2);
  values[0] = first;
  const placed: IdleGap[] = [];
  for (let i = 0; i < gaps.length; i++) {
    const { from, to } = gaps[i]!;
    const at = i * 2 + 1;
    const start = units[at - 1]! + (from - values[at - 1]!);
    values[at] = from;
    units[at] = start;
    values[at + 1] = to;
    units[at + 1] = start + gapUnits;
    placed.push({ from, to, start, end: start + gapUnits });
  }
  const end = values.length - 1;
  values[end] = Math.max(last, values[end - 1]!);
  units[end] = units[end - 1]! + Math.max(0, values[end] - values[end - 1]!);
  return { kind: 'time', values, units, gaps: placed, length: Math.max(1, units[end]) };
}

/** Units of a value; values outside are carried on at scale 1. NaN stays NaN. */
export function toUnit(axis: Axis, value: number): number {
  return interpolate(axis.values, axis.units, value);
}

/** Inverse of {@link toUnit}. */
export function fromUnit(axis: Axis, unit: number): number {
  return interpolate(axis.units, axis.values, unit);
}

function interpolate(from: Float64Array, to: Float64Array, at: number): number {
  const last = from.length - 1;
  if (Number.isNaN(at)) return NaN;
  if (at <= from[0]!) return to[0]! + (at - from[0]!);
  if (at >= from[last]!) return to[last]! + (at - from[last]!);
  const high = lowerBound(from, at, 1, last);
  const x0 = from[high - 1]!;
  const x1 = from[high]!;
  const y0 = to[high - 1]!;
  return x1 === x0 ? y0 : y0 + ((at - x0) / (x1 - x0)) * (to[high]! - y0);
}

/** First index in [from, to) whose element is ≥ value; `to` when there is none. */
export function lowerBound(values: ArrayLike<number>, value: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index in [from, to) whose element is > value. */
export function upperBound(values: ArrayLike<number>, value: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
