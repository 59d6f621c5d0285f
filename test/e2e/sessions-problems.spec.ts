import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { buildLargeLog } from '../support/large-log.ts';
import { logBytes } from '../support/write-log.ts';
import type { Code } from './support/code.ts';
import { chat, compacted, Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const day = Date.UTC(2026, 10, 20, 8, 30, 0);
const home = new Home();
let code: Code;
let brokenAt = -1;
let title = '';

/** Large enough that only its ends are read for the list; the damage lies between them. */
async function writeBrokenInside(): Promise<void> {
  const log = buildLargeLog(4000, { id: 'broken-inside', cwd: home.workspace, createdAt: day });
  brokenAt = log.events.findIndex(({ seq, type }) => seq > 2000 && type === 'turn/start');
  title = (log.events.find(({ type }) => type === 'session/title')?.data as { title: string }).title;
  const events = log.events.map((event) => (event.seq === brokenAt ? { ...event, seq: event.seq + 3 } : event));
  await home.write(log); // makes the folder
  await writeFile(home.pathOf(log), await logBytes(log.header, events));
}

withCode(home, async (start) => {
  await home.write(chat(home.workspace));
  await home.write(compacted(home.workspace));
  const plain = new LogBuilder({ version: 4, id: 'plain', createdAt: day, cwd: home.workspace });
  plain.prompt('Written in the other encoding.');
  plain.reply('So it is.');
  await home.write(plain, { encoding: 'none' });
  await writeBrokenInside();
  code = await start();
  await code.openSideBar();
  await code.row(/parser drops a line/).waitFor();
});

describe('damage between the ends of a long log', () => {
  it('shows in the tree after a while, without the log being opened', async () => {
    await code.row(new RegExp(`^${title}, damaged at #${brokenAt}`)).waitFor();
    const readable = (await code.row(new RegExp(`^${title}`)).getAttribute('aria-label')) ?? '';
    await code.row(new RegExp(`^${title}`)).click();
    await code.timelineReady();
    const turns = /(\d[\d,]*) turns/.exec(readable)?.[1] ?? '';
    await code.webview.locator('dsh-header', { hasText: `${turns} turns` }).waitFor();
    await code.closeEditors();
  });
});

describe('a root of two encodings', () => {
  it('has a row that says what dsh makes of it, and names the log at fault', async () => {
    const row = code.row(/^dsh cannot list these sessions/);
    await row.waitFor();
    await code.expand(/^dsh cannot list these sessions/);
    await code.row(/Written in the other encoding\..*is stored in the other encoding/).waitFor();
    await code.screenshot('tree-root-problem');
    await code.row(/Written in the other encoding\..*is stored in the other encoding/).click();
    let seen = '';
    await until('the report', async () => /mixed-encodings/.test((seen = await code.editorText())));
    expect(seen).toMatch(/fails for the whole root/);
    await code.closeEditors();
  });

  it('leaves sound sessions without a sign of their own; their timeline says it of the folder', async () => {
    await expect(code.row(/parser drops a line/).getAttribute('aria-label')).resolves.not.toMatch(/damaged|problem/);
    await code.row(/parser drops a line/).click();
    await code.timelineReady();
    const chip = code.webview.locator('dsh-header button', { hasText: 'problem of the sessions folder' });
    await chip.click();
    await code.webview.locator('dsh-notices', { hasText: 'this log itself is as it should be' }).waitFor();
    await code.screenshot('timeline-root-problem');
  });

  it('nothing failed on the way', () => {
    expect(code.errors).toEqual([]);
  });
});
