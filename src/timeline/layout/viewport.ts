/** The visible stretch of an axis, in units. */
export interface Viewport {
  readonly from: number;
  readonly to: number;
}

/** Smallest visible stretch: a millisecond's worth of bars, or one event. */
const MIN_SPAN = 1;

export const fitViewport = (length: number): Viewport => ({ from: 0, to: length });

/** Keeps a stretch inside [0, length], moving it before shrinking it. */
export function clampViewport(view: Viewport, length: number): Viewport {
  const span = Math.min(length, Math.max(Math.min(MIN_SPAN, length), view.to - view.from));
  const from = Math.min(Math.max(0, view.from), length - span);
  return { from, to: from + span };
}

/** Scales around a unit that keeps its place on screen. `factor` < 1 zooms in. */
export function zoomAt(view: Viewport, factor: number, at: number, length: number): Viewport {
  const span = (view.to - view.from) * factor;
  const clamped = Math.min(length, Math.max(MIN_SPAN, span));
  const share = view.to === view.from ? 0.5 : (at - view.from) / (view.to - view.from);
  return clampViewport({ from: at - share * clamped, to: at + (1 - share) * clamped }, length);
}

export function panBy(view: Viewport, units: number, length: number): Viewport {
  return clampViewport({ from: view.from + units, to: view.to + units }, length);
}

/** The least move that shows [from, to]; what already is in view moves nothing. */
export function revealIn(view: Viewport, from: number, to: number, length: number): Viewport {
  const span = view.to - view.from;
  if (from >= view.from && to <= view.to) return view;
  if (from <= view.from && to >= view.to) return view;
  if (to - from > span * 0.9) return clampViewport({ from: from - span * 0.05, to: from + span * 0.95 }, length);
  const middle = (from + to) / 2;
  return clampViewport({ from: middle - span / 2, to: middle + span / 2 }, length);
}

export const isFit = (view: Viewport, length: number): boolean => view.from <= 0 && view.to >= length;

/** Linear map of a viewport onto pixels. */
export interface PixelScale {
  readonly from: number;
  readonly perUnit: number;
  readonly left: number;
}

export function pixelScale(view: Viewport, left: number, width: number): PixelScale {
  return { from: view.from, perUnit: width / Math.max(Number.MIN_VALUE, view.to - view.from), left };
}

export const toPixel = (scale: PixelScale, unit: number): number => scale.left + (unit - scale.from) * scale.perUnit;
export const fromPixel = (scale: PixelScale, pixel: number): number => scale.from + (pixel - scale.left) / scale.perUnit;
