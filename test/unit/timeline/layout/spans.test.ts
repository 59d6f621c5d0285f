import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hitSpan, indexSpans, visibleRange } from '../../../../src/timeline/layout/spans.ts';

const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 60 })), { maxLength: 60 });
const indexOf = (pairs: readonly (readonly [number, number])[]): ReturnType<typeof indexSpans> =>
  indexSpans(Float64Array.from(pairs.map(([start]) => start)), Float64Array.from(pairs.map(([start, length]) => start + length)));

describe('spans', () => {
  it('culls nothing that can be seen', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: -10, max: 260 }), fc.integer({ min: 0, max: 80 }), (pairs, from, width) => {
        const index = indexOf(pairs);
        const { first, last } = visibleRange(index, from, from + width);
        const culled = new Set([...index.row.slice(0, first), ...index.row.slice(last)]);
        pairs.forEach(([start, length], row) => {
          if (start <= from + width && start + length >= from) expect(culled.has(row)).toBe(false);
        });
      }),
    );
  });

  it('reaches every span by a click on its middle, if nothing narrower lies there', () => {
    fc.assert(
      fc.property(spans, (pairs) => {
        const index = indexOf(pairs);
        pairs.forEach(([start, length], row) => {
          const middle = start + length / 2;
          const hit = hitSpan(index, middle, 0);
          expect(hit).toBeGreaterThanOrEqual(0);
          const [hitStart, hitLength] = pairs[index.row[hit]!]!;
          expect(hitStart <= middle && hitStart + hitLength >= middle).toBe(true);
          expect(hitLength).toBeLessThanOrEqual(length);
          if (hitLength === length) expect(hitSpan(index, middle, 0, (candidate) => candidate === row)).toBeGreaterThanOrEqual(0);
        });
      }),
    );
  });

  it('takes the nearest within reach, and nothing beyond', () => {
    const index = indexOf([
      [0, 10],
      [20, 5],
    ]);
    expect(index.row[hitSpan(index, 17, 4)]).toBe(1);
    expect(hitSpan(index, 15, 4)).toBe(-1);
  });

  it('leaves spans without a start out and takes an end before its start as an instant', () => {
    const index = indexSpans(Float64Array.of(NaN, 5, 1), Float64Array.of(9, 2, NaN));
    expect(Array.from(index.row)).toEqual([2, 1]);
    expect(Array.from(index.end)).toEqual([1, 5]);
  });
});
