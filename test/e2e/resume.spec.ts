import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFailed } from 'vitest';
import { listSessions } from '../../src/storage/index.ts';
import { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import type { ServerOptions } from './support/server.ts';
import { until } from './support/until.ts';

let home: Home;
let code: Code | undefined;

beforeEach(async () => {
  home = new Home();
  await home.write(chat(home.workspace));
});
afterEach(async () => {
  const ended = code;
  code = undefined;
  await ended?.close();
  home.remove();
  expect(ended?.errors).toEqual([]);
  expect(ended?.network.foreign).toEqual([]);
});

/** Forks the session and presses the button that takes the child up. */
async function resumed(options: Partial<ServerOptions>): Promise<{ readonly id: string; readonly said: string }> {
  const started = await Code.start({ dshHome: home.dshHome, workspace: home.workspace, ...options });
  code = started;
  onTestFailed(({ task }) => started.screenshot(`failed ${task.name.replaceAll(/[^\w]+/g, ' ').trim()}`));
  await code.openSideBar();
  await code.chooseFrom(code.row(/^The parser drops a line/), 'Fork from Here');
  await code.dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  const said = (await code.toast(/^Forked/).textContent()) ?? '';
  await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Resume in Terminal' }).click();
  const child = (await listSessions(home.sessions)).find(({ parentSession }) => parentSession !== undefined);
  return { id: child?.id ?? '', said: said.replaceAll('\u00a0', ' ') };
}

/** What a program wrote down, once it has. */
async function toldBy(file: string): Promise<unknown> {
  await until('the program to run', () => Promise.resolve(existsSync(file) && readFileSync(file, 'utf8').endsWith(']')));
  return JSON.parse(readFileSync(file, 'utf8'));
}

it('a fork is taken up in a terminal by the configured program, in the folder of the session', async () => {
  const told = path.join(home.folder, 'told by the program.json');
  const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify([process.argv.slice(2), process.cwd(), process.env.DSH_HOME]))`;
  const { id, said } = await resumed({
    machineSettings: {
      'dshTimeline.resumeCommand': `"${process.execPath}" -e "${script}" "${told}" --id=\${sessionId} "in \${cwd}"`,
    },
  });
  expect(said).not.toContain('starts dsh');
  expect(await toldBy(told)).toEqual([[`--id=${id}`, `in ${home.workspace}`], home.workspace, home.dshHome]);
});

it('without a command dsh itself is started, where it is on the path, and the notice says so', async () => {
  const bin = path.join(home.folder, 'bin');
  const told = path.join(home.folder, 'told by dsh.json');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'dsh'), `#!/bin/sh\nprintf '["%s", "%s", "%s"]' "$#" "$PWD" "$DSH_HOME" > '${told}'\nexec cat\n`);
  chmodSync(path.join(bin, 'dsh'), 0o755);
  // The editor would take PATH from a login shell, which makes its own, unless it is started from one.
  const { said } = await resumed({ env: { VSCODE_CLI: '1', PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
  expect(said).toContain('Resume in Terminal starts dsh in the folder of the session, to choose it there.');
  expect(await toldBy(told)).toEqual(['0', home.workspace, home.dshHome]);
  await code?.page.locator('.terminal-wrapper.active').waitFor();
  await code?.screenshot('resume-dsh');
});
