import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const control = path.join(home.folder, 'kill');
let code: Code;

withCode(home, async (start) => {
  await home.write(chat(home.workspace));
  await writeFile(control, '');
  code = await start({
    preload: fileURLToPath(new URL('support/worker-killer.cjs', import.meta.url)),
    env: { DSH_TIMELINE_KILL: control },
  });
  await code.openSideBar();
  await code.row(/parser drops a line/).waitFor();
});

describe('a reader that stops', () => {
  it('is reported once and started again on request; the timeline goes on where it was', async () => {
    await code.row(/parser drops a line/).click();
    await code.timelineReady();
    const inspector = code.webview.locator('dsh-inspector .top');
    await code.timelineRows(/^bash: npm test/).click();
    await inspector.filter({ hasText: 'bash' }).waitFor();

    await writeFile(control, 'now');
    const toast = code.page.locator('.notifications-toasts .notification-list-item', {
      hasText: 'The reader of “The parser drops a line (v4)” stopped: exit code 1',
    });
    await toast.waitFor();
    await expect(toast.count()).resolves.toBe(1);
    // What was read stays; what would have to be asked says why it cannot be.
    await code.timelineRows(/^You: Thanks/).click();
    await code.webview.locator('dsh-inspector', { hasText: 'The reader of this log has stopped' }).waitFor();
    await code.screenshot('reader-stopped');

    await toast.getByRole('button', { name: 'Restart' }).click();
    await toast.waitFor({ state: 'detached' });
    await code.timelineReady();
    await inspector.filter({ hasText: 'You' }).waitFor();
    await code.webview.locator('dsh-inspector', { hasText: 'Is it the same in the writer?' }).waitFor();
    await code.timelineRows(/^bash: npm test/).click();
    await inspector.filter({ hasText: 'bash' }).waitFor();
    await code.screenshot('reader-restarted');
  });

  it('is also started again by opening the session once more, with its message put away', async () => {
    await writeFile(control, 'again');
    const toast = code.page.locator('.notifications-toasts .notification-list-item', { hasText: 'stopped: exit code 1' });
    await toast.waitFor();
    await code.page.keyboard.press('Escape');
    await code.runCommand('Notifications: Clear All Notifications');
    await toast.waitFor({ state: 'detached' });
    await code.row(/parser drops a line/).click();
    await code.timelineRows(/^You: Thanks/).click();
    await code.webview.locator('dsh-inspector', { hasText: 'Is it the same in the writer?' }).waitFor();
    expect(code.errors).toEqual([]);
  });
});
