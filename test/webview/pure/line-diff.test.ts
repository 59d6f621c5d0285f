import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, foldSame } from '../../../webview/content/line-diff.ts';

const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 }).map((lines) => lines.join('\n'));

describe('diffLines', () => {
  it('finds the changed lines', () => {
    expect(diffLines('one\ntwo\nthree', 'one\n2\nthree').map((line) => `${line.kind} ${line.text}`)).toEqual([
      'same one',
      'removed two',
      'added 2',
      'same three',
    ]);
  });

  it('takes a new file as added', () => {
    expect(diffLines('', 'a\nb')).toEqual([
      { kind: 'added', text: 'a' },
      { kind: 'added', text: 'b' },
    ]);
  });

  it('gives both texts back', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before, after);
        expect(
          lines
            .filter((line) => line.kind !== 'added')
            .map((line) => line.text)
            .join('\n'),
        ).toBe(before);
        expect(
          lines
            .filter((line) => line.kind !== 'removed')
            .map((line) => line.text)
            .join('\n'),
        ).toBe(after);
      }),
    );
  });

  it('shows a rewritten large text whole instead of comparing for minutes', () => {
    const many = (word: string): string => Array.from({ length: 3000 }, (_, at) => `${word} ${String(at)}`).join('\n');
    const lines = diffLines(many('old'), many('new'));
    expect(lines.filter((line) => line.kind === 'removed')).toHaveLength(3000);
    expect(lines.filter((line) => line.kind === 'added')).toHaveLength(3000);
  });
});

describe('foldSame', () => {
  it('leaves out what is far from a change', () => {
    const lines = diffLines('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nfour\n5\n6\n7');
    expect(foldSame(lines, 1)).toEqual([-1, 2, 3, 4, 5, -1]);
  });
});
