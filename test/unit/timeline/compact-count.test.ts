import { expect, it } from 'vitest';
import { compactCount } from '../../../src/timeline/index.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [1_234, '1.2k'],
  [489_800, '489.8k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [1_226_901_786, '1.2B'],
  [-2_500, '-2.5k'],
  [12.4, '12'],
])('writes %d as %s', (value, written) => {
  expect(compactCount(value)).toBe(written);
});
