import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapsedTimeAxis, plainTimeAxis, seqAxis } from '../../../../src/timeline/layout/axis.ts';
import { axisTicks } from '../../../../src/timeline/layout/ticks.ts';
import { pixelScale } from '../../../../src/timeline/layout/viewport.ts';

describe('axisTicks', () => {
  it('falls on round times', () => {
    const axis = plainTimeAxis(10_300, 70_300);
    const { ticks, step } = axisTicks(axis, pixelScale({ from: 0, to: 60_000 }, 0, 600), 600, 90);
    expect(step).toBe(10_000);
    expect(ticks.map((tick) => tick.value)).toEqual([20_000, 30_000, 40_000, 50_000, 60_000, 70_000]);
    expect(ticks[0]!.pixel).toBeCloseTo(97);
  });

  it('falls on round hours of the reader’s clock', () => {
    const half = 30 * 60_000; // a zone half an hour off, as in India
    const axis = plainTimeAxis(0, 8 * 3_600_000);
    const { ticks, step } = axisTicks(axis, pixelScale({ from: 0, to: axis.length }, 0, 800), 800, 90, half);
    expect(step).toBe(3_600_000);
    for (const tick of ticks) expect((tick.value + half) % step).toBe(0);
  });

  it('counts events in ones, twos and fives', () => {
    const { ticks } = axisTicks(seqAxis(95), pixelScale({ from: 0, to: 95 }, 0, 500), 500, 90);
    expect(ticks.map((tick) => tick.value)).toEqual([0, 20, 40, 60, 80]);
  });

  it('keeps its distance and stays out of gaps', () => {
    const minute = 60_000;
    const axis = collapsedTimeAxis(0, 5000 * minute, {
      starts: Float64Array.of(0, 2000 * minute, 4990 * minute),
      ends: Float64Array.of(10 * minute, 2010 * minute, 5000 * minute),
    });
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 3000 }), fc.double({ min: 0, max: 0.9, noNaN: true }), (width, share) => {
        const view = { from: axis.length * share, to: axis.length };
        const { ticks } = axisTicks(axis, pixelScale(view, 0, width), width, 80);
        let before = -Infinity;
        for (const tick of ticks) {
          expect(tick.pixel - before).toBeGreaterThan(79);
          before = tick.pixel;
          for (const gap of axis.gaps) expect(tick.value > gap.from && tick.value < gap.to).toBe(false);
        }
        expect(ticks.length).toBeLessThan(width / 79 + 1);
      }),
    );
  });
});
