import { existsSync } from 'node:fs';
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
