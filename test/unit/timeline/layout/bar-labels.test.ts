import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeLabels, type LabelledBar, type LabelLimits } from '../../../../src/timeline/layout/bar-labels.ts';

const limits: LabelLimits = { left: 80, right: 1000, stops: [], widest: 150 };

describe('placeLabels', () => {
  it('writes inside where the least fits, with five pixels to either side', () => {
    expect(placeLabels([{ x: 100, width: 60, least: 50 }], limits)).toEqual([{ isInside: true, x: 105, room: 50 }]);
  });

  it('writes beside a bar that is too short, up to the next bar, stop or edge', () => {
    const short = { x: 100, width: 4, least: 30 };
    expect(placeLabels([short], limits)).toEqual([{ isInside: false, x: 108, room: 150 }]);
    expect(placeLabels([short, { x: 160, width: 4, least: 0 }], limits)[0]).toEqual({ isInside: false, x: 108, room: 48 });
    expect(placeLabels([short, { x: 140, width: 4, least: 0 }], limits)[0]).toBeUndefined();
    expect(placeLabels([short], { ...limits, stops: [50, 150] })[0]).toEqual({ isInside: false, x: 108, room: 38 });
    expect(placeLabels([{ ...short, x: 970 }], limits)[0]).toBeUndefined();
  });

  it('keeps the label of a bar that begins left of the view in sight', () => {
    expect(placeLabels([{ x: -500, width: 700, least: 50 }], limits)).toEqual([{ isInside: true, x: 85, room: 110 }]);
    // Wholly out of sight.
    expect(placeLabels([{ x: 10, width: 40, least: 10 }], limits)).toEqual([undefined]);
  });

  it('never lets a label touch a bar, another label, a stop or an edge, nor be smaller than its least', () => {
    const piece = fc.record({
      width: fc.oneof(fc.double({ min: 1, max: 12, noNaN: true }), fc.double({ min: 1, max: 200, noNaN: true })),
      least: fc.oneof(fc.constant(0), fc.double({ min: 5, max: 90, noNaN: true })),
      after: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 160, noNaN: true })),
    });
    const stop = fc.double({ min: 0, max: 1000, noNaN: true });
    const check = (pieces: readonly { width: number; least: number; after: number }[], some: readonly number[]): void => {
      const bars: LabelledBar[] = [];
      let x = -100;
      for (const { width, least, after } of pieces) {
        bars.push({ x, width, least });
        x += width + after;
      }
      const stops = [...some].sort((a, b) => a - b);
      const places = placeLabels(bars, { ...limits, stops });
      const labels = places.flatMap((place, at) => (place ? [{ ...place, at, end: place.x + place.room }] : []));
      for (const label of labels) {
        expect(label.room).toBeGreaterThanOrEqual(bars[label.at]!.least);
        expect(label.x).toBeGreaterThanOrEqual(limits.left);
        expect(label.end).toBeLessThanOrEqual(limits.right);
        bars.forEach((bar, at) => {
          const touches = label.x < bar.x + bar.width && label.end > bar.x;
          expect(touches).toBe(label.isInside && at === label.at);
        });
        for (const other of labels) if (other !== label) expect(label.x < other.end && label.end > other.x).toBe(false);
        if (label.isInside) continue;
        const bar = bars[label.at]!;
        for (const stop of stops) expect(stop >= bar.x + bar.width && stop < label.end).toBe(false);
        expect(label.room).toBeLessThanOrEqual(limits.widest);
      }
    };
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), fc.array(stop, { maxLength: 4 }), check), { numRuns: 500 });
  });
});
