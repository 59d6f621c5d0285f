import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import type { Code } from './support/code.ts';
import { Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

// Logs written by the real harness, listed and opened where they lie.
describe.runIf(hasSharedData)('the roots of the conformance data', () => {
  const home = new Home();
  const root = sharedPath('corpus', 'v0', 'zstd');
  let code: Code;

  withCode(home, async (start) => {
    code = await start({ machineSettings: { 'dshTimeline.sessionsRoot': root } });
    await code.openSideBar();
    await code.rows().first().waitFor();
  });

  it('are listed, grouped by the folder of each header', async () => {
    await until('the groups', async () => (await code.sideBarOutline()).length > 5);
    const rows = await code.sideBarOutline();
    expect(rows.some((row) => /^1 chat-multi, \/home\/dev\/chat-multi, 1 session$/.test(row))).toBe(true);
    await code.screenshot('corpus-tree');
  });

  it('open to a turn, its steps and its calls', async () => {
    await code.runCommand('DSH: Filter Sessions…');
    await code.quickInputBox.fill('tools-parallel');
    await code.page.keyboard.press('Enter');
    await code.page.locator('.part.sidebar', { hasText: /“tools-parallel”: 1 of \d+/ }).waitFor();
    await code.expand(/^Synthetic session tools-parallel/);
    await code.expand(/^Turn 1/);
    await code.expand(/^Step 1\.1/);
    // read, read, glob, bash in one step: what the log was made for.
    await until('four calls', async () => (await code.sideBarOutline()).filter((row) => row.startsWith('5 ')).length === 4);
    const calls = (await code.sideBarOutline()).filter((row) => row.startsWith('5 ')).map((row) => row.slice(2).split(',')[0]);
    expect(calls).toEqual(['read', 'read', 'glob', 'bash']);
    await code.row(/^Synthetic session tools-parallel/).dblclick();
    await code.timelineReady();
    await code.webview.locator('dsh-header', { hasText: '6 calls' }).waitFor();
    await code.screenshot('corpus-tools-parallel');
    expect(code.errors).toEqual([]);
  });
});

// Copies of whole folders, opened as sessions of a home of one's own. What is expected is what each log was made for, read off its
// oracle and its events by hand.
describe.runIf(hasSharedData)('sessions of the real harness, copied into a home', () => {
  const home = new Home();
  const damaged = 'session.jsonl.zstd';
  let code: Code;

  const copy = (into: string, ...from: string[]): void => {
    cpSync(sharedPath('corpus', ...from), path.join(into, from.at(-1)!), { recursive: true });
  };

  /** Opens a session from the tree, as the only editor and for good, through the rows it stands under. */
  async function open(...rows: [...RegExp[], RegExp]): Promise<void> {
    await code.closeEditors();
    await code.openSideBar();
    for (const row of rows.slice(0, -1)) await code.expand(row);
    await code.row(rows.at(-1)!).dblclick();
    await code.timelineReady();
  }

  /** Goes through the list by pages until a row is on screen, and selects it. */
  async function select(name: RegExp): Promise<void> {
    const row = code.timelineRows(name).first();
    await code.pressInList('*', 'Home');
    await until(`a row ${String(name)} to be selected`, async () => {
      // A row of the screenful before may still be there, and gone before the click.
      const clicked = (await row.count()) > 0 && (await row.click({ timeout: 2_000 }).then(yes, no));
      if (clicked) return code.selectedRow.and(row).waitFor({ timeout: 2_000 }).then(yes, no);
      const atEnd = (await code.timelineRows().last().getAttribute('aria-selected')) === 'true';
      await code.pressInList(atEnd ? 'Home' : 'PageDown');
      return false;
    });
  }
  const yes = (): boolean => true;
  const no = (): boolean => false;

  const inspector = (): ReturnType<Code['webview']['locator']> => code.webview.locator('dsh-inspector');
  const inspectorSays = (words: string | RegExp): Promise<void> => inspector().getByText(words).first().waitFor();

  withCode(home, async (start) => {
    for (const name of ['compact-manual', 'llm-error', 'tools-parallel', 'subagent'])
      copy(home.sessions, 'v0', 'zstd', `--home-dev-${name}--`);
    const forks = '--home-dev-native4--';
    for (const name of ['n4-parent', 'n4-fork-open']) copy(path.join(home.sessions, forks), 'native', 'v4', forks, name);
    copy(home.workspace, 'faults', 'corrupt-mid-payload', '--home-dev-tools-parallel--', 'tools-parallel', damaged);
    code = await start();
    await code.openSideBar();
    await code.rows().first().waitFor();
  });
  afterAll(() => {
    expect(code.errors).toEqual([]);
  });

  it('compacted: two checkpoints, each with what it replaced', async () => {
    await open(/^compact-manual,/, /^Synthetic session compact-manual/);
    await code.webview.locator('dsh-header', { hasText: '7 turns' }).waitFor();
    await select(/^You: Question 1 .*shadowed by #46/);
    await select(/^Checkpoint: .*shadowed by #69.*#46$/);
    await select(/^Checkpoint: .*replaces.*#69$/);
    await inspector().locator('.top', { hasText: '#69' }).waitFor();
    await select(/^Compaction: .*#45$/);
    await inspectorSays('Asked');
    await code.screenshot('corpus-compacted');
  });

  it('forked inside a turn: the divider, the calls it closed, and the way to the parent', async () => {
    await open(/^native4,/, /^Renamed by hand/, /^#11 · Renamed by hand/);
    await code.webview.getByRole('button', { name: 'fork of “Renamed by hand” at #11' }).waitFor();
    await select(/^Turn 1 ended: forked here/);
    await select(/^Forked from parent here.*#12$/);
    await expect(code.timelineRows(/^You: Run two commands\..*inherited/).count()).resolves.toBe(1);
    await select(/^bash failed: This branch cannot know whether the call took effect/);
    await inspectorSays(/This branch cannot know whether the call took effect/);
    await code.screenshot('corpus-forked');
  });

  it('goes to an event by its seq, back to the one before by key, and forward again', async () => {
    const top = inspector().locator('.top');
    await code.runCommand('DSH: Go to Event…');
    await code.quickInputBox.fill('99');
    await code.quickInput.getByText('A number from 0 to 29').first().waitFor();
    await code.quickInputBox.fill('#27');
    await code.page.keyboard.press('Enter');
    await top.filter({ hasText: '#27' }).waitFor();
    await code.selectedRow.and(code.timelineRows(/^Assistant: The file is there\./)).waitFor();
    await code.pressInList('Alt+ArrowLeft');
    await top.filter({ hasText: '#13' }).waitFor();
    await code.pressInList('Alt+ArrowRight');
    await top.filter({ hasText: '#27' }).waitFor();
  });

  it('failed: three turns that say why, and two that did not', async () => {
    await open(/^llm-error,/, /^Synthetic session llm-error/);
    await select(/^Turn 1: first.*INVALID_REQUEST: Bad request \(synthetic\)/);
    await select(/^Turn 2: second.*AUTH: Not authorised \(synthetic\)/);
    await select(/^Turn 4: fourth.*CONTENT_FILTER: Stopped by a content filter/);
    await select(/^Assistant: Recovered on the third turn\./);
    await select(/^Attempt discarded: .*AUTH.*#24$/);
    await inspectorSays(/Not authorised \(synthetic\)/);
    await code.screenshot('corpus-failed');
  });

  it('parallel tools: four calls of one step, each with its own outcome', async () => {
    await open(/^tools-parallel,/, /^Synthetic session tools-parallel/);
    await code.webview.locator('dsh-header', { hasText: '6 calls' }).waitFor();
    await select(/^read: b\.txt/);
    await select(/^glob: \*\*\/\*\.txt.*2 found/);
    await select(/^read: a\.txt.*2 lines/);
    await inspectorSays(/a\.txt/);
    await select(/^bash: echo two/);
    await inspectorSays(/echo two >&2; echo two/);
    await code.screenshot('corpus-parallel');
  });

  it('subagents: the calls that started them and the children of the tree', async () => {
    await open(/^subagent,/, /^Synthetic session subagent/);
    await select(/^subagent: count things/);
    await inspectorSays(/Count to three\./);
    await inspectorSays(/one two three/);
    await select(/^subagent_fork: fork worker/);
    await select(/^Started subagent: bg worker/);
    await code.expand(/^Synthetic session subagent/);
    await code.expand(/^Subagents of Synthetic session subagent: 3/);
    for (const title of [/^Count to three\./, /^Work in the background\./]) await code.row(title).waitFor();
    await code.screenshot('corpus-subagent');
  });

  it('damaged: what is wrong, where, and all that is still there', async () => {
    await code.closeEditors();
    await code.openFromExplorer(damaged);
    await code.timelineReady();
    await code.webview.locator('dsh-header .warn').click();
    await code.webview.locator('dsh-notices section', { hasText: 'Frame 8 at byte 5187 fails its checksum' }).first().waitFor();
    await select(/^You: Read files in parallel\./);
    await inspectorSays('Read files in parallel.');
    await code.screenshot('corpus-damaged');
  });
});
