import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listSessions } from '../../src/storage/index.ts';
import { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { until } from './support/until.ts';

const home = new Home();
const told = path.join(home.folder, 'told by the program.json');
/** Writes down what it was started with. */
const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify([process.argv.slice(2), process.cwd()]))`;
let code: Code;

beforeAll(async () => {
  await home.write(chat(home.workspace));
  code = await Code.start({
    dshHome: home.dshHome,
    workspace: home.workspace,
    machineSettings: {
      'dshTimeline.resumeCommand': `"${process.execPath}" -e "${script}" "${told}" --id=\${sessionId} "in \${cwd}"`,
    },
  });
  await code.openSideBar();
});
beforeEach(() => {
  code.pictureOnFailure();
});
afterAll(async () => {
  await code?.close();
  home.remove();
});

it('a fork is taken up in a terminal by the configured program, in the folder of the session', async () => {
  await code.choose(await code.contextMenu(code.row(/^The parser drops a line/), 'Fork from Here'));
  await code.dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await code.toast(/^Forked/).waitFor();
  await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Resume in Terminal' }).click();
  await until('the program to run', () => Promise.resolve(existsSync(told) && readFileSync(told, 'utf8') !== ''));
  const child = (await listSessions(home.sessions)).find(({ parentSession }) => parentSession !== undefined);
  expect(JSON.parse(readFileSync(told, 'utf8'))).toEqual([[`--id=${child?.id ?? ''}`, `in ${home.workspace}`], home.workspace]);
  expect(code.errors).toEqual([]);
  expect(code.network.foreign).toEqual([]);
});
