import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clampViewport,
  fitViewport,
  fromPixel,
  isFit,
  panBy,
  pixelScale,
  revealIn,
  toPixel,
  zoomAt,
} from '../../../../src/timeline/layout/viewport.ts';

const length = 1000;
const views = fc
  .tuple(fc.double({ min: 0, max: 900, noNaN: true }), fc.double({ min: 5, max: 900, noNaN: true }))
  .map(([from, span]) => clampViewport({ from, to: from + span }, length));

describe('viewport', () => {
  it('stays inside, moving before shrinking', () => {
    expect(clampViewport({ from: -50, to: 150 }, length)).toEqual({ from: 0, to: 200 });
    expect(clampViewport({ from: 950, to: 1150 }, length)).toEqual({ from: 800, to: 1000 });
    expect(clampViewport({ from: -50, to: 5000 }, length)).toEqual({ from: 0, to: 1000 });
  });

  it('zooms in and out again to where it was, while no edge is met', () => {
    fc.assert(
      fc.property(
        views,
        fc.double({ min: 0.3, max: 0.95, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (view, factor, share) => {
          const at = view.from + share * (view.to - view.from);
          const back = zoomAt(zoomAt(view, factor, at, length), 1 / factor, at, length);
          expect(back.from).toBeCloseTo(view.from, 4);
          expect(back.to).toBeCloseTo(view.to, 4);
        },
      ),
    );
  });

  it('keeps the point under the pointer where it is', () => {
    fc.assert(
      fc.property(
        views,
        fc.double({ min: 0.3, max: 0.95, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (view, factor, share) => {
          const at = view.from + share * (view.to - view.from);
          const zoomed = zoomAt(view, factor, at, length);
          const place = (at - zoomed.from) / (zoomed.to - zoomed.from);
          expect(place).toBeCloseTo(share, 4);
        },
      ),
    );
  });

  it('never leaves the axis by panning', () => {
    expect(panBy({ from: 100, to: 300 }, -500, length)).toEqual({ from: 0, to: 200 });
    expect(panBy({ from: 100, to: 300 }, 5000, length)).toEqual({ from: 800, to: 1000 });
  });

  it('moves only as far as needed to show something', () => {
    const view = { from: 100, to: 300 };
    expect(revealIn(view, 150, 160, length)).toBe(view);
    expect(revealIn(view, 50, 400, length)).toBe(view);
    expect(revealIn(view, 500, 520, length)).toEqual({ from: 410, to: 610 });
  });

  it('knows when it shows everything', () => {
    expect(isFit(fitViewport(length), length)).toBe(true);
    expect(isFit({ from: 0, to: 999 }, length)).toBe(false);
  });

  it('maps to pixels and back', () => {
    const scale = pixelScale({ from: 100, to: 300 }, 84, 400);
    expect(toPixel(scale, 100)).toBe(84);
    expect(toPixel(scale, 300)).toBe(484);
    expect(fromPixel(scale, 284)).toBe(200);
  });
});
