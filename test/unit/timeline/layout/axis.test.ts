import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ascendingOrder,
  collapsedTimeAxis,
  fromUnit,
  lowerBound,
  mergeIntervals,
  plainTimeAxis,
  seqAxis,
  toUnit,
  upperBound,
} from '../../../../src/timeline/layout/axis.ts';

const minute = 60_000;
const list = (values: ArrayLike<number>): number[] => Array.from(values);

describe('mergeIntervals', () => {
  it('joins what overlaps or touches, whatever the order, and leaves unknown starts out', () => {
    const merged = mergeIntervals(Float64Array.of(50, 0, 20, NaN, 30), Float64Array.of(60, 10, 30, 5, NaN));
    expect(list(merged.starts)).toEqual([0, 20, 50]);
    expect(list(merged.ends)).toEqual([10, 30, 60]);
  });

  it('takes an unknown end, or one before its start, as an instant', () => {
    const merged = mergeIntervals(Float64Array.of(0, 5), Float64Array.of(NaN, 3));
    expect(list(merged.starts)).toEqual([0, 5]);
    expect(list(merged.ends)).toEqual([0, 5]);
  });

  it('gives sorted disjoint intervals that cover every given one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 50 }))), (pairs) => {
        const starts = Float64Array.from(pairs.map(([start]) => start));
        const ends = Float64Array.from(pairs.map(([start, length]) => start + length));
        const merged = mergeIntervals(starts, ends);
        for (let i = 1; i < merged.starts.length; i++) expect(merged.starts[i]).toBeGreaterThan(merged.ends[i - 1]!);
        for (let i = 0; i < starts.length; i++) {
          const covered = list(merged.starts).some((start, at) => start <= starts[i]! && merged.ends[at]! >= ends[i]!);
          expect(covered).toBe(true);
        }
      }),
    );
  });
});

describe('collapsedTimeAxis', () => {
  // Ten minutes of work, three hours of nothing, ten minutes of work.
  const busy = { starts: Float64Array.of(0, 190 * minute), ends: Float64Array.of(10 * minute, 200 * minute) };
  const axis = collapsedTimeAxis(0, 200 * minute, busy);

  it('shortens the pause to a few per cent of the work', () => {
    expect(axis.gaps).toHaveLength(1);
    const [gap] = axis.gaps;
    expect(gap!.end - gap!.start).toBeLessThan(minute);
    expect(axis.length).toBeLessThan(22 * minute);
    expect(axis.length).toBeGreaterThan(20 * minute);
  });

  it('keeps work at its own scale', () => {
    expect(toUnit(axis, 0)).toBe(0);
    expect(toUnit(axis, 5 * minute)).toBe(5 * minute);
    expect(toUnit(axis, 195 * minute) - toUnit(axis, 191 * minute)).toBeCloseTo(4 * minute, 6);
  });

  it('leaves a little silence on both sides, so that nothing at its edge touches the gap', () => {
    const [gap] = axis.gaps;
    expect(gap!.from).toBeGreaterThan(10 * minute);
    expect(gap!.to).toBeLessThan(190 * minute);
  });

  it('keeps the pauses of a short session', () => {
    const short = collapsedTimeAxis(0, 30_000, { starts: Float64Array.of(0, 25_000), ends: Float64Array.of(10_000, 30_000) });
    expect(short.gaps).toEqual([]);
    expect(short.length).toBe(30_000);
  });

  it('is monotonic, invertible and never longer than the plain axis', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 1, max: 90_000 })), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 20 }),
        (steps, shares) => {
          const starts: number[] = [];
          const ends: number[] = [];
          let at = 0;
          for (const [pause, work] of steps) {
            starts.push(at + pause);
            at += pause + work;
            ends.push(at);
          }
          const first = starts[0]!;
          const built = collapsedTimeAxis(first, at, { starts: Float64Array.from(starts), ends: Float64Array.from(ends) });
          expect(built.length).toBeLessThanOrEqual(Math.max(1, at - first) + 1e-6);
          const times = shares.map((share) => first + share * (at - first)).sort((a, b) => a - b);
          let before = -Infinity;
          for (const time of times) {
            const unit = toUnit(built, time);
            expect(unit).toBeGreaterThanOrEqual(before - 1e-6);
            before = unit;
            expect(fromUnit(built, unit)).toBeCloseTo(time, 3);
          }
        },
      ),
    );
  });
});

describe('axes', () => {
  it('carries on outside at the same scale', () => {
    const axis = plainTimeAxis(1000, 2000);
    expect([toUnit(axis, 500), toUnit(axis, 1500), toUnit(axis, 2500)]).toEqual([-500, 500, 1500]);
    expect(toUnit(axis, NaN)).toBeNaN();
  });

  it('has a length even for a log of one instant or none', () => {
    expect(plainTimeAxis(7, 7).length).toBe(1);
    expect(seqAxis(0).length).toBe(1);
    expect(toUnit(seqAxis(10), 4)).toBe(4);
  });
});

describe('searching', () => {
  it('finds the ends of a run of equal values', () => {
    expect(lowerBound([1, 3, 3, 5], 3)).toBe(1);
    expect(upperBound([1, 3, 3, 5], 3)).toBe(3);
    expect(lowerBound([1, 3], 9)).toBe(2);
  });

  it('orders stably, unknown values last', () => {
    expect(list(ascendingOrder(Float64Array.of(3, NaN, 1, 3, 2)))).toEqual([2, 4, 0, 3, 1]);
  });
});
