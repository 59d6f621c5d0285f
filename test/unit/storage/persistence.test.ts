import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SessionStore, type Session } from '../../../src/core/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { JsonlPersistence, type PersistenceOptions } from '../../../src/storage/persistence.ts';
import { walkFrames } from '../../../src/storage/zstd/frames.ts';
import { faultyFs, type Fault } from '../../support/faulty-fs.ts';
import { forkLog } from '../../support/fork-log.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath } from '../../support/write-log.ts';
import { writeThroughStore } from '../../support/write-through-store.ts';

const temp = tempRoot();

interface Live {
  readonly root: string;
  readonly store: SessionStore;
  readonly persistence: JsonlPersistence;
  readonly session: Session;
  readonly path: string;
  note(text: string): void;
}

function live(options: Partial<PersistenceOptions> = {}, version: Version = 4): Live {
  const root = temp.fresh();
  const store = new SessionStore({ now: () => 1_790_000_000_000, version });
  const persistence = new JsonlPersistence(store, { root, ...options });
  const session = store.create('s', { meta: { cwd: '/work/demo' } });
  return {
    root,
    store,
    persistence,
    session,
    path: logPath(root, session.header, options.encoding),
    note(words) {
      session.append('feedback/record', { text: words });
    },
  };
}

async function storedTexts(path: string): Promise<unknown[]> {
  const opened = await openSession(path);
  expect(opened.damage).toEqual([]);
  return [...opened.events()].map((event) => (event.data as { text: unknown }).text);
}

const frameCount = (path: string): number => walkFrames(readFileSync(path)).frames.length;

afterEach(() => {
  vi.useRealTimers();
});

describe('JsonlPersistence', () => {
  it('makes nothing before the first event', async () => {
    const { root, persistence } = live();
    await persistence.dispose();
    expect(existsSync(root)).toBe(false);
  });

  it('writes the header and the first batch together, then a frame a batch', async () => {
    const it = live();
    it.note('a');
    it.note('b');
    await it.store.flush(it.session);
    expect(frameCount(it.path)).toBe(2);
    it.note('c');
    await it.store.flush(it.session);
    expect(frameCount(it.path)).toBe(3);
    await it.store.flush(it.session);
    expect(frameCount(it.path)).toBe(3);
    expect(await storedTexts(it.path)).toEqual(['a', 'b', 'c']);
    await it.persistence.dispose();
  });

  it('joins what comes within a fixed window, not restarted by later events', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const it = live({ batchDelayMs: 200 });
    it.note('a');
    await vi.advanceTimersByTimeAsync(150);
    it.note('b');
    await vi.advanceTimersByTimeAsync(49);
    expect(existsSync(it.path)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    it.note('c');
    await it.store.flush(it.session);
    // Header, the two of the window, the one after it.
    expect(frameCount(it.path)).toBe(3);
    await it.persistence.dispose();
  });

  it('stores an asked-for empty session as its header', async () => {
    const it = live();
    await it.store.flush(it.session);
    expect(frameCount(it.path)).toBe(1);
    expect(await storedTexts(it.path)).toEqual([]);
    it.note('later');
    await it.persistence.dispose();
    expect(await storedTexts(it.path)).toEqual(['later']);
  });

  it('stores a fork with its whole seed and marker, never as a header alone', async () => {
    const it = live();
    it.note('parent');
    const child = it.store.fork(it.session, undefined, 'child');
    await it.store.flush(child);
    const opened = await openSession(logPath(it.root, child.header));
    expect([...opened.events()]).toEqual(child.events);
    expect(opened.inheritedEventCount).toBe(1);
    await it.persistence.dispose();
  });

  it('stores what a detached session left', async () => {
    const it = live();
    it.note('a');
    it.store.detach(it.session);
    await it.persistence.dispose();
    expect(await storedTexts(it.path)).toEqual(['a']);
  });

  it('reads back equal, in every version, both encodings and any batching', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Version>(0, 1, 2, 3, 4),
        fc.constantFrom('zstd' as const, 'none' as const),
        fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.boolean()), { maxLength: 12 }),
        async (version, encoding, notes) => {
          const it = live({ encoding }, version);
          for (const [words, flushes] of notes) {
            it.note(words);
            if (flushes) await it.store.flush(it.session);
          }
          await it.store.flush(it.session);
          const opened = await openSession(it.path);
          expect(opened.damage).toEqual([]);
          expect([...opened.events()]).toEqual(it.session.events);
          expect(opened.header).toEqual(it.session.header);
          await it.persistence.dispose();
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([0, 1, 2, 3, 4] as Version[])(
    'writes a v%i conversation and its fork byte for byte as the builder',
    async (version) => {
      const parent = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
      parent.setUp();
      parent.prompt('a question');
      parent.work({ reasoning: 'a thought about it', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a\nb' }] });
      parent.reply('a long answer of many words that is streamed in pieces');
      const child = forkLog(parent, parent.events.length - 1, { id: 'child', cwd: '/work/demo', createdAt: 1_790_000_900_000 });
      child.prompt('go on');
      child.reply('done');
      const root = temp.fresh();
      for (const log of [parent, child]) {
        await writeThroughStore(root, log);
        const opened = await openSession(logPath(root, log.header));
        expect([...opened.events()]).toEqual(log.events);
        expect(opened.header).toEqual(log.header);
        expect(opened.inheritedEventCount).toBe(log === child ? parent.events.length : 0);
      }
      expect(readFileSync(logPath(root, parent.header)).equals(await logBytes(parent.header, parent.events))).toBe(true);
    },
  );

  it('packs runs of chunks in v0 only where asked', async () => {
    const log = new LogBuilder({ version: 0, id: 's', cwd: '/w', createdAt: 1_790_000_000_000 });
    log.prompt('a question');
    log.reply('one two three four five six seven');
    for (const [packChunks, rows] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const it = live({ packChunks, encoding: 'none' }, 0);
      for (const event of log.events) {
        const { surfaceOp, sourceEventSeqs } = event;
        it.session.append(
          event.type as 'feedback/record',
          event.data as never,
          surfaceOp === undefined ? undefined : { surfaceOp, ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }) },
        );
      }
      await it.persistence.dispose();
      const stored = readFileSync(it.path, 'utf8');
      expect(stored.match(/"type":"text-chunks"/g)?.length ?? 0).toBe(rows);
      expect([...(await openSession(it.path)).events()].map((event) => event.type)).toEqual(
        log.events.map((event) => event.type),
      );
    }
  });
});

describe('failures', () => {
  /** A session with one stored note, and a fault at the next operation of a name. */
  async function withFault(fault: Fault, errors: unknown[] = []): Promise<Live> {
    let armed = false;
    const faulty = faultyFs(fault);
    const plain = faultyFs({ code: 'none' });
    const fs = new Proxy(plain, { get: (target, key) => Reflect.get(armed ? faulty : target, key) as unknown });
    const it = live({ fs, batchDelayMs: 60_000, onError: (error) => errors.push(error) });
    it.note('good');
    await it.store.flush(it.session);
    armed = true;
    it.note('next');
    return it;
  }

  it.each([
    ['ENOSPC', { at: 1, tears: true }],
    ['EIO', { at: 2 }],
    ['EACCES', { at: 0 }],
  ])('%s: rolled back to the last good byte, told with path and cause, stored by the next try', async (code, fault) => {
    const it = await withFault({ ...fault, code });
    const good = readFileSync(it.path);
    await expect(it.store.flush(it.session)).rejects.toMatchObject({
      errors: [expect.objectContaining({ name: 'LogWriteError', code, path: it.path })],
    });
    expect(readFileSync(it.path).equals(good)).toBe(true);
    it.note('third');
    await it.store.flush(it.session);
    expect(await storedTexts(it.path)).toEqual(['good', 'next', 'third']);
    expect(frameCount(it.path)).toBe(3);
    await it.persistence.dispose();
  });

  it('cuts off what a failed write left when it could not be undone at once', async () => {
    // The write is torn and the truncation after it fails too.
    let broken = true;
    const real = faultyFs({ code: 'none' });
    const torn = faultyFs({ code: 'EIO', at: 1, tears: true, dies: true });
    const fs = new Proxy(real, { get: (target, key) => Reflect.get(broken ? torn : target, key) as unknown });
    broken = false;
    const it = live({ fs, batchDelayMs: 60_000 });
    it.note('good');
    await it.store.flush(it.session);
    const size = statSync(it.path).size;
    broken = true;
    it.note('next');
    await expect(it.store.flush(it.session)).rejects.toThrow('EIO');
    expect(statSync(it.path).size).toBeGreaterThan(size);
    broken = false;
    await it.store.flush(it.session);
    expect(await storedTexts(it.path)).toEqual(['good', 'next']);
    await it.persistence.dispose();
  });

  it('tells of a failure in the background, and again at the end', async () => {
    const it = live({ root: join(temp.fresh(), 'x'), fs: faultyFs({ on: 'mkdir', code: 'EROFS' }), batchDelayMs: 0 });
    it.note('a');
    await expect(it.store.flush(it.session)).rejects.toThrow('EROFS');
    await expect(it.persistence.dispose()).rejects.toThrow('EROFS');
  });

  it('writes nothing to a log that another program changed', async () => {
    const it = live({ batchDelayMs: 60_000 });
    it.note('a');
    await it.store.flush(it.session);
    appendFileSync(it.path, 'x');
    const before = readFileSync(it.path);
    it.note('b');
    await expect(it.store.flush(it.session)).rejects.toThrow('changed by another program');
    expect(readFileSync(it.path).equals(before)).toBe(true);
    await expect(it.persistence.dispose()).rejects.toThrow('changed by another program');
  });

  it('never writes over a session that is there', async () => {
    const first = live({ batchDelayMs: 60_000 });
    first.note('a');
    await first.persistence.dispose();
    const store = new SessionStore();
    const persistence = new JsonlPersistence(store, { root: first.root, batchDelayMs: 60_000 });
    const second = store.create('s', { meta: { cwd: '/work/demo' } });
    second.append('feedback/record', { text: 'b' });
    await expect(store.flush(second)).rejects.toMatchObject({ errors: [expect.objectContaining({ code: 'EEXIST' })] });
    expect(await storedTexts(first.path)).toEqual(['a']);
    expect(readdirSync(join(first.path, '..'))).toHaveLength(1);
    await expect(persistence.dispose()).rejects.toThrow('nothing was written');
  });
});
