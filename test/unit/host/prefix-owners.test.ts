import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prefixOwners } from '../../../src/host/commands/prefix-owners.ts';
import type { SessionLease } from '../../../src/host/workers/session-pool.ts';
import { forkLog } from '../../support/fork-log.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, writeBuilt } from '../worker/session-harness.ts';

const root = tempRoot();
const options = { createdAt: 1_700_000_000_000, cwd: '/home/dev/d' };
const services = new Map<string, ReturnType<typeof openService>>();
afterAll(() => Promise.all([...services.values()].map((service) => service.dispose())));

const readers = {
  use<T>(log: string, work: (reader: Pick<SessionLease, 'call'>) => Promise<T>): Promise<T> {
    const service = services.get(log) ?? openService(log);
    services.set(log, service);
    return work({ call: (method, args) => service.call(method, args) });
  },
};

function talk(version: Version, ...turns: readonly string[]): LogBuilder {
  const log = new LogBuilder({ ...options, version, id: 'parent' });
  for (const prompt of turns) {
    log.prompt(prompt);
    log.reply(`Answer to ${prompt}`);
  }
  return log;
}

function copyOf(log: string): string {
  const folder = root.fresh();
  mkdirSync(folder, { recursive: true });
  const copy = path.join(folder, path.basename(log));
  copyFileSync(log, copy);
  return copy;
}

/** Forked at the end of the first turn. */
const cutOf = (log: LogBuilder): number => (log.events.find(({ type }) => type === 'turn/end')?.seq ?? -1) + 1;
const forkOf = (log: LogBuilder): LogBuilder => forkLog(log, cutOf(log) - 1, { ...options, id: 'child' });

describe.each([4, 1] as const)('of logs of format %i with the id of a fork\u2019s parent', (version) => {
  const right = talk(version, 'One', 'Two');
  const cut = cutOf(right);

  it('the one that has its prefix is found, first or last', async () => {
    const fork = await writeBuilt(root.fresh(), forkOf(right));
    const parent = await writeBuilt(root.fresh(), right);
    const other = await writeBuilt(root.fresh(), talk(version, 'Other', 'Two'));
    const short = await writeBuilt(root.fresh(), new LogBuilder({ ...options, version, id: 'parent' }));
    const missing = path.join(root.fresh(), 'session.v4.jsonl.zstd');
    expect(await prefixOwners(readers, fork, cut, [other, short, missing, parent])).toEqual([parent]);
    expect(await prefixOwners(readers, fork, cut, [parent, other])).toEqual([parent]);
  });

  it('of two with the same history the one with the same last event is found', async () => {
    const late = new LogBuilder({ ...options, version, id: 'parent' });
    late.prompt('One');
    late.reply('Answer to One');
    const end = late.events.find(({ type }) => type === 'turn/end');
    late.events[cut - 1] = { ...end!, time: end!.time + 1 };
    const fork = await writeBuilt(root.fresh(), forkOf(right));
    const parent = await writeBuilt(root.fresh(), right);
    expect(await prefixOwners(readers, fork, cut, [await writeBuilt(root.fresh(), late), parent])).toEqual([parent]);
  });

  it('all that have it are left, and all where none has it or nothing was inherited', async () => {
    const fork = await writeBuilt(root.fresh(), forkOf(right));
    const parent = await writeBuilt(root.fresh(), right);
    const other = await writeBuilt(root.fresh(), talk(version, 'Other'));
    const copy = copyOf(parent);
    expect(await prefixOwners(readers, fork, cut, [parent, other, copy])).toEqual([parent, copy]);
    const third = await writeBuilt(root.fresh(), talk(version, 'Third'));
    expect(await prefixOwners(readers, fork, cut, [other, third])).toEqual([other, third]);
    expect(await prefixOwners(readers, fork, 0, [other, parent])).toEqual([other, parent]);
  });
});
