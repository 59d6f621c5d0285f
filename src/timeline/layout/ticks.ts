/** Tick positions of the ruler: round values, at least `minPx` apart, none inside a collapsed gap. */
import { toUnit, type Axis } from './axis.ts';
import { fromPixel, toPixel, type PixelScale } from './viewport.ts';
import { fromUnit } from './axis.ts';

export interface Tick {
  readonly value: number;
  readonly pixel: number;
}

export interface Ticks {
  readonly ticks: readonly Tick[];
  /** Distance of two neighbours in values: tells how much of a time to write. */
  readonly step: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const timeSteps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  second,
  2 * second,
  5 * second,
  10 * second,
  15 * second,
  30 * second,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  28 * day,
];

/** `zoneOffset`: ms to add to UTC for the reader's wall clock, so that hours and days fall on round local times. */
export function axisTicks(axis: Axis, scale: PixelScale, right: number, minPx: number, zoneOffset = 0): Ticks {
  const wanted = minPx / scale.perUnit;
  const step = axis.kind === 'time' ? timeStep(wanted) : seqStep(wanted);
  const offset = axis.kind === 'time' ? zoneOffset : 0;
  const ticks: Tick[] = [];
  let lastPixel = -Infinity;
  const low = fromUnit(axis, fromPixel(scale, scale.left));
  const high = fromUnit(axis, fromPixel(scale, right));
  forEachBusyPiece(axis, low, high, (from, to) => {
    const first = Math.ceil((from + offset) / step) * step - offset;
    for (let value = first; value <= to; value += step) {
      const pixel = toPixel(scale, toUnit(axis, value));
      if (pixel - lastPixel < minPx * 0.999) continue;
      ticks.push({ value, pixel });
      lastPixel = pixel;
    }
  });
  return { ticks, step };
}

function forEachBusyPiece(axis: Axis, low: number, high: number, visit: (from: number, to: number) => void): void {
  let from = low;
  for (const gap of axis.gaps) {
    if (gap.to <= low) continue;
    if (gap.from >= high) break;
    if (gap.from > from) visit(from, gap.from);
    from = Math.max(from, gap.to);
  }
  if (from <= high) visit(from, high);
}

function timeStep(wanted: number): number {
  for (const step of timeSteps) if (step >= wanted) return step;
  const weeks = 28 * day;
  return Math.ceil(wanted / weeks) * weeks;
}

/** 1, 2 or 5 times a power of ten. */
function seqStep(wanted: number): number {
  let power = 1;
  for (;;) {
    for (const factor of [1, 2, 5]) if (factor * power >= wanted) return factor * power;
    power *= 10;
  }
}
