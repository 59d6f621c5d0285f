/**
 * Scroll geometry of a windowed list of equal rows. Browsers cap an element's height (Chromium at 33,554,428 px), so past
 * `cap` the scrollbar's space is a scaled picture of the rows' space.
 */
export interface ScrollSpace {
  readonly rows: number;
  readonly rowHeight: number;
  readonly viewport: number;
  /** Height of the spacer element, px. */
  readonly physical: number;
  /** Height of all rows, px. */
  readonly virtual: number;
}

const defaultCap = 16_000_000;

export function scrollSpace(rows: number, rowHeight: number, viewport: number, cap = defaultCap): ScrollSpace {
  const virtual = rows * rowHeight;
  return { rows, rowHeight, viewport, virtual, physical: Math.min(virtual, Math.max(cap, viewport * 2)) };
}

/** Offset in the rows' space at a scroll position. */
export function toVirtual(space: ScrollSpace, scrollTop: number): number {
  const physicalRange = space.physical - space.viewport;
  if (space.physical === space.virtual || physicalRange <= 0) return clampOffset(space, scrollTop);
  return clampOffset(space, (scrollTop / physicalRange) * (space.virtual - space.viewport));
}

/** Scroll position that shows an offset of the rows' space at the top. */
export function toPhysical(space: ScrollSpace, offset: number): number {
  const virtualRange = space.virtual - space.viewport;
  const clamped = clampOffset(space, offset);
  if (space.physical === space.virtual || virtualRange <= 0) return clamped;
  return (clamped / virtualRange) * (space.physical - space.viewport);
}

const clampOffset = (space: ScrollSpace, offset: number): number =>
  Math.max(0, Math.min(offset, Math.max(0, space.virtual - space.viewport)));

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
  /** Where the first row is placed inside the spacer, px. */
  readonly top: number;
}

/** Rows to build at a scroll position, `overscan` more on each side. */
export function rowWindow(space: ScrollSpace, scrollTop: number, overscan: number): RowWindow {
  const offset = toVirtual(space, scrollTop);
  const first = Math.max(0, Math.floor(offset / space.rowHeight) - overscan);
  const last = Math.min(space.rows, Math.ceil((offset + space.viewport) / space.rowHeight) + overscan);
  return { first, last: Math.max(first, last), top: scrollTop + first * space.rowHeight - offset };
}

/** The most rows {@link rowWindow} has at any scroll position of a viewport. */
export const mostRows = (space: ScrollSpace, overscan: number): number =>
  Math.ceil(space.viewport / space.rowHeight) + 1 + overscan * 2;

/**
 * Offset that brings a row into view with the least movement, or the present one. `inset` px are covered at the top; `below` px under the
 * row come into view with it, as far as there is room.
 */
export function offsetShowing(space: ScrollSpace, offset: number, row: number, inset = 0, below = 0): number {
  const top = row * space.rowHeight;
  if (top < offset + inset) return clampOffset(space, top - inset);
  const end = top + space.rowHeight + Math.max(0, Math.min(below, space.viewport - inset - space.rowHeight));
  return end > offset + space.viewport ? clampOffset(space, end - space.viewport) : offset;
}
