import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createCaller, serve, type Message, type RowText, type SessionMethods } from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { TABLES } from '../../../src/timeline/index.ts';
import { createSessionService } from '../../../src/worker/session-service.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes } from '../../support/write-log.ts';
import { openService, rowSaid, writeBuilt } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

function chat(version: Version): LogBuilder {
  const log = new LogBuilder({
    version,
    id: `chat-${version}`,
    createdAt: 1_700_000_000_000,
    cwd: '/home/dev/chat',
    contextWindow: 64_000,
  });
  log.setUp();
  log.prompt('List the files, please.');
  log.title('Files listed');
  log.work({
    text: 'I look.',
    calls: [
      { name: 'bash', args: { command: 'ls -la' }, result: 'a.txt\nb.txt\n', meta: { code: 0 } },
      { name: 'read', args: { file_path: 'a.txt' }, result: 'no', error: { name: 'FsError', code: 'FS_NOT_FOUND' } },
    ],
  });
  log.reply('Two files.');
  log.prompt('Thanks.');
  log.reply('You are welcome.');
  return log;
}

async function started(log: LogBuilder): Promise<ReturnType<typeof openService>> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  return service;
}

const all = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe.each([0, 1, 2, 3, 4] as const)('a log of format %i', (version) => {
  it('is told in overview, rows and outline', async () => {
    const log = chat(version);
    const { call } = await started(log);
    const overview = await call('overview', {});
    expect(overview).toMatchObject({
      generation: 1,
      version,
      encoding: 'zstd',
      title: 'Files listed',
      eventCount: log.events.length,
      counts: { turns: 2, steps: 3, calls: 2 },
      contextWindow: 64_000,
      damage: [],
      refusal: undefined,
    });
    const { generation, tables } = overview;
    const rows = await call('rows', {
      generation,
      turns: all(tables.turns),
      steps: all(tables.steps),
      entries: all(tables.entries),
    });
    expect(rows.turns.map(rowSaid)).toEqual(['Turn 1 | List the files, please.', 'Turn 2 | Thanks.']);
    expect(
      rows.steps.map((row) =>
        rowSaid(row)
          .replace(/ \| .* out · /, ' | ')
          .replace(/ · .*/, ''),
      ),
    ).toEqual(['Step 1.1 | deepseek-v4', 'Step 1.2 | deepseek-v4', 'Step 2.1 | deepseek-v4']);
    const entries = rows.entries.map(rowSaid);
    expect(entries).toContain('You | List the files, please.');
    expect(entries).toContain('bash | ls -la | exit 0');
    expect(entries).toContain('read | a.txt | failed: FS_NOT_FOUND');
    expect(entries).toContain('read failed | no | FS_NOT_FOUND');
    const streams = entries.filter((row) => row.startsWith('Stream')).map((row) => row.replace(/ \| \d+ chunks$/, ''));
    const [streamed, answered, thanked] = ['I look. · bash ls -la · read a.txt', 'Two files.', 'You are welcome.'];
    expect(streams).toEqual(version < 2 ? [streamed, answered, thanked].map((words) => `Stream | ${words}`) : []);
    expect(entries).toContain('Title | Files listed');
    expect(entries).toContain('Turn 2 ended | completed');

    const { total, turns } = await call('turns', { from: 0, to: 10 });
    expect([total, turns.map(({ number, steps }) => [number, steps])]).toEqual([
      2,
      [
        [1, 2],
        [2, 1],
      ],
    ]);
    const turnEnds = log.events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
    expect(turns.map(({ lastSeq }) => lastSeq)).toEqual(turnEnds);
    const steps = await call('steps', { turn: 0, from: 0, to: 10 });
    expect(steps.steps.map(({ calls, callCount }) => [callCount, calls.map(({ row }) => rowSaid(row))])).toEqual([
      [2, ['bash | ls -la | exit 0', 'read | a.txt | failed: FS_NOT_FOUND']],
      [0, []],
    ]);
    expect(steps.steps[0]?.calls[0]?.lastSeq).toBe(log.events.find(({ type }) => type === 'tool/result')?.seq);
  });

  it('sends every table in exactly sized buffers, whole or by range', async () => {
    const { call } = await started(chat(version));
    const { generation, tables } = await call('overview', {});
    for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
      const whole = await call('table', { generation, table: name, from: 0, to: 1e6 });
      expect([whole.from, whole.to]).toEqual([0, tables[name]]);
      expect(Object.keys(whole.columns)).toEqual(Object.keys(TABLES[name]));
      const half = tables[name] >> 1;
      const first = await call('table', { generation, table: name, from: 0, to: half });
      const second = await call('table', { generation, table: name, from: half, to: tables[name] });
      for (const [column, bytes] of Object.entries(whole.columns)) {
        const joined = [...new Uint8Array(first.columns[column] ?? []), ...new Uint8Array(second.columns[column] ?? [])];
        expect(joined).toEqual([...new Uint8Array(bytes)]);
      }
    }
  });

  it('answers history with exactly what was derived', async () => {
    const log = chat(version);
    const { call } = await started(log);
    const { text } = await call('document', { ref: { kind: 'history', seq: log.events.length - 1 } });
    const headings = text.split('\n').filter((line) => line.startsWith('==='));
    const nodes = log.nodes.filter((seq) => log.events[seq]?.type !== 'system/message' || version >= 3);
    expect(headings.map((heading) => Number(/#(\d+)/.exec(heading)?.[1]))).toEqual(nodes);
    expect(text).toContain('List the files, please.');
    expect(text).toContain('"command": "ls -la"');
  });
});

describe('a running service', () => {
  it('refuses calls that name a reading it no longer holds', async () => {
    let change: (what: { kind: 'appended' }) => void = () => undefined;
    const told: unknown[] = [];
    const log = chat(4);
    const path = await writeBuilt(root.fresh(), log);
    let settled: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => (settled = resolve));
    const service = openService(path, {
      follow: (_, onChange) => {
        change = onChange;
        return { dispose: () => told.push('watch disposed') };
      },
      emit: (name, data) => {
        told.push([name, data]);
        settled();
      },
    });
    const before = await service.call('overview', {});
    log.prompt('More.');
    writeFileSync(path, await logBytes(log.header, log.events));
    change({ kind: 'appended' });
    await changed;
    expect(told).toEqual([['changed', { generation: 2, cause: 'appended' }]]);
    const after = await service.call('overview', {});
    expect([after.generation, after.counts.turns]).toEqual([2, before.counts.turns + 1]);
    await expect(service.call('detail', { generation: 1, seq: 0 })).rejects.toMatchObject({ code: 'stale' });
    await service.dispose();
    expect(told.at(-1)).toBe('watch disposed');
    await expect(service.call('overview', {})).rejects.toMatchObject({ code: 'closed' });
  });

  it('keeps its last reading when the file cannot be read again, and tells of a deleted one', async () => {
    let change: (what: { kind: 'truncated' | 'deleted' }) => void = () => undefined;
    const told: string[] = [];
    const path = await writeBuilt(root.fresh(), chat(4));
    let broken = false;
    let settled: () => void = () => undefined;
    const unreadable = new Promise<void>((resolve) => (settled = resolve));
    const service = openService(path, {
      open: async (file, how) => {
        if (broken) throw new Error('gone');
        return openSession(file, { ...how, placement: false });
      },
      follow: (_, onChange) => {
        change = onChange;
        return { dispose: () => undefined };
      },
      emit: (name) => {
        told.push(name);
        if (name === 'unreadable') settled();
      },
    });
    open.push(service);
    await service.call('overview', {});
    broken = true;
    change({ kind: 'truncated' });
    await unreadable;
    change({ kind: 'deleted' });
    expect(told).toEqual(['unreadable', 'deleted']);
    expect((await service.call('overview', {})).generation).toBe(1);
  });

  it('joins changes that arrive while it reads', async () => {
    let change: (what: { kind: 'appended' }) => void = () => undefined;
    let opened = 0;
    const told: number[] = [];
    let settled: () => void = () => undefined;
    const twice = new Promise<void>((resolve) => (settled = resolve));
    const service = openService(await writeBuilt(root.fresh(), chat(4)), {
      open: (file, how) => {
        opened++;
        return openSession(file, { ...how, placement: false });
      },
      follow: (_, onChange) => {
        change = onChange;
        return { dispose: () => undefined };
      },
      emit: (name, data) => {
        if (name === 'changed') told.push((data as { generation: number }).generation);
        if (told.length === 2) settled();
      },
    });
    open.push(service);
    await service.call('overview', {});
    for (let i = 0; i < 5; i++) change({ kind: 'appended' });
    await twice;
    expect(told).toEqual([2, 3]);
    expect(opened).toBe(3);
  });

  it('answers over a channel, whatever is asked of it', async () => {
    const session = createSessionService(await writeBuilt(root.fresh(), chat(4)), { open: openSession });
    open.push(session);
    const caller = createCaller<SessionMethods>((message) => receive(message));
    const receive = serve(session.service, (message: Message) => caller.accept(structuredClone(message)));
    const { generation } = await caller.call('overview', {});
    await expect(caller.call('detail', { generation, seq: 1e9 })).rejects.toMatchObject({ code: 'not-found' });
    await expect(caller.call('rows', { generation, turns: [], steps: [], entries: [-1] })).rejects.toMatchObject({
      code: 'bad-request',
    });
    await expect(caller.call('nothing' as 'overview', {})).rejects.toMatchObject({ code: 'bad-request' });
    await expect(caller.call('document', { ref: { kind: 'history', seq: 1e9 } })).rejects.toMatchObject({ code: 'not-found' });
    await expect(caller.call('document', { ref: { kind: 'request', turn: 9, step: 1, attempt: 1 } })).rejects.toMatchObject({
      code: 'not-found',
    });
    const far: RowText[] = [...(await caller.call('rows', { generation, turns: [999], steps: [999], entries: [999] })).entries];
    expect(far.map(rowSaid)).toEqual(['Nothing here']);
    expect((await caller.call('overview', {})).generation).toBe(1);
  });

  it('says why a log cannot be opened, and opens it once it is there', async () => {
    const folder = root.fresh();
    const service = openService(`${folder}/session.v4.jsonl.zstd`);
    open.push(service);
    await expect(service.call('overview', {})).rejects.toMatchObject({ code: 'failed' });
    await writeBuilt(folder, chat(4));
    expect((await service.call('overview', {})).title).toBe('Files listed');
  });
});

describe('search', () => {
  it('finds stored text, spelled as JSON too, and the words of rows', async () => {
    const log = chat(4);
    log.prompt('Say "hi"\nto Ünï');
    log.reply('hi');
    const { call } = await started(log);
    const { generation, tables } = await call('overview', {});
    const seqs = new Uint32Array(
      (await call('table', { generation, table: 'entries', from: 0, to: tables.entries })).columns['seq'] ?? [],
    );
    const find = async (query: string): Promise<(string | undefined)[]> => {
      const { entries } = await call('search', { generation, query, limit: 100 });
      return [...entries].map((entry) => log.events[seqs[entry] ?? -1]?.type);
    };
    expect(await find('SAY "HI"')).toEqual(['agent/inbox/spliced', 'user/message']);
    expect(await find('ünï')).toEqual(['agent/inbox/spliced', 'user/message']);
    expect(await find('turn 3 ended')).toEqual(['turn/end']);
    expect(await find('no such thing')).toEqual([]);
    expect(await find('  ')).toEqual([]);
    const { entries, total } = await call('search', { generation, query: 'turn', limit: 3 });
    expect(entries.length).toBe(3);
    expect(total).toBeGreaterThan(3);
  });
});
