import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { withCode } from './support/with-code.ts';

/** The sessions of the machine, and what a workspace would like to have shown instead. */
const home = new Home();
const decoy = new Home();
let code: Code;

withCode(home, async (start) => {
  await home.write(chat(home.workspace));
  const other = chat(home.workspace);
  other.title('From where the workspace points to', 'user');
  await decoy.write(other);
  mkdirSync(path.join(home.workspace, '.vscode'));
  const settings = { 'dshTimeline.sessionsRoot': decoy.sessions, 'dshTimeline.resumeCommand': 'touch /tmp/never' };
  writeFileSync(path.join(home.workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
  code = await start({
    asksForTrust: true,
    settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
  });
  await code.openSideBar();
});
afterAll(() => {
  decoy.remove();
});

describe('in a workspace that is not trusted', () => {
  it('the editor is in restricted mode', async () => {
    await code.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  });

  it('tree, timeline and documents work, over the sessions of the machine and no others', async () => {
    await code.expand(/parser drops a line/);
    await code.row(/^Turn 1, Why/).waitFor();
    await code.row(/parser drops a line/).click();
    await code.timelineReady();
    await code.timelineRows(/^You: Why does the parser/).click();
    await code.webview.locator('dsh-inspector .top', { hasText: 'You' }).waitFor();
    await code.screenshot('restricted');
    await code.chooseFrom(code.row(/^Turn 1, Why/), 'Show History Here');
    await code.tab(/history · The parser drops a line/).waitFor();
    const outline = (await code.sideBarOutline()).join('\n');
    expect(outline).toContain('The parser drops a line');
    expect(outline).not.toContain('From where the workspace points to');
    expect(code.errors).toEqual([]);
  });
});
