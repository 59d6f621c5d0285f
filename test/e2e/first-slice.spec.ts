import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largeLog } from '../bench/large-log.ts';
import { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { until } from './support/until.ts';

const home = new Home();
const large = largeLog(100_000, { cwd: home.workspace });
let code: Code;

beforeAll(async () => {
  await home.write(chat(home.workspace));
  await home.write(large);
  code = await Code.start({ dshHome: home.dshHome, workspace: home.workspace });
  await code.openSideBar();
});
afterAll(async () => {
  await code?.close();
  home.remove();
});

describe('a small log', () => {
  it('opens from the tree and shows its turns', async () => {
    await code.row(/The parser drops a line/).click();
    await code.timelineReady();
    await code.screenshot('slice-chat');
    const turns = code.timelineRows().and(code.webview.locator('[aria-level="1"]'));
    await until('two turns', async () => (await turns.count()) === 2);
    await expect(turns.first().getAttribute('aria-label')).resolves.toMatch(/Why does the parser drop the last line\?/);
  });
});

describe('a log of 100,000 lines', () => {
  beforeAll(async () => {
    await code.runCommand('View: Close All Editors');
    await code.row(/A log of 100000 lines/).click();
    await code.timelineReady();
    await code.screenshot('slice-large');
  });

  it('builds fewer than 500 nodes for its list, at the top and at the end', async () => {
    const nodes = (): Promise<number> =>
      code.webview.locator('dsh-list').evaluate((list) => {
        let count = 0;
        const pending: ParentNode[] = [list.shadowRoot ?? list];
        for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
          count += at.children.length;
          for (const child of at.children) {
            pending.push(child);
            if (child.shadowRoot) pending.push(child.shadowRoot);
          }
        }
        return count;
      });
    const rows = (): Promise<number> => code.timelineRows().count();
    await expect(rows()).resolves.toBeLessThan(500);
    console.log(`list at the top: ${String(await rows())} rows, ${String(await nodes())} elements`);
    await code.webview.locator('dsh-list [role=tree]').press('End');
    await until(
      'the last row',
      async () => (await code.timelineRows().and(code.webview.locator('[aria-selected="true"]')).count()) === 1,
    );
    await expect(rows()).resolves.toBeLessThan(500);
    console.log(`list at the end: ${String(await rows())} rows, ${String(await nodes())} elements`);
  });

  it('has less than 8 MB posted to it, and no event body but that of the event in the inspector', async () => {
    const messages = await code.webviewMessages();
    const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
    console.log(`${String(messages.length)} messages, ${String(bytes)} bytes`);
    expect(messages.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(8_000_000);
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
