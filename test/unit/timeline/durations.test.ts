import { describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { durationText } from '../../../src/timeline/index.ts';

describe('a duration in words', () => {
  it.each([
    [-900, 'clock went back 900 ms'],
    [0, '0 ms'],
    [999, '999 ms'],
    [999.6, '1.0 s'], // not "1000 ms"
    [1500, '1.5 s'],
    [21_000, '21.0 s'], // one decimal throughout, so that a column of them lines up
    [59_970, '1 min'], // not "60.0 s"
    [119_700, '2 min'], // not "1 min 60 s"
    [200_000, '3 min 20 s'],
    [3_599_600, '1 h'],
    [7_500_000, '2 h 5 min'],
    [7_199_000, '2 h'], // not "1 h 60 min"
    [86_399_000, '1 d'], // not "24 h"
    [3 * 86_400_000 + 4 * 3_600_000, '3 d 4 h'],
  ])('%d ms', (ms, words) => {
    expect(english(durationText(ms))).toBe(words);
  });

  it('is put into the language of who reads it, its unit too', () => {
    expect(durationText(21_000).template).toBe('{n} s');
  });
});
