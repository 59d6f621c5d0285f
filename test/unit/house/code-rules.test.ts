import { describe, expect, it } from 'vitest';
import { longFiles, maxLines, sizeProblems, sleepProblems, unfinishedProblems } from './code-rules.ts';
import { formatProblems } from './problem.ts';
import { sourceFiles } from './source-files.ts';

const source = (content: string, file = 'test/unit/a.test.ts') => ({ file, content });

describe('file size', () => {
  it(`stays at or under ${maxLines} lines, or is excused with a reason`, () => {
    const files = sourceFiles(['src', 'webview', 'test', 'scripts'], ['.ts', '.mjs']);
    expect(files.length).toBeGreaterThan(0);
    expect(formatProblems(sizeProblems(files, longFiles))).toEqual([]);
  });

  it('finds a file that is one line too long, and a stale excuse', () => {
    const long = source('x\n'.repeat(maxLines + 1), 'src/core/long.ts');
    expect(formatProblems(sizeProblems([long, source('x\n'.repeat(maxLines))], {}))).toEqual([
      'src/core/long.ts:501 has 501 lines, more than 500',
    ]);
    expect(sizeProblems([long], { 'src/core/long.ts': 'a table' })).toEqual([]);
    expect(formatProblems(sizeProblems([], { 'src/core/gone.ts': 'a table' }))).toEqual([
      'src/core/gone.ts:1 is listed as a long file but is not one',
    ]);
  });
});

describe('sleeping', () => {
  it('happens in no test and no script', () => {
    const files = sourceFiles(['test', 'scripts'], ['.ts', '.mjs']);
    expect(files.flatMap((file) => formatProblems(sleepProblems(file)))).toEqual([]);
  });

  it.each([
    'await new Promise((resolve) => setTimeout(resolve, 100));',
    'await new Promise((r) => { setTimeout(() => r(), 100); });',
    'await new Promise(function (done) { setTimeout(function () { done(1); }, 5); });',
    "import { setTimeout as later } from 'node:timers/promises';",
    'await page.waitForTimeout(500);',
    'await sleep(3);',
    'Atomics.wait(cell, 0, 0, 50);',
  ])('is found: %s', (content) => {
    expect(sleepProblems(source(content))).toHaveLength(1);
  });

  it.each([
    'await new Promise((resolve, reject) => { setTimeout(() => reject(new Error("late")), 100); child.once("exit", resolve); });',
    'setTimeout(tick, 10);',
    'await page.locator("x").waitFor({ timeout: 100 });',
  ])('is not seen in: %s', (content) => {
    expect(sleepProblems(source(content))).toEqual([]);
  });
});

describe('unfinished work', () => {
  it('is nowhere', () => {
    const files = sourceFiles(['src', 'webview', 'test', 'scripts'], ['.ts', '.mjs']).filter(
      ({ file }) => !file.startsWith('test/unit/house/'),
    );
    expect(files.flatMap((file) => formatProblems(unfinishedProblems(file)))).toEqual([]);
  });

  it.each(['// TODO: later', '/* FIXME */', ' * XXX', 'try { f(); } catch {}', 'try { f(); } catch (e) { /* never mind */ }'])(
    'is found: %s',
    (content) => {
      expect(unfinishedProblems(source(content))).toHaveLength(1);
    },
  );

  it('is not seen in data or in a catch that answers', () => {
    expect(unfinishedProblems(source('const kind = "TODO"; try { f(); } catch { return undefined; }'))).toEqual([]);
  });
});
