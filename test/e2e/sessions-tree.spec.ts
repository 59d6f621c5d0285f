import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { Code } from './support/code.ts';
import { chat, compacted, forkOf, Home, writeDamaged, writeNewer } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
let code: Code;

/** The rows once they are as expected; the last ones seen make the message of a failure. */
async function outline(holds: (rows: string[]) => boolean): Promise<string[]> {
  let rows: string[] = [];
  await until('the expected rows', async () => holds((rows = await code.sideBarOutline()))).catch((error: unknown) => {
    throw new Error(rows.join('\n'), { cause: error });
  });
  return rows;
}

const subagent = (parent: LogBuilder): LogBuilder => {
  const child = new LogBuilder({
    version: 4,
    id: 'helper',
    createdAt: parent.header.createdAt + 1_000,
    cwd: home.workspace,
    parentSession: parent.header.id,
    origin: 'subagent',
    delegationDepth: 1,
  });
  child.prompt('Look into the writer.');
  child.reply('Nothing there.');
  return child;
};

withCode(home, async (start) => {
  const parent = chat(home.workspace);
  await home.write(parent);
  await home.write(forkOf(parent));
  await home.write(subagent(parent));
  await home.write(compacted(home.workspace));
  await writeDamaged(home);
  await writeNewer(home);
  for (const version of [0, 1, 2, 3] as const)
    await home.write(chat('/home/dev/other', version), { encoding: version === 0 ? 'none' : 'zstd' });
  code = await start();
  await code.openSideBar();
  await code.row(/The parser drops a line/).waitFor();
});

describe('the sessions', () => {
  it('are grouped, this workspace first and open, the others by the folder their header names', async () => {
    const rows = await outline((found) => found.some((row) => /^1 other/.test(row)));
    expect(rows[0]).toBe('1 dsh cannot list these sessions, 1 problem'); // one of them is stored in the other encoding
    expect(rows[1]).toMatch(/^1 workspace, this workspace, \d sessions$/);
    expect(rows.at(-1)).toMatch(/^1 other, \/home\/dev\/other, 4 sessions$/);
    expect(rows.filter((row) => row.startsWith('2 ')).length).toBeGreaterThanOrEqual(5);
  });

  it('of every format version are read, in both encodings', async () => {
    await code.expand(/^other/);
    for (const version of [0, 1, 2, 3])
      await code.row(new RegExp(`The parser drops a line \\(v${String(version)}\\).*2 turns`)).waitFor();
    await code
      .row(/^other/)
      .locator('.monaco-tl-twistie')
      .click();
  });

  it('that are damaged or of a newer format stay visible and say so', async () => {
    await code.row(/Something else behind it.*damaged/).waitFor();
    await code.row(/^newer.*newer format/).waitFor();
    // An unfinished last frame is how a live log looks, not damage.
    await expect(code.row(/Cut off while writing/).getAttribute('aria-label')).resolves.not.toMatch(/damaged/);
  });

  it('carry their forks, their subagents and their turns, these their steps, and these their calls', async () => {
    await code.expand(/The parser drops a line \(v4\)/);
    await code.expand(/^Turn 1/);
    await code.expand(/^Step 1\.1/);
    const rows = await outline((found) => found.some((row) => /^5 bash/.test(row)));
    const from = rows.findIndex((row) => /The parser drops a line \(v4\)/.test(row));
    const below = rows.slice(from + 1).filter((row) => /^[345] /.test(row));
    expect(below.map((row) => row.replace(/,.*/, ''))).toEqual([
      '3 The other way round',
      expect.stringMatching(/^3 Subagents/),
      '3 Turn 1',
      '4 Step 1.1',
      '5 read',
      '5 bash',
      '4 Step 1.2',
      '3 Turn 2',
    ]);
    expect(below.find((row) => row.startsWith('3 The other way'))).toMatch(/fork/);
    expect(below.find((row) => row.startsWith('5 bash'))).toMatch(/npm test.*failed/);
    await code.screenshot('tree-expanded');
  });

  it('are narrowed by a filter that is typed live and shown, and come back', async () => {
    await code.viewAction('Filter Sessions');
    await code.quickInputBox.fill('summary');
    await outline((rows) => rows.length > 0 && rows.every((row) => row.startsWith('1 ') || /summary/.test(row)));
    await code.page.keyboard.press('Enter');
    await code.page.locator('.part.sidebar', { hasText: 'summary' }).waitFor();
    await code.screenshot('tree-filtered');
    await code.viewAction('Clear Filter');
    await outline((rows) => rows.some((row) => /The parser drops a line/.test(row)));
  });

  it('appear, grow and go by themselves', async () => {
    const late = new LogBuilder({ version: 4, id: 'late', createdAt: Date.UTC(2026, 10, 25), cwd: home.workspace });
    late.prompt('Here I am.');
    late.title('Came later');
    await home.write(late);
    await code.row(/Came later/).waitFor();
    late.reply('Welcome.');
    late.prompt('And now?');
    late.reply('Now there are two turns.');
    await home.write(late);
    await code.row(/Came later.*2 turns/).waitFor();
    await rm(path.dirname(home.pathOf(late)), { recursive: true });
    await code.rows(/Came later/).waitFor({ state: 'detached' });
  });
});

describe('an empty home', () => {
  it('is explained in the view', async () => {
    const empty = new Home();
    const other = await Code.start({ dshHome: empty.dshHome, workspace: empty.workspace });
    try {
      await other.openSideBar();
      await other.page.locator('.part.sidebar .welcome-view', { hasText: 'There are no sessions' }).waitFor();
    } finally {
      await other.close();
      empty.remove();
    }
  });
});
