// Screenshots of the view over sessions of every kind, at three zooms in four themes, and at narrow widths and 200 %, with sheets that
// show many at once. Looked at by people, compared with nothing: `npx vitest run --project pictures matrix`; MATRIX=fork narrows it to the
// sessions whose name contains "fork".
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { repoRoot } from '../../scripts/lib/run.mjs';
import { LogBuilder } from '../support/log-builder.ts';
import { hasSharedData, sharedLogs } from '../support/shared.ts';
import { launchBrowser, openView, type View, type ViewOptions } from '../webview/support/harness.ts';
import { writeLogs, type Logs } from '../webview/support/logs.ts';
import { themeNames } from '../webview/support/themes.ts';

const folder = path.join(repoRoot, 'test/webview/.out/matrix');
const zooms = ['fit', 'turn', 'step'] as const;
type Zoom = (typeof zooms)[number];

interface Subject {
  readonly name: string;
  readonly log: () => Promise<string>;
  /** Beginning of the row that is selected. */
  readonly row: RegExp;
}

let browser: Browser;
let logs: Logs;
const taken = new Map<string, string[]>();

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  [browser, logs] = await Promise.all([launchBrowser(), writeLogs()]);
});
afterAll(async () => {
  for (const [name, files] of taken) await sheet(name, files);
  await browser.close();
  await logs.dispose();
});

const sample =
  (part: string): (() => Promise<string>) =>
  () =>
    Promise.resolve(logs.sample(part));
const corpus =
  (part: string): (() => Promise<string>) =>
  () =>
    Promise.resolve(
      sharedLogs('corpus', 'v0', 'zstd').find((log) => log.includes(`/${part}/`) && log.endsWith('session.jsonl.zstd'))!,
    );

const real: readonly Subject[] = hasSharedData
  ? [
      { name: 'compact-manual', log: corpus('compact-manual'), row: /^Compact/ },
      { name: 'llm-error', log: corpus('llm-error'), row: /fail|error|discard/i },
      { name: 'tools-parallel', log: corpus('tools-parallel'), row: /^(read|bash)/ },
      { name: 'subagent-parent', log: corpus('subagent-parent'), row: /^(agent|task|Subagent)/i },
    ]
  : [];
const all: readonly Subject[] = [
  { name: 'compacted', log: sample('session-0d7c9a44'), row: /^bash .*exit 1/ },
  { name: 'forked', log: sample('session-8c20f7aa'), row: /^(edit|bash|read)/ },
  { name: 'damaged', log: sample('session-damaged-on-disk'), row: /^(edit|bash|read)/ },
  ...real,
];
const subjects = all.filter(({ name }) => name.includes(process.env['MATRIX'] ?? ''));

async function open(subject: Subject, options: ViewOptions = {}): Promise<View> {
  const view = await openView(browser, await subject.log(), options);
  await view.page.locator('[role=treeitem]').first().waitFor();
  await view.rest();
  await select(view, subject.row);
  return view;
}

/** Goes down the list to the first row of that name; where there is none the first one stays selected. */
async function select(view: View, wanted: RegExp): Promise<void> {
  const { page } = view;
  await page.locator('[role=tree]').focus();
  await page.keyboard.press('Home');
  for (let pages = 0; pages < 60; pages++) {
    await view.rest();
    const row = page.getByRole('treeitem', { name: wanted }).first();
    if ((await row.count()) > 0) {
      const seq = await row.locator('.seq').textContent();
      await view.send('reveal', { seq: Number(seq?.slice(1)) });
      break;
    }
    await page.keyboard.press('PageDown');
  }
  await view.rest();
}

/** The lanes show everything, or only the turn or step of what is selected. */
async function zoom(view: View, to: Zoom): Promise<void> {
  await view.page.evaluate((kind) => {
    interface Spans {
      readonly row: Uint32Array;
      readonly start: Float64Array;
      readonly end: Float64Array;
    }
    const { model } = document.querySelector('dsh-app') as unknown as {
      model: {
        selectedEntry: number;
        tables: { entries: { columns: Record<string, Uint32Array> } };
        geometry: { axis: { length: number }; turns: Spans; steps: Spans };
        setView(view: { from: number; to: number }): void;
      };
    };
    const { turns, steps, axis } = model.geometry;
    const spans = kind === 'turn' ? turns : steps;
    const own = model.tables.entries.columns[kind === 'turn' ? 'turn' : 'step']?.[model.selectedEntry];
    const at = kind === 'fit' ? -1 : Math.max(0, own === undefined ? 0 : spans.row.indexOf(own));
    const start = at < 0 ? 0 : spans.start[at]!;
    const end = at < 0 ? axis.length : spans.end[at]!;
    const margin = at < 0 ? 0 : (end - start) * 0.04;
    model.setView({ from: start - margin, to: end + margin });
  }, to);
  await view.rest();
}

async function take(page: Page, name: string, onSheet: string): Promise<void> {
  const file = path.join(folder, `${name}.png`);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: file, animations: 'disabled' });
  taken.set(onSheet, [...(taken.get(onSheet) ?? []), file]);
}

async function sheet(name: string, files: readonly string[]): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 2480, height: 600 } });
  const figures = await Promise.all(
    files.map(async (file) => {
      const data = (await readFile(file)).toString('base64');
      return `<figure><img src="data:image/png;base64,${data}"><figcaption>${path.basename(file, '.png')}</figcaption></figure>`;
    }),
  );
  await page.setContent(`<style>
    body { display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; margin: 8px; background: #777; font: 13px sans-serif }
    figure { margin: 0 } img { width: 100%; display: block }
  </style>${figures.join('')}`);
  await page.screenshot({ path: path.join(folder, `sheet-${name}.png`), fullPage: true });
  await page.close();
}

describe.each(subjects)('$name', (subject) => {
  it('at three zooms in four themes', async () => {
    const view = await open(subject);
    for (const kind of zooms) {
      await zoom(view, kind);
      for (const theme of themeNames) {
        await view.setTheme(theme);
        await view.rest();
        await take(view.page, `${subject.name}-${kind}-${theme}`, subject.name);
      }
    }
    await view.close();
  });
});

describe.each(subjects.filter(({ name }) => name === 'compacted' || name === 'forked'))('$name', (subject) => {
  it.each([
    { name: '900', width: 900, height: 800, scale: 1 },
    { name: '760', width: 760, height: 860, scale: 1 },
    { name: '600', width: 600, height: 800, scale: 1 },
    { name: '200-percent', width: 640, height: 430, scale: 2 },
  ])('$name', async ({ name, scale, ...size }) => {
    const view = await open(subject, { ...size, scale });
    for (const theme of ['dark', 'light'] as const) {
      await view.setTheme(theme);
      await view.rest();
      await take(view.page, `${subject.name}-${name}-${theme}`, `${subject.name}-narrow`);
    }
    await view.close();
  });
});

describe.skipIf(!'edges'.includes(process.env['MATRIX'] ?? ''))('edges', () => {
  const shoot = async (
    name: string,
    log: string,
    prepare: (view: View) => Promise<void>,
    options?: ViewOptions,
  ): Promise<void> => {
    const view = await openView(browser, log, options);
    await view.page.locator('[role=treeitem], dsh-notices .bar').first().waitFor();
    await view.rest();
    await prepare(view);
    await view.rest();
    const file = path.join(folder, `edge-${name}.png`);
    await view.page.screenshot({ path: file, animations: 'disabled' });
    taken.set('edges', [...(taken.get('edges') ?? []), file]);
    await view.close();
  };
  const nothing = (): Promise<void> => Promise.resolve();

  it('of the view', { timeout: 300_000 }, async () => {
    const chat = logs.sample('session-0d7c9a44');
    await shoot('unselected', chat, nothing);
    await shoot('loading', chat, ({ page }) =>
      page.evaluate(() => {
        const { model } = document.querySelector('dsh-app') as unknown as {
          model: Record<string, unknown> & { emit(topic: string): void };
        };
        for (const part of ['tables', 'rows', 'geometry']) model[part] = undefined;
        for (const topic of ['data', 'geometry']) model.emit(topic);
      }),
    );
    await shoot('help', chat, (view) => view.page.keyboard.press('?'));
    await shoot('find', chat, async (view) => {
      const { page } = view;
      await page.keyboard.press('Control+f');
      await page.keyboard.type('store');
      await page
        .locator('dsh-search .count')
        .filter({ hasText: /of|matches/ })
        .waitFor();
      await view.rest();
      await page.keyboard.press('Enter');
    });
    await shoot('filter-menu', chat, ({ page }) => page.getByRole('button', { name: /^More filters/ }).click(), { width: 520 });
    await shoot('facts-menu', chat, ({ page }) => page.getByRole('button', { name: /^More about/ }).click(), { width: 600 });
    await shoot('hover-step', chat, async (view) => {
      await view.send('reveal', { seq: 57 });
      await view.rest();
      await view.page.mouse.move(405, 190);
    });
    await shoot('hover-row', chat, async ({ page }) => page.mouse.move(300, 500));
    await shoot('focus', chat, async ({ page }) => {
      await page.keyboard.press('End');
      for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab');
    });
    await shoot('compaction-card', chat, async (view) => view.send('reveal', { seq: 94 }));
    await shoot('request-card', chat, async (view) => view.send('reveal', { seq: 50 }));
    await shoot('seq-axis', chat, ({ page }) => page.getByRole('button', { name: 'Seq', exact: true }).click());
    await shoot('empty', logs.sample('session-blank-0001'), nothing);
    const wide = new LogBuilder({ version: 4, id: 'session-wide', cwd: '/home/李/مشروع', createdAt: 1_790_000_000_000 });
    wide.prompt('请把所有的配置文件从 JSON 迁移到 TOML，保持注释不变，并且在迁移之后运行全部测试。'.repeat(3));
    wide.reply('مرحبا! سأبدأ بقراءة الملفات ثم أكتب الاختبارات. '.repeat(4));
    wide.title(`A title that goes on and on and on ${'再长一些 '.repeat(30)}`);
    await shoot('long-cjk-rtl', await logs.write(wide), nothing, { reveal: 12 });
    const single = new LogBuilder({ version: 4, id: 'session-single', createdAt: 1_790_000_000_000 });
    single.prompt('hello');
    single.endStep().endTurn();
    await shoot('single-turn', await logs.write(single), nothing);
    await shoot('large', await logs.large(100_000), nothing);
  });
});
