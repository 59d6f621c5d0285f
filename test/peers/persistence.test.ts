import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Context } from '@deepseek-ai/cordis';
import { SessionId, SessionStore as PeerStore } from '@deepseek-ai/dsh-session';
import { JsonlSessionPersistence } from '@deepseek-ai/dsh-session-persistence-jsonl';
import type { SessionEventMap } from '../../src/core/events.ts';
import { Session } from '../../src/core/session.ts';
import { SessionStore } from '../../src/core/store.ts';
import { openSession } from '../../src/storage/open-session.ts';
import { JsonlPersistence } from '../../src/storage/persistence.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { program, resolve } from './program.ts';

/** The published backend needs Node's own zstd. */
const hasZstd = typeof zstdCompressSync === 'function';

let root: string;
const open: Context[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-peers-'));
});
afterEach(async () => {
  await closePeers();
  await rm(root, { recursive: true, force: true });
});

async function closePeers(): Promise<void> {
  for (const context of open.splice(0)) await context.fiber.dispose();
}

type Encoding = 'zstd' | 'none';

/** A harness of its own over a root: its store and its JSONL backend. */
async function peer(at: string, encoding: Encoding, packChunks = true): Promise<Context> {
  const context = new Context();
  open.push(context);
  await context.plugin(PeerStore);
  const compression = encoding === 'zstd' ? 'zstd' : 'none';
  await context.plugin(JsonlSessionPersistence, { root: at, compression, packChunks, writeBatchMaxDelayMs: 1 });
  return context;
}

const json = (value: unknown): string => JSON.stringify(value);

/** Events of a log with streams, calls, a failed attempt, a compaction and a pruned result. */
function longLog(): LogBuilder {
  const log = new LogBuilder({ version: 0, id: 'long', createdAt: 1_700_000_000_000, cwd: '/home/dev/long' });
  log.setUp().prompt('Read the file');
  log.failedAttempt({ text: 'lost' });
  log.retry(1, 50, { message: 'busy', code: 'BUSY' }, 'r1');
  log.work({
    text: 'I look at it.',
    calls: [{ name: 'read', args: { file_path: 'a.ts' }, result: 'export const a = 1;\n'.repeat(40), meta: { lines: 40 } }],
  });
  log.prune(log.nodes.at(-1) ?? 0, 'forty lines');
  log.reply('Done: 日本 😀 "quoted" \u2028 and a lone \ud800 half.');
  log.title('Reading');
  log.compact('They read a.ts.');
  log.prompt('And now?').toString();
  log.reply('Nothing.');
  return log;
}

/** Appends the events of a log to a session; the times are the session's own. */
function play(log: LogBuilder, session: { append: (...args: never[]) => unknown }): void {
  for (const { type, data, sourceEventSeqs, surfaceOp } of log.events) {
    const marks = {
      ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }),
      ...(surfaceOp === undefined ? {} : { surfaceOp }),
    };
    session.append(...([type, data, surfaceOp === undefined ? undefined : marks] as never[]));
  }
}

describe.runIf(hasZstd).each(['zstd', 'none'] as const)('logs of the published backend (%s)', (encoding) => {
  it.each([true, false])('read back equal here (packed lines: %s)', async (packChunks) => {
    const context = await peer(root, encoding, packChunks);
    const log = longLog();
    const theirs = context.sessions.create(SessionId('long'), { meta: { cwd: '/home/dev/long' } });
    play(log, theirs);
    await context.sessions.flush(theirs);
    const path = context.sessionPersistence.locate(theirs.header)?.path ?? '';
    const ours = await openSession(path);
    expect(ours.damage).toEqual([]);
    expect(ours.encoding).toBe(encoding);
    expect(ours.version).toBe(0);
    expect(json([...ours.events()])).toBe(json(theirs.events));
    expect(ours.surfaceNodes()).toEqual([...theirs.surface.nodes]);
    expect(json(ours.deriveMessages())).toBe(json(theirs.deriveMessages()));
    await ours.close();
  });
});

describe.runIf(hasZstd).each(['zstd', 'none'] as const)('logs written here (%s)', (encoding) => {
  it.each([true, false])('load in the published backend, unchanged (packed lines: %s)', async (packChunks) => {
    const store = new SessionStore({ version: 0 });
    const persistence = new JsonlPersistence(store, { root, encoding, packChunks });
    const ours = store.create('long', { meta: { cwd: '/home/dev/long' } });
    const log = longLog();
    play(log, ours);
    await store.flush(ours);
    const child = store.fork(ours, undefined, 'child');
    child.append('plan/mode', { active: true });
    await store.flush(child);
    await persistence.dispose();

    const context = await peer(root, encoding);
    const listed = await context.sessionPersistence.list();
    expect(listed.map((header) => header.id).sort()).toEqual(['child', 'long']);
    for (const session of [ours, child]) {
      const id = SessionId(session.id);
      const { type: _type, ...header } = session.header;
      const inspected = await context.sessionPersistence.inspect(id);
      expect(inspected.meta).toEqual(header);
      expect(json(inspected.events)).toBe(json(session.events));
      const location = context.sessionPersistence.locate(inspected.meta)?.path ?? '';
      const before = await readFile(location);
      // The writer's load repairs what it must; of a whole log that is nothing.
      const loaded = await context.sessionPersistence.load(id);
      expect(json(loaded.events)).toBe(json(session.events));
      expect((await readFile(location)).equals(before)).toBe(true);
    }
  });

  it('are gone on with by the published backend, and read back here', async () => {
    const store = new SessionStore({ version: 0 });
    const persistence = new JsonlPersistence(store, { root, encoding });
    const ours = store.create('long', { meta: { cwd: '/home/dev/long' } });
    play(longLog(), ours);
    await store.flush(ours);
    await persistence.dispose();

    const context = await peer(root, encoding);
    const preparation = await context.sessionPersistence.prepare(SessionId('long'));
    const theirs = preparation.session;
    const leave = context.sessions.enter(theirs);
    context.sessions.announce(theirs);
    (theirs as unknown as { append(type: string, data: unknown): void }).append('todo/write', { todos: [] });
    await context.sessions.flush(theirs);
    const reopened = await openSession(context.sessionPersistence.locate(theirs.header)?.path ?? '');
    expect(reopened.damage).toEqual([]);
    const events = [...reopened.events()];
    expect(json(events)).toBe(json(theirs.events));
    expect(events.slice(ours.seq).map((event) => event.type)).toEqual(['session/end-seed', 'todo/write']);
    await reopened.close();
    leave();
  });
});

describe.runIf(hasZstd)('random programs', () => {
  it('written here are read there, as far as a reader takes them', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(program, async (steps) => {
        const folder = await mkdtemp(join(root, 'run-'));
        const store = new SessionStore({ version: 0, now: () => 1_700_000_000_000 });
        const persistence = new JsonlPersistence(store, { root: folder, encoding: 'none' });
        const ours = store.create('s', { meta: { cwd: '/w' } });
        for (const step of steps) {
          const next = resolve(step, { seq: ours.seq, nodes: ours.surface.nodes, eventAt: (seq) => ours.events[seq] });
          try {
            ours.append(next.type as keyof SessionEventMap, next.data as never, next.opts as never);
          } catch {
            // A refused step leaves no trace; that both cores refuse the same is shown elsewhere.
            continue;
          }
        }
        await store.flush(ours);
        await persistence.dispose();
        if (ours.seq === 0) return;
        const context = await peer(folder, 'none');
        const restorable = ((): boolean => {
          try {
            Session.create('t', ours.events, { version: 0 });
            return ours.events.every((event) => event.type !== ('x/unknown' as string));
          } catch {
            return false;
          }
        })();
        const theirs = await context.sessionPersistence.inspect(SessionId('s')).then(
          (inspection) => inspection.events,
          () => undefined,
        );
        expect(theirs !== undefined).toBe(restorable);
        if (theirs !== undefined) {
          expect(json(theirs.slice(0, ours.seq))).toBe(json(ours.events));
          read++;
        }
        await closePeers();
      }),
      { numRuns: 60 },
    );
    expect(read).toBeGreaterThan(5);
  });
});

it.runIf(hasZstd)('a copied root is as good as the original', async () => {
  const store = new SessionStore({ version: 0 });
  const persistence = new JsonlPersistence(store, { root: join(root, 'a'), encoding: 'zstd' });
  const ours = store.create('s', { meta: { cwd: '/w' } });
  ours.append('turn/start', { turn: 1 });
  await store.flush(ours);
  await persistence.dispose();
  await cp(join(root, 'a'), join(root, 'b'), { recursive: true });
  const context = await peer(join(root, 'b'), 'zstd');
  const inspected = await context.sessionPersistence.inspect(SessionId('s'));
  // An open turn is closed in memory only.
  expect(inspected.events.map((event) => event.type)).toEqual(['turn/start', 'turn/end']);
});
