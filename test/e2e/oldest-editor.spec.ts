import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';

// The promise of `engines.vscode`: the oldest editor activates the extension, lists sessions and opens a timeline.
const home = new Home();
let code: Code;

beforeAll(async () => {
  await home.write(chat(home.workspace));
  code = await Code.start({ editor: 'oldest', dshHome: home.dshHome, workspace: home.workspace });
});
beforeEach(() => {
  code.pictureOnFailure();
});
afterAll(async () => {
  await code?.close();
  home.remove();
});

it('lists the session and opens its timeline', async () => {
  await code.openSideBar();
  await code.row(/The parser drops a line/).click();
  await code.timelineReady();
  await expect(code.timelineRows(/Why does the parser drop the last line/).count()).resolves.toBeGreaterThan(0);
  expect(code.errors).toEqual([]);
  await code.screenshot('oldest-editor');
});
