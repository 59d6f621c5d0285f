import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../../scripts/lib/run.mjs';

const state = mkdtempSync(path.join(tmpdir(), 'dsh-timeline-start-'));
const env = { ...process.env, DSH_TIMELINE_STATE: state };
const start = (...args: string[]) => run(process.execPath, ['scripts/start.mjs', '--check', ...args], { env });

afterAll(() => {
  rmSync(state, { recursive: true, force: true });
});

it('npm start brings up an editor with the extension and the sample sessions, open to no stranger', async () => {
  const first = await start();
  expect(first.output).toMatch(/ready: dsh-session-timeline\.dsh-session-timeline is installed/);
  expect(first.output).toMatch(/writing sample sessions/);
  expect(first.code).toBe(0);
});

it('builds and installs nothing the second time', async () => {
  const second = await start();
  expect(second.code).toBe(0);
  expect(second.output).toMatch(/ready: /);
  expect(second.output).not.toMatch(/Packaged|installing the extension|writing sample sessions/);
});

it('opens another root, and says what is wrong with one that is none', async () => {
  const other = await start('--root', state);
  expect(other.output).toMatch(/ready: /);
  expect(other.output).not.toMatch(/writing sample sessions/);
  const none = await start('--root', path.join(state, 'nowhere'));
  expect(none.code).toBe(2);
  expect(none.output).toMatch(/nowhere is no folder/);
});
