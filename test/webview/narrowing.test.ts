import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedLogs } from '../support/shared.ts';
import { activeName, keptState, rowCount, tree } from './support/reading.ts';
import { useView } from './support/set-up.ts';

const { logs, open, view } = useView();

describe('filters', () => {
  it('leave what they name under its heads, say how much it is, and go away for what is asked for', async () => {
    const { page } = await open(logs.sample('session-5b1f0c1e'));
    const all = await rowCount(page);
    await page.getByRole('button', { name: 'Errors' }).click();
    await view().rest();
    const names = await page.getByRole('treeitem').allTextContents();
    expect(names.length).toBeLessThan(10);
    expect(names.some((name) => /failed/.test(name))).toBe(true);
    expect(await page.locator('.sums').textContent()).toMatch(/^1 of \d+ rows/);
    await view().send('reveal', { seq: 0 });
    await page.locator('dsh-inspector h2').filter({ hasText: '#0' }).waitFor();
    expect(await rowCount(page)).toBe(all);
    expect(await page.getByRole('button', { name: 'Errors' }).getAttribute('aria-pressed')).toBe('false');
  });

  it('fold and unfold all by button', async () => {
    const { page } = await open(logs.sample('session-5b1f0c1e'));
    const all = await rowCount(page);
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await view().rest();
    expect(await rowCount(page)).toBeLessThan(all / 2);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await view().rest();
    expect(await rowCount(page)).toBe(all);
  });

  it('take a stretch marked on the lanes', async () => {
    const { page } = await open(logs.sample('session-5b1f0c1e'));
    const all = await rowCount(page);
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 560, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 960, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.locator('.sums').waitFor();
    const names = await page.getByRole('treeitem', { name: /^Turn \d+:/ }).allTextContents();
    expect(names).toHaveLength(1);
    expect(names[0]).toContain('Turn 2');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await view().rest();
    expect(await rowCount(page)).toBe(all);
  });
});

describe('history', () => {
  it('goes back to former selections and on again', async () => {
    const { page } = await open(logs.sample('session-5b1f0c1e'));
    await page.locator(tree).focus();
    for (const seq of [3, 20, 9]) {
      await view().send('reveal', { seq });
      await page
        .locator('dsh-inspector h2')
        .filter({ hasText: `#${String(seq)}` })
        .waitFor();
    }
    await page.keyboard.press('[');
    await view().rest();
    expect(await activeName(page)).toMatch(/#20$/);
    await page.keyboard.press('[');
    await page.keyboard.press(']');
    await view().rest();
    expect(await activeName(page)).toMatch(/#20$/);
  });

  it('goes back to former zooms', async () => {
    const { page } = await open(logs.sample('session-5b1f0c1e'));
    const viewOf = async (): Promise<unknown> => (await keptState(page))['view'];
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    await page.mouse.move(box.x + 500, box.y + 60);
    await page.keyboard.press('w');
    await expect.poll(viewOf).toBeDefined();
    // The place counts once it has stood for a moment; z does nothing before.
    await expect
      .poll(async () => {
        await page.keyboard.press('z');
        return viewOf();
      })
      .toBeUndefined();
    await page.keyboard.press('Shift+Z');
    await expect.poll(viewOf).toBeDefined();
  });
});

describe('child sessions', () => {
  it('have a lane of their own and open by a double click', async () => {
    const { page, asked } = await open(logs.sample('session-2f6d9e31'));
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    const y = box.y + 24 + 24 + 22 + 22 + 27 + 12; // ruler, turns, steps, model, one lane of calls, then into the agents
    await page.mouse.move(box.x + 200, y);
    await page.locator('.tip').filter({ hasText: 'Double click opens its session' }).waitFor();
    await page.mouse.dblclick(box.x + 200, y);
    await expect.poll(() => asked.filter((call) => call.method === 'openSession')).toHaveLength(1);
    expect(asked.find((call) => call.method === 'openSession')?.args).toEqual({
      id: expect.stringMatching(/^session-/) as string,
    });
  });
});

describe.skipIf(!hasSharedData)('hostile content', () => {
  it('is text and nothing else', async () => {
    for (const log of sharedLogs('cases', '52-hostile-content')) {
      const { page } = await open(log);
      await page.locator(tree).focus();
      const count = Math.min(60, await rowCount(page));
      for (let i = 0; i < count; i++) {
        await page.keyboard.press(i === 0 ? 'Home' : 'ArrowDown');
        await view().rest();
        expect(await page.locator('img, script:not([src]), iframe, object, a[href], svg').count()).toBe(0);
      }
      expect(await view().problems()).toEqual([]);
    }
  });
});
