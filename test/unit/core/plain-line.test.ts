import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainLine } from '../../../src/core/index.ts';

describe('plainLine', () => {
  it.each([
    ['  two\n\twords\r\n', 'two words'],
    ['a\u2028b\u00a0c', 'a b c'],
    ['\u001b[31mred\u001b[0m text', 'red text'],
    ['nul\u0000and\u0007bell', 'nulandbell'],
    ['right\u202eto\u2066left\u2069', 'righttoleft'],
    ['\ufeffmark and\u200bgap', 'mark andgap'],
    ['half \ud83d pair', 'half \ufffd pair'],
    ['👩‍💻 日本語', '👩‍💻 日本語'],
    ['', ''],
    ['   ', ''],
  ])('%j becomes %j', (value, line) => {
    expect(plainLine(value, 100)).toBe(line);
  });

  it('cuts with an ellipsis and never through a pair', () => {
    expect(plainLine('abcdef', 6)).toBe('abcdef');
    expect(plainLine('abcdefg', 6)).toBe('abcde…');
    expect(plainLine('abcd efg', 6)).toBe('abcd…');
    expect(plainLine('abcd😀😀', 6)).toBe('abcd…');
    expect(plainLine('abc', 0)).toBe('');
    expect(plainLine('abc', 1)).toBe('…');
  });

  it('is bounded, idempotent and free of anything that would break a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 2, max: 60 }), (value, max) => {
        const line = plainLine(value, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(plainLine(line, max)).toBe(line);
        expect(line).toBe(line.trim());
        expect(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(line)).toBe(false);
        expect(/\p{Surrogate}/u.test(line)).toBe(false);
      }),
    );
  });
});
