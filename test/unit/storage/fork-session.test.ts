import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionHeader, StoredEvent } from '../../../src/core/events.ts';
import { encodeFrame } from '../../../src/storage/zstd/encode.ts';
import { forkSession, nearestBoundaries, openSession, replayAsNewSession } from '../../../src/storage/index.ts';
import { listSessions } from '../../../src/storage/session-list.ts';
import { faultyFs, type Fault } from '../../support/faulty-fs.ts';
import { pictureOf, storedLinesOf } from '../../support/fork-files.ts';
import { LogBuilder, type LogOptions, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath, writeLog, type WriteOptions } from '../../support/write-log.ts';

const temp = tempRoot();
const NOW = 1_800_000_000_000;

/** Two turns, a title after the first. */
function talk(version: Version, options: Partial<LogOptions> = {}): LogBuilder {
  const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000, ...options });
  log.prompt('one');
  log.reply('first');
  log.title('a talk');
  log.prompt('two');
  log.reply('second');
  return log;
}

interface Placed {
  readonly root: string;
  readonly path: string;
  readonly log: LogBuilder;
}

async function placed(log: LogBuilder, options: WriteOptions & { header?: object } = {}): Promise<Placed> {
  const root = temp.fresh();
  const header = { ...log.header, ...options.header };
  return { root, path: await writeLog(root, header, log.events, options), log };
}

const seqsOf = (log: LogBuilder, type: string): number[] =>
  log.events.filter((event) => event.type === type).map(({ seq }) => seq);

/** A call that must fail and leave everything as it was. */
async function refusal(root: string, run: () => Promise<unknown>): Promise<unknown> {
  const before = pictureOf(root);
  const failure = await run().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  expect(pictureOf(root)).toEqual(before);
  return failure;
}

describe('the child of a fork', () => {
  it('closes an open turn of v4 event by event as the format page works it out', async () => {
    const header: SessionHeader = {
      type: 'session',
      version: 4,
      id: 'parent',
      createdAt: 1,
      isSeeded: false,
      delegationDepth: 0,
    };
    const message = (id: string, role: string, source: object, content: unknown[]): object => ({ id, role, source, content });
    const calls = ['c1', 'c2'].map((id) => ({ type: 'tool-call', id, name: 'bash', arguments: '{}' }));
    const address = { turn: 1, step: 1 };
    const events = [
      { type: 'turn/start', data: { turn: 1 } },
      { type: 'step/start', data: address },
      { type: 'system/message', data: { ...address, message: message('m0', 'system', { kind: 'system-prompt' }, []) } },
      { type: 'user/message', data: message('m1', 'user', { kind: 'user' }, [{ type: 'text', text: 'hi' }]) },
      {
        type: 'assistant/message',
        data: {
          ...address,
          stream: [],
          message: message('m2', 'assistant', { kind: 'model', provider: 'p', model: 'm' }, calls),
        },
      },
      { type: 'tool/call', data: { ...address, callId: 'c1', name: 'bash', arguments: '{}' } },
    ].map((event, seq) => ({
      type: event.type,
      seq,
      time: 100 + seq,
      data: event.data,
      ...(event.type.endsWith('/message') ? { surfaceOp: 'append' as const } : {}),
    })) as StoredEvent[];
    const root = temp.fresh();
    const path = await writeLog(root, header, events);
    const tails = [];
    for (const [boundary, id] of [
      [5, 'five'],
      [1, 'one'],
      [0, 'zero'],
    ] as const) {
      const made = await forkSession(await openSession(path), boundary, { root, id, now: NOW });
      const child = await openSession(made.path);
      tails.push([...child.events(made.cut)].map(({ seq, type, time, data }) => ({ seq, type, time, data })));
    }
    const [five, one, zero] = tails;
    expect(five?.map(({ seq, type, time }) => [seq, type, time])).toEqual([
      [6, 'session/end-seed', 105],
      [7, 'tool/result', 105],
      [8, 'tool/result', 105],
      [9, 'step/end', 105],
      [10, 'turn/end', 105],
    ]);
    expect(five?.[1]?.data).toMatchObject({
      message: { id: 'forked-tool-result-c1-7' },
      error: { code: 'TOOL_OUTCOME_UNKNOWN' },
    });
    expect(five?.[2]?.data).toMatchObject({ message: { id: 'forked-tool-result-c2-8' }, error: { code: 'TOOL_NOT_STARTED' } });
    expect(five?.[4]?.data).toEqual({ turn: 1, reason: { kind: 'forked' } });
    expect(one?.map(({ seq, type }) => [seq, type])).toEqual([
      [2, 'session/end-seed'],
      [3, 'step/end'],
      [4, 'turn/end'],
    ]);
    expect(zero?.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'session/end-seed'],
      [2, 'turn/end'],
    ]);
  });

  it('stores again only the packed line the cut divides, as a writer would that never saw the rest', async () => {
    const chunk = (text: string): object => ({ turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } });
    const log = new LogBuilder({ version: 0, id: 'parent', cwd: '/w', createdAt: 5 });
    log.todos();
    for (const text of ['a', 'b', 'c', 'd', 'e'])
      log.adopt({ type: 'assistant/chunk', seq: log.events.length, time: 10, data: chunk(text) });
    const { root, path } = await placed(log, { encoding: 'none', batch: 'one' });
    const source = await openSession(path);
    expect((await storedLinesOf(path)).lines).toHaveLength(3);
    const linesAt = async (boundary: number, id: string): Promise<string[]> => {
      const { path: made } = await forkSession(source, boundary, { root, id, now: NOW });
      return (await storedLinesOf(made)).lines.slice(2, -1).map(String);
    };
    expect(await linesAt(4, 'four')).toEqual([
      '{"type":"text-chunks","seq0":1,"time0":10,"data":{"turn":1,"step":1,"index":0,"dt":[0,0,0],"texts":["a","b","c","d"]}}',
    ]);
    expect(await linesAt(2, 'two')).toEqual([
      '{"type":"assistant/chunk","seq":1,"time":10,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}}',
      '{"type":"assistant/chunk","seq":2,"time":10,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"b"}}}',
    ]);
    expect(await linesAt(5, 'whole')).toEqual((await storedLinesOf(path)).lines.slice(2).map(String));
  });

  it('keeps lines as they are stored: odd spacing, CRLF, escapes, bytes that are no UTF-8', async () => {
    const root = temp.fresh();
    const header = { type: 'session', version: 4, id: 'p', createdAt: 1, cwd: '/w', isSeeded: false, delegationDepth: 0 };
    const path = logPath(root, header as SessionHeader, 'none');
    const lines = [
      Buffer.from('{ "seq":0 , "type":"todo/write","time":1,"data":{"todos":[{"status":"pending","content":"\\u0041\\ud800"}]}}'),
      Buffer.from('{"type":"todo/write","seq":1,"time":2,"data":{"todos":[]}}\r'),
      Buffer.concat([
        Buffer.from('{"type":"todo/write","seq":2,"time":3,"data":{"todos":[{"content":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","status":"pending"}]}}'),
      ]),
    ];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      Buffer.concat([Buffer.from(JSON.stringify(header)), ...lines].flatMap((line) => [line, Buffer.from('\n')])),
    );
    const made = await forkSession(await openSession(path), 2, { root, id: 'c', now: NOW });
    expect(Buffer.concat((await storedLinesOf(made.path)).lines.slice(1, 4)).equals(Buffer.concat(lines))).toBe(true);
  });

  it('has the source’s encoding and generation, also in a plain root', async () => {
    const { root, path } = await placed(talk(4), { encoding: 'none' });
    const made = await forkSession(await openSession(path), 0, { root, id: 'c', now: NOW });
    expect(made.path).toBe(join(root, '--work-demo--', 'c', 'session.v4.jsonl'));
  });

  it('takes cwd and effective preset over and nothing else', async () => {
    const log = talk(3, { origin: 'subagent', delegationDepth: 2, agentPreset: 'code', parentSession: 'grandparent' });
    const { root, path } = await placed(log);
    const source = await openSession(path);
    const header = async (options: object): Promise<unknown> => {
      const made = await forkSession(source, log.events.length - 1, { root, now: NOW, ...options });
      return (await openSession(made.path)).header;
    };
    const own = { type: 'session', version: 3, createdAt: NOW, cwd: '/work/demo', parentSession: 'parent', isSeeded: true };
    expect(await header({ id: 'a' })).toEqual({ ...own, id: 'a', delegationDepth: 0, agentPreset: 'code' });
    expect(await header({ id: 'b', agentPreset: 'other' })).toEqual({
      ...own,
      id: 'b',
      delegationDepth: 0,
      agentPreset: 'other',
    });
  });

  it('without a cwd lies where sessions without one lie, and gets an id of its own', async () => {
    const log = new LogBuilder({ version: 4, id: 'parent', createdAt: 1 });
    log.todos();
    const { root, path } = await placed(log);
    const made = await forkSession(await openSession(path), 0, { root });
    expect(made.id).toMatch(/^session-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(made.path).toBe(join(root, '_no-cwd', made.id, 'session.v4.jsonl.zstd'));
  });

  it('may hold what an unfinished last frame gave back', async () => {
    const log = talk(4);
    const { root, path } = await placed(log);
    const seq = log.events.length;
    const frame = await encodeFrame(
      Buffer.from(`${JSON.stringify({ type: 'todo/write', seq, time: log.now, data: { todos: [] } })}\n`),
    );
    appendFileSync(path, frame.subarray(0, frame.length - 3));
    const source = await openSession(path);
    expect(source.uncommittedEvents).toBe(1);
    const made = await forkSession(source, seq, { root, id: 'c', now: NOW });
    expect((await openSession(made.path)).damage).toEqual([]);
  });

  it('can be forked and replayed from in turn', async () => {
    const { root, path, log } = await placed(talk(2));
    const [first] = seqsOf(log, 'turn/end');
    const child = await forkSession(await openSession(path), first ?? 0, { root, id: 'child', now: NOW });
    const grandchild = await forkSession(await openSession(child.path), child.cut, { root, id: 'grandchild', now: NOW });
    const opened = await openSession(grandchild.path);
    expect(opened.inheritedEventCount).toBe(child.cut + 1);
    expect([...opened.events(child.cut)].map(({ type, data }) => [type, data])).toEqual([
      ['session/end-seed', { inherited: true }],
      ['session/end-seed', { inherited: true }],
    ]);
    expect(opened.header?.parentSession).toBe('child');
    // Before the mark of the inherited part, nothing ties it to a parent.
    await replayAsNewSession(await openSession(child.path), first ?? 0, { root, id: 'again', now: NOW });
    expect((await listSessions(root)).map(({ id, damage }) => [id, damage])).toEqual([
      ['again', []],
      ['child', []],
      ['grandchild', []],
      ['parent', []],
    ]);
  });
});

describe('a fork is refused, with nothing left behind', () => {
  const fork = async ({ root, path }: Pick<Placed, 'root' | 'path'>, seq: number, options: object = {}): Promise<unknown> => {
    const source = await openSession(path);
    return refusal(root, () => forkSession(source, seq, { root, id: 'child', now: NOW, ...options }));
  };

  it('for what is no boundary', async () => {
    const at = await placed(talk(3));
    for (const seq of [-1, 1.5, Number.NaN, at.log.events.length])
      expect(await fork(at, seq)).toMatchObject({ name: 'SessionForkError', code: 'INVALID_BOUNDARY' });
    expect(await fork(at, seqsOf(at.log, 'turn/end')[0]! - 1)).toMatchObject({ code: 'OPEN_TURN' });
    const empty = await placed(new LogBuilder({ version: 4, id: 'parent', createdAt: 1, cwd: '/w' }));
    expect(await fork(empty, 0)).toMatchObject({ code: 'INVALID_BOUNDARY', message: expect.stringContaining('empty') as string });
  });

  it('for a newer format and from an unknown event on', async () => {
    const newer = await placed(talk(4), { header: { version: 5 } });
    expect(await fork(newer, 0)).toMatchObject({ code: 'UNREADABLE', message: expect.stringContaining('5') as string });
    const log = talk(4);
    const unknown = log.push('some/plugin', {});
    log.todos();
    const at = await placed(log);
    expect(await fork(at, unknown)).toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('some/plugin') as string,
    });
    expect(await fork(at, unknown + 1)).toMatchObject({ code: 'UNREADABLE' });
    expect((await forkSession(await openSession(at.path), unknown - 1, { root: at.root, id: 'child', now: NOW })).cut).toBe(
      unknown,
    );
  });

  it('past damage, but not before it', async () => {
    const log = talk(4);
    const { root, path } = await placed(log, { batch: 3 });
    const bytes = readFileSync(path);
    const damaged = 40 + Math.floor(bytes.length * 0.6);
    bytes[damaged] = (bytes[damaged] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    const source = await openSession(path);
    expect(source.eventCount).toBeLessThan(log.events.length);
    expect(await fork({ root, path }, log.events.length - 1)).toMatchObject({ code: 'UNREADABLE' });
    const { before } = nearestBoundaries(source, log.events.length - 1);
    expect((await forkSession(source, before?.seq ?? -1, { root, id: 'child', now: NOW })).cut).toBeLessThan(source.eventCount);
  });

  it('for a header that cannot be carried over', async () => {
    for (const header of [{ cwd: 'relative/path' }, { cwd: '' }]) {
      const root = temp.fresh();
      const directory = join(root, '--w--', 'parent');
      mkdirSync(directory, { recursive: true });
      const path = join(directory, 'session.v4.jsonl.zstd');
      const log = talk(4);
      writeFileSync(path, await logBytes({ ...log.header, ...header }, log.events));
      expect(await fork({ root, path }, 0)).toMatchObject({ code: 'UNREADABLE' });
      const source = await openSession(path);
      for (const { seq } of log.events) expect(source.forkBoundary(seq)).toMatchObject({ legal: false, code: 'UNREADABLE' });
      expect(source.forkableCount).toBe(0);
    }
  });

  it('in a root of the other encoding, with a doubled id, or where the id is used in any project', async () => {
    const at = await placed(talk(4));
    const other = new LogBuilder({ version: 4, id: 'taken', cwd: '/elsewhere', createdAt: 1 });
    await writeLog(at.root, other.header, other.events);
    expect(await fork(at, 0, { id: 'taken' })).toMatchObject({ name: 'SessionForkError', code: 'SESSION_ALREADY_EXISTS' });
    await writeLog(at.root, { ...other.header, cwd: '/third' }, other.events);
    expect(await fork(at, 0)).toMatchObject({ code: 'DUPLICATE_IDS', message: expect.stringContaining('taken') as string });
    rmSync(join(at.root, '--third--'), { recursive: true });
    await writeLog(at.root, { ...other.header, id: 'plain' }, other.events, { encoding: 'none' });
    expect(await fork(at, 0)).toMatchObject({ code: 'OTHER_ENCODING', message: expect.stringContaining('plain') as string });
  });

  it('where something lies at its place already', async () => {
    const at = await placed(talk(4));
    mkdirSync(join(at.root, '--work-demo--', 'child'));
    writeFileSync(join(at.root, '--work-demo--', 'child', 'session.lock'), '');
    expect(await fork(at, 0)).toMatchObject({ name: 'LogWriteError', code: 'EEXIST' });
  });

  it('when the source has changed, but not when it has only grown', async () => {
    const changes: ((path: string, log: LogBuilder) => Promise<void>)[] = [
      async (path, log) => writeFileSync(path, await logBytes({ ...log.header, createdAt: 7 }, log.events)),
      async (path, log) =>
        writeFileSync(
          path,
          await logBytes(
            log.header,
            log.events.map((event) => ({ ...event, time: event.time + 1 })),
          ),
        ),
      (path) => Promise.resolve(truncateSync(path, 400)),
      (path) => Promise.resolve(rmSync(path)),
    ];
    for (const change of changes) {
      const { root, path, log } = await placed(talk(4));
      const source = await openSession(path);
      await change(path, log);
      expect(
        await refusal(root, () => forkSession(source, log.events.length - 1, { root, id: 'child', now: NOW })),
      ).toMatchObject({
        code: 'SOURCE_CHANGED',
      });
    }
    const { root, path, log } = await placed(talk(4));
    const source = await openSession(path);
    const boundary = log.events.length - 1;
    log.todos();
    appendFileSync(path, await encodeFrame(Buffer.from(`${JSON.stringify(log.events.at(-1))}\n`)));
    const grown = readFileSync(path);
    const made = await forkSession(source, boundary, { root, id: 'child', now: NOW });
    expect((await openSession(made.path)).eventCount).toBe(boundary + 2);
    expect(readFileSync(path).equals(grown)).toBe(true);
  });

  it('when the source changes while the child is being written', async () => {
    const { root, path, log } = await placed(talk(4));
    const source = await openSession(path);
    const fs = faultyFs({ code: 'none' });
    const open = fs.open;
    fs.open = async (...args) => {
      if (String(args[0]).endsWith('.tmp')) truncateSync(path, 400);
      return open(...args);
    };
    const failure = await forkSession(source, log.events.length - 1, { root, id: 'child', now: NOW, fs }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'SOURCE_CHANGED' });
    expect(readdirSync(join(root, '--work-demo--'))).toEqual(['parent']);
  });

  it('when it is cancelled before or while it works', async () => {
    const at = await placed(talk(4));
    expect(await fork(at, 0, { signal: AbortSignal.abort(new Error('cancelled')) })).toMatchObject({ message: 'cancelled' });
    const controller = new AbortController();
    const fs = faultyFs({ code: 'none' });
    const open = fs.open;
    fs.open = (...args) => {
      controller.abort(new Error('cancelled late'));
      return open(...args);
    };
    expect(await fork(at, 0, { signal: controller.signal, fs })).toMatchObject({ message: 'cancelled late' });
  });

  it('when the disk fails at any step, with the reason', async () => {
    const base = talk(4, { cwd: '/work/other' });
    const steps = await stepsOf(await moved(base));
    for (const code of ['EIO', 'ENOSPC', 'EACCES', 'EEXIST', 'EXDEV']) {
      for (let at = 0; at < steps.length - 1; at++) {
        const { root, path } = await moved(base);
        const fs = faultyFs({ at, code, tears: true });
        const run = (): Promise<unknown> => forkAt(root, path, fs);
        // A file system without hard links is no failure.
        if (code === 'EXDEV' && steps[at] === 'link') await run();
        else {
          const failure = await refusal(root, run);
          expect([code, steps[at], (failure as Error).name]).toEqual([code, steps[at], 'LogWriteError']);
          if (code !== 'EEXIST') expect((failure as Error).message).toContain(code);
        }
      }
    }
    const { root, path } = await placed(base);
    expect(await refusal(root, () => forkAt(root, path, faultyFs({ on: 'write', code: 'ENOSPC' })))).toMatchObject({
      message: expect.stringContaining('disk is full') as string,
    });
    expect(await refusal(root, () => forkAt(root, path, faultyFs({ on: 'mkdir', code: 'EACCES' })))).toMatchObject({
      message: expect.stringContaining('not permitted') as string,
    });
  });

  it('and a writer killed at any step leaves a complete child or none', async () => {
    const steps = await stepsOf(await placed(talk(4)));
    let complete = 0;
    for (let at = 0; at < steps.length; at++) {
      const { root, path, log } = await placed(talk(4));
      await forkAt(root, path, faultyFs({ at, code: 'KILLED', dies: true, tears: true })).catch(() => undefined);
      const children = (await listSessions(root)).filter(({ id }) => id !== 'parent');
      for (const child of children) {
        const opened = await openSession(child.path);
        expect(opened.damage).toEqual([]);
        expect(opened.eventCount).toBe(log.events.length + 1);
        complete++;
      }
    }
    expect(complete).toBeGreaterThan(0);
  });

  const forkAt = async (root: string, path: string, fs: Fault | ReturnType<typeof faultyFs>): Promise<unknown> => {
    const source = await openSession(path);
    return forkSession(source, source.eventCount - 1, { root, id: 'child', now: NOW, fs: fs as ReturnType<typeof faultyFs> });
  };

  /** A source outside its own project directory, so that the child's has to be made. */
  async function moved(log: LogBuilder): Promise<Placed> {
    const { root } = await placed(log);
    renameSync(join(root, '--work-other--'), join(root, '--moved--'));
    return { root, path: join(root, '--moved--', 'parent', 'session.v4.jsonl.zstd'), log };
  }

  async function stepsOf({ root, path }: Placed): Promise<readonly string[]> {
    const fs = faultyFs({ code: 'none' });
    await forkAt(root, path, fs);
    return fs.operations;
  }
});

describe('a replay as a new session', () => {
  it('is refused in the open turn of an earlier format unless it is the whole log', async () => {
    const log = talk(2);
    log.prompt('three');
    const { root, path } = await placed(log);
    const source = await openSession(path);
    const last = log.events.length - 1;
    expect(await refusal(root, () => replayAsNewSession(source, last - 1, { root, now: NOW }))).toMatchObject({
      code: 'OPEN_TURN',
    });
    const made = await replayAsNewSession(source, last, { root, id: 'again', now: NOW });
    expect([...(await openSession(made.path)).events(last + 1)].map(({ type, data }) => [type, data])).toEqual([
      ['step/end', { turn: 3, step: 1 }],
      ['turn/end', { turn: 3, reason: { kind: 'interrupted' } }],
      ['session/end-seed', {}],
    ]);
  });

  it('is refused for a log without events, at whatever boundary', async () => {
    const { root, path } = await placed(new LogBuilder({ version: 4, id: 'parent', cwd: '/work/demo', createdAt: NOW }));
    const source = await openSession(path);
    for (const boundary of [-1, 0]) {
      expect(await refusal(root, () => replayAsNewSession(source, boundary, { root, now: NOW }))).toMatchObject({
        code: 'INVALID_BOUNDARY',
      });
    }
  });

  it('may not hold an upload acknowledgement of its source', async () => {
    const log = talk(4);
    log.push('session-log-deepseek/delivery-accepted', { sessionId: 'parent', throughSeq: 3, sessionFormatVersion: 4 });
    const { root, path } = await placed(log);
    const source = await openSession(path);
    const last = log.events.length - 1;
    expect(await refusal(root, () => replayAsNewSession(source, last, { root, now: NOW }))).toMatchObject({
      code: 'ACKNOWLEDGED_UPLOAD',
    });
    await replayAsNewSession(source, last - 1, { root, id: 'before', now: NOW });
    await forkSession(source, last, { root, id: 'child', now: NOW });
  });
});
