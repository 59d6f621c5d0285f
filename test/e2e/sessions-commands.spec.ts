import { appendFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { logBytes, writeLog } from '../support/write-log.ts';
import { Code } from './support/code.ts';
import { chat, compacted, Home, writeDamaged } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const day = Date.UTC(2026, 10, 20, 8, 30, 0);
const hostile = '<img src=x onerror=alert(1)> $(flame) [x](command:workbench.action.quit)';

/** A log of 130 short turns, more than a page of the tree. */
function long(cwd: string): LogBuilder {
  const log = new LogBuilder({ version: 4, id: 'long', createdAt: day, cwd });
  for (let n = 1; n <= 130; n++) {
    log.prompt(`Question ${String(n)}`);
    if (n === 1) log.title('A hundred and thirty turns');
    log.reply(`Answer ${String(n)}`);
  }
  return log;
}

function titled(id: string, title: string, cwd: string): LogBuilder {
  const log = new LogBuilder({ version: 4, id, createdAt: day, cwd });
  log.prompt('Hello.');
  log.title(title);
  log.reply('Hello yourself.');
  return log;
}

const home = new Home();
const live = titled('live', 'Grows while we look', '/home/dev/other');
let code: Code;

const labels = async (): Promise<string> => (await code.sideBarOutline()).join('\n');

/** Waits until the text in front says what is wanted, and gives it. */
async function text(holds: RegExp): Promise<string> {
  let seen = '';
  await until(String(holds), async () => holds.test((seen = await code.editorText())));
  return seen;
}

withCode(home, async (start) => {
  await home.write(long(home.workspace));
  await home.write(chat(home.workspace));
  await home.write(compacted(home.workspace));
  await home.write(titled('twin-1', 'Called the same', home.workspace));
  await home.write(titled('twin-2', 'Called the same', home.workspace));
  await home.write(titled('hostile', hostile, home.workspace));
  await home.write(live);
  const future = titled('future', 'Knows more than we do', home.workspace);
  const events = future.events.map((event) => (event.type === 'turn/end' ? { ...event, type: 'turn/rating-required' } : event));
  await writeLog(home.sessions, future.header, events);
  await writeDamaged(home);
  code = await start();
  await code.openSideBar();
  await code.row(/A hundred and thirty turns/).waitFor();
});

describe('the view', () => {
  it('tells sessions of one title apart by their ids', async () => {
    await code.row(/Called the same.*twin-1/).waitFor();
    await code.row(/Called the same.*twin-2/).waitFor();
  });

  it('shows a hostile title as the words it is made of', async () => {
    const row = code.row(/<img src=x onerror=alert\(1\)>/);
    await row.waitFor();
    await expect(row.textContent()).resolves.toContain('<img src=x onerror=alert(1)> $(flame) [x](command:');
    await expect(row.locator('img, a[href]').count()).resolves.toBe(0);
  });

  it('pins a session to the top and lets it go again', async () => {
    const first = async (): Promise<string> => (await code.sideBarOutline()).find((row) => row.startsWith('2 ')) ?? '';
    await code.chooseFrom(code.row(/twin-2/), /^Pin$/);
    await until('the pinned one first', async () => /twin-2.*pinned/.test(await first()));
    await code.chooseFrom(code.row(/twin-2/), /^Unpin$/);
    await until('the pin to be gone', async () => !/pinned/.test(await labels()));
  });

  it('hides a session until the hidden ones are asked for', async () => {
    await code.chooseFrom(code.row(/twin-1/), /^Hide$/);
    await code.rows(/twin-1/).waitFor({ state: 'detached' });
    await code.runCommand('DSH: Show Hidden Sessions');
    await code.row(/twin-1.*hidden/).waitFor();
    await code.chooseFrom(code.row(/twin-1/), /^Unhide$/);
    await until('nothing hidden', async () => !/hidden/.test(await labels()));
    await code.runCommand('DSH: Stop Showing Hidden Sessions');
  });

  it('keeps to this workspace when told to, and says what it leaves out', async () => {
    await code.runCommand('DSH: Show Sessions of This Workspace Only');
    await until('one group', async () => (await code.sideBarOutline()).filter((row) => row.startsWith('1 ')).length === 1);
    await code.page.locator('.part.sidebar', { hasText: 'sessions of other projects: 1' }).waitFor();
    await code.runCommand('DSH: Show Sessions of All Projects');
    await code.row(/^other/).waitFor();
  });

  it('offers on a project what concerns its folder', async () => {
    await code.contextMenu(code.row(/^other/), 'Copy Path of Folder');
    await code.menuItem('Open Folder in New Window').waitFor();
    await code.menuItem('Refresh Sessions').waitFor();
    await code.screenshot('tree-project-menu');
    await code.choose(code.menuItem('Copy Path of Folder'));
    await until('the path to be copied', async () => {
      const copied = await code.page.evaluate(() => navigator.clipboard.readText());
      return copied === '/home/dev/other';
    });
    await code.chooseFrom(code.row(/^other/), 'Open Folder in New Window');
    await code.toast(/The folder \/home\/dev\/other is not on this machine/).waitFor();
  });

  it('offers the way back where the filter leaves nothing', async () => {
    await code.runCommand('DSH: Filter Sessions…');
    await code.quickInputBox.fill('no such words');
    await code.page.keyboard.press('Enter');
    await code.page.locator('.part.sidebar', { hasText: 'Filter “no such words”: 0 of 10' }).waitFor();
    await code.row('Clear Filter').click();
    await code.row(/A hundred and thirty turns/).waitFor();
  });

  it('drops a filter that was only tried', async () => {
    await code.runCommand('DSH: Filter Sessions…');
    await code.quickInputBox.fill('thirty');
    await until('the filtered tree', async () => !/twin-1/.test(await labels()));
    await code.page.keyboard.press('Escape');
    await code.row(/twin-1/).waitFor();
  });

  it('shows a hundred turns and the others on demand', async () => {
    await code.expand(/A hundred and thirty turns/);
    const toEnd = async (): Promise<void> => {
      await code.runCommand('DSH Sessions: Focus on DSH Sessions View');
      await code.page.locator('.part.sidebar .monaco-list:focus').press('End');
    };
    await code.row(/^Turn 1,/).waitFor();
    await toEnd();
    const more = code.row(/^Show more…/);
    await expect(more.textContent()).resolves.toContain('30 more');
    await more.click();
    await more.waitFor({ state: 'detached' });
    await toEnd();
    await code.row(/^Turn 130,/).waitFor();
    await code.viewAction('Collapse All');
    await code.expand(/^workspace/);
  });

  it('tells how much a fork of a long one copies, the digits in groups', async () => {
    const { length } = long(home.workspace).events;
    expect(length).toBeGreaterThan(999);
    const written = `${String(Math.trunc(length / 1000))},${String(length % 1000).padStart(3, '0')}`;
    await code.chooseFrom(code.row(/A hundred and thirty turns/), 'Fork from Here');
    await code.dialog.getByText(`130 turns and ${written} events are copied.`).waitFor();
    await code.dialog.getByRole('button', { name: 'Cancel' }).click();
    await code.dialog.waitFor({ state: 'detached' });
  });
});

describe('a log that is being written', () => {
  it('grows in the open tree and in the open timeline, and is called live', async () => {
    await code.expand(/^other/);
    await code.row(/Grows while we look/).click();
    await code.timelineReady();
    await code.expand(/Grows while we look/);
    await code.row(/^Turn 1, Hello\./).waitFor();
    const known = live.events.length;
    live.wait(60_000).prompt('Still there?');
    live.reply('Still here.');
    const file = home.pathOf(live);
    const [header, whole] = [
      await logBytes(live.header, [], { batch: 'one' }),
      await logBytes(live.header, live.events.slice(known), { batch: 'one' }),
    ];
    await appendFile(file, whole.subarray(header.length));
    await code.row(/^Turn 2, Still there\?/).waitFor();
    await code.row(/Grows while we look.*live/).waitFor();
    await code.webview.locator('dsh-header', { hasText: '2 turns' }).waitFor();
  });
});

describe('documents', () => {
  it('open from the tree: the whole log as JSONL, its transcript, its damage', async () => {
    await code.chooseFrom(code.row(/parser drops a line/), 'Open as JSONL');
    expect(await text(/"type":"session"/)).toMatch(/^\{"type":"session","version":4,"id":"chat-v4"/);
    await code.chooseFrom(code.row(/Modules, then a summary/), 'Show Transcript');
    expect(await text(/Make it quick\./)).toMatch(/earlier context was compacted/);
    await code.chooseFrom(code.row(/Something else behind it/), 'Show Damage Report');
    expect(await text(/dsh on opening/)).toMatch(/not a zstd frame/);
  });

  it('are offered only where there is something to show', async () => {
    await code.contextMenu(code.row(/parser drops a line/), 'Open Timeline');
    await expect(code.menuItem('Show Damage Report').count()).resolves.toBe(0);
    await expect(code.menuItem('Open Older Copy').count()).resolves.toBe(0);
    await code.page.keyboard.press('Escape');
  });

  it('open from the palette at the place selected in the timeline in front', async () => {
    await code.closeEditors();
    await code.row(/Modules, then a summary/).click();
    await code.timelineReady();
    const question = code.timelineRows(/^You\b.*Which one is slow\?/);
    await question.click();
    await code.selectedRow.and(question).waitFor();
    await code.runCommand('DSH: Show History Here');
    const history = await text(/Derived history/);
    expect(history).toMatch(/after event #16\n/);
    expect(history).not.toMatch(/Make it quick/);
    await code.tab(/#16 history · Modules, then a summary/).waitFor();
  });

  it('of the palette follow the document in front', async () => {
    await code.runCommand('DSH: Show Raw Event');
    expect(await text(/"seq"/)).toMatch(/Which one is slow\?/);
    await code.tab(/#16 event/).waitFor();
  });

  it('are there again after the window was loaded again', async () => {
    await code.reload();
    await code.tab(/#16 event/).waitFor();
    await text(/Which one is slow\?/);
  });

  it('say in a sentence why there is nothing to show', async () => {
    await code.closeEditors();
    await code.row(/Knows more than we do/).click();
    await code.timelineReady();
    await code.pressInList('End');
    await code.runCommand('DSH: Show History Here');
    expect(await text(/cannot be shown/)).toMatch(/turn\/rating-required.*does not know/);
  });
});

describe('the whole time', () => {
  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});

describe('in Chinese and in an untrusted workspace', () => {
  it('the view works and speaks the language', async () => {
    const chinese = await Code.start({
      dshHome: home.dshHome,
      workspace: home.workspace,
      locale: 'zh-cn',
      asksForTrust: true,
      settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
    });
    try {
      chinese.pictureOnFailure();
      await chinese.openSideBar('DSH 会话');
      await chinese.row(/此工作区, \d+ 个会话/).waitFor();
      await chinese.row(/Something else behind it.*已损坏/).waitFor();
      await chinese.expand(/parser drops a line/);
      await chinese.row(/^轮次 1/).waitFor();
      await chinese.contextMenu(chinese.row(/parser drops a line/), '显示此处的历史');
      await chinese.screenshot('tree-chinese');
      await chinese.page.keyboard.press('Escape');
      await chinese.row(/parser drops a line/).click();
      await chinese.timelineReady();
      await chinese.timelineRows(/^请求设置.*首次/).click();
      await chinese.webview.locator('dsh-inspector .top', { hasText: '请求设置' }).waitFor();
      await chinese.screenshot('timeline-chinese');
    } finally {
      await chinese.close();
    }
  });
});
