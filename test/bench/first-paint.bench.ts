import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { Code } from '../e2e/support/code.ts';

// Prints how long the editor takes from the click on a session to the first rows of its list with their words.
const root = process.env['DSH_TIMELINE_BENCH_ROOT'];
const home = mkdtempSync(path.join(tmpdir(), 'dsh-timeline-bench-'));
let code: Code;

beforeAll(async () => {
  if (root === undefined) throw new Error('run `npm run bench`');
  mkdirSync(path.join(home, 'workspace'));
  symlinkSync(root, path.join(home, 'sessions'));
  code = await Code.start({ dshHome: home, workspace: path.join(home, 'workspace') });
  await code.openSideBar();
});
afterAll(async () => {
  await code?.close();
  rmSync(home, { recursive: true, force: true });
});

it('first paint', async () => {
  const project = code.row(/session/);
  await project.waitFor();
  if ((await project.getAttribute('aria-expanded')) === 'false') await project.locator('.monaco-tl-twistie').click();
  const session = code.rows().and(code.page.locator('[aria-level="2"]')).first();
  for (const time of ['first time', 'again']) {
    await session.waitFor();
    const began = performance.now();
    await session.click();
    await code.timelineReady();
    console.log(`first paint  ${String(Math.round(performance.now() - began))} ms from the click (${time})`);
    await code.closeEditors();
  }
});
