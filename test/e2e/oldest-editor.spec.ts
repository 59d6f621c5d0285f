import { expect, it } from 'vitest';
import type { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { withCode } from './support/with-code.ts';

// The promise of `engines.vscode`: the oldest editor activates the extension, lists sessions and opens a timeline.
const home = new Home();
let code: Code;

withCode(home, async (start) => {
  await home.write(chat(home.workspace));
  code = await start({ editor: 'oldest' });
});

it('lists the session and opens its timeline', async () => {
  await code.openSideBar();
  await code.row(/The parser drops a line/).click();
  await code.timelineReady();
  await expect(code.timelineRows(/Why does the parser drop the last line/).count()).resolves.toBeGreaterThan(0);
  expect(code.errors).toEqual([]);
  await code.screenshot('oldest-editor');
});
