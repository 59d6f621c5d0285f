import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { axeScript, violations } from './support/axe.ts';
import { badlyFitting, savedState, tree } from './support/reading.ts';
import { chinese, compacted, useReplay } from './support/replaying.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { writeLog } from '../support/write-log.ts';

const { logs, open, view, replaying, bar, place, button } = useReplay();

describe('the stage and the bar of a replay', () => {
  it('keeps the todo in progress in sight of a list that is longer than its place', async () => {
    const log = new LogBuilder({ version: 4, id: 'todo', createdAt: Date.UTC(2026, 10, 20), cwd: '/work' });
    log.prompt('Do it all.');
    const items = Array.from({ length: 12 }, (_, i) => `Item ${String(i)}`);
    const written = [3, 9].map((at) => {
      const seq = log.todos(
        ...items.map((item, i) => [item, i < at ? 'completed' : i === at ? 'in_progress' : 'pending'] as const),
      );
      log.reply('Going on.');
      log.prompt('And on.');
      return seq;
    });
    log.reply('Done.');
    const folder = await mkdtemp(join(tmpdir(), 'dsh-replay-'));
    await open(await writeLog(folder, log.header, log.events));
    for (const [i, seq] of written.entries()) {
      await view().send('replay', { seq: seq + 1 });
      const current = bar('li.in_progress').filter({ hasText: `Item ${String([3, 9][i])}` });
      await current.waitFor();
      await view().rest();
      const isInside = await current.evaluate((item) => {
        const [box, list] = [item.getBoundingClientRect(), item.parentElement!.getBoundingClientRect()];
        return box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
      });
      expect(isInside).toBe(true);
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps rows below the playhead’s in sight where there are any, also where the row was selected already', async () => {
    await replaying(0, { width: 1000, height: 700 });
    const { page } = view();
    /** Height in sight above and below the selected row, px. */
    const around = async (): Promise<{ above: number; below: number }> => {
      await view().rest();
      return page.locator('dsh-list [aria-selected=true]').evaluate((row) => {
        const [box, list] = [row.getBoundingClientRect(), row.closest('.scroller')!.getBoundingClientRect()];
        return { above: box.top - list.top, below: list.bottom - box.bottom };
      });
    };
    await bar('[role=slider]').focus();
    expect(await around()).toMatchObject({ above: 0 });
    const seen: number[] = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('ArrowRight');
      seen.push((await around()).below);
    }
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(72);
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Shift+ArrowLeft');
      expect((await around()).above).toBeGreaterThanOrEqual(0);
      expect((await around()).below).toBeGreaterThanOrEqual(72);
    }
    await page.keyboard.press('End');
    expect((await around()).below).toBeGreaterThanOrEqual(0);
    await button('Leave the replay').click();
    await page.locator(tree).evaluate((list) => list.scrollTo(0, 0));
    await view().rest();
    await view().send('replay', { seq: 127 });
    await bar('.place.number').waitFor();
    expect((await around()).below).toBeGreaterThanOrEqual(0);
  });

  it('takes the focus when it is ready, but not from who has gone on to something else meanwhile', async () => {
    const { page } = await open(logs.sample(compacted));
    const hasFocus = (): Promise<boolean> =>
      page.evaluate(() => (document.querySelector('dsh-app')?.shadowRoot?.activeElement?.localName ?? '') === 'dsh-replay-bar');
    const replayFrom = async (seq: number): Promise<void> => {
      await view().send('replay', { seq });
      await bar('.place.number').waitFor();
      await view().rest();
    };
    await page.locator(tree).focus();
    await replayFrom(5);
    expect(await hasFocus()).toBe(true);
    await button('Leave the replay').click();
    await page.evaluate(() => {
      const root = document.querySelector('dsh-app')!.shadowRoot!;
      new MutationObserver((_, observer) => {
        if (!root.querySelector('dsh-replay-bar')) return;
        observer.disconnect();
        root.querySelector('dsh-header')!.shadowRoot!.querySelector('button')!.focus();
      }).observe(root, { childList: true, subtree: true });
    });
    await replayFrom(6);
    expect(await hasFocus()).toBe(false);
    await button('Leave the replay').click();
    // The editor's own input has the focus, and what has it in the page is the list as before.
    await page.locator(tree).focus();
    await page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await replayFrom(7);
    expect(await hasFocus()).toBe(false);
  });

  it('is there again after a reload, where it was, unless it was left', async () => {
    await replaying(30);
    const { page } = view();
    await bar('[role=slider]').press('ArrowRight');
    await view().rest();
    await savedState(page);
    await page.reload();
    await bar('.place.number').waitFor();
    await view().rest();
    expect(await place()).toBe(31);
    expect(await button('Play (Space)').count()).toBe(1); // at rest
    await button('Leave the replay').click();
    await savedState(page);
    await page.reload();
    await page.locator('[role=treeitem]').first().waitFor();
    await view().rest();
    expect(await bar('section').count()).toBe(0);
  });

  it('announces where the playhead comes to rest, and is still while it plays', async () => {
    await replaying(5);
    const { page } = view();
    await page.evaluate(() => {
      const live = document
        .querySelector('dsh-app')!
        .shadowRoot!.querySelector('dsh-announcer')!
        .shadowRoot!.querySelector('[role=status]')!;
      const said: string[] = ((window as unknown as { said: string[] }).said = []);
      new MutationObserver(() => said.push(live.textContent.trim())).observe(live, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    const said = (): Promise<string[]> => page.evaluate(() => (window as unknown as { said: string[] }).said);
    await bar('[role=slider]').press('ArrowRight');
    await expect.poll(said).toEqual(['Selected #6: Step 1.1 started']);
    await bar('section').getByRole('radio', { name: '32 times' }).click();
    await button('Play (Space)').click();
    await expect.poll(place).toBeGreaterThan(40);
    expect((await said()).length).toBe(1);
    await button('Pause (Space)').click();
    await expect.poll(async () => (await said()).length).toBe(2);
    expect((await said())[1]).toMatch(/^Selected #\d+: /);
  });

  it.each(['en', 'zh-cn'])('has one line of what happens in a low panel, and wraps nothing: %s', async (locale) => {
    const bundle = locale === 'en' ? {} : chinese();
    await open(logs.sample('session-5b1f0c1e'), { locale, bundle, width: 1200, height: 640 });
    const { page } = view();
    await view().send('replay', { seq: 60 });
    await bar('.place.number').waitFor();
    const middle = async (name: string): Promise<number> => {
      const { y, height } = (await bar(name).boundingBox())!;
      return y + height / 2;
    };
    for (const width of [1200, 960, 900, 761, 640, 584, 520, 420, 283]) {
      await page.setViewportSize({ width, height: 640 });
      await view().rest();
      const at = String(width);
      expect((await bar('.strip').boundingBox())!.height, at).toBeLessThan(30);
      const most = width > 760 ? 64 : width > 480 ? 86 : 114;
      expect((await page.locator('dsh-replay-bar').boundingBox())!.height, at).toBeLessThan(most);
      expect(Math.abs((await middle('.leave')) - (await middle('.play'))), at).toBeLessThan(3);
      expect(Math.abs((await middle('.action')) - (await middle(width > 480 ? '.play' : '.says'))), at).toBeLessThan(3);
      const close = (await bar('.leave').boundingBox())!;
      expect(close.x + close.width, at).toBeLessThanOrEqual(width);
      const [stream, state] = [(await bar('.stream').boundingBox())!, (await bar('.state').boundingBox())!];
      expect(stream.x + stream.width, at).toBeLessThanOrEqual(state.x);
      expect(await badlyFitting(page), at).toEqual([]);
    }
    await page.setViewportSize({ width: 1200, height: 640 });
    await view().rest();
    // A todo list of three with one in progress stands there at #60; it is reached, as is all that streams.
    expect(await bar('.todo').innerText()).toContain('Assert on the delays');
    expect(await bar('ul').count()).toBe(0);
    await bar('.toggle').click();
    expect((await bar('.strip').boundingBox())!.height).toBeGreaterThan(72);
    expect(await bar('ul li').count()).toBe(3);
    expect(await bar('.toggle').getAttribute('aria-expanded')).toBe('true');
    await bar('.toggle').click();
    expect(await bar('ul').count()).toBe(0);
    await page.setViewportSize({ width: 1200, height: 760 });
    await view().rest();
    expect(await bar('ul li').count()).toBe(3);
    expect(await bar('.toggle').count()).toBe(0);
  });

  it('shows the end of what streams in its one line, and what was folded before what folded it', async () => {
    await replaying(0, { height: 600 });
    const { page } = view();
    await page.keyboard.press('Shift+ArrowRight');
    let isCut = false;
    for (let i = 0; i < 40 && !isCut; i++) {
      await page.keyboard.press('.');
      await view().rest();
      const { left, space, cut } = await bar('.stream').evaluate((line) => ({
        left: line.scrollLeft,
        space: line.scrollWidth - line.clientWidth,
        cut: line.hasAttribute('cut'),
      }));
      expect(left).toBe(space);
      expect(cut).toBe(space > 0);
      isCut = cut;
    }
    expect(isCut).toBe(true);
    await view().send('replay', { seq: 71 });
    await bar('.folded').waitFor();
    await view().rest();
    expect((await bar('.stream').innerText()).trim()).toMatch(/#71 takes the place of 22 messages$/);
  });

  it('keeps the knob of its slider clear of the words beside it, at either end', async () => {
    await replaying(0);
    const { page } = view();
    await bar('[role=slider]').focus();
    for (const key of ['Home', 'End']) {
      await page.keyboard.press(key);
      for (const width of [1280, 900, 640]) {
        await page.setViewportSize({ width, height: 800 });
        await view().rest();
        const [knob, words, own] = await Promise.all([bar('.knob'), bar('.at'), bar('section')].map((one) => one.boundingBox()));
        expect(words!.x - knob!.x - knob!.width, `${key} ${String(width)}`).toBeGreaterThanOrEqual(6);
        expect(knob!.x).toBeGreaterThanOrEqual(own!.x + 6);
      }
    }
  });

  it('says of a context figure from before a compaction that it is, until the next is recorded', async () => {
    await replaying(72);
    const { page } = view();
    const said = async (): Promise<string> => (await bar('.context').innerText()).replace(/\s+/g, ' ').trim();
    expect(await said()).toBe('109.4k of 128k tokens before #71 measured again with the next answer');
    expect(await bar('.context').getAttribute('title')).toMatch(
      /^As recorded with the last answer\. #71 has folded messages since/,
    );
    expect(await bar('.gauge.old').count()).toBe(1);
    // One line has no room for all of it to be seen; it is read out.
    await page.setViewportSize({ width: 600, height: 600 });
    await view().rest();
    expect(await bar('.short').innerText()).toBe('109.4k / 128k before #71');
    expect(await bar('section').getByText('measured again with the next answer').count()).toBe(1);
    await page.setViewportSize({ width: 1280, height: 860 });
    await bar('[role=slider]').focus();
    await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 400 && (await place()) < 74; i++) await page.keyboard.press('.');
    for (let i = 0; i < 10 && (await said()).includes('before'); i++) await page.keyboard.press('ArrowRight');
    expect(await place()).toBe(74); // the answer that carries the next figure
    expect(await said()).toMatch(/^\d+(\.\d)?k of 128k tokens in context$/);
    expect(await bar('.state').innerText()).not.toContain('Move the invoice store'); // the view's own title says it
  });
});

describe.each(['dark', 'light', 'hc-dark'] as const)('looks: %s', (theme) => {
  it('fits at 600 px and wider, and has no accessibility violation', async () => {
    await replaying(60, { theme, width: 1280, height: 860 });
    const { page } = view();
    expect(await badlyFitting(page)).toEqual([]);
    mkdirSync('test/webview/.out', { recursive: true });
    await page.screenshot({ path: `test/webview/.out/replay-${theme}.png` });
    await page.evaluate(axeScript);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 600, height: 800 });
    await view().rest();
    expect(await badlyFitting(page)).toEqual([]);
    await page.screenshot({ path: `test/webview/.out/replay-${theme}-600.png` });
    await page.setViewportSize({ width: 600, height: 600 });
    await view().rest();
    expect(await violations(page)).toEqual([]);
  });
});
