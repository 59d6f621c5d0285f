import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { badlyFitting } from './support/reading.ts';
import { chinese, compacted, useReplay } from './support/replaying.ts';

const { logs, open, view, replaying } = useReplay();
const forked = 'session-8c20f7aa';

describe('a narrow panel', () => {
  it('shortens the title before where the session comes from, which goes behind the button at last', async () => {
    const { page } = await open(logs.sample(forked), { parentTitle: 'Fix the flaky retry test', width: 600, height: 700 });
    const chip = page.getByRole('button', { name: 'fork of “Fix the flaky retry test” at #51' });
    const isWhole = (): Promise<boolean> =>
      chip.locator('.brief').evaluate((words) => words.textContent === 'Forked at #51' && words.scrollWidth <= words.clientWidth);
    for (const width of [900, 600, 480]) {
      await page.setViewportSize({ width, height: 700 });
      await view().rest();
      const fits = await chip.evaluate((button) => button.scrollWidth <= button.clientWidth);
      expect([width, fits, await isWhole()]).toEqual([width, true, true]);
    }
    await page.setViewportSize({ width: 400, height: 700 });
    await view().rest();
    expect(await chip.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More about the session' }).click();
    await chip.click();
    await expect.poll(() => view().asked.some(({ method }) => method === 'openSession')).toBe(true);
    expect(await badlyFitting(page)).toEqual([]);
  });

  it.each(['en', 'zh-cn'])('cuts no name of the usual rows, in %s', async (locale) => {
    const bundle = locale === 'en' ? {} : chinese();
    const { page } = await open(logs.sample(compacted), { locale, bundle, width: 520, height: 1600 });
    for (const width of [520, 420]) {
      await page.setViewportSize({ width, height: 1600 });
      await view().rest();
      const cut = await page
        .locator('dsh-list .scroller .title')
        .evaluateAll((titles) =>
          titles.filter((title) => title.scrollWidth > title.clientWidth).map((title) => title.textContent),
        );
      expect(await page.locator('dsh-list .scroller .title').count()).toBeGreaterThan(20);
      expect([width, cut]).toEqual([width, []]);
    }
  });

  it.each([
    { width: 600, height: 700 },
    { width: 760, height: 640 },
  ])('shows the title and the tabs of the inspector above the bar of a replay, %o', async (size) => {
    await replaying(50, size);
    const { page } = view();
    const bar = await page.locator('dsh-replay-bar').evaluate((element) => element.getBoundingClientRect().top);
    const tabs = await page.getByRole('tab', { name: 'Pretty' }).evaluate((tab) => tab.getBoundingClientRect().bottom);
    expect(tabs).toBeLessThan(bar);
    expect(await page.locator('dsh-list .scroller').evaluate((list) => list.clientHeight)).toBeGreaterThanOrEqual(144);
  });
});

describe('a log in which no time passes', () => {
  it('is on the axis of seqs, and says why', async () => {
    const log = new LogBuilder({ version: 4, id: 'session-at-once', createdAt: 1_790_000_000_000 });
    const now = log.now;
    Object.defineProperty(log, 'now', { get: () => now, set: () => undefined });
    log.prompt('hello');
    log.reply('A short answer.');
    const { page } = await open(await logs.write(log));
    const [time, seq] = ['Time', 'Seq'].map((name) => page.getByRole('button', { name, exact: true }));
    expect(await time!.isDisabled()).toBe(true);
    expect(await time!.getAttribute('title')).toBe('Time · No time passes between the events of this log');
    expect(await seq!.getAttribute('aria-pressed')).toBe('true');
    await view().send('command', { name: 'toggleAxis' });
    await view().rest();
    expect(await seq!.getAttribute('aria-pressed')).toBe('true');
  });
});
