import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markMatches } from '../../../webview/content/match.ts';

const marked = (line: string, query: string): string =>
  markMatches(line, query)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join('');

describe('markMatches', () => {
  it('marks every match, whatever its case', () => {
    expect(marked('src/Store.ts and store', 'STORE')).toBe('src/[Store].ts and [store]');
    expect(marked('aaa', 'a')).toBe('[a][a][a]');
    expect(marked('aaa', 'aa')).toBe('[aa]a');
    expect(marked('nothing', 'x')).toBe('nothing');
    expect(marked('', 'x')).toBe('');
    expect(marked('all', '')).toBe('all');
    expect(marked('İstanbul store', 'store')).toBe('İstanbul store'); // its lower case is longer: left alone
  });

  it('changes no letter', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 3 }), (line, query) => {
        const pieces = markMatches(line, query);
        expect(pieces.map(({ text }) => text).join('')).toBe(line);
        for (const { text, isMatch } of pieces) if (isMatch) expect(text.toLowerCase()).toBe(query.toLowerCase());
      }),
    );
  });
});
