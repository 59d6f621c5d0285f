import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { english, type Text } from '../../../src/core/index.ts';
import type { Comparison, SideName } from '../../../src/protocol/index.ts';
import { addComparison } from '../../../src/worker/documents/comparison.ts';
import { Lines } from '../../../src/worker/documents/lines.ts';

const bundle = JSON.parse(readFileSync(new URL('../../../l10n/bundle.l10n.zh-cn.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;
const chinese = (sentence: Text): string => english({ ...sentence, template: bundle[sentence.template] ?? sentence.template });

const half = 48; // columns of half a diff in a window of 1,400 pixels with its side bar

/** Columns as the editor draws them, for what these tests are made of. */
const columns = (line: string): number =>
  [...line].reduce((sum, character) => sum + (/[\p{Script=Han}，。：；（）“”]/u.test(character) ? 2 : 1), 0);

const side = (point: string, session = '', role = ''): SideName => ({ session, role, point });

function compared(left: SideName, right: SideName, rest: Partial<Comparison> = {}): Comparison {
  return {
    subject: 'derived history',
    heading: 'seq',
    left: { ...left, messages: 6, tokens: 1100 },
    right: { ...right, messages: 8, tokens: undefined },
    same: 6,
    changed: 0,
    onlyLeft: 0,
    onlyRight: 2,
    first: { message: 7, right: '#23' },
    request: undefined,
    ...rest,
  };
}

function linesOf(comparison: Comparison, t: (sentence: Text) => string = english): string[] {
  const lines = new Lines();
  addComparison(lines, comparison, t);
  return lines.finish('').text.trimEnd().split('\n');
}

const counts = [
  'messages: 6 | 8',
  'tokens: 1.1k | –',
  'on both sides: 6 · changed: 0',
  'left only: 0 · right only: 2',
  'first difference: message 7, – | #23',
];

describe('the first lines of a comparison', () => {
  it('of one session name it in one line', () => {
    expect(linesOf(compared(side('#18'), side('#25')))).toEqual(['Compared: #18 | #25 · derived history', ...counts]);
  });

  it('of two sessions name each in its own, and say what the digits in the headings are', () => {
    const two = compared(side('#18', 'The other way round', 'fork'), side('#18', 'The parser drops a line', 'parent'), {
      heading: 'seq-content',
    });
    expect(linesOf(two)).toEqual([
      'Compared: derived history',
      'left (fork): The other way round #18',
      'right (parent): The parser drops a line #18',
      ...counts,
      'headings end in a hash of the message’s content',
    ]);
    expect(linesOf(compared(side('#1', 'One'), side('#2', 'Two'))).slice(1, 3)).toEqual(['left: One #1', 'right: Two #2']);
  });

  it('of a session and its migration say so on both sides, and of what the digits are', () => {
    const first = { message: 12, left: '0123abcd', right: '89ef4567' };
    const [title, second, ...rest] = linesOf(compared(side('#18'), side('migrated'), { heading: 'id', first }));
    expect([title, second, ...rest.slice(-3)]).toEqual([
      'Compared: #18 | migrated · derived history',
      'migrated in memory to format 4; nothing written',
      'first difference: message 12', // in one line it were 49 columns
      '  0123abcd | 89ef4567',
      'headings end in a hash of the message’s id',
    ]);
  });

  it('keep the point of a session whose title is too long, in any script', () => {
    const long = compared(side('#12345', 'word '.repeat(20)), side('#12345', '为什么解析器会丢掉最后一行'.repeat(4), '父会话'));
    const [, left = '', right = ''] = linesOf(long, chinese);
    expect(left).toMatch(/^左侧：word (word )+[word]*… #12345$/);
    expect(right).toMatch(/^右侧（父会话）：为什么解析器[\p{Script=Han}]+… #12345$/u);
    expect([columns(left), columns(right)].map((n) => n > half - 6 && n <= half)).toEqual([true, true]); // as much as fits
  });

  it('break a long list of tools', () => {
    const tools = ['bash', 'read', 'write', 'edit', 'glob', 'grep', 'todo_write', 'subagent'];
    const request = { systemChanged: true, settingsChanged: false, toolsAdded: tools, toolsRemoved: [], toolsChanged: [] };
    expect(linesOf(compared(side('1.1'), side('1.2'), { subject: 'request', request })).slice(-4)).toEqual([
      'system prompt: changed',
      'settings: the same',
      'tools added: bash, read, write, edit, glob,', // 43 columns; with "grep," it were 49
      '  grep, todo_write, subagent',
    ]);
  });

  it('are in no language wider than half a window', () => {
    const words = fc.stringMatching(/^[a-z ]{0,60}$|^[\u4e00-\u4fff]{0,40}$/);
    const name = fc.record({
      session: words,
      role: fc.constantFrom('', 'fork', 'subagent', '分叉'),
      point: fc.constantFrom('#7', '#12345', '12.34 (5)'),
    });
    const count = fc.nat(9999);
    const style = fc.constantFrom('seq' as const, 'seq-content' as const, 'content' as const, 'id' as const);
    fc.assert(
      fc.property(name, name, count, style, fc.array(fc.stringMatching(/^[a-z_]{1,20}$/)), (left, right, n, heading, tools) => {
        const comparison = compared(left, right, {
          heading,
          same: n,
          changed: n,
          onlyLeft: n,
          onlyRight: n,
          first: { message: n, left: heading === 'seq' ? `#${n}` : '0123abcd', right: `#${n}` },
          request: { systemChanged: true, settingsChanged: true, toolsAdded: tools, toolsRemoved: tools, toolsChanged: tools },
        });
        for (const t of [english, chinese]) expect(linesOf(comparison, t).filter((line) => columns(line) > half)).toEqual([]);
      }),
    );
  });
});
