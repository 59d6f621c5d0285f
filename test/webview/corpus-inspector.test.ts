import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TimelineModel } from '../../webview/state/model.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import { axeScript, violations } from './support/axe.ts';
import { launchBrowser, openStage, type Stage } from './support/harness.ts';
import { fitScript } from './support/reading.ts';

/** One log of each family of the conformance data, and the ones with the most kinds of events. */
const families = [
  'corpus/v0/zstd/--home-dev-compact-manual--/compact-manual/session.v4.jsonl.zstd',
  'corpus/v0/zstd/--home-dev-subagent--/subagent-parent/session.v4.jsonl.zstd',
  'corpus/v0/none/--home-dev-unicode--/unicode/session.jsonl',
  'corpus/native/v3/--home-dev-native3--/n3-attempt-retry/session.v3.jsonl.zstd',
  'corpus/native/v4/--home-dev-native4--/n4-image-offload/session.v4.jsonl.zstd',
  'corpus/large/zstd-agent-loop/--home-dev-big-live--/big-live/session.v4.jsonl.zstd',
  'corpus/faults/corrupt-mid-payload/--home-dev-tools-parallel--/tools-parallel/session.jsonl.zstd',
  'cases/52-hostile-content/sessions/--work-demo--/sess-hostile/session.v4.jsonl.zstd',
];
const widths = [1280, 600];

let browser: Browser;
let stage: Stage;
beforeAll(async () => {
  browser = await launchBrowser();
  stage = await openStage(browser);
  for (const script of [axeScript, fitScript]) await stage.page.addInitScript(script);
});
afterAll(async () => {
  await browser.close();
});

describe.skipIf(!hasSharedData)('the inspector fits its texts and is accessible, in each tab of each kind of event', () => {
  it.each(families)('of %s', async (log) => {
    const view = await stage.show(sharedPath(log));
    const { page } = view;
    await page.locator('[role=tree]').waitFor();
    await view.rest();
    const found: string[] = [];
    const kinds = await firstOfEachKind(page);
    expect(kinds.length).toBeGreaterThan(5);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 860 });
      for (const [at, { type, seq }] of kinds.entries()) {
        const where = `${String(width)} px, ${type} #${String(seq)}`;
        found.push(...(await fitInTabs(page, seq)).map((trouble) => `${where}, ${trouble}`));
        await page
          .getByRole('tab')
          .nth(at % 4)
          .click();
        found.push(...(await violations(page)).map((trouble) => `${where}: ${trouble}`));
      }
    }
    expect(found).toEqual([]);
    expect(await view.problems()).toEqual([]);
  });
});

const firstOfEachKind = (page: Page): Promise<{ readonly type: string; readonly seq: number }[]> =>
  page.evaluate(() => {
    const { model } = document.querySelector('dsh-app') as unknown as { model: TimelineModel };
    const { seq, type } = model.tables!.entries.columns;
    const first = new Map<string, number>();
    for (const [entry, name] of type.entries()) {
      const key = model.overview!.strings.types[name]!;
      if (!first.has(key)) first.set(key, seq[entry]!);
    }
    return Array.from(first, ([key, at]) => ({ type: key, seq: at }));
  });

/** Selects an event, goes through the inspector's tabs, and tells which texts leave their boxes. */
const fitInTabs = (page: Page, seq: number): Promise<string[]> =>
  page.evaluate(async (wanted) => {
    const { badlyFitting } = window as unknown as { badlyFitting: () => string[] };
    const app = document.querySelector('dsh-app') as unknown as { model: TimelineModel; shadowRoot: ShadowRoot };
    const inspector = app.shadowRoot.querySelector('dsh-inspector')!.shadowRoot!;
    const frame = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()));
    app.model.reveal(wanted);
    while (app.model.detail?.value?.seq !== wanted) await frame();
    await frame();
    const found: string[] = [];
    const tabs = inspector.querySelectorAll<HTMLElement>('[role=tab]');
    if (tabs.length !== 4) found.push(`${String(tabs.length)} tabs`);
    for (const tab of tabs) {
      tab.click();
      await frame();
      for (const trouble of badlyFitting()) found.push(`${tab.textContent.trim()}: ${trouble}`);
    }
    return found;
  }, seq);
