import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../src/storage/index.ts';
import { launchBrowser, openView, type View } from './support/harness.ts';
import { writeLogs, type Logs } from './support/logs.ts';
import { activeName, tree } from './support/reading.ts';

let browser: Browser;
let logs: Logs;
let view: View;
/** Seqs of the compacted sample's events by their type, in order. */
const seqs = new Map<string, number[]>();
/** Seqs of the messages that took the place of others, with the type of the event before each. */
const replacing: { readonly seq: number; readonly after: string }[] = [];

beforeAll(async () => {
  [browser, logs] = await Promise.all([launchBrowser(), writeLogs()]);
  const log = await openSession(logs.sample('session-0d7c9a44'));
  let before = '';
  for (const { seq, type, surfaceOp } of log.events()) {
    seqs.set(type, [...(seqs.get(type) ?? []), seq]);
    if (typeof surfaceOp === 'object') replacing.push({ seq, after: before });
    before = type;
  }
  await log.close();
});
afterAll(async () => {
  await browser.close();
  await logs.dispose();
});
afterEach(async () => {
  expect(await view.problems()).toEqual([]);
  await view.close();
});

const seqOf = (type: string): number => seqs.get(type)![0]!;
const inspector = (): ReturnType<View['page']['locator']> => view.page.locator('dsh-inspector');
const acts = (): Promise<string[]> => inspector().locator('.actions button').allInnerTexts();

async function opened(): Promise<void> {
  view = await openView(browser, logs.sample('session-0d7c9a44'));
  await view.page.locator('[role=treeitem]').first().waitFor();
  await view.rest();
}

async function select(seq: number): Promise<void> {
  await view.send('reveal', { seq });
  await inspector()
    .locator('h2', { hasText: `#${String(seq)} ` })
    .waitFor();
  await view.rest();
}

/** What the workbench is told of the selected row when its menu is asked for. */
async function menu(): Promise<Record<string, unknown>> {
  await view.page.locator(tree).focus();
  await view.page.keyboard.press('Shift+F10');
  return view.page.evaluate(
    () => JSON.parse(document.querySelector<HTMLElement>('dsh-app')!.dataset['vscodeContext']!) as Record<string, unknown>,
  );
}

const comparing = ['Compare Before and After', 'What Did This Compaction Remove?'];

describe('a compaction or prune', () => {
  it('is offered for compare on every row of it, and on no other', async () => {
    await opened();
    const prune = replacing.find(({ after }) => after === 'compaction/prune')!;
    const summary = replacing.find(({ after }) => after === 'compaction/summary')!;
    const own = [
      seqOf('compaction/prune'),
      prune.seq,
      seqOf('compaction/start'),
      seqOf('compaction/summary'),
      summary.seq,
      seqOf('compaction/end'),
    ];
    expect(prune.seq).toBe(seqOf('compaction/prune') + 1);
    for (const seq of own) {
      await select(seq);
      expect(await menu(), await activeName(view.page)).toMatchObject({ replaces: true });
      expect(await acts()).toEqual(expect.arrayContaining(comparing));
    }
    for (const type of ['user/message', 'assistant/message', 'system/message', 'tool/result']) {
      await select(seqOf(type));
      expect(await menu(), type).not.toHaveProperty('replaces');
      expect(await acts()).not.toEqual(expect.arrayContaining(comparing.slice(0, 1)));
    }
  });

  it('is compared, and shown for what it removed, from the inspector', async () => {
    await opened();
    const seq = seqOf('compaction/prune');
    await select(seq);
    for (const name of comparing) await inspector().getByRole('button', { name }).click();
    await view.rest();
    expect(view.asked.filter(({ method }) => method === 'act').map(({ args }) => args)).toEqual([
      { name: 'compareCompaction', seq },
      { name: 'whatWasRemoved', seq },
    ]);
  });
});

describe('any event', () => {
  it('is forked, replayed and its history shown from the inspector, a request compared with the next', async () => {
    await opened();
    const answer = seqOf('assistant/message');
    await select(answer);
    expect(await acts()).not.toContain('Compare with Next Request');
    await inspector().getByRole('button', { name: 'Fork from Here' }).click();
    await inspector().getByRole('button', { name: 'Replay from Here' }).click();
    await inspector().getByRole('button', { name: 'Show History Here' }).click();
    for (const type of ['request/header', 'step/start']) {
      await select(seqOf(type));
      await inspector().getByRole('button', { name: 'Compare with Next Request' }).click();
    }
    await view.rest();
    expect(view.asked.filter(({ method }) => method === 'act').map(({ args }) => args)).toEqual([
      { name: 'forkHere', seq: answer },
      { name: 'replayHere', seq: answer },
      { name: 'showHistory', seq: answer },
      { name: 'compareNextRequest', seq: seqOf('request/header') },
      { name: 'compareNextRequest', seq: seqOf('step/start') },
    ]);
  });
});
