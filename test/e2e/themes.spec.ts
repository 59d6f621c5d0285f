import { describe, expect, it } from 'vitest';
import { writeSampleSessions } from '../support/samples.ts';
import type { Code } from './support/code.ts';
import { Home } from './support/home.ts';
import { withCode } from './support/with-code.ts';

describe('an open timeline', () => {
  const home = new Home();
  let code: Code;

  withCode(home, async (start) => {
    await writeSampleSessions(home.sessions, home.workspace, Date.UTC(2026, 10, 30, 15));
    code = await start();
    await code.openSideBar();
    await code.row(/SQLite/).dblclick();
    await code.timelineReady();
  });

  it.each(['Light Modern', 'Dark High Contrast', 'Light High Contrast', 'Dark Modern'])('follows the theme %s', async (theme) => {
    const themeId = (): Promise<string | null> => code.webview.locator('body').getAttribute('data-vscode-theme-id');
    const before = await themeId();
    await code.runCommand('Preferences: Color Theme');
    await code.quickInputBox.fill(theme);
    await code.quickInput.locator('.monaco-list-row.focused', { hasText: theme }).waitFor();
    await code.page.keyboard.press('Enter');
    await expect.poll(themeId, { timeout: 20_000 }).not.toBe(before);
    // Both are computed by the browser: the page's own colour, and the theme's colour for an editor.
    const colors = await code.webview.locator('dsh-app').evaluate((app) => {
      const probe = app.ownerDocument.createElement('i');
      probe.style.backgroundColor = 'var(--vscode-editor-background)';
      app.ownerDocument.body.append(probe);
      const wanted = getComputedStyle(probe).backgroundColor;
      probe.remove();
      return { page: getComputedStyle(app).backgroundColor, wanted };
    });
    expect(colors.page).toBe(colors.wanted);
    await code.screenshot(`theme ${theme}`);
    expect(code.errors).toEqual([]);
  });
});
