/**
 * Where the labels of one lane's bars go: inside the bar where they fit, else to its right while nothing else stands there. Pixels
 * throughout; what does not fit is left out, so that no label overlaps a bar or another label.
 */
export interface LabelledBar {
  readonly x: number;
  readonly width: number;
  /** Width of the least that is worth writing, such as a tool's name; 0 for nothing to write. */
  readonly least: number;
}

export interface LabelPlace {
  readonly isInside: boolean;
  readonly x: number;
  /** How wide the label may get, at least the bar's `least`. */
  readonly room: number;
}

export interface LabelLimits {
  /** Edges of what is visible. */
  readonly left: number;
  readonly right: number;
  /** Ascending; an outside label ends before the next of them. */
  readonly stops: readonly number[];
  /** Widest label outside of a bar. */
  readonly widest: number;
}

const inset = 5;
const gap = 4;

/** `bars` in ascending order of `x`, none over another. */
export function placeLabels(bars: readonly LabelledBar[], limits: LabelLimits): (LabelPlace | undefined)[] {
  let stop = 0;
  return bars.map((bar, at) => {
    if (bar.least <= 0) return undefined;
    const end = bar.x + bar.width;
    // A bar that begins left of the view keeps its label in sight.
    const from = Math.max(bar.x, limits.left) + inset;
    const inside = Math.min(end, limits.right) - inset - from;
    if (inside >= bar.least) return { isInside: true, x: from, room: inside };
    const x = end + gap;
    if (x < limits.left) return undefined;
    while (stop < limits.stops.length && limits.stops[stop]! < end) stop++;
    const next = Math.min(bars[at + 1]?.x ?? Infinity, limits.stops[stop] ?? Infinity, limits.right);
    const room = Math.min(limits.widest, next - gap - x);
    return room >= bar.least ? { isInside: false, x, room } : undefined;
  });
}
