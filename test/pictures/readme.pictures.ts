// Takes the pictures of the README from the sample sessions in the real editor: `npm run pictures`.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { repoRoot } from '../../scripts/lib/run.mjs';
import { writeSampleSessions } from '../support/samples.ts';
import { Code } from '../e2e/support/code.ts';
import { Home } from '../e2e/support/home.ts';
import { until } from '../e2e/support/until.ts';

const folder = path.join(repoRoot, 'media/readme');
const home = new Home();
let code: Code;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await writeSampleSessions(home.sessions, home.workspace, Date.now());
  code = await Code.start({ dshHome: home.dshHome, workspace: home.workspace });
  await code.page.setViewportSize({ width: 1600, height: 960 });
  await code.openSideBar();
});
afterAll(async () => {
  await code?.close();
  home.remove();
});

async function take(name: string): Promise<void> {
  await code.page.mouse.move(700, 4); // no tooltip, no hover
  await code.page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
}

async function theme(name: string): Promise<void> {
  const themeId = (): Promise<string | null> => code.webview.locator('body').getAttribute('data-vscode-theme-id');
  const before = await themeId();
  await code.runCommand('Preferences: Color Theme');
  await code.quickInputBox.fill(name);
  await code.quickInput.locator('.monaco-list-row.focused', { hasText: name }).waitFor();
  await code.page.keyboard.press('Enter');
  await until(`the theme ${name}`, async () => (await themeId()) !== before);
}

it('the timeline, dark and light', async () => {
  await code.expand(/SQLite/);
  await code.row(/SQLite/).dblclick();
  await code.timelineReady();
  await code.webview.locator('dsh-list [role=tree]').focus();
  // The first command that failed, well inside the list.
  const failed = code.timelineRows(/^bash: .*exit 1/).first();
  await until('a failed command in the list', async () => {
    await code.page.keyboard.press('PageDown');
    return failed.isVisible();
  });
  await failed.click();
  await code.webview.locator('dsh-inspector').getByText('exit 1').first().waitFor();
  await take('timeline-dark');
  await theme('Light Modern');
  await take('timeline-light');
  await theme('Dark Modern');
});

it('a damaged log', async () => {
  await code.closeEditors();
  await code.row(/feature flags are never/).dblclick();
  await code.timelineReady();
  await code.webview.locator('dsh-header .warn').click();
  await code.webview
    .getByText(/fails its checksum/)
    .first()
    .waitFor();
  await take('damage-dark');
});
