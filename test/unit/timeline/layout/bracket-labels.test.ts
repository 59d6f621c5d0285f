import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captionStart } from '../../../../src/timeline/layout/bracket-labels.ts';

const edges = { left: 90, right: 1000, after: -Infinity };

describe('the words about a replacement', () => {
  it('stand beside the node that stands for the range while it is in sight', () => {
    expect(captionStart({ ...edges, from: 200, target: 600 })).toBe(610);
    expect(captionStart({ ...edges, from: -400, target: 600 })).toBe(610);
  });

  it('stand under what is seen of the bracket where the node is out of sight, or has no room beside it', () => {
    expect(captionStart({ ...edges, from: 200, target: 4000 })).toBe(200);
    expect(captionStart({ ...edges, from: 200, target: 900 })).toBe(200);
    expect(captionStart({ ...edges, from: -400, target: 4000 })).toBe(90); // both ends are
  });

  it('never begin left of the lane, nor before others end', () => {
    const px = fc.double({ min: -5000, max: 5000, noNaN: true });
    fc.assert(
      fc.property(px, px, px, (from, target, after) => {
        const start = captionStart({ from, target, left: 90, right: 1000, after });
        expect(start).toBeGreaterThanOrEqual(90);
        expect(start).toBeGreaterThanOrEqual(after);
      }),
    );
  });
});
