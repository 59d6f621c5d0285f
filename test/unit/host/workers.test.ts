import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ListClient } from '../../../src/host/workers/list-client.ts';
import { SessionPool } from '../../../src/host/workers/session-pool.ts';
import { WorkerClient } from '../../../src/host/workers/worker-client.ts';
import { english, type Text } from '../../../src/core/index.ts';
import type { SessionMethods } from '../../../src/protocol/index.ts';
import { FakeWorker, fakeWorkers } from './fake-worker.ts';

const said = (reason: Text | string): string => (typeof reason === 'string' ? reason : english(reason));

describe('a worker client', () => {
  const start = () => {
    const worker = new FakeWorker({ role: 'session', path: '/log' });
    const heard: unknown[] = [];
    const client = new WorkerClient<SessionMethods>(worker, {
      onEvent: (name, data) => heard.push([name, data]),
      onCrash: (reason) => heard.push(`crash: ${said(reason)}`),
      onNoise: (what) => heard.push(`noise: ${what}`),
    });
    return { worker, heard, client };
  };

  it('asks and is answered, hears events, reports what is no message', async () => {
    const { worker, heard, client } = start();
    const answer = client.call('search', { generation: 1, query: 'x', limit: 2 });
    expect(worker.received).toEqual([{ kind: 'call', id: 1, method: 'search', args: { generation: 1, query: 'x', limit: 2 } }]);
    worker.answer({ total: 0 });
    await expect(answer).resolves.toEqual({ total: 0 });
    worker.emit('message', { kind: 'event', name: 'changed', data: { generation: 2 } });
    worker.emit('message', 'hello');
    expect(heard).toEqual([['changed', { generation: 2 }], 'noise: string']);
  });

  it('rejects everything outstanding when the thread dies, with its reason, and says so once', async () => {
    const { worker, heard, client } = start();
    const calls = [client.call('overview', {}), client.call('overview', {})];
    worker.crash('heap out of memory');
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'closed', message: 'heap out of memory' });
    await expect(client.call('overview', {})).rejects.toMatchObject({ code: 'closed' });
    expect(heard).toEqual(['crash: heap out of memory']);
    expect(client.ended).toBe(true);
  });

  it('names the exit code where there was no error', () => {
    const { worker, heard } = start();
    worker.emit('exit', 7);
    expect(heard).toEqual(['crash: exit code 7']);
  });

  it('does not call its own end a crash', async () => {
    const { worker, heard, client } = start();
    const call = client.call('overview', {});
    await client.dispose();
    await expect(call).rejects.toMatchObject({ code: 'closed' });
    expect(worker.terminated).toBe(true);
    expect(heard).toEqual([]);
  });
});

describe('the pool of logs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const start = (maxIdle = 2) => {
    const { spawn, workers } = fakeWorkers();
    const crashes: string[] = [];
    const pool = new SessionPool({
      spawn,
      idleMs: 1000,
      maxIdle,
      onCrash: (path, reason) => crashes.push(`${path}: ${said(reason)}`),
    });
    return { pool, workers, crashes };
  };

  it('shares one worker a log and keeps it a while after the last holder left', () => {
    const { pool, workers } = start();
    const first = pool.acquire('/a');
    const second = pool.acquire('/a');
    expect(workers.map((worker) => worker.job)).toEqual([{ role: 'session', path: '/a' }]);
    first.dispose();
    first.dispose();
    vi.advanceTimersByTime(5000);
    expect(workers[0]?.terminated).toBe(false);
    second.dispose();
    vi.advanceTimersByTime(999);
    expect(workers[0]?.terminated).toBe(false);
    const third = pool.acquire('/a');
    vi.advanceTimersByTime(5000);
    expect(workers).toHaveLength(1);
    expect(workers[0]?.terminated).toBe(false);
    third.dispose();
    vi.advanceTimersByTime(1000);
    expect(workers[0]?.terminated).toBe(true);
    expect(pool.paths).toEqual([]);
  });

  it('keeps a bounded number of unused workers, the longest unused going first, and none in use', () => {
    const { pool, workers } = start(2);
    const held = pool.acquire('/held');
    for (const path of ['/a', '/b', '/c']) pool.acquire(path).dispose();
    expect(workers.map((worker) => worker.terminated)).toEqual([false, true, false, false]);
    expect(pool.paths).toEqual(['/held', '/b', '/c']);
    held.dispose();
    expect(pool.paths).toEqual(['/held', '/c']);
  });

  it('refuses calls of a hold that was given back', async () => {
    const { pool } = start();
    const lease = pool.acquire('/a');
    lease.dispose();
    await expect(lease.call('overview', {})).rejects.toMatchObject({ code: 'closed' });
  });

  it('gives the hold back even if the work fails', async () => {
    const { pool, workers } = start();
    await expect(pool.use('/a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    vi.advanceTimersByTime(1000);
    expect(workers[0]?.terminated).toBe(true);
  });

  it('tells the reader whether anybody looks, when that changes and when it starts again', () => {
    const { pool, workers } = start();
    const told = (worker: number): unknown[] =>
      (workers[worker]?.received ?? []).flatMap((message) =>
        message.kind === 'call' && message.method === 'follow' ? [(message.args as { on: boolean }).on] : [],
      );
    const [one, two] = [pool.acquire('/a'), pool.acquire('/a')];
    expect(told(0)).toEqual([false]);
    one.look(true);
    two.look(true);
    two.look(false);
    expect(told(0)).toEqual([false, true]);
    workers[0]?.crash('x');
    pool.restart('/a');
    expect(told(1)).toEqual([true]);
    one.dispose();
    expect(told(1)).toEqual([true, false]);
  });

  it('after a crash says so to every call until restarted, then tells every holder', async () => {
    const { pool, workers, crashes } = start();
    const restarted: string[] = [];
    const lease = pool.acquire('/a', { onRestart: () => restarted.push('one') });
    pool.acquire('/a', { onRestart: () => restarted.push('two') });
    workers[0]?.crash('out of memory');
    expect(crashes).toEqual(['/a: out of memory']);
    await expect(lease.call('overview', {})).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('has stopped') as string,
    });
    pool.restart('/a');
    pool.restart('/a');
    expect(restarted).toEqual(['one', 'two']);
    const answer = lease.call('overview', {});
    expect(workers).toHaveLength(2);
    workers[1]?.answer({ generation: 5 });
    await expect(answer).resolves.toEqual({ generation: 5 });
  });

  it('starts a crashed reader again for whoever comes next', () => {
    const { pool, workers } = start();
    const restarted: string[] = [];
    pool.acquire('/a', { onRestart: () => restarted.push('holder') });
    workers[0]?.crash('x');
    pool.acquire('/a', { onRestart: () => restarted.push('newcomer') });
    expect(workers).toHaveLength(2);
    expect(restarted).toEqual(['holder']);
  });

  it('forgets an unused reader that crashed', () => {
    const { pool, workers, crashes } = start();
    pool.acquire('/a').dispose();
    workers[0]?.crash('x');
    expect(pool.paths).toEqual([]);
    expect(crashes).toEqual(['/a: x']);
    pool.restart('/a');
    expect(workers).toHaveLength(1);
  });

  it('hands events to the holders of that log only', () => {
    const { pool, workers } = start();
    const heard: string[] = [];
    pool.acquire('/a', { onEvent: (name) => heard.push(`a ${name}`) });
    pool.acquire('/b', { onEvent: (name) => heard.push(`b ${name}`) });
    workers[0]?.emit('message', { kind: 'event', name: 'changed', data: {} });
    expect(heard).toEqual(['a changed']);
  });

  it('ends all of them at the end', async () => {
    const { pool, workers } = start();
    pool.acquire('/a');
    pool.acquire('/b').dispose();
    await pool.dispose();
    expect(workers.every((worker) => worker.terminated)).toBe(true);
  });
});

describe('the list client', () => {
  const start = (maxRestarts: number) => {
    const { spawn, workers } = fakeWorkers();
    const crashes: [string, boolean][] = [];
    const clock = { now: 0 };
    const list = new ListClient({
      spawn,
      maxRestarts,
      windowMs: 1000,
      now: () => clock.now,
      onCrash: (reason, givenUp) => crashes.push([said(reason), givenUp]),
    });
    return { list, workers, crashes, clock };
  };

  it('repeats a call once in a fresh worker', async () => {
    const { list, workers, crashes } = start(3);
    const call = list.call('resolveRoot', { configured: '' });
    workers[0]?.crash('x');
    await vi.waitFor(() => expect(workers[1]?.received).toHaveLength(1));
    workers[1]?.answer({ root: '/r' });
    await expect(call).resolves.toEqual({ root: '/r' });
    expect(crashes).toEqual([['x', false]]);
  });

  it('gives up after too many crashes within the window, until it is restarted', async () => {
    const { list, workers, crashes } = start(1);
    const call = list.call('list', { root: '/r' });
    workers[0]?.crash('one');
    await vi.waitFor(() => expect(workers).toHaveLength(2));
    workers[1]?.crash('two');
    await expect(call).rejects.toMatchObject({ code: 'closed', message: 'two' });
    expect(crashes).toEqual([
      ['one', false],
      ['two', true],
    ]);
    await expect(list.call('list', { root: '/r' })).rejects.toMatchObject({ message: 'two' });
    expect(workers).toHaveLength(2);
    list.restart();
    const again = list.call('list', { root: '/r' });
    workers[2]?.answer({ items: [] });
    await expect(again).resolves.toEqual({ items: [] });
  });

  it('does not count crashes of long ago', async () => {
    const { list, workers, crashes, clock } = start(1);
    for (let i = 0; i < 4; i++) {
      const call = list.call('list', { root: '/r' });
      workers[2 * i]?.crash('x');
      await vi.waitFor(() => expect(workers).toHaveLength(2 * i + 2));
      workers[2 * i + 1]?.answer({ n: i });
      await call;
      clock.now += 1000;
      workers[2 * i + 1]?.emit('exit', 0);
      clock.now += 1000;
    }
    expect(crashes.every(([, givenUp]) => !givenUp)).toBe(true);
    expect(crashes).toHaveLength(8);
  });

  it('passes on what a living worker answers, errors too', async () => {
    const { list, workers } = start(1);
    const call = list.call('list', { root: '/r' });
    workers[0]?.emit('message', { kind: 'reply', id: 1, ok: false, error: { code: 'failed', message: 'no permission' } });
    await expect(call).rejects.toMatchObject({ code: 'failed', message: 'no permission' });
    expect(workers).toHaveLength(1);
  });

  it('answers nothing once closed', async () => {
    const { list, workers } = start(1);
    const call = list.call('list', { root: '/r' });
    await list.dispose();
    await expect(call).rejects.toMatchObject({ code: 'closed' });
    await expect(list.call('list', { root: '/r' })).rejects.toMatchObject({ code: 'closed' });
    expect(workers).toHaveLength(1);
  });
});
