import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionLister } from '../../../src/storage/session-list.ts';
import type { LogBuilder, Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';
import { builder, kinds, only, START, write } from './listing.ts';

const temp = tempRoot();

describe('long logs', () => {
  /** Well over what is read from both ends; the title lies in the middle. */
  function long(id: string, version: Version = 4): LogBuilder {
    const log = builder(id, { version });
    for (let turn = 0; turn < 260; turn++) {
      log.prompt(turn === 0 ? 'The very first question' : `Question ${String(turn)}: ${log.newId().repeat(6)}`);
      log.reply(`Answer ${log.newId().repeat(20)}`);
      if (turn === 130) log.title('From the middle');
    }
    return log;
  }

  it.each([
    ['zstd', undefined],
    ['none', undefined],
    ['zstd', 1],
  ] as const)('are read at their ends only: %s, batch %s', async (encoding, batch) => {
    const root = temp.fresh();
    const log = long('a');
    const path = await write(root, log, { encoding, ...(batch === undefined ? {} : { batch }) });
    expect(statSync(path).size).toBeGreaterThan(200_000);
    // Nothing in the middle is looked at: it may as well be noise.
    const bytes = readFileSync(path);
    bytes.fill(0xee, 90_000, bytes.length - 90_000);
    writeFileSync(path, bytes);
    const session = await only(root);
    expect(session).toMatchObject({ title: 'The very first question', titleIsComplete: false, turnCount: 260, damage: [] });
    expect(session.lastActivity).toBe(log.events.findLast((event) => event.type === 'assistant/message')?.time);
  });

  it('are completed on demand, once', async () => {
    const root = temp.fresh();
    const path = await write(root, long('a'));
    const lister = createSessionLister();
    await lister.list(root);
    expect(await lister.complete(path)).toMatchObject({ title: 'From the middle', titleIsComplete: true, turnCount: 260 });
    const listed = (await lister.list(root)).sessions[0];
    expect(listed).toMatchObject({ title: 'From the middle', titleIsComplete: true });
    expect(await lister.complete(join(root, 'unknown'))).toBeUndefined();
  });

  it.each(['zstd', 'none'] as const)(
    'are checked on demand: damage between the ends, and the turns before it; %s',
    async (encoding) => {
      const root = temp.fresh();
      const log = long('a');
      const broken = log.events.findIndex(
        (event) => event.type === 'turn/start' && (event.data as { turn: number }).turn === 200,
      );
      const events = log.events.map((event, i) => (i === broken ? { ...event, seq: event.seq + 7 } : event));
      const path = await writeLog(root, log.header, events, { encoding });
      const lister = createSessionLister();
      expect((await lister.list(root)).sessions[0]).toMatchObject({ isChecked: false, turnCount: 260, damage: [] });
      const checked = await lister.check(path);
      expect(checked).toMatchObject({ isChecked: true, turnCount: 199, title: 'From the middle', titleIsComplete: true });
      expect(kinds(checked)).toEqual(['wrong-seq accepts/refuses']);
      expect(checked?.damage[0]?.line).toBe(broken + 2); // lines count from 1, the header is the first
      // The next listing knows it, and where the log lies is told beside it.
      expect((await lister.list(root)).sessions[0]).toEqual(checked);
      const elsewhere = join(root, '--elsewhere--', 'a', basename(path));
      mkdirSync(dirname(elsewhere), { recursive: true });
      renameSync(path, elsewhere);
      await lister.list(root);
      expect(kinds(await lister.check(elsewhere))).toEqual(['wrong-seq accepts/refuses', 'placement breaks-root/refuses']);
    },
  );

  it('tell whether something left the context only once every event was read', async () => {
    const root = temp.fresh();
    const folded = long('folded');
    folded.compact('All of it.');
    for (const log of [long('plain'), folded]) await write(root, log);
    const lister = createSessionLister();
    const { sessions } = await lister.list(root);
    expect(sessions.map(({ id, isCompacted }) => [id, isCompacted])).toEqual([
      ['folded', undefined],
      ['plain', undefined],
    ]);
    for (const { id, path } of sessions) {
      expect((await lister.complete(path))?.isCompacted).toBeUndefined();
      expect(await lister.check(path)).toMatchObject({ isCompacted: id === 'folded' });
    }
  });

  it('are checked in short stretches, so that a listing is answered in between, and no further when aborted', async () => {
    const root = temp.fresh();
    const path = await write(root, long('a'), { batch: 'one' });
    const lister = createSessionLister();
    await lister.list(root);
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    turn();
    await lister.check(path);
    isDone = true;
    expect(turns).toBeGreaterThan(10); // 260 turns of ten lines each
    const other = temp.fresh();
    const second = await write(other, long('b'));
    await lister.list(other);
    const stop = new AbortController();
    const aborted = lister.check(second, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect((await lister.list(other)).sessions[0]).toMatchObject({ isChecked: false });
  });

  it('are checked once, and again only when the file changed', async () => {
    const root = temp.fresh();
    const path = await write(root, long('a'), { encoding: 'none' });
    const time = new Date(START);
    utimesSync(path, time, time);
    const lister = createSessionLister();
    await lister.list(root);
    expect(await lister.check(path)).toMatchObject({ damage: [], turnCount: 260 });
    const bytes = readFileSync(path);
    bytes.fill(0xee, 600_000, 600_300);
    writeFileSync(path, bytes);
    utimesSync(path, time, time);
    await lister.list(root);
    expect(await lister.check(path)).toMatchObject({ damage: [] }); // as large and as old as before
    utimesSync(path, time, new Date(START + 1000));
    expect((await lister.list(root)).sessions[0]).toMatchObject({ isChecked: false, damage: [] });
    expect((await lister.check(path))?.damage).not.toEqual([]);
  });

  it('of one frame have no boundary near their end; their counts come with the completion', async () => {
    const root = temp.fresh();
    const log = long('a');
    log.title('At the end', 'user');
    for (let i = 0; i < 500; i++) log.emit('feedback/record', { text: Array.from({ length: 60 }, () => log.newId()).join(' ') });
    const path = await write(root, log, { batch: 'one' });
    expect(statSync(path).size).toBeGreaterThan(512 * 1024);
    const lister = createSessionLister();
    const before = (await lister.list(root)).sessions[0];
    expect(before).toMatchObject({ title: 'The very first question', titleIsComplete: false, isEmpty: false });
    expect(before?.turnCount).toBeUndefined();
    expect(await lister.complete(path)).toMatchObject({ title: 'At the end', turnCount: 260 });
  });
});
