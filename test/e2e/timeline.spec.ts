import { beforeAll, describe, expect, it } from 'vitest';
import type { Code } from './support/code.ts';
import { chat, compacted, Home, writeDamaged, writeNewer } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const log = compacted(home.workspace);
let code: Code;
let newerPath = '';
let rawPath = '';

withCode(home, async (start) => {
  await home.write(log);
  await writeDamaged(home);
  newerPath = home.pathOf(await writeNewer(home)).replace('session.v4', 'session.v5');
  rawPath = await home.write(chat('/home/dev/plain'), { encoding: 'none' });
  code = await start();
  await code.openSideBar();
});

describe('a compacted and resumed session', () => {
  beforeAll(async () => {
    await code.openTimeline(/Modules, then a summary/);
  });

  it('shows its facts, the replaced messages, what replaced them, and where it was resumed', async () => {
    await code.webview.locator('dsh-header', { hasText: '3 turns' }).waitFor();
    await expect(code.timelineRows(/^You: List the modules\..*shadowed by #22/).count()).resolves.toBe(1);
    await expect(code.timelineRows(/^Checkpoint.*the parser is the slow one\..*replaces/).count()).resolves.toBe(1);
    await expect(code.timelineRows(/^Resumed here.*#24/).count()).resolves.toBe(1);
    await code.screenshot('timeline-compacted');
  });

  it('is walked with the keyboard alone; inspector and list show the same event', async () => {
    await code.pressInList('Home');
    await code.pressInList(...Array<string>(5).fill('ArrowDown'));
    await code.selectedRow.and(code.timelineRows(/#5$/)).waitFor();
    const inspector = code.webview.locator('dsh-inspector');
    await inspector.locator('.top', { hasText: '#5' }).waitFor();
    await inspector.getByRole('tab', { name: 'Raw' }).click();
    // The stored line as it is in the file, not our own writing of it.
    await until('the stored text', async () => {
      const raw = await inspector.locator('pre.raw').textContent();
      return raw !== null && JSON.stringify(JSON.parse(raw)) === JSON.stringify(log.events[5]);
    });
    await inspector.getByRole('tab', { name: /Model/ }).click();
    await inspector.getByText('#22').first().waitFor();
  });

  it('opens the history as the model had it at an event', async () => {
    await code.pressInList('End');
    const row = code.timelineRows(/^You: Make it quick\./);
    await code.chooseFrom(row, 'Show History Here');
    await until('the history', async () => /Make it quick\./.test(await code.editorText()));
    const history = await code.editorText();
    expect(history).toMatch(/after event #29\nmessages: 3\n/);
    const heads = [...history.matchAll(/^=== (.*) ===$/gm)].map((match) => match[1]);
    expect(heads).toEqual(['#4 · system · system-prompt', '#22 · user · checkpoint of a compaction', '#29 · user · human']);
    expect(history).not.toMatch(/List the modules/);
    await code.screenshot('history-document');
  });

  it('opens the request of a step', async () => {
    await code.openTimeline(/Modules, then a summary/);
    await code.chooseFrom(code.timelineRows(/^Step 2\.1:/), 'Show Request');
    await until('the request', async () => /Which one is slow\?/.test(await code.editorText()));
    const request = await code.editorText();
    expect(request).toMatch(/deepseek-v4/);
    expect(request).not.toMatch(/Make it quick/);
  });

  it('is where it was after the window is loaded again', async () => {
    await code.openTimeline(/Modules, then a summary/);
    await code.timelineRows(/^Turn 2:/).click();
    await code.selectedRow.and(code.timelineRows(/^Turn 2:/)).waitFor();
    await code.reload();
    await code.timelineReady();
    await code.selectedRow.and(code.timelineRows(/^Turn 2:/)).waitFor();
  });
});

describe('logs that are not whole', () => {
  it('shows the good part of a damaged one and what is wrong with it', async () => {
    await code.openTimeline(/Something else behind it/);
    await expect(code.timelineRows(/^You: Write it down\./).count()).resolves.toBe(1);
    await code.webview.locator('dsh-header .warn').click();
    await code.webview.locator('dsh-notices section').first().waitFor();
    await code.screenshot('timeline-damaged');
  });

  it('shows the header and the readable lines of a newer format, and why no more', async () => {
    await code.closeEditors();
    await code.openFile(newerPath);
    await code.webview.locator('dsh-notices', { hasText: /newer/i }).waitFor();
    await code.screenshot('timeline-newer');
  });
});

describe('a raw log', () => {
  it('opens as text by default and as a timeline when asked', async () => {
    await code.closeEditors();
    await code.openFile(rawPath);
    await until('the text', async () => /"type":"session"/.test(await code.editorText()));
    await code.runCommand('DSH: Open Session Timeline');
    await code.timelineReady();
    await expect(code.timelineRows(/Why does the parser drop the last line/).count()).resolves.toBeGreaterThan(0);
  });
});

describe('the whole time', () => {
  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});
