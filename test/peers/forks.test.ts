import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Context } from '@deepseek-ai/cordis';
import { SessionId, SessionStore as PeerStore } from '@deepseek-ai/dsh-session';
import { JsonlSessionPersistence } from '@deepseek-ai/dsh-session-persistence-jsonl';
import { forkSession, openSession, replayAsNewSession } from '../../src/storage/index.ts';
import { corpusIndex } from '../support/corpus.ts';
import { faultyFs } from '../support/faulty-fs.ts';
import { randomFrom } from '../support/random.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import { tempRoot } from '../support/temp-root.ts';

/**
 * Children written here of version 0 logs, handed to the published backend: it must list the root, look at every child, take it up and
 * fork it again.
 */

const temp = tempRoot();
const open: Context[] = [];
const logs = corpusIndex().filter((entry) => entry.version === 0 && entry.fault === undefined);
/** Logs up to this length are forked at every legal boundary. */
const EVERY_BOUNDARY_UP_TO = 2_000;
const PICKS = 20;

let accepted = 0;

afterEach(async () => {
  for (const context of open.splice(0)) await context.fiber.dispose();
});

async function peer(root: string, compression: 'zstd' | 'none'): Promise<Context> {
  const context = new Context();
  open.push(context);
  await context.plugin(PeerStore);
  await context.plugin(JsonlSessionPersistence, { root, compression, packChunks: true, writeBatchMaxDelayMs: 1 });
  return context;
}

const json = (value: unknown): string => JSON.stringify(value);

function chosen(legal: readonly number[], events: number, seed: string): number[] {
  if (events <= EVERY_BOUNDARY_UP_TO) return [...legal];
  const random = randomFrom(seed);
  const picks = new Set([legal[0] ?? 0, legal.at(-1) ?? 0]);
  while (picks.size < Math.min(PICKS + 2, legal.length)) picks.add(random.pick(legal));
  return [...picks];
}

describe.runIf(hasSharedData && typeof zstdCompressSync === 'function')('children in the published backend', () => {
  it.each(logs.map((entry) => [entry.path, entry] as const))('%s', async (_, { path }) => {
    const original = sharedPath('corpus', path);
    const source = await openSession(original, { placement: false });
    // What dsh itself does not take cannot be handed to it with children.
    if (source.damage.some(({ dsh }) => dsh.open === 'refuses' || dsh.list !== 'accepts')) return;
    const root = temp.fresh();
    const place = join(root, dirname(path).split('/').slice(-2).join('/'));
    await mkdir(place, { recursive: true });
    await cp(original, join(place, path.split('/').at(-1) ?? ''));

    const legal: number[] = [];
    for (let seq = 0; seq < source.eventCount; seq++) if (source.forkBoundary(seq).legal) legal.push(seq);
    const children = new Map<string, number>();
    for (const boundary of chosen(legal, source.eventCount, path)) {
      const id = `child-${String(boundary)}`;
      await forkSession(source, boundary, { root, id });
      children.set(id, boundary);
    }
    const last = source.eventCount - 1;
    await replayAsNewSession(source, last, { root, id: 'replayed' });

    const context = await peer(root, source.encoding);
    const persistence = context.sessionPersistence;
    const parent = source.header?.id ?? '';
    const listed = await persistence.list();
    expect(listed.map(({ id }) => String(id)).sort()).toEqual([parent, 'replayed', ...children.keys()].sort());

    for (const [id, boundary] of children) {
      const inspected = await persistence.inspect(SessionId(id));
      expect(inspected.meta).toMatchObject({ id, parentSession: parent, seedLength: boundary + 1 });
      expect(json(inspected.events.slice(0, boundary + 1))).toBe(json([...source.events(0, boundary + 1)]));
      expect(inspected.events.slice(boundary + 1).map(({ type }) => type)).toEqual(
        source.eventAt(boundary)?.type === 'session/end-seed' ? [] : ['session/end-seed'],
      );
      const { session } = await persistence.prepare(SessionId(id));
      const leave = context.sessions.enter(session);
      context.sessions.announce(session);
      // An untouched child gets no second marker, goes on, and can be forked again at its own end.
      expect(session.events.length).toBe(inspected.events.length);
      (session as unknown as { append(type: string, data: unknown): void }).append('todo/write', { todos: [] });
      await context.sessions.flush(session);
      const grandchild = context.sessions.fork(session, undefined, SessionId(`${id}-again`));
      expect(grandchild.events.length).toBe(session.events.length + 1);
      leave();
      accepted++;
    }
    const again = await persistence.inspect(SessionId('replayed'));
    expect(again.meta.parentSession).toBeUndefined();
    expect(json(again.events.slice(0, last + 1))).toBe(json([...source.events()]));
    // The peers went on with our children; their root still lists, and we read what they wrote.
    expect((await persistence.list()).length).toBeGreaterThanOrEqual(children.size + 2);
    for (const id of children.keys()) {
      const location = persistence.locate(listed.find((header) => String(header.id) === id) as never)?.path ?? '';
      const reopened = await openSession(location, { placement: false });
      expect([...reopened.events()].at(-1)?.type).toBe('todo/write');
      expect(reopened.damage).toEqual([]);
    }
  });

  it.each([false, true])('leave the root listable when the writer dies at any step (no links: %s)', async (lacksLinks) => {
    const { path } = logs.find((entry) => entry.path.startsWith('v0/zstd/') && entry.path.includes('/chat-multi/'))!;
    const original = sharedPath('corpus', path);
    let complete = 0;
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      const root = temp.fresh();
      const place = join(root, dirname(path).split('/').slice(-2).join('/'));
      await mkdir(place, { recursive: true });
      await cp(original, join(place, path.split('/').at(-1) ?? ''));
      const source = await openSession(join(place, path.split('/').at(-1) ?? ''));
      const boundary = source.eventCount - 1;
      const fs = faultyFs({ at, code: 'KILLED', dies: true, tears: true, lacksLinks });
      isOver = await forkSession(source, boundary, { root, id: 'child', fs }).then(
        () => true,
        () => false,
      );
      const context = await peer(root, 'zstd');
      const listed = (await context.sessionPersistence.list()).map(({ id }) => String(id)).sort();
      expect([['chat-multi'], ['chat-multi', 'child']], `step ${String(at)}`).toContainEqual(listed);
      if (!listed.includes('child')) continue;
      complete++;
      const { events } = await context.sessionPersistence.inspect(SessionId('child'));
      expect(json(events.slice(0, boundary + 1))).toBe(json([...source.events()]));
    }
    expect(complete).toBeGreaterThan(1);
    expect(at).toBeGreaterThan(12);
  });

  it('are many', () => {
    expect(accepted).toBeGreaterThan(250);
  });
});
