import { describe, expect, it } from 'vitest';
import { axeScript, violations } from './support/axe.ts';
import { openView, type View } from './support/harness.ts';
import { badlyFitting } from './support/reading.ts';
import { useBrowser } from './support/set-up.ts';
import { themeNames } from './support/themes.ts';

const { browser, logs } = useBrowser();

async function open(name: string, options: Parameters<typeof openView>[2]): Promise<View> {
  const view = await openView(browser(), logs.sample(name), options);
  await view.page.locator('[role=treeitem], dsh-notices .bar').first().waitFor();
  if (options?.reveal !== undefined) await view.page.locator('dsh-inspector h2').waitFor();
  await view.rest();
  await view.page.evaluate(axeScript);
  return view;
}

describe.each(themeNames)('in %s', (theme) => {
  it('has no accessibility violation, in any tab, panel or dialog', async () => {
    const view = await open('session-0d7c9a44', { theme, reveal: 94 });
    const { page } = view;
    const found: string[] = [];
    for (const tab of ['Pretty', 'Raw', 'Model’s view', 'Sources']) {
      await page.getByRole('tab', { name: tab }).click();
      found.push(...(await violations(page)));
    }
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('textbox', { name: 'Find in session' }).fill('sqlite');
    await page
      .locator('dsh-search .count')
      .filter({ hasText: /of|matches/ })
      .waitFor();
    await page.locator('[role=tree]').focus();
    found.push(...(await violations(page)));
    await page.keyboard.press('?');
    found.push(...(await violations(page)));
    expect(found).toEqual([]);
    expect(await view.problems()).toEqual([]);
    await view.close();
  });

  it('explains damage accessibly', async () => {
    const view = await open('session-damaged-on-disk', { theme });
    await view.page.locator('.chip.warn').click();
    await view.page.locator('dsh-notices li').first().waitFor();
    expect(await violations(view.page)).toEqual([]);
    await view.close();
  });
});

describe('text stays in its box', () => {
  const widths = [1600, 1280, 1000, 760, 600, 420];

  it.each(['session-0d7c9a44', 'session-5b1f0c1e', 'session-plugin-events', 'session-damaged-on-disk'])(
    'in %s at every width',
    async (name) => {
      const view = await open(name, { reveal: 8 });
      const found: string[] = [];
      for (const width of widths) {
        await view.page.setViewportSize({ width, height: 860 });
        await view.rest();
        for (const tab of await view.page.getByRole('tab').all()) {
          await tab.click();
          for (const problem of await badlyFitting(view.page)) found.push(`${String(width)}: ${problem}`);
        }
      }
      expect(found).toEqual([]);
      await view.close();
    },
  );

  it('at 200 % zoom and in the high contrast of both kinds', async () => {
    for (const theme of ['hc-dark', 'hc-light'] as const) {
      const view = await open('session-8c20f7aa', { theme, width: 640, height: 430, scale: 2, reveal: 20 });
      expect(await badlyFitting(view.page)).toEqual([]);
      await view.close();
    }
  });
});

describe('theme change', () => {
  it('repaints the canvases', async () => {
    const view = await open('session-5b1f0c1e', { theme: 'dark' });
    const pixels = (): Promise<string> =>
      view.page.locator('dsh-lanes canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    const dark = await pixels();
    await view.setTheme('light');
    await view.rest();
    expect(await pixels()).not.toBe(dark);
    await view.close();
  });
});
