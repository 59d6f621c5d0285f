import { describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { durationText } from '../../../src/worker/labels/numbers.ts';

describe('a duration in words', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1500, '1.5 s'],
    [21_000, '21 s'],
    [59_970, '1 min 0 s'], // not "60 s"
    [119_700, '2 min 0 s'], // not "1 min 60 s"
    [3_599_600, '1 h 0 min'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms', (ms, words) => {
    expect(english(durationText(ms))).toBe(words);
  });

  it('is put into the language of who reads it, its unit too', () => {
    expect(durationText(21_000).template).toBe('{n} s');
  });
});
