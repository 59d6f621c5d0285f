// What stands out in the list and what steps back, and that the words which tell most are the ones on screen.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useView } from './support/set-up.ts';

const { logs, open, view } = useView();
const compacted = 'session-0d7c9a44';

/** The row of an event; `part`: a class of one of its cells. */
const cell = (page: Page, seq: number, part: string): Locator =>
  page.getByRole('treeitem', { name: new RegExp(` #${String(seq)}$`) }).locator(part);

const colour = (of: Locator): Promise<string> => of.evaluate((element) => getComputedStyle(element).color);

/** Whether those words of a text are on screen whole, and not behind an ellipsis. */
const isInSight = (of: Locator, words: string): Promise<boolean> =>
  of.evaluate((element, wanted) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const at = node.textContent!.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      return range.getBoundingClientRect().right <= element.getBoundingClientRect().right;
    }
    return false;
  }, words);

describe.each(['dark', 'light'] as const)('the rows of a compacted session in %s', (theme) => {
  it('tell prompts and compactions from what was replaced and from bookkeeping', async () => {
    const { page } = await open(logs.sample(compacted), { theme, reveal: 88, height: 1400 });
    const call = await colour(cell(page, 84, '.detail'));
    expect(await colour(cell(page, 43, '.detail'))).toBe(call); // a prompt, though it was replaced
    expect(await colour(cell(page, 88, '.detail'))).not.toBe(call); // an answer that was replaced
    expect(await colour(cell(page, 97, '.detail'))).not.toBe(call); // a message queued
    const plain = await colour(cell(page, 84, '.title'));
    const failed = await colour(cell(page, 78, '.title')); // replaced as well
    expect([plain, await colour(cell(page, 88, '.title'))]).not.toContain(failed);
    for (const seq of [93, 94]) expect(await colour(cell(page, seq, '.title'))).not.toBe(plain);
    expect(await colour(cell(page, 93, '.title'))).toBe(await colour(cell(page, 94, '.title')));
  });
});

it.each([1280, 900, 600])('a step tells its tokens, and a failed result what failed, %i px wide', async (width) => {
  const { page } = await open(logs.sample(compacted), { width, reveal: 55 });
  expect(await isInSight(cell(page, 50, '.detail'), '107.9k in (21% cached) · 301 out')).toBe(true);
  expect(await isInSight(cell(page, 55, '.detail'), '✗ test/store/dates.test.ts')).toBe(true);
});

it('at 200 % the selected row is in sight, from the host as well as by key', async () => {
  const { page } = await open(logs.sample(compacted), { width: 640, height: 430, scale: 2, reveal: 55 });
  const isWhole = (seq: number): Promise<boolean> =>
    cell(page, seq, '.title').evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  await expect.poll(() => isWhole(55)).toBe(true);
  await page.locator('[role=tree]').focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowDown');
  await view().rest();
  expect(await isWhole(61)).toBe(true);
});
