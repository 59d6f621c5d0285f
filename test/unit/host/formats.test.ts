import { describe, expect, it } from 'vitest';
import { absoluteTime, byteSize, relativeTime } from '../../../src/host/sessions/formats.ts';

const now = new Date(2026, 10, 30, 12, 0, 0).getTime(); // local time, like the dates shown
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('relative time', () => {
  it.each([
    [now, 'now'],
    [now - 59 * second, 'now'],
    [now + hour, 'now'],
    [now - 2 * minute, '2 min. ago'],
    [now - 60 * minute, '1 hr. ago'],
    [now - 23 * hour, '23 hr. ago'],
    [now - 25 * hour, 'yesterday'],
    [now - 6 * day, '6 days ago'],
    [now - 7 * day, 'Nov 23'],
    [new Date(2025, 0, 5).getTime(), 'Jan 5, 2025'],
  ])('%d is %s', (time, words) => {
    expect(relativeTime(time, now, 'en')).toBe(words);
  });

  it('speaks Chinese', () => {
    expect(relativeTime(now - 2 * minute, now, 'zh-cn')).toBe('2分钟前');
    expect(relativeTime(now - 25 * hour, now, 'zh-cn')).toBe('昨天');
    expect(relativeTime(now - 7 * day, now, 'zh-cn')).toBe('11月23日');
  });
});

it.each([9_007_199_254_740_991, -9_007_199_254_740_991])('the time %d, which no Date holds, is shown as it is', (time) => {
  expect(absoluteTime(time, 'en')).toBe(String(time));
  expect(relativeTime(time, now, 'en')).toBe(time > now ? 'now' : String(time));
});

it.each([
  [812, '812 B'],
  [12_345, '12.3 kB'],
  [4_100_000, '4.1 MB'],
])('%d bytes are %s', (bytes, words) => {
  expect(byteSize(bytes, 'en')).toBe(words);
});
