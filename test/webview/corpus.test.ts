import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedLogs } from '../support/shared.ts';
import { launchBrowser, openView } from './support/harness.ts';
import { rowCount } from './support/reading.ts';

/** Real logs of every kind: one generation of each v0 session, every log made by hand, and half of those broken on purpose. */
const logs = hasSharedData
  ? [
      ...sharedLogs('corpus', 'v0', 'zstd').filter((path, index) =>
        path.endsWith(index % 2 === 0 ? 'session.jsonl.zstd' : 'session.v4.jsonl.zstd'),
      ),
      ...sharedLogs('corpus', 'native'),
      ...sharedLogs('corpus', 'faults').filter((path, index) => !path.includes('after-load') && index % 2 === 0),
      ...[
        '04-unknown-required-event',
        '18-bad-neighbours',
        '24-fork-seed-v0',
        '34-replace-dialects',
        '50-line-separators',
      ].flatMap((name) => sharedLogs('cases', name)),
    ]
  : [];

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe.skipIf(!hasSharedData)('real logs', () => {
  it('open without an error, and every row takes the selection', { timeout: 600_000 }, async () => {
    const troubled: string[] = [];
    expect(logs.length).toBeGreaterThan(80);
    for (const log of logs) {
      const view = await openView(browser, log, { theme: 'light' });
      await view.page.locator('[role=tree], dsh-notices .bar').first().waitFor();
      await view.rest();
      const count = (await view.page.locator('.spacer').count()) === 0 ? 0 : await rowCount(view.page);
      const selected = await selectAll(view.page, Math.min(count, 400));
      await view.rest();
      const problems = await view.problems();
      if (problems.length > 0) troubled.push(`${log}: ${problems.join(' | ')}`);
      if (selected !== Math.min(count, 400))
        troubled.push(`${log}: ${String(selected)} of ${String(count)} rows could be selected`);
      await view.close();
    }
    expect(troubled).toEqual([]);
  });
});

/** Walks down the list by key, faster than anyone types, and counts the different rows selected on the way. */
async function selectAll(page: Parameters<typeof rowCount>[0], count: number): Promise<number> {
  if (count === 0) return 0;
  return page.locator('[role=tree]').evaluate((tree, rows) => {
    const { model } = document.querySelector('dsh-app') as unknown as { model: { selectedRow: number } };
    const seen = new Set<number>();
    for (let i = 0; i < rows; i++) {
      tree.dispatchEvent(new KeyboardEvent('keydown', { key: i === 0 ? 'Home' : 'ArrowDown', bubbles: true, composed: true }));
      seen.add(model.selectedRow);
    }
    return seen.size;
  }, count);
}
