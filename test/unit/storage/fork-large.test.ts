import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forkSession, openSession, replayAsNewSession } from '../../../src/storage/index.ts';
import { listSessions } from '../../../src/storage/session-list.ts';
import { storedLinesOf } from '../../support/fork-files.ts';
import { buildLargeLog } from '../../support/large-log.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();

describe.each([0, 3, 4] as const)('a log of more than a megabyte, format %i', (version) => {
  it.each([
    ['zstd', 400],
    ['none', undefined],
  ] as const)(
    'is forked and replayed line by line (%s)',
    async (encoding, batch) => {
      const root = temp.fresh();
      const log = buildLargeLog(12_000, { version });
      const path = await writeLog(root, log.header, log.events, { encoding, ...(batch === undefined ? {} : { batch }) });
      const bytes = readFileSync(path);
      const { mtimeMs } = statSync(path);
      const { lines } = await storedLinesOf(path);
      expect(lines.reduce((sum, line) => sum + line.length, 0)).toBeGreaterThan(1_000_000);
      const source = await openSession(path);
      const ends = log.events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
      // The first turn, one in the middle, the last that has ended.
      for (const boundary of [ends[0]!, ends[ends.length >> 1]!, ends.at(-1)!]) {
        const made = await forkSession(source, boundary, { root, id: `child-${String(boundary)}` });
        const child = await storedLinesOf(made.path);
        // Header and marker are the child's own; a turn never ends inside a packed line.
        const copied = child.lines.slice(1, -1);
        expect(copied.every((line, i) => line.equals(lines[i + 1]!))).toBe(true);
        const opened = await openSession(made.path);
        expect([opened.eventCount, opened.inheritedEventCount, opened.damage]).toEqual([boundary + 2, boundary + 1, []]);
        expect(opened.eventAt(boundary)).toEqual(log.events[boundary]);
        expect(opened.deriveMessages(boundary)).toEqual(source.deriveMessages(boundary));
        await opened.close();
      }
      const replayed = await replayAsNewSession(source, ends.at(-1)!, { root, id: 'replayed' });
      expect((await storedLinesOf(replayed.path)).lines.slice(1, -1).every((line, i) => line.equals(lines[i + 1]!))).toBe(true);
      await source.close();
      expect((await listSessions(root)).flatMap(({ damage }) => damage)).toEqual([]);
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(statSync(path).mtimeMs).toBe(mtimeMs);
    },
    120_000,
  );
});
