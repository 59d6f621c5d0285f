import { appendFile, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { activeName, activeRow, keptState, rowCount, savedState, selectedTab, tree } from './support/reading.ts';
import { useView } from './support/set-up.ts';

const { logs, open, view } = useView();
const chat = 'session-5b1f0c1e';
const compacted = 'session-0d7c9a44';

describe('opening', () => {
  it('shows what the log is and asks for no event body', async () => {
    const { page, asked } = await open(logs.sample(compacted));
    expect(await page.locator('h1').textContent()).toBe('Move the invoice store to SQLite');
    expect(await page.locator('dsh-header .chips').textContent()).toMatch(
      /5 turns · 16 steps · 18 calls.*tokens.*v4 · zstd.*acme-api/s,
    );
    expect(new Set(asked.map((call) => call.method))).toEqual(new Set(['ready', 'overview', 'table', 'rows']));
    expect(await page.getByRole('treeitem', { name: /^Turn 1: / }).count()).toBe(1);
  });

  it('shows a seq it is asked to reveal', async () => {
    const { page } = await open(logs.sample(compacted), { reveal: 94 });
    await page.locator('dsh-inspector h2').filter({ hasText: '#94' }).waitFor();
    expect(await activeName(page)).toContain('#94');
  });

  it('speaks Chinese all over', async () => {
    const file = new URL('../../l10n/bundle.l10n.zh-cn.json', import.meta.url);
    const bundle = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const { page } = await open(logs.sample(chat), { locale: 'zh-cn', bundle, reveal: 4 });
    await page.locator('dsh-inspector h2').waitFor();
    expect(await page.getByRole('button', { name: '折叠空闲' }).count()).toBe(1);
    expect((await page.getByRole('tab').allTextContents()).map((text) => text.trim())).toEqual([
      '易读',
      '原文',
      '模型所见',
      '来源',
    ]);
    expect(await page.getByRole('treeitem', { name: /^轮次 1[：:]/ }).count()).toBe(1);
  });
});

describe('keyboard', () => {
  it('reaches every row with one tab stop', async () => {
    const { page } = await open(logs.sample(chat));
    await page.locator(tree).focus();
    await page.keyboard.press('Home');
    const count = await rowCount(page);
    const seen: number[] = [];
    for (let i = 0; i < count + 2; i++) {
      await view().rest();
      seen.push(await activeRow(page));
      await page.keyboard.press('ArrowDown');
    }
    expect(seen.slice(0, count)).toEqual(Array.from({ length: count }, (_, row) => row));
    expect(seen.at(-1)).toBe(count - 1);
    expect(await page.locator('dsh-list [tabindex]').count()).toBe(1);
  });

  it('folds, unfolds, goes in and out', async () => {
    const { page } = await open(logs.sample(chat));
    await page.locator(tree).focus();
    const turn = page.getByRole('treeitem', { name: /^Turn 1: / });
    await turn.click();
    const before = await rowCount(page);
    await page.keyboard.press('ArrowLeft');
    await view().rest();
    expect(await turn.getAttribute('aria-expanded')).toBe('false');
    expect(await rowCount(page)).toBeLessThan(before);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await view().rest();
    expect(await rowCount(page)).toBe(before);
    expect(await activeName(page)).not.toMatch(/^Turn 1/);
    await page.keyboard.press('ArrowLeft');
    await view().rest();
    expect(await activeName(page)).toMatch(/^Turn 1/);
    await page.keyboard.press('-');
    await view().rest();
    expect(await rowCount(page)).toBeLessThan(before / 2);
    await page.keyboard.press('*');
    await view().rest();
    expect(await rowCount(page)).toBe(before);
  });

  it('finds a row by typing its name', async () => {
    const { page } = await open(logs.sample(chat));
    await page.locator(tree).focus();
    await page.keyboard.press('Home');
    await page.keyboard.type('bash');
    await view().rest();
    expect(await activeName(page)).toMatch(/^bash/);
  });

  it('shows the keys on a question mark and gives the focus back', async () => {
    const { page } = await open(logs.sample(chat));
    await page.locator(tree).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and mouse' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(
      await page.locator('dsh-list').evaluate((list) => list.matches(':focus-within') || list.shadowRoot!.activeElement !== null),
    ).toBe(true);
  });

  it('walks through the tabs with the arrows', async () => {
    const { page } = await open(logs.sample(chat), { reveal: 8 });
    await page.getByRole('tab', { name: 'Pretty' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await selectedTab(page)).toBe('Raw');
    expect(await page.locator('pre.raw').textContent()).toContain('"seq":8');
    await page.keyboard.press('End');
    expect(await selectedTab(page)).toBe('Sources');
    expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(1);
  });
});

describe('one selection everywhere', () => {
  it('goes from the lanes to the list, the inspector and the host', async () => {
    const { page, asked } = await open(logs.sample(chat));
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    const y = box.y + 24 + 24 + 22 + 22 + 12; // ruler, turns, steps, model, then into the calls
    let title = '';
    for (let x = box.x + 90; x < box.x + box.width && title === ''; x += 3) {
      await page.mouse.move(x, y);
      const tip = page.locator('dsh-lanes .tip .head');
      if ((await tip.count()) === 0) continue;
      title = (await tip.textContent())!.split(' ')[0]!;
      await page.mouse.click(x, y);
    }
    await view().rest();
    const name = await activeName(page);
    expect(title).not.toBe('');
    expect(name.startsWith(title)).toBe(true);
    const seq = /#(\d+)$/.exec(name)![1]!;
    await page
      .locator('dsh-inspector h2')
      .filter({ hasText: `#${seq}` })
      .waitFor();
    await expect.poll(() => asked.filter((call) => call.method === 'selected').at(-1)?.args).toEqual({ seq: Number(seq) });
  });

  it('follows a link of the inspector', async () => {
    const { page } = await open(logs.sample(compacted), { reveal: 94 });
    await page.getByRole('tab', { name: 'Sources' }).click();
    const link = page.locator('dsh-inspector .panel .link').first();
    const target = (await link.textContent())!.trim();
    await link.click();
    await page.locator('dsh-inspector h2').filter({ hasText: target }).waitFor();
    expect(await activeName(page)).toMatch(new RegExp(`${target}$`));
  });

  it('gives the host what the menu is about, from the row, the keyboard and the canvas', async () => {
    const { page } = await open(logs.sample(chat));
    const menus = async (): Promise<Record<string, unknown>> =>
      JSON.parse(
        (await page.evaluate(() => (window as unknown as { contextMenus: string[] }).contextMenus.at(-1))) ?? '{}',
      ) as Record<string, unknown>;
    await page.getByRole('treeitem', { name: /^Turn 1: / }).click({ button: 'right' });
    const turn = await menus();
    expect(turn).toMatchObject({ webviewSection: 'turn', turn: 1, preventDefaultContextMenuItems: true });
    const step = page.getByRole('treeitem', { name: /^Step 1\.1: / });
    await step.click();
    await page.keyboard.press('Shift+F10');
    expect(await menus()).toMatchObject({ webviewSection: 'step', turn: 1, step: 1, attempt: 1 });
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    await page.mouse.click(box.x + 120, box.y + 24 + 12, { button: 'right' });
    expect(await menus()).toEqual(turn);
  });
});

describe('place', () => {
  it('zooms by wheel and keys and fits again by a double click', async () => {
    const { page } = await open(logs.sample(chat));
    const box = (await page.locator('dsh-lanes canvas').boundingBox())!;
    await page.mouse.move(box.x + 500, box.y + 60);
    await page.mouse.wheel(0, -400);
    await expect.poll(async () => (await keptState(page))['view']).toBeDefined();
    const { from, to } = (await keptState(page))['view'] as { from: number; to: number };
    await page.keyboard.press('w');
    await expect.poll(async () => ((await keptState(page))['view'] as { to: number }).to).toBeLessThan(to);
    const closer = (await keptState(page))['view'] as { from: number; to: number };
    expect(closer.from).toBeGreaterThan(from);
    await page.keyboard.press('0');
    await expect.poll(async () => (await keptState(page))['view']).toBeUndefined();
  });

  it('is the same after a reload', async () => {
    const { page } = await open(logs.sample(compacted));
    await view().send('reveal', { seq: 60 });
    await page.locator('dsh-inspector h2').filter({ hasText: '#60' }).waitFor();
    await page.getByRole('button', { name: 'Seq', exact: true }).click();
    await page
      .getByRole('treeitem', { name: /^Step 3\.1: / })
      .locator('.twisty')
      .click();
    await page.getByRole('tab', { name: 'Raw' }).click();
    const box = (await page.locator('dsh-overview canvas').first().boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.locator('.scroller').evaluate((element) => element.scrollTo(0, 777));
    await view().rest();
    const name = await activeName(page);
    const rows = await rowCount(page);
    const kept = await savedState(page);
    await page.reload();
    await page.locator('[role=treeitem]').first().waitFor();
    await page.locator('dsh-inspector h2').waitFor();
    await view().rest();
    expect(await savedState(page)).toEqual(kept);
    expect(await rowCount(page)).toBe(rows);
    expect(await page.locator('.scroller').evaluate((element) => element.scrollTop)).toBe(777);
    expect(await page.getByRole('button', { name: 'Seq', exact: true }).getAttribute('aria-pressed')).toBe('true');
    expect(await selectedTab(page)).toBe('Raw');
    expect(await activeName(page)).toBe(name);
  });

  it('keeps the selected row in sight when the panel gets lower or narrower, and leaves alone who scrolled away from it', async () => {
    const { page } = await open(logs.sample(compacted), { width: 1100, height: 860 });
    await page.locator('[role=treeitem]').first().click();
    await page.locator('.scroller').focus();
    const last = Math.floor((await page.locator('.scroller').evaluate((list) => list.clientHeight)) / 24) - 1;
    for (let i = 0; i < last; i++) await page.keyboard.press('ArrowDown');
    await view().rest();
    const isInSight = (): Promise<boolean> =>
      page.locator('dsh-list [aria-selected=true]').evaluate((row) => {
        const [box, list] = [row.getBoundingClientRect(), row.closest('.scroller')!.getBoundingClientRect()];
        return box.top >= list.top && box.bottom <= list.bottom;
      });
    for (const size of [
      { width: 1100, height: 760 },
      { width: 1100, height: 640 },
      { width: 700, height: 640 },
    ]) {
      await page.setViewportSize(size);
      await view().rest();
      expect(await isInSight(), JSON.stringify(size)).toBe(true);
    }
    await page.locator('.scroller').evaluate((list) => list.scrollTo(0, 1200));
    await view().rest();
    await page.setViewportSize({ width: 700, height: 600 });
    await view().rest();
    expect(await page.locator('.scroller').evaluate((list) => list.scrollTop)).toBe(1200);
  });

  it('stays when the log grows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-grow-'));
    const log = join(folder, 'session.v4.jsonl.zstd');
    await copyFile(logs.sample(compacted), log);
    const { page } = await open(log, { reveal: 60 });
    await page.locator('dsh-inspector h2').filter({ hasText: '#60' }).waitFor();
    const name = await activeName(page);
    const top = await page.locator('.scroller').evaluate((element) => element.scrollTop);
    const rows = await rowCount(page);
    // The same bytes again make a second header line: the file has grown and the good part is as before.
    await appendFile(log, readFileSync(logs.sample(compacted)).subarray(0, 200));
    const before = view().asked.length;
    view().fileChanged('appended');
    await page.locator('.chip.warn').waitFor();
    await view().rest();
    // Of the entries, which have not changed, none is asked for again.
    const tables = view()
      .asked.slice(before)
      .filter(({ method }) => method === 'table');
    expect(tables.filter(({ args }) => (args as { table: string }).table === 'entries')).toEqual([]);
    expect(await rowCount(page)).toBeGreaterThanOrEqual(rows);
    await expect.poll(() => activeName(page)).toBe(name);
    expect(await page.locator('.scroller').evaluate((element) => element.scrollTop)).toBe(top);
    view().fileChanged('deleted');
    await page.locator('.bar.error').waitFor();
    expect(await activeName(page)).toBe(name);
    await rm(folder, { recursive: true, force: true });
  });
});

describe('find in session', () => {
  it('counts, goes to the next and the previous, and closes', async () => {
    const { page } = await open(logs.sample(compacted));
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in session' }).fill('sqlite');
    await page
      .locator('dsh-search .count')
      .filter({ hasText: /matches/ })
      .waitFor();
    const total = Number(/\d+/.exec((await page.locator('dsh-search .count').textContent())!)![0]);
    expect(total).toBeGreaterThan(2);
    await page.keyboard.press('Enter');
    await page
      .locator('dsh-search .count')
      .filter({ hasText: `1 of ${String(total)}` })
      .waitFor();
    await page.keyboard.press('Enter');
    await page
      .locator('dsh-search .count')
      .filter({ hasText: `2 of ${String(total)}` })
      .waitFor();
    await page.keyboard.press('Shift+Enter');
    await page
      .locator('dsh-search .count')
      .filter({ hasText: `1 of ${String(total)}` })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search' }).waitFor();
  });

  it('says when there is nothing', async () => {
    const { page } = await open(logs.sample(chat));
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('no such words anywhere');
    await page.locator('dsh-search .count').filter({ hasText: 'No matches' }).waitFor();
  });
});

describe('troubled logs', () => {
  it('explains damage in sentences and jumps to its place', async () => {
    const { page } = await open(logs.sample('session-damaged-on-disk'));
    await page.locator('.chip.warn').click();
    const item = page.locator('dsh-notices li').first();
    await item.waitFor();
    expect(await item.textContent()).toMatch(/dsh, listing: .+\. dsh, opening: .+\./);
  });

  it('says unasked that dsh refuses a damaged log, and leads to the whole list', async () => {
    const { page } = await open(logs.sample('session-damaged-on-disk'));
    const bar = page.locator('dsh-notices .bar.warning');
    expect(await bar.textContent()).toMatch(/[^.]\. dsh refuses to open this session;/);
    await bar.getByRole('button', { name: 'Show all problems' }).click();
    await page.locator('dsh-notices li').first().waitFor();
    expect(await bar.count()).toBe(0);
  });

  it('shows the stored lines of a newer format and draws nothing', async () => {
    const { page } = await open(logs.sample('session-from-a-newer-dsh'));
    expect(await page.locator('.bar.warning').textContent()).toMatch(/newer/);
    await page.locator('.salvaged li').first().waitFor();
    expect(await page.locator('dsh-lanes').count()).toBe(0);
  });

  it('says that an empty session is empty', async () => {
    const { page } = await open(logs.sample('session-blank-0001'));
    expect(await page.locator('.bar').textContent()).toContain('This session is empty');
  });
});
