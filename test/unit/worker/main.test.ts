import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Text } from '../../../src/core/index.ts';
import { SessionPool } from '../../../src/host/workers/session-pool.ts';
import { createCaller, isMessage, type Caller, type ListMethods, type SessionMethods } from '../../../src/protocol/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeBuilt } from './session-harness.ts';

const root = tempRoot();
const workers: Worker[] = [];
let bundle = '';

beforeAll(async () => {
  bundle = join(root.path, 'worker.cjs');
  const entryPoints = [new URL('../../../src/worker/main.ts', import.meta.url).pathname];
  await build({
    entryPoints,
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
  });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
});

function start<M>(job: object): { worker: Worker; caller: Caller<M> } {
  const worker = new Worker(bundle, {
    workerData: { locale: 'en', bundle: { 'Transcript of {session}': '会话 {session}' }, ...job },
  });
  workers.push(worker);
  const caller = createCaller<M>((message) => worker.postMessage(message));
  worker.on('message', (message: unknown) => {
    if (isMessage(message)) caller.accept(message);
  });
  return { worker, caller };
}

describe('the worker', () => {
  it('serves an open log in the language of its reader, and outlives nonsense', async () => {
    const log = new LogBuilder({ version: 4, id: 'w', createdAt: 1_700_000_000_000 });
    log.prompt('Hello.');
    log.reply('Hi.');
    const path = await writeBuilt(root.fresh(), log);
    const { worker, caller } = start<SessionMethods>({ role: 'session', path });
    for (const nonsense of [
      null,
      'x',
      { kind: 'call' },
      { kind: 'call', id: 1.5, method: 'overview', args: {} },
      { kind: 'cancel', id: 99 },
    ])
      worker.postMessage(nonsense);
    await expect(caller.call('detail', { generation: 1, seq: {} as never })).rejects.toMatchObject({ code: 'bad-request' });
    const overview = await caller.call('overview', {});
    expect([overview.eventCount, overview.title]).toEqual([log.events.length, 'Hello.']);
    const chunk = await caller.call('table', { generation: overview.generation, table: 'entries', from: 0, to: 5 });
    expect([...new Uint32Array(chunk.columns['seq'] ?? [])]).toEqual([0, 1, 2, 3, 4]);
    expect((await caller.call('document', { ref: { kind: 'transcript' } })).text).toMatch(/^会话 w\n/);
    await expect(caller.call('detail', { generation: overview.generation, seq: 1e6 })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('answers for a log that is not there instead of dying', async () => {
    const { caller } = start<SessionMethods>({ role: 'session', path: join(root.path, 'missing', 'session.jsonl') });
    await expect(caller.call('overview', {})).rejects.toMatchObject({ code: 'failed', message: 'The file is not there' });
    await expect(caller.call('overview', {})).rejects.toMatchObject({ code: 'failed' });
  });

  it('is started again by its pool, ended from outside or out of memory for real', async () => {
    const log = new LogBuilder({ version: 4, id: 'mortal', createdAt: 1_700_000_000_000 });
    log.prompt('Hello.');
    // A few megabytes of text that are a hundred as objects.
    const data = { many: Array.from({ length: 1_200_000 }, () => []) };
    log.adopt({ type: 'acme/large', seq: log.events.length, time: log.now, data, ignorable: true });
    const path = await writeBuilt(root.fresh(), log);
    const started: Worker[] = [];
    let limits = {};
    let crashed: (reason: Text | string) => void = () => undefined;
    const pool = new SessionPool({
      idleMs: 1000,
      maxIdle: 1,
      spawn: (job) => {
        const worker = new Worker(bundle, { workerData: { locale: 'en', bundle: {}, ...job }, resourceLimits: limits });
        started.push(worker);
        return worker;
      },
      onCrash: (_, reason) => crashed(reason),
    });
    const crash = (): Promise<Text | string> => new Promise((resolve) => (crashed = resolve));
    const restarts: number[] = [];
    const lease = pool.acquire(path, { onRestart: () => restarts.push(started.length) });
    try {
      expect(await lease.call('overview', {})).toMatchObject({ title: 'Hello.' });
      const ended = crash();
      void started[0]?.terminate();
      expect(await ended).toEqual({ template: 'exit code {code}', args: { code: 1 } });
      await expect(lease.call('overview', {})).rejects.toMatchObject({ code: 'closed' });
      pool.restart(path);
      expect(await lease.call('overview', {})).toMatchObject({ title: 'Hello.' });
      const again = crash();
      void started[1]?.terminate();
      await again;
      limits = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };
      const full = crash();
      pool.restart(path);
      await expect(lease.call('overview', {})).rejects.toMatchObject({ code: 'closed' });
      expect(await full).toMatchObject({ template: 'It needed more memory than one reader may take' });
      limits = {};
      pool.restart(path);
      expect(await lease.call('overview', {})).toMatchObject({ title: 'Hello.' });
      expect(restarts).toEqual([2, 3, 4]);
    } finally {
      await pool.dispose();
    }
  });

  it('serves the list', async () => {
    const folder = root.fresh();
    mkdirSync(folder, { recursive: true });
    const { caller } = start<ListMethods>({ role: 'list' });
    expect(await caller.call('list', { root: folder })).toMatchObject({ root: folder, exists: true, items: [] });
  });
});
