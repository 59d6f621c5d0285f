import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mostRows,
  offsetShowing,
  rowWindow,
  scrollSpace,
  toPhysical,
  toVirtual,
} from '../../../../src/timeline/layout/scroll-space.ts';

describe('scroll space', () => {
  it('is one to one while it fits the browser', () => {
    const space = scrollSpace(1000, 24, 480);
    expect(space.physical).toBe(24_000);
    expect(toVirtual(space, 1234)).toBe(1234);
    expect(rowWindow(space, 240, 2)).toEqual({ first: 8, last: 32, top: 192 });
  });

  it('reaches the first and the last row of two million', () => {
    const space = scrollSpace(2_000_000, 24, 480);
    expect(space.physical).toBe(16_000_000);
    expect(rowWindow(space, 0, 0).first).toBe(0);
    const end = rowWindow(space, space.physical - space.viewport, 0);
    expect(end.last).toBe(2_000_000);
    expect(end.top + (end.last - end.first) * 24).toBeCloseTo(space.physical, 3);
  });

  it('finds every row again through the scrollbar, to less than one row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 3_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (rows, share) => {
        const space = scrollSpace(rows, 24, 480);
        const row = Math.floor(share * (rows - 21));
        const back = toVirtual(space, toPhysical(space, row * 24));
        expect(Math.abs(back - row * 24)).toBeLessThan(0.01);
      }),
    );
  });

  it('builds every row on screen and few more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (rows, share) => {
        const space = scrollSpace(rows, 24, 700);
        const scrollTop = share * Math.max(0, space.physical - space.viewport);
        const { first, last } = rowWindow(space, scrollTop, 10);
        const offset = toVirtual(space, scrollTop);
        expect(last - first).toBeLessThanOrEqual(mostRows(space, 10));
        expect(mostRows(space, 10)).toBe(51); // 700 px show at most 31 rows of 24 px, two of them in part
        expect(first * 24).toBeLessThanOrEqual(offset);
        expect(last).toBeGreaterThanOrEqual(Math.min(rows, Math.ceil((offset + 700) / 24)));
      }),
    );
  });

  it('moves no more than needed to show a row, and keeps clear of what covers the top', () => {
    const space = scrollSpace(1000, 24, 240);
    expect(offsetShowing(space, 0, 5)).toBe(0);
    expect(offsetShowing(space, 0, 10)).toBe(24);
    expect(offsetShowing(space, 240, 9, 48)).toBe(168);
    expect(offsetShowing(space, 240, 0, 48)).toBe(0);
  });

  it('shows what is wanted below a row too, as far as there are rows and room', () => {
    const space = scrollSpace(1000, 24, 240);
    expect(offsetShowing(space, 0, 6, 48, 72)).toBe(0); // rows 7 to 9 are the last of the ten in sight
    expect(offsetShowing(space, 0, 7, 48, 72)).toBe(24);
    expect(offsetShowing(space, 0, 999, 48, 72)).toBe(1000 * 24 - 240);
    expect(offsetShowing(scrollSpace(1000, 24, 96), 0, 5, 48, 72)).toBe(3 * 24); // two rows covered, the row, one below
    expect(offsetShowing(scrollSpace(1000, 24, 60), 0, 5, 48, 72)).toBe(6 * 24 - 60); // the row itself comes first
  });
});
