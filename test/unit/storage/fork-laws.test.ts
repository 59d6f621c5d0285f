import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSession } from '../../../src/core/check.ts';
import type { SessionEvent, StoredEvent } from '../../../src/core/events.ts';
import { forkSession, replayAsNewSession } from '../../../src/storage/fork-session.ts';
import { openSession } from '../../../src/storage/open-session.ts';
import { pictureOf, storedLinesOf } from '../../support/fork-files.ts';
import { anyEnding, anyMoves, anyVersion, growLog } from '../../support/grown-log.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();
const NOW = 1_800_000_000_000;

const anyLog = fc.record({
  version: anyVersion,
  moves: anyMoves,
  ending: anyEnding,
  encoding: fc.constantFrom('zstd' as const, 'none' as const),
  batch: fc.constantFrom(undefined, 1, 7, 'one' as const),
  pack: fc.boolean(),
  at: fc.nat(400),
});

/** Whether the last turn edge up to a seq opens a turn. */
const isOpen = (events: readonly StoredEvent[], seq: number): boolean =>
  events
    .slice(0, seq + 1)
    .filter(({ type }) => type === 'turn/start' || type === 'turn/end')
    .at(-1)?.type === 'turn/start';

const presetOf = (events: readonly StoredEvent[]): object => {
  const selected = events.findLast(({ type }) => type === 'agent-preset/selected');
  return selected === undefined ? {} : { agentPreset: (selected.data as { agentPreset: string }).agentPreset };
};

const typesOf = (events: readonly StoredEvent[]): string[] => events.map(({ type }) => type);

describe('laws of forking', () => {
  it('a child is its parent’s prefix, byte for byte, with the cut after it; the parent is not touched', async () => {
    let forked = 0;
    await fc.assert(
      fc.asyncProperty(anyLog, async ({ version, moves, ending, encoding, batch, pack, at }) => {
        const log = growLog({ version, id: 'parent', createdAt: 1_790_000_000_000, cwd: '/work/demo' }, moves, ending);
        if (log.events.length === 0) return;
        const root = temp.fresh();
        const path = await writeLog(root, log.header, log.events, { encoding, pack, ...(batch === undefined ? {} : { batch }) });
        const before = pictureOf(root);
        const boundary = at % log.events.length;
        const source = await openSession(path);
        const open = isOpen(log.events, boundary);
        const attempt = forkSession(source, boundary, { root, id: 'child', now: NOW });
        if (open && version < 4) {
          await expect(attempt).rejects.toMatchObject({ name: 'SessionForkError', code: 'OPEN_TURN' });
          expect(pictureOf(root)).toEqual(before);
          return;
        }
        const made = await attempt;
        forked++;
        const cut = boundary + 1;
        expect(made).toEqual({ id: 'child', path: join(root, '--work-demo--', 'child', basename(path)), cut });
        expect(statSync(dirname(made.path)).mode & 0o777).toBe(0o700);
        expect(statSync(made.path).mode & 0o777).toBe(0o600);
        expect(readdirSync(dirname(made.path))).toHaveLength(1);
        expect(Object.entries(pictureOf(root)).filter(([name]) => name in before)).toEqual(Object.entries(before));

        const child = await openSession(made.path);
        expect(child.damage).toEqual([]);
        expect(child.header).toEqual({
          type: 'session',
          version,
          id: 'child',
          createdAt: NOW,
          cwd: '/work/demo',
          parentSession: log.header.id,
          ...(version < 2 ? { seedLength: cut } : { isSeeded: true }),
          delegationDepth: 0,
          ...presetOf(log.events),
        });
        const events = [...child.events()];
        expect(events.slice(0, cut)).toEqual([...source.events(0, cut)]);
        expect(child.inheritedEventCount).toBe(cut);
        const tail = events.slice(cut);
        const last = log.events[boundary];
        const isMarked = version < 2 && last?.type === 'session/end-seed';
        expect(tail[0]).toEqual(
          isMarked
            ? undefined
            : {
                type: 'session/end-seed',
                seq: cut,
                time: version === 4 ? last?.time : NOW,
                data: version < 2 ? {} : { inherited: true },
              },
        );
        if (open) expect(tail.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'forked' } } });
        else expect(tail.length).toBe(isMarked ? 0 : 1);
        expect(checkSession(child.header ?? log.header, events)).toEqual([]);

        const [old, copied] = [await storedLinesOf(path), await storedLinesOf(made.path)];
        if (encoding === 'zstd') expect(copied.perFrame[0]).toBe(1);
        // No legal cut of these logs divides a packed line: their chunks all lie inside turns.
        const lines = source.lineOf(boundary).line;
        expect(Buffer.concat(copied.lines.slice(1, lines)).equals(Buffer.concat(old.lines.slice(1, lines)))).toBe(true);
        expect(copied.lines).toHaveLength(lines + tail.length);
        expect(JSON.parse(copied.lines[0]?.toString() ?? '')).toEqual(child.header);
      }),
      { numRuns: 120 },
    );
    expect(forked).toBeGreaterThan(30);
  });

  it('a replay holds the same events without lineage, an open tail closed as interrupted', async () => {
    let replayed = 0;
    await fc.assert(
      fc.asyncProperty(anyLog, async ({ version, moves, ending, encoding }) => {
        const log = growLog({ version, id: 'parent', createdAt: 1_790_000_000_000, cwd: '/work/demo' }, moves, ending);
        if (log.events.length === 0) return;
        const root = temp.fresh();
        const path = await writeLog(root, log.header, log.events, { encoding });
        const before = pictureOf(root);
        const boundary = log.events.length - 1;
        const source = await openSession(path);
        const attempt = replayAsNewSession(source, boundary, { root, id: 'again', now: NOW });
        if (log.header.isSeeded === true) {
          await expect(attempt).rejects.toMatchObject({ name: 'ForkSessionError', code: 'INHERITED_PART' });
          expect(pictureOf(root)).toEqual(before);
          return;
        }
        const made = await attempt;
        replayed++;
        const again = await openSession(made.path);
        expect(again.damage).toEqual([]);
        expect(again.inheritedEventCount).toBe(0);
        expect(again.header).toEqual({
          type: 'session',
          version,
          id: 'again',
          createdAt: NOW,
          cwd: '/work/demo',
          ...(version < 2 ? {} : { isSeeded: false }),
          delegationDepth: 0,
          ...presetOf(log.events),
        });
        const events = [...again.events()];
        expect(events.slice(0, boundary + 1)).toEqual([...source.events()]);
        const tail = events.slice(boundary + 1);
        if (log.turnOpen) {
          expect(typesOf(tail).slice(-2)).toEqual(['turn/end', 'session/end-seed']);
          expect(tail.at(-2)?.data).toEqual({ turn: log.turn, reason: { kind: 'interrupted' } });
        }
        const endsMarked = log.events.at(-1)?.type === 'session/end-seed';
        if (endsMarked) expect(tail).toEqual([]);
        else expect(tail.at(-1)).toEqual({ type: 'session/end-seed', seq: again.eventCount - 1, time: NOW, data: {} });
        expect(checkSession(again.header ?? log.header, events as readonly SessionEvent[])).toEqual([]);
      }),
      { numRuns: 60 },
    );
    expect(replayed).toBeGreaterThan(20);
  });
});
