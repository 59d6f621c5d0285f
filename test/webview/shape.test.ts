// What the view looks like where that can be said in words: columns, lines that stay one line, marks that do not rest on colour alone.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { written } from './support/canvas-words.ts';
import { launchBrowser, openView, type View, type ViewOptions } from './support/harness.ts';
import { writeLogs, type Logs } from './support/logs.ts';
import { keptState } from './support/reading.ts';

let browser: Browser;
let logs: Logs;
let view: View;

beforeAll(async () => {
  [browser, logs] = await Promise.all([launchBrowser(), writeLogs()]);
});
afterAll(async () => {
  await browser.close();
  await logs.dispose();
});
afterEach(async () => {
  expect(await view.problems()).toEqual([]);
  await view.close();
});

const compacted = 'session-0d7c9a44';
const forked = 'session-8c20f7aa';

async function open(name: string, options?: ViewOptions): Promise<Page> {
  view = await openView(browser, logs.sample(name), options);
  await view.page.locator('[role=treeitem]').first().waitFor();
  if (options?.reveal !== undefined) await view.page.locator('dsh-inspector h2').waitFor();
  await view.rest();
  return view.page;
}

const box = async (locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> =>
  (await locator.boundingBox())!;

const rowOf = (page: Page, seq: number): Locator => page.locator(`.spacer .row:has(.seq:text-is("#${String(seq)}"))`);

describe('the state column', () => {
  it('says how a call went wrong, in words and with an icon; its result keeps its place on the surface', async () => {
    const page = await open(compacted, { reveal: 55 });
    const call = rowOf(page, 54);
    expect(await call.locator('.outcome').textContent()).toContain('exit 1');
    expect(await call.locator('.outcome [data-icon=error]').count()).toBe(1);
    expect(await call.locator('.note').count()).toBe(0);
    expect(await call.locator('.tone-error').count()).toBe(1);
    expect(await page.getByRole('treeitem', { name: /^bash: npx vitest.*exit 1, .*#54$/ }).count()).toBe(1);
    const result = rowOf(page, 55);
    expect(await page.locator('dsh-inspector .top-note.bad').textContent()).toBe('exit 1');
    expect(await result.locator('.state').textContent()).toContain('shadowed by #71');
    expect(await result.locator('.note').textContent()).toContain('exit 1');
    // Flush with its neighbours.
    const right = async (of: Locator): Promise<number> => box(of).then((b) => b.x + b.width);
    expect(Math.abs((await right(call.locator('.outcome'))) - (await right(result.locator('.state-text'))))).toBeLessThan(2);
  });
});

describe('duration bars', () => {
  it.each([1280, 1000, 900, 760, 600, 540])('are there in a window of %i px', async (width) => {
    const page = await open(compacted, { width });
    const bar = await box(page.locator('.spacer .turn .bar i').first());
    expect(bar.width).toBeGreaterThan(2);
    expect((await box(page.locator('.spacer .turn .bar').first())).width).toBeGreaterThanOrEqual(32);
  });
});

describe('lines that stay one line', () => {
  it.each([1280, 900, 760, 600, 420])('header and filters in a window of %i px', async (width) => {
    const page = await open(forked, { width, height: 800 });
    expect((await box(page.locator('dsh-header'))).height).toBeLessThan(40);
    expect((await box(page.locator('dsh-filters'))).height).toBeLessThan(32);
    for (const name of ['Time', 'Seq', 'Collapse idle', 'Search', 'Keys and mouse']) {
      expect(await page.getByRole('button', { name, exact: true }).isVisible()).toBe(true);
    }
  });

  it('facts that do not fit are behind a button, by keyboard too', async () => {
    const page = await open(forked, { width: 420 });
    const more = page.getByRole('button', { name: 'More about the session' });
    await more.focus();
    await page.keyboard.press('Enter');
    const facts = page.locator('dsh-header .item');
    await facts.first().waitFor();
    await page.locator('dsh-header .item:focus').waitFor(); // what opens takes the keyboard
    expect((await facts.allTextContents()).join(' ')).toMatch(/open the parent.*calls.*tokens.*v4 · zstd/s);
    await page.keyboard.press('Enter'); // on the first of them, which opens the parent
    await expect.poll(() => view.asked.some((call) => call.method === 'openSession')).toBe(true);
    await page.keyboard.press('Escape');
    await facts.first().waitFor({ state: 'hidden' });
    expect(await more.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  it('filters that do not fit are behind a button, which says how many are on', async () => {
    const page = await open(forked, { width: 420 });
    const more = page.getByRole('button', { name: /^More filters/ });
    const own = page.locator('dsh-filters .item', { hasText: 'Own' });
    // A key that comes before the browser has told of the opening counts as well.
    await more.evaluate((button: HTMLElement) => {
      button.click();
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
    });
    await view.rest();
    expect(await own.evaluate((item) => item.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await view.rest();
    expect(await own.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'More filters, 1 on' }).isVisible()).toBe(true);
    expect(await page.getByRole('treeitem').first().textContent()).toContain('Forked from parent here');
  });

  it('nothing is folded away where everything fits', async () => {
    const page = await open(compacted, { width: 1600 });
    expect(await page.getByRole('button', { name: /^More / }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Shadowed' }).isVisible()).toBe(true);
  });
});

describe('in high contrast', () => {
  it.each(['hc-dark', 'hc-light'] as const)('%s: what is on has a border', async (theme) => {
    const page = await open(compacted, { theme, reveal: 55 });
    await page.getByRole('button', { name: 'Errors' }).click();
    const shadow = (locator: Locator): Promise<string> => locator.evaluate((element) => getComputedStyle(element).boxShadow);
    const rim = /rgb\((243, 133, 24|0, 107, 189)\).* inset/; // contrastActiveBorder of the two
    expect(await shadow(page.getByRole('tab', { name: 'Pretty' }))).toMatch(rim);
    expect(await shadow(page.getByRole('button', { name: 'Time' }))).toMatch(rim);
    expect(await shadow(page.getByRole('button', { name: 'Errors' }))).toMatch(rim);
    for (const off of ['Seq', 'Shadowed']) expect(await shadow(page.getByRole('button', { name: off }))).not.toMatch(rim);
  });
});

describe('under the card of an event', () => {
  it('stand the requests that contained it and the events that name it, as links', async () => {
    const page = await open(compacted, { reveal: 54 });
    const section = (name: string): Locator =>
      page.locator('dsh-inspector section', { has: page.getByRole('heading', { name }) });
    const before = view.asked.filter((call) => call.method === 'detail').length;
    const seen = section('Seen by the model in');
    // The call of step 3.2 is no message; its result was in the request of 3.3, and the compaction after that took it away.
    expect(await seen.textContent()).toMatch(/Step 3\.3.*no longer in context.*its result\s+#55/s);
    expect(await section('Cited by').getByRole('button').allTextContents()).toEqual([expect.stringMatching(/#55 tool\/result/)]);
    expect(view.asked.filter((call) => call.method === 'detail')).toHaveLength(before);
    expect(await page.locator('dsh-inspector .top-note.bad').textContent()).toBe('exit 1'); // the call, not only its result
    await section('Cited by').getByRole('button').first().click();
    await page.locator('dsh-inspector h2').filter({ hasText: '#55' }).waitFor();
  });
});

describe('words on the canvases', () => {
  it('name short calls beside their bars and turns by their number where there is no room for more', async () => {
    await open(compacted);
    const words = await written(view);
    expect(words).toContain('2'); // the second turn, all of 38 px
    expect(words).not.toContain('Tu…');
    expect(words.filter((word) => word === 'read' || word === 'write').length).toBeGreaterThanOrEqual(2);
    expect(words).not.toContain('No token usage was recorded');
  });

  it('name the lanes before there is anything in them', async () => {
    const page = await open(compacted);
    await page.evaluate(() => {
      const { model } = document.querySelector('dsh-app') as unknown as { model: { tables: unknown; geometry: unknown } };
      model.tables = undefined;
      model.geometry = undefined;
    });
    expect(await written(view)).toEqual(['Turns', 'Steps', 'Model', 'Calls', 'Surface']);
  });

  it('have the room of parallel calls before those are there, so that nothing moves when they come', async () => {
    const log = new LogBuilder({ version: 4, id: 'session-abreast', createdAt: 1_790_000_000_000 });
    log.prompt('Read all three.');
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'read', arguments: `{"file_path":"${id}.ts"}` }));
    log.answer({ text: 'All at once.', calls });
    const seqs = calls.map((call) => log.call(call));
    calls.forEach(({ id }, at) => log.wait(100).result(id, seqs[at], { result: 'x' }));
    log.endStep().endTurn();
    view = await openView(browser, await logs.write(log));
    const { page } = view;
    await page.locator('[role=treeitem]').first().waitFor();
    await view.rest();
    const { height } = await box(page.locator('dsh-lanes'));
    const packed = await page.evaluate(() => {
      const { model } = document.querySelector('dsh-app') as unknown as {
        model: { geometry: { callLanes: number } | undefined; emit(topic: string): void };
      };
      const lanes = model.geometry?.callLanes;
      model.geometry = undefined;
      model.emit('geometry');
      return lanes;
    });
    expect(packed).toBe(3);
    await view.rest();
    expect((await box(page.locator('dsh-lanes'))).height).toBe(height);
  });

  it('say so where no usage was recorded', async () => {
    const log = new LogBuilder({ version: 4, id: 'session-silent', createdAt: 1_790_000_000_000 });
    log.prompt('hello');
    log.endStep().endTurn();
    view = await openView(browser, await logs.write(log));
    await view.page.locator('[role=treeitem]').first().waitFor();
    await view.rest();
    expect(await written(view)).toContain('No token usage was recorded');
  });
});

describe('what is searched for', () => {
  it('is marked where it stands in a row, and beside the row where it stands deeper', async () => {
    const page = await open(compacted);
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in session' }).fill('STORE');
    await page.locator('dsh-search .count').filter({ hasText: 'matches' }).waitFor();
    await view.rest();
    expect(await rowOf(page, 13).locator('mark').allTextContents()).toEqual(['store', 'store', 'store', 'store']);
    expect(await rowOf(page, 9).locator('mark, .found').count()).toBe(0);
    expect(await rowOf(page, 20).locator('mark').count()).toBe(0); // in what it does not show
    expect(await rowOf(page, 20).locator('.seq.found').count()).toBe(1);
  });
});

describe('a log without events', () => {
  it('still tells what its header says', async () => {
    view = await openView(browser, logs.sample('session-blank-0001'));
    const inspector = view.page.locator('dsh-inspector');
    await inspector.getByText('session-blank-0001', { exact: true }).waitFor();
    expect(await inspector.textContent()).not.toContain('Select a turn');
    expect(await view.page.locator('dsh-list').count()).toBe(0);
  });
});

describe('the first event selected', () => {
  it('takes the place of the session in the inspector, without a blank between', async () => {
    const page = await open(compacted);
    const inspector = page.locator('dsh-inspector');
    await inspector.getByText('Select a turn').waitFor();
    await inspector.evaluate((element) => {
      const root = element.shadowRoot!;
      const look = (): void => {
        if (root.querySelector('.panel') === null) element.dataset['wasBlank'] = '';
      };
      new MutationObserver(look).observe(root, { childList: true, subtree: true });
    });
    await rowOf(page, 8).click();
    await inspector.getByRole('heading', { name: '#8 You' }).waitFor();
    expect(await inspector.getAttribute('data-was-blank')).toBe(null);
    expect(await inspector.getByText('Select a turn').count()).toBe(0);
  });
});

describe('a title with nothing behind it', () => {
  it('has the room of the row, where others end at their column', async () => {
    const page = await open('session-5b1f0c1e', { width: 600, height: 800, reveal: 37 });
    const clipped = (rows: Locator): Promise<(string | null)[]> =>
      rows.evaluateAll((titles) =>
        titles.filter((title) => title.scrollWidth > title.clientWidth).map(({ textContent }) => textContent),
      );
    expect(await page.locator('.spacer .title.alone').count()).toBeGreaterThan(0);
    expect(await clipped(page.locator('.spacer .title.alone'))).toEqual([]);
  });
});

describe('where it is narrow', () => {
  it('a failed turn is told by what was asked, and a problem by its whole word', async () => {
    let page = await open('session-61a7f5b0', { width: 420, height: 800 });
    const rest = rowOf(page, 4).locator('.rest');
    expect(await rowOf(page, 4).locator('.outcome [data-icon=error]').count()).toBe(1);
    expect((await box(rest.locator('.detail'))).width).toBeGreaterThan((await box(rest)).width * 0.9);
    await view.close();
    page = await open('session-damaged-on-disk', { width: 620, height: 800 });
    const chip = page.locator('dsh-header .warn');
    expect(await chip.locator('span:not(.icon)').evaluate((span) => span.scrollWidth <= span.clientWidth)).toBe(true);
    expect(await page.locator('dsh-header h1').evaluate((title) => title.scrollWidth > title.clientWidth)).toBe(true);
  });
});

describe('room for the list', () => {
  it.each([
    { width: 900, height: 800 },
    { width: 600, height: 800 },
  ])('at least 16 rows at $width × $height', async (size) => {
    const page = await open(compacted, { ...size, reveal: 55 });
    expect((await box(page.locator('dsh-list'))).height).toBeGreaterThanOrEqual(16 * 24);
  });
});

describe('the height of the lanes', () => {
  const sash = (page: Page): Locator => page.getByRole('separator', { name: 'Height of the lanes' });
  const heightOf = async (page: Page): Promise<number> => (await box(page.locator('dsh-lanes .scroll'))).height;

  it('is dragged, stepped by key, kept, and given back by a double click', async () => {
    const page = await open(compacted);
    const whole = await heightOf(page);
    const { x, width, y, height } = await box(sash(page));
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2 - 60, { steps: 4 });
    await page.mouse.up();
    expect(await heightOf(page)).toBe(whole - 60);
    await sash(page).focus();
    await page.keyboard.press('ArrowUp');
    expect(await heightOf(page)).toBe(whole - 72);
    expect(await sash(page).getAttribute('aria-valuenow')).toBe(String(whole - 72));
    await expect.poll(async () => (await keptState(page))['lanesHeight']).toBe(whole - 72);
    await page.reload();
    await page.locator('[role=treeitem]').first().waitFor();
    await view.rest();
    expect(await heightOf(page)).toBe(whole - 72);
    await sash(page).focus();
    await page.keyboard.press('End');
    expect(await heightOf(page)).toBe(whole);
    await page.keyboard.press('Home');
    expect(await heightOf(page)).toBe(72);
    await sash(page).dblclick();
    expect(await heightOf(page)).toBe(whole);
    await expect.poll(async () => (await keptState(page))['lanesHeight']).toBeUndefined();
  });

  it('leaves lanes that do not fit to be scrolled, and hit where they are seen', async () => {
    const page = await open(compacted);
    await sash(page).focus();
    await page.keyboard.press('Home');
    const scroller = page.locator('dsh-lanes .scroll');
    await scroller.evaluate((element) => element.scrollTo({ top: 24 + 22 })); // turns and steps
    await view.rest();
    const { x, y } = await box(scroller);
    await page.mouse.move(x + 375, y + 24 + 22 + 12); // the calls, right below the model
    await page.locator('dsh-lanes .tip').filter({ hasText: 'bash npx vitest run test/store' }).waitFor();
    // The page stays where it is under a drag that scrolls.
    await page.mouse.down();
    await page.mouse.move(x + 375, y + 24 + 22 + 32, { steps: 4 });
    await page.mouse.up();
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(26);
  });
});

describe('the size of the inspector', () => {
  it.each([
    {
      where: 'beside the list',
      name: 'Width of the inspector',
      size: { width: 1100, height: 800 },
      key: 'inspectorShare',
      extent: 'width',
    },
    {
      where: 'below it',
      name: 'Height of the inspector',
      size: { width: 700, height: 900 },
      key: 'stackedShare',
      extent: 'height',
    },
  ] as const)(
    '$where is dragged, stepped by key, kept, and given back by a double click',
    async ({ name, size, key, extent }) => {
      const page = await open(compacted, size);
      const sash = page.getByRole('separator', { name });
      const percent = async (): Promise<number> => Number(await sash.getAttribute('aria-valuenow'));
      const [pane, body] = [page.locator('dsh-inspector'), page.locator('dsh-app .body')];
      const extentOf = async (element: Locator): Promise<number> => (await box(element))[extent];
      const before = await extentOf(pane);
      const own = await percent();
      expect(await sash.getAttribute('aria-orientation')).toBe(extent === 'width' ? 'vertical' : 'horizontal');
      const { x, width, y, height } = await box(sash);
      const [atX, atY] = [x + width / 2, y + height / 2];
      await page.mouse.move(atX, atY);
      await page.mouse.down();
      await page.mouse.move(extent === 'width' ? atX - 50 : atX, extent === 'height' ? atY - 50 : atY, { steps: 4 });
      await page.mouse.up();
      expect(Math.abs((await extentOf(pane)) - before - 50)).toBeLessThan(2);
      const dragged = await percent();
      await sash.focus();
      await page.keyboard.press(extent === 'width' ? 'ArrowRight' : 'ArrowDown');
      expect(await percent()).toBe(dragged - 3);
      await page.keyboard.press(extent === 'width' ? 'ArrowLeft' : 'ArrowUp');
      expect(await percent()).toBe(dragged);
      await page.keyboard.press('End');
      expect(await percent()).toBe(75);
      await page.keyboard.press('Home');
      expect(await percent()).toBe(15);
      expect(Math.abs((await extentOf(pane)) - (await extentOf(body)) * 0.15)).toBeLessThan(2);
      await expect.poll(async () => (await keptState(page))[key]).toBe(0.15);
      await sash.dblclick();
      expect(await percent()).toBe(own);
      expect(await extentOf(pane)).toBe(before);
    },
  );
});

describe('what a request contained', () => {
  it('is lit for an answer and for a step, hovered in the list as well', async () => {
    const page = await open(compacted);
    await view.send('reveal', { seq: 57 });
    await view.rest();
    const lit = (): Promise<number> =>
      page.evaluate(
        () => (document.querySelector('dsh-app') as unknown as { model: { hoveredRequest: number } }).model.hoveredRequest,
      );
    await rowOf(page, 60).hover();
    expect(await lit()).toBe(60); // all before the answer itself
    await rowOf(page, 57).hover(); // its step
    expect(await lit()).toBe(60);
    await rowOf(page, 54).hover(); // a call
    expect(await lit()).toBe(0xffffffff);
  });
});

describe('the brush', () => {
  it('has its handles at both ends of a whole session, and they zoom', async () => {
    const page = await open(compacted);
    const overview = page.locator('dsh-overview');
    const { x, y, width } = await box(overview);
    const cursorAt = async (at: number): Promise<string> => {
      await page.mouse.move(at, y + 46);
      return overview.evaluate((element: HTMLElement) => element.style.cursor);
    };
    expect(await cursorAt(x + 9)).toBe('ew-resize');
    expect(await cursorAt(x + width / 2)).toBe('crosshair');
    expect(await cursorAt(x + width - 9)).toBe('ew-resize');
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 46, { steps: 3 });
    await page.mouse.up();
    expect(await cursorAt(x + width / 2)).toBe('ew-resize');
    expect(await cursorAt(x + width / 4)).toBe('grab');
    await expect.poll(async () => (await keptState(page))['view']).toBeDefined();
    await page.mouse.dblclick(x + width / 4, y + 46);
    await expect.poll(async () => (await keptState(page))['view']).toBeUndefined();
  });
});
