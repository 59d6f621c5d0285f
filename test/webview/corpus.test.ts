import { dirname, relative, sep } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusIndex } from '../support/corpus.ts';
import { hasSharedData, sharedLogs, sharedPath } from '../support/shared.ts';
import { axeScript, violationsInThemes } from './support/axe.ts';
import { launchBrowser, openStage, type Stage } from './support/harness.ts';
import { badlyFitting, elementsInList, fitScript } from './support/reading.ts';
import { themeNames } from './support/themes.ts';
import { walkByKeys, type Stops } from './support/walk.ts';

/** Every log there is: each generation of each session, each one made by hand, each one broken on purpose, each case. */
const logs = hasSharedData ? [...sharedLogs('corpus'), ...sharedLogs('cases')] : [];
/** Events each healthy log of the corpus holds, as the harness itself counted them; one log it refuses to count. */
const events = new Map(
  corpusIndex()
    .filter(({ path, fault }) => fault === undefined && !path.includes('core-surface/'))
    .map(({ path, events: count }) => [sharedPath('corpus', path), count] as const),
);

/** A list draws what is in sight and a few rows around it, and an inspector one event, however long the log is. */
const bounds = { list: 700, page: 2500 };
/** Logs opened side by side, so that one draws while another waits for its frame. */
const lanes = 3;

let browser: Browser;
let stages: Stage[];
beforeAll(async () => {
  browser = await launchBrowser();
  stages = await Promise.all(Array.from({ length: lanes }, () => openStage(browser, { theme: 'light' })));
  for (const { page } of stages) for (const script of [axeScript, fitScript]) await page.addInitScript(script);
});
afterAll(async () => {
  await browser.close();
});

/** The logs' places by the part of the data they lie in: corpus/v0, corpus/native, corpus/large, corpus/faults, cases. */
const parts = new Map<string, number[]>();
for (const [at, log] of logs.entries()) {
  const [top, below] = relative(sharedPath(), log).split(sep);
  const part = top === 'corpus' ? `${top}/${String(below)}` : String(top);
  parts.set(part, [...(parts.get(part) ?? []), at]);
}

describe.skipIf(!hasSharedData)('every log of the conformance data', () => {
  it('is opened: as many as there were when this was written, and each the index names', () => {
    expect(logs.length).toBeGreaterThanOrEqual(375);
    expect([...events.keys()].filter((path) => !logs.includes(path))).toEqual([]);
  });

  it.each([...parts])(
    'in %s opens without an error, fits its boxes, is accessible, stays small, and every row is selected by key',
    { timeout: 900_000 },
    async (_part, places) => {
      const troubled: string[] = [];
      const waiting = [...places];
      const lane = async (stage: Stage): Promise<void> => {
        for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
          const troubles = await troublesOf(stage, at).catch((error: unknown) => [String(error)]);
          for (const trouble of troubles) troubled.push(`${relative(sharedPath(), logs[at]!)}: ${trouble}`);
        }
      };
      await Promise.all(stages.map(lane));
      expect(troubled).toEqual([]);
    },
  );
});

/** Logs of one folder are one session in several formats, the faults a few sessions broken in many ways: one of each is enough to look at every kind of row, of the others a few. */
const stopsAt = (at: number): Stops =>
  !logs[at]!.includes('/faults/') && (at === 0 || dirname(logs[at - 1]!) !== dirname(logs[at]!))
    ? 'all'
    : { from: at * 4, count: 4 };

async function troublesOf(stage: Stage, at: number): Promise<string[]> {
  const log = logs[at]!;
  const view = await stage.show(log);
  const { page } = view;
  await view.rest();
  const troubles = await badlyFitting(page);
  const healthy = events.get(log);
  const shown = await page.locator('dsh-list [role=tree], dsh-notices .bar').count();
  if (shown === 0) troubles.push('shows neither a list nor a sentence');
  if ((await page.locator('.spacer').count()) > 0) {
    const walk = await walkByKeys(page, stopsAt(at));
    troubles.push(...walk.troubles);
    if (healthy !== undefined && walk.events !== healthy)
      troubles.push(`${String(walk.events)} of ${String(healthy)} events are in the list`);
    await view.rest();
    const inList = await elementsInList(page);
    if (inList > bounds.list || walk.elements > bounds.page)
      troubles.push(`${String(inList)} elements in the list, ${String(walk.elements)} on the page`);
  } else if (healthy !== undefined && healthy > 0) troubles.push('there is no list');
  troubles.push(...(await violationsInThemes(page, themeNames[at % themeNames.length]!)), ...(await view.problems()));
  return troubles;
}
