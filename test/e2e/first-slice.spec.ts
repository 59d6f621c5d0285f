import { beforeAll, describe, expect, it } from 'vitest';
import { buildLargeLog } from '../support/large-log.ts';
import type { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import type { WebviewMessage } from './support/recorder.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const large = buildLargeLog(100_000, { cwd: home.workspace });
large.title('A log of 100,000 lines', 'user');
let code: Code;

withCode(home, async (start) => {
  await home.write(chat(home.workspace));
  await home.write(large);
  code = await start();
  await code.openSideBar();
});

/** Elements inside the list, those in shadow roots included. */
const listElements = (): Promise<number> =>
  code.webview.locator('dsh-list').evaluate((list) => {
    let count = 0;
    const pending: ParentNode[] = [list.shadowRoot ?? list];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      count += at.children.length;
      for (const child of at.children) pending.push(child, ...(child.shadowRoot ? [child.shadowRoot] : []));
    }
    return count;
  });

describe('a small log', () => {
  it('opens from the tree and shows its turns', async () => {
    await code.row(/The parser drops a line/).click();
    await code.timelineReady();
    await code.screenshot('slice-chat');
    // Folded, all groups fit on the screen.
    await code.webview.locator('dsh-list [role=tree]').press('-');
    await code.timelineRows(/^Turn 1: Why does the parser drop the last line\?/).waitFor();
    await code.timelineRows(/^Turn 2: Thanks\. Is it the same in the writer\?/).waitFor();
    await expect(code.timelineRows(/^Turn \d+:/).count()).resolves.toBe(2);
  });
});

describe('a log of 100,000 lines', () => {
  beforeAll(async () => {
    await code.closeEditors();
    await code.row(/A log of 100,000 lines/).click();
    await code.timelineReady();
    await code.screenshot('slice-large');
  });

  it('is told of no event body before it asks for one', async () => {
    const madeOf = (kind: string, of: readonly WebviewMessage[]): WebviewMessage[] =>
      of.filter((message) => message.kind === kind);
    let messages: WebviewMessage[] = [];
    await until('every call to be answered', async () => {
      messages = await code.webviewMessages();
      return madeOf('reply', messages).length === madeOf('call', messages).length;
    });
    const calls = madeOf('call', messages).map((message) => message.name);
    expect(new Set(calls)).toEqual(new Set(['ready', 'overview', 'table', 'rows']));
    const received = messages.filter((message) => message.direction === 'in');
    expect(received.every((message) => message.kind === 'reply')).toBe(true);
    expect(received).toHaveLength(calls.length);
    // A tool result of this log has more than 500 characters; a row's line at most 240.
    for (const message of received) expect(message.longestText).toBeLessThan(400);
  });

  it('builds fewer than 700 nodes for its list, at the top and at the end', async () => {
    expect(await listElements()).toBeLessThan(700);
    await code.webview.locator('dsh-list [role=tree]').press('End');
    const selected = code.timelineRows().and(code.webview.locator('[aria-selected="true"]'));
    await selected.waitFor();
    expect(await listElements()).toBeLessThan(700);
  });

  it('has less than 8 MB posted to it', async () => {
    const received = (await code.webviewMessages()).filter((message) => message.direction === 'in');
    expect(received.length).toBeGreaterThan(0);
    expect(received.reduce((sum, message) => sum + message.bytes, 0)).toBeLessThan(8_000_000);
  });

  it('shows no error', () => {
    expect(code.errors).toEqual([]);
  });
});

describe('the whole time', () => {
  it('reaches for no other machine, from the window or from the server', () => {
    expect(code.network.count).toBeGreaterThan(0);
    expect(code.network.foreign).toEqual([]);
    const { attempts, watched } = code.server.network();
    expect(watched.some((process) => process.includes('--type=extensionHost'))).toBe(true);
    expect(attempts).toEqual([]);
  });
});
