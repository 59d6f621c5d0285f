import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { forkSession, listSessions, openSession } from '../../../src/storage/index.ts';
import { builtProgram } from '../../support/fork-program.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();
let program = '';

beforeAll(async () => {
  program = await builtProgram(temp.fresh());
});

interface Run {
  /** What it said: each step, and at the end the path. */
  readonly said: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

/** Runs the program until it has stopped at its step, and kills it there. */
function run(args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let trouble = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/^stopped at \w+\n/m.test(said)) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      if (trouble !== '') reject(new Error(trouble));
      else resolve({ said: said.trim().split('\n'), signal });
    });
  });
}

async function parentIn(root: string): Promise<{ readonly path: string; readonly log: LogBuilder }> {
  const log = new LogBuilder({ version: 4, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
  log.prompt('one');
  log.reply('first');
  log.prompt('two');
  log.reply('second');
  return { path: await writeLog(root, log.header, log.events), log };
}

describe.each(['links', 'no-links'] as const)('a process that forks, on a disk with %s', (links) => {
  it('killed at whatever step leaves a complete child or nothing, and the next fork goes through', async () => {
    const whole = temp.fresh();
    const { path: first, log: parent } = await parentIn(whole);
    const boundary = String(parent.events.length - 1);
    const { said } = await run([whole, first, boundary, 'child', '-1', links]);
    const steps = said.slice(0, -1).map((line) => line.replace('goes on with ', ''));
    expect(said.at(-1)).toBe(`wrote ${join(whole, '--work-demo--', 'child', 'session.v4.jsonl.zstd')}`);
    expect(steps).toEqual(expect.arrayContaining(['mkdir', 'write', 'sync', 'link', ...(links === 'links' ? [] : ['rename'])]));
    const outcomes: [string, number][] = [];
    for (const [at, name] of steps.entries()) {
      const root = temp.fresh();
      const { path } = await parentIn(root);
      const before = { bytes: readFileSync(path).toString('hex'), mtime: statSync(path).mtimeMs };
      const killed = await run([root, path, boundary, 'child', String(at), links]);
      expect([killed.signal, killed.said.at(-1)]).toEqual(['SIGKILL', `stopped at ${name}`]);

      const children = (await listSessions(root)).filter(({ id }) => id !== 'parent');
      for (const { path: made, damage, id, cut, parentSession } of children) {
        expect({ id, cut, parentSession, damage }).toEqual({
          id: 'child',
          cut: parent.events.length,
          parentSession: 'parent',
          damage: [],
        });
        const child = await openSession(made);
        expect([child.eventCount, child.damage]).toEqual([parent.events.length + 1, []]);
        await child.close();
      }
      expect({ bytes: readFileSync(path).toString('hex'), mtime: statSync(path).mtimeMs }).toEqual(before);
      outcomes.push([name, children.length]);

      const source = await openSession(path);
      await forkSession(source, Number(boundary), { root, id: 'after' });
      await source.close();
      const listed = await listSessions(root);
      expect(listed.map(({ id }) => id).sort()).toEqual([...(children.length > 0 ? ['after', 'child'] : ['after']), 'parent']);
      expect(listed.flatMap(({ damage }) => damage)).toEqual([]);
    }
    // Nothing until the file has its name, the whole child from then on.
    const named = steps.indexOf(links === 'links' ? 'link' : 'rename');
    expect(outcomes).toEqual(steps.map((name, at) => [name, at > named ? 1 : 0]));
  }, 120_000);
});
