import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInline, parseMarkdown, type Block, type Inline } from '../../../webview/content/markdown.ts';

const textOf = (inlines: readonly Inline[]): string => inlines.map((inline) => inline.text).join('');

describe('parseMarkdown', () => {
  it('tells blocks apart', () => {
    const kinds = parseMarkdown(
      '# Title\n\nA *small* text\non two lines.\n\n- one\n  - two\n1. three\n\n> said\n\n---\n\n```ts\nlet a = 1;\n```',
    ).map((block) => block.kind);
    expect(kinds).toEqual(['heading', 'paragraph', 'list', 'quote', 'rule', 'code']);
  });

  it('keeps code as it is and takes an open fence to the end', () => {
    expect(parseMarkdown('```js\n**no** <b>\n\n# no')).toEqual([{ kind: 'code', language: 'js', text: '**no** <b>\n\n# no' }]);
    expect(parseMarkdown('````\n```\n````')).toEqual([{ kind: 'code', language: '', text: '```' }]);
  });

  it('reads lists by depth and marker', () => {
    const [list] = parseMarkdown('- a\n  - b\n3) c\n   more') as [Extract<Block, { kind: 'list' }>];
    expect(list.items.map((item) => [item.depth, item.marker, textOf(item.inlines)])).toEqual([
      [0, '•', 'a'],
      [1, '•', 'b'],
      [0, '3.', 'c\nmore'],
    ]);
  });

  it('reads a table', () => {
    const [table] = parseMarkdown('| a | b |\n|---|:-:|\n| 1 | `2` |\nafter') as [Extract<Block, { kind: 'table' }>];
    expect(table.head.map(textOf)).toEqual(['a', 'b']);
    expect(table.rows.map((row) => row.map(textOf))).toEqual([['1', '2']]);
  });

  it('leaves HTML and command links text', () => {
    const [paragraph] = parseMarkdown('<img src=x onerror=alert(1)> [run](command:workbench.action.quit)') as [
      Extract<Block, { kind: 'paragraph' }>,
    ];
    expect(paragraph.inlines).toEqual([
      { kind: 'text', text: '<img src=x onerror=alert(1)> ' },
      { kind: 'link', text: 'run', target: 'command:workbench.action.quit' },
    ]);
  });

  it('loses no word of plain prose', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zäöü中文]{1,12}$/u), { minLength: 1, maxLength: 30 }), (words) => {
        const blocks = parseMarkdown(words.join(' '));
        const text = blocks.map((block) => ('inlines' in block ? textOf(block.inlines) : '')).join('');
        expect(text).toBe(words.join(' '));
      }),
    );
  });

  it('survives anything, in time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (source) => {
        expect(Array.isArray(parseMarkdown(source))).toBe(true);
      }),
    );
    const started = performance.now();
    parseMarkdown('*a '.repeat(20_000) + '`'.repeat(20_000) + '['.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('parseInline', () => {
  it('reads code before emphasis', () => {
    expect(parseInline('a `**b**` **c**')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: '**b**' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
    ]);
  });

  it('does not take a star between spaces for emphasis', () => {
    expect(parseInline('2 * 3 * 4')).toEqual([{ kind: 'text', text: '2 * 3 * 4' }]);
  });
});
