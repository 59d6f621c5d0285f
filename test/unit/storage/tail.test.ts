import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { followSession, LogFollower, type LogChange } from '../../../src/storage/tail.ts';
import { encodeFrame } from '../../../src/storage/zstd/encode.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath, writeLog, type WriteOptions } from '../../support/write-log.ts';

const temp = tempRoot();

/** A log of three turns and the number of events at the end of each. */
function threeTurns(version: Version = 4): { log: LogBuilder; ends: number[] } {
  const log = new LogBuilder({ version, id: 'a', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
  const ends = [1, 2, 3].map((turn) => {
    log.prompt(`question ${String(turn)}`);
    log.reply('a rather long answer that comes in many pieces');
    return log.events.length;
  });
  return { log, ends };
}

interface Followed {
  readonly path: string;
  readonly log: LogBuilder;
  readonly ends: readonly number[];
  /** Bytes of the whole log. */
  readonly whole: Buffer;
  readonly changes: LogChange[];
  /** Looks once more and gives what it told. */
  look(): Promise<LogChange[]>;
}

/** A followed log that holds its first turn. */
async function followed(options: WriteOptions = {}, version: Version = 4): Promise<Followed> {
  const { log, ends } = threeTurns(version);
  const path = await writeLog(temp.fresh(), log.header, log.events.slice(0, ends[0]), options);
  const changes: LogChange[] = [];
  const follower = new LogFollower(path, (change) => changes.push(change));
  await follower.look();
  return {
    path,
    log,
    ends,
    whole: await logBytes(log.header, log.events, options),
    changes,
    async look() {
      await follower.look();
      return changes.splice(0);
    },
  };
}

const end = (it: Followed, turn: number): number => it.ends[turn - 1] ?? NaN;

async function appendTurn(it: Followed, turn: number, options: WriteOptions = {}): Promise<void> {
  const bytes = await logBytes(it.log.header, it.log.events.slice(0, it.ends[turn - 1]), options);
  writeFileSync(it.path, bytes);
}

describe('LogFollower', () => {
  it('tells nothing at first, and nothing of an unchanged or touched file', async () => {
    const it = await followed();
    expect(it.changes).toEqual([]);
    expect(await it.look()).toEqual([]);
    utimesSync(it.path, new Date(), new Date());
    expect(await it.look()).toEqual([]);
  });

  it.each([
    ['zstd', 4],
    ['zstd', 0],
    ['none', 4],
    ['none', 1],
  ] as const)('tells of appended events: %s v%i', async (encoding, version) => {
    const it = await followed({ encoding, batch: 5 }, version);
    await appendTurn(it, 2, { encoding, batch: 5 });
    const between = await it.look();
    await appendTurn(it, 3, { encoding, batch: 5 });
    // Batches are cut at the same places, so the earlier bytes stay as they are only where a batch ended there.
    const kinds = [...between, ...(await it.look())].map((change) => [change.kind, change.eventCount]);
    expect(kinds.map(([, count]) => count)).toEqual([end(it, 2), end(it, 3)]);
  });

  it('gives the first new seq of pure appending', async () => {
    const it = await followed({ batch: 1 });
    await appendTurn(it, 2, { batch: 1 });
    expect(await it.look()).toEqual([{ kind: 'appended', from: end(it, 1), eventCount: end(it, 2) }]);
    await appendTurn(it, 3, { batch: 1 });
    expect(await it.look()).toEqual([{ kind: 'appended', from: end(it, 2), eventCount: end(it, 3) }]);
  });

  it('counts complete lines of an unfinished frame, and the frame once it is whole', async () => {
    const it = await followed({ batch: 1 });
    const lines = it.log.events.slice(end(it, 1), end(it, 1) + 3).map((event) => `${JSON.stringify(event)}\n`);
    const frame = Buffer.from(await encodeFrame(Buffer.from(lines.join(''))));
    appendFileSync(it.path, frame.subarray(0, -2));
    expect(await it.look()).toEqual([{ kind: 'appended', from: end(it, 1), eventCount: end(it, 1) + 3 }]);
    appendFileSync(it.path, frame.subarray(-2));
    expect(await it.look()).toEqual([{ kind: 'appended', from: end(it, 1) + 3, eventCount: end(it, 1) + 3 }]);
  });

  it('tells a cut by what is left', async () => {
    const it = await followed({ encoding: 'none' });
    const text = readFileSync(it.path, 'utf8').split('\n').slice(0, 4).join('\n');
    truncateSync(it.path, Buffer.byteLength(text) + 1);
    expect(await it.look()).toEqual([{ kind: 'truncated', from: 3, eventCount: 3 }]);
  });

  it('tells a rewriting, also one that makes the file longer', async () => {
    const it = await followed({ encoding: 'none' });
    const other = it.whole.toString('utf8').replaceAll('rather', 'really');
    writeFileSync(it.path, other);
    expect(await it.look()).toEqual([{ kind: 'truncated', from: 0, eventCount: end(it, 3) }]);
  });

  it('tells a replaced file', async () => {
    const it = await followed();
    writeFileSync(`${it.path}.new`, it.whole);
    renameSync(`${it.path}.new`, it.path);
    expect(await it.look()).toEqual([{ kind: 'truncated', from: 0, eventCount: end(it, 3) }]);
  });

  it('tells a deletion once, and the return of the file', async () => {
    const it = await followed();
    rmSync(it.path);
    expect(await it.look()).toEqual([{ kind: 'deleted' }]);
    expect(await it.look()).toEqual([]);
    writeFileSync(it.path, it.whole);
    expect(await it.look()).toEqual([{ kind: 'truncated', from: 0, eventCount: end(it, 3) }]);
  });

  it('tells a deleted folder as a deletion', async () => {
    const it = await followed();
    rmSync(dirname(it.path), { recursive: true });
    expect(await it.look()).toEqual([{ kind: 'deleted' }]);
  });

  it('tells each newer generation once, and no older or foreign file', async () => {
    const it = await followed({}, 2);
    const beside = (name: string): void => {
      writeFileSync(join(dirname(it.path), name), '');
    };
    beside('session.jsonl.zstd');
    beside('session.v03.jsonl.zstd');
    beside('session.v4.jsonl.zstd.0123456789ab.tmp');
    expect(await it.look()).toEqual([]);
    beside('session.v3.jsonl.zstd');
    expect(await it.look()).toEqual([{ kind: 'new-generation' }]);
    expect(await it.look()).toEqual([]);
    beside('session.v4.jsonl.zstd');
    expect(await it.look()).toEqual([{ kind: 'new-generation' }]);
  });

  it('follows a log that is not there yet', async () => {
    const { log } = threeTurns();
    const path = logPath(temp.fresh(), log.header);
    const changes: LogChange[] = [];
    const follower = new LogFollower(path, (change) => changes.push(change));
    await follower.look();
    expect(changes).toEqual([]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await logBytes(log.header, log.events));
    await follower.look();
    expect(changes).toEqual([{ kind: 'truncated', from: 0, eventCount: log.events.length }]);
  });

  it('joins looks asked for at once, and says nothing after it was disposed', async () => {
    const it = await followed();
    const told: LogChange[] = [];
    const follower = new LogFollower(it.path, (change) => told.push(change));
    await follower.look();
    writeFileSync(it.path, it.whole);
    await Promise.all([follower.look(), follower.look(), follower.look()]);
    expect(told).toHaveLength(1);
    follower.dispose();
    rmSync(it.path);
    await follower.look();
    expect(told).toHaveLength(1);
  });

  it('tells an append to a log whose last frame is longer than what is looked at', async () => {
    const { log } = threeTurns();
    for (let i = 0; i < 300; i++) log.emit('feedback/record', { text: Array.from({ length: 30 }, () => log.newId()).join() });
    const path = await writeLog(temp.fresh(), log.header, log.events, { batch: 'one' });
    const changes: LogChange[] = [];
    const follower = new LogFollower(path, (change) => changes.push(change));
    await follower.look();
    appendFileSync(
      path,
      await encodeFrame(Buffer.from(`{"type":"feedback/record","seq":${String(log.events.length)},"time":1,"data":{}}\n`)),
    );
    await follower.look();
    expect(changes).toEqual([{ kind: 'appended', eventCount: log.events.length + 1 }]);
  });
});

describe('followSession', () => {
  it.each([true, false])('looks by itself (watching: %s) until it is disposed', async (watching) => {
    const it = await followed({ encoding: 'none' });
    let told: LogChange | undefined;
    const following = followSession(
      it.path,
      (change) => {
        told ??= change;
      },
      { pollMs: watching ? 60_000 : 20, watch: watching },
    );
    // The log keeps growing until that is noticed; without a notice the test runs into its time limit.
    for (let seq = end(it, 1); told === undefined; seq++) {
      await appendFile(it.path, `{"type":"feedback/record","seq":${String(seq)},"time":1,"data":{}}\n`);
    }
    following.dispose();
    expect(told.kind).toBe('appended');
    expect(told.eventCount).toBeGreaterThan(end(it, 1));
  });
});
