import { cp } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  forkSession,
  listSessions,
  nearestBoundaries,
  openSession,
  rootOfLog,
  type OpenSession,
} from '../../src/storage/index.ts';
import { pictureOf, storedLinesOf } from '../support/fork-files.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import { tempRoot } from '../support/temp-root.ts';

/** What `case.json` expects of forks, in copies of the hand-made roots. */

const temp = tempRoot();
const NOW = 1_800_000_000_000;

async function copied(name: string): Promise<string> {
  const root = temp.fresh();
  await cp(sharedPath('cases', name, 'sessions'), root, { recursive: true });
  return root;
}

async function refused(root: string, source: OpenSession, seq: number, code: string): Promise<void> {
  const before = pictureOf(root);
  await expect(forkSession(source, seq, { root, id: 'child', now: NOW })).rejects.toMatchObject({ code });
  expect(pictureOf(root)).toEqual(before);
}

const seqs = (session: OpenSession, type: string): number[] =>
  [...session.events()].filter((event) => event.type === type).map(({ seq }) => seq);

describe.runIf(hasSharedData)('forks of the hand-made cases', () => {
  it('04: right before the unknown event, and not from it on', async () => {
    const root = await copied('04-unknown-required-event');
    const source = await openSession(join(root, '--work-demo--', 'sess-newer'));
    const seq = source.refusal?.seq ?? -1;
    const before = nearestBoundaries(source, seq).before?.seq ?? -1;
    expect(before).toBeGreaterThanOrEqual(0);
    await refused(root, source, seq, 'UNREADABLE');
    await refused(root, source, source.eventCount - 1, 'UNREADABLE');
    const made = await forkSession(source, before, { root, id: 'child', now: NOW });
    const child = await openSession(made.path);
    expect(child.refusal).toBeUndefined();
    expect(child.damage).toEqual([]);
  });

  it('05: nowhere when the first event is unknown', async () => {
    const root = await copied('05-plugin-event-unmarked');
    const source = await openSession(join(root, '--work-demo--', 'sess-plugin'));
    for (let seq = 0; seq < source.eventCount; seq++) await refused(root, source, seq, 'UNREADABLE');
    expect(nearestBoundaries(source, source.eventCount - 1)).toEqual({});
  });

  it('08: not at or after a collision', async () => {
    const root = await copied('08-seq-collision-two-writers');
    const [found] = await listSessions(root);
    const source = await openSession(found?.path ?? '');
    const stop = source.damage.find(({ kind }) => kind === 'wrong-seq');
    expect(stop).toBeDefined();
    const legal = [...source.events()].map(({ seq }) => seq).filter((seq) => source.forkBoundary(seq).legal);
    expect(legal.every((seq) => seq < source.forkableCount)).toBe(true);
    await refused(root, source, source.forkableCount, 'UNREADABLE');
    const made = await forkSession(source, legal.at(-1) ?? -1, { root, id: 'child', now: NOW });
    expect((await openSession(made.path)).damage).toEqual([]);
  });

  it('16: the child of a log in one frame has a frame of its own for the header', async () => {
    const root = await copied('16-single-frame-reencoded');
    const [found] = await listSessions(root);
    const source = await openSession(found?.path ?? '');
    const last = nearestBoundaries(source, source.eventCount).before?.seq ?? -1;
    const made = await forkSession(source, last, { root, id: 'child', now: NOW });
    const { lines, perFrame } = await storedLinesOf(made.path);
    expect(perFrame[0]).toBe(1);
    expect(JSON.parse(lines[0]?.toString() ?? '')).toMatchObject({ type: 'session', id: 'child' });
    expect((await openSession(made.path)).damage).toEqual([]);
  });

  it('28: at turn ends and what follows them; inside turn 3 only with its closers', async () => {
    const root = await copied('28-fork-boundaries');
    const [found] = await listSessions(root);
    const source = await openSession(found?.path ?? '');
    const [first = -1, second = -1] = seqs(source, 'turn/end');
    const [, , third = -1] = seqs(source, 'turn/start');
    for (const seq of [first, second, ...Array.from({ length: third - second - 1 }, (_, i) => second + 1 + i)]) {
      expect(source.forkBoundary(seq)).toEqual({ legal: true, closes: false });
      const made = await forkSession(source, seq, { root, id: `at-${String(seq)}`, now: NOW });
      const child = await openSession(made.path);
      expect([...child.events(seq + 1)].map(({ type }) => type)).toEqual(['session/end-seed']);
      expect(child.damage).toEqual([]);
    }
    const last = source.eventCount - 1;
    const made = await forkSession(source, last, { root, id: 'inside', now: NOW });
    const tail = [...(await openSession(made.path)).events(last + 1)];
    expect(tail.at(-1)).toMatchObject({ type: 'turn/end', data: { turn: 3, reason: { kind: 'forked' } } });
    const results = tail.flatMap((event) => (event.type === 'tool/result' ? [event.data] : []));
    expect(results.map(({ message, error }) => [message.source['callId'], error?.code])).toEqual([
      ['c1', 'TOOL_OUTCOME_UNKNOWN'],
      ['c2', 'TOOL_NOT_STARTED'],
    ]);
    expect(nearestBoundaries(source, last)).toMatchObject({ before: { seq: third - 1 }, here: { seq: last, closes: true } });
  });

  it('38: before a message without an id, not at or after it', async () => {
    const root = await copied('38-message-without-id');
    const [found] = await listSessions(root);
    const source = await openSession(found?.path ?? '');
    const seq = source.damage.find(({ kind }) => kind === 'message')?.seq ?? -1;
    expect(seq).toBeGreaterThan(0);
    await refused(root, source, seq, 'UNREADABLE');
    await refused(root, source, source.eventCount - 1, 'UNREADABLE');
    const before = nearestBoundaries(source, seq).before?.seq;
    if (before !== undefined)
      expect((await forkSession(source, before, { root, id: 'child', now: NOW })).cut).toBeLessThanOrEqual(seq);
  });

  it('43: an odd id never leaves the root', async () => {
    const root = await copied('43-odd-session-ids');
    let at = 0;
    for (const { path } of await listSessions(root)) {
      const source = await openSession(path);
      const boundary = nearestBoundaries(source, source.eventCount).before?.seq;
      if (boundary === undefined) continue;
      for (const odd of ['..', '../../escape', '/etc/passwd', 'C:\\x', '\u0000', '😀']) {
        const made = await forkSession(source, boundary, { root, id: `${odd} ${String(at)}`, now: NOW });
        expect(relative(root, made.path).split(/[\\/]/)).toHaveLength(3);
        expect((await openSession(made.path)).header).toMatchObject({ parentSession: source.header?.id });
      }
      at++;
    }
    expect(at).toBeGreaterThan(3);
  });

  it('47: a child of a moved session goes under the key of its own header’s cwd', async () => {
    const root = await copied('47-moved-directory');
    const moved = (await listSessions(root)).find(({ id }) => id === 'sess-moved');
    const source = await openSession(moved?.path ?? '');
    expect(source.damage.some(({ kind }) => kind === 'placement')).toBe(true);
    expect(rootOfLog(source.path)).toBe(root);
    const made = await forkSession(source, nearestBoundaries(source, source.eventCount).before?.seq ?? -1, { root, id: 'child' });
    const project = (source.header?.cwd ?? '').replaceAll('/', '-').replace(/^-+/, '');
    expect(relative(root, dirname(made.path))).toBe(join(`--${project}--`, 'child'));
    expect((await openSession(made.path)).damage).toEqual([]);
  });

  it('48: a child in a plain root is plain', async () => {
    const root = await copied('48-raw-root');
    const [found] = await listSessions(root);
    const source = await openSession(found?.path ?? '');
    const made = await forkSession(source, nearestBoundaries(source, source.eventCount).before?.seq ?? -1, { root, id: 'child' });
    expect(basename(made.path)).toBe('session.v4.jsonl');
    expect((await listSessions(root)).every(({ damage }) => damage.length === 0)).toBe(true);
  });

  it('50: nothing is written into a root of both encodings', async () => {
    const root = await copied('50-line-separators');
    for (const { path } of await listSessions(root)) {
      const source = await openSession(path);
      await refused(root, source, nearestBoundaries(source, source.eventCount).before?.seq ?? -1, 'OTHER_ENCODING');
    }
  });

  it('55: the preset stays', async () => {
    const root = await copied('55-retired-preset');
    for (const { path, agentPreset, id } of await listSessions(root)) {
      const source = await openSession(path);
      const boundary = nearestBoundaries(source, source.eventCount).before?.seq ?? -1;
      const made = await forkSession(source, boundary, { root, id: `child of ${id ?? ''}` });
      expect(agentPreset).toBeDefined();
      expect((await openSession(made.path)).header?.agentPreset).toBe(agentPreset);
    }
  });

  it('71: nothing to fork in an empty session; a lone end-seed can be', async () => {
    const root = await copied('71-header-only');
    const sessions = await listSessions(root);
    const blank = await openSession(sessions.find(({ id }) => id === 'sess-blank')?.path ?? '');
    await refused(root, blank, 0, 'INVALID_BOUNDARY');
    const marked = await openSession(sessions.find(({ id }) => id === 'sess-lifecycle-only')?.path ?? '');
    const made = await forkSession(marked, 0, { root, id: 'child', now: NOW });
    expect((await openSession(made.path)).damage).toEqual([]);
  });
});
