import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import { Code } from './support/code.ts';
import { Home } from './support/home.ts';
import { until } from './support/until.ts';

// Logs written by the real harness, listed and opened where they lie.
describe.runIf(hasSharedData)('the roots of the conformance data', () => {
  const home = new Home();
  const root = sharedPath('corpus', 'v0', 'zstd');
  let code: Code;

  beforeAll(async () => {
    code = await Code.start({
      dshHome: home.dshHome,
      workspace: home.workspace,
      machineSettings: { 'dshTimeline.sessionsRoot': root },
    });
    await code.openSideBar();
    await code.rows().first().waitFor();
  });
  beforeEach(() => {
    code.pictureOnFailure();
  });
  afterAll(async () => {
    await code?.close();
    home.remove();
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
    await code.screenshot('corpus-tools-parallel');
  });

  it('show a compaction whose replacement and whose replaced messages can be told apart', async () => {
    const log = sharedPath('corpus', 'v0', 'zstd', '--home-dev-compact-manual--', 'compact-manual', 'session.v4.jsonl.zstd');
    expect(existsSync(log)).toBe(true);
    await code.openFile(log);
    await code.timelineReady();
    await code.pressInList('-');
    await until('a replacing row', async () => (await code.timelineRows(/replaces/).count()) > 0);
    await code.screenshot('corpus-compact-manual');
    expect(code.errors).toEqual([]);
  });
});

// Copies of whole folders, opened as sessions of a home of one's own. What is expected is what each log was made for, read off its
// oracle and its events by hand.
describe.runIf(hasSharedData)('sessions of the real harness, copied into a home', () => {
  const home = new Home();
  const damaged = path.join(home.folder, 'damaged', 'sessions');
  let code: Code;

  const copy = (into: string, ...folder: string[]): void => {
    cpSync(sharedPath('corpus', ...folder), path.join(into, folder.at(-1)!), { recursive: true });
  };
  const logOf = (folder: string, id: string): string => path.join(home.sessions, folder, id, 'session.v4.jsonl.zstd');

  async function open(log: string): Promise<void> {
    await code.closeEditors();
    await code.openFile(log);
    await code.timelineReady();
  }

  /** Goes through the list by pages until a row is on screen, and selects it. */
  async function select(name: RegExp): Promise<void> {
    await code.pressInList('*', 'Home');
    await until(`a row ${String(name)}`, async () => {
      if ((await code.timelineRows(name).count()) > 0) return true;
      await code.pressInList('PageDown');
      return false;
    });
    await code.timelineRows(name).first().click();
    await code.selectedRow.and(code.timelineRows(name)).first().waitFor();
  }

  const inspector = (): ReturnType<Code['webview']['locator']> => code.webview.locator('dsh-inspector');
  const inspectorSays = (words: string | RegExp): Promise<void> => inspector().getByText(words).first().waitFor();

  beforeAll(async () => {
    copy(home.sessions, 'v0', 'zstd', '--home-dev-tools-parallel--');
    copy(damaged, 'faults', 'corrupt-mid-payload', '--home-dev-tools-parallel--');
    code = await Code.start({ dshHome: home.dshHome, workspace: home.workspace });
    await code.openSideBar();
    await code.rows().first().waitFor();
  });
  beforeEach(() => {
    code.pictureOnFailure();
  });
  afterAll(async () => {
    expect(code?.errors).toEqual([]);
    await code?.close();
    home.remove();
  });

  it('parallel tools: four calls of one step, each with its own outcome', async () => {
    await open(logOf('--home-dev-tools-parallel--', 'tools-parallel'));
    await code.webview.locator('dsh-header', { hasText: '6 calls' }).waitFor();
    await select(/^read: b\.txt/);
    await select(/^glob: \*\*\/\*\.txt.*2 found/);
    await select(/^read: a\.txt.*2 lines/);
    await inspectorSays(/a\.txt/);
    await select(/^bash: echo two/);
    await inspectorSays(/echo two >&2; echo two/);
    await code.screenshot('corpus-parallel');
  });

  it('damaged: what is wrong, where, and all that is still there', async () => {
    await open(path.join(damaged, '--home-dev-tools-parallel--', 'tools-parallel', 'session.jsonl.zstd'));
    await code.webview.locator('dsh-header .warn').click();
    await code.webview.locator('dsh-notices section', { hasText: 'Frame 8 at byte 5187 fails its checksum' }).first().waitFor();
    await select(/^You: Read files in parallel\./);
    await inspectorSays('Read files in parallel.');
    await code.screenshot('corpus-damaged');
  });
});
