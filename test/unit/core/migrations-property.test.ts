import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSession } from '../../../src/core/check.ts';
import type { SessionEvent } from '../../../src/core/events.ts';
import { migrateSession } from '../../../src/core/migrations/chain.ts';
import { anyMoves as moves, growLog, type Move } from '../../support/grown-log.ts';
import type { LogBuilder, Version } from '../../support/log-builder.ts';

const grow = (version: Version, moves: readonly Move[]): LogBuilder =>
  growLog({ version, id: 'grown', createdAt: 1_790_000_000_000 }, moves);

describe('laws of migration', () => {
  it('a healthy log migrates to a healthy log, and seqs stay in order', () => {
    fc.assert(
      fc.property(fc.constantFrom<Version>(0, 1, 2, 3), moves, (version, steps) => {
        const log = grow(version, steps);
        const source = { header: log.header, events: log.events as readonly SessionEvent[] };
        expect(checkSession(source.header, source.events)).toEqual([]);
        for (let target = version + 1; target <= 4; target++) {
          const migrated = migrateSession(source, target);
          expect(checkSession(migrated.header, migrated.events)).toEqual([]);
          let before = -1;
          for (const event of source.events) {
            const seq = migrated.seqMap(event.seq);
            if (seq === undefined) {
              expect(event.type).toBe('assistant/chunk');
              continue;
            }
            // Only an answer can be overtaken: it stands at its own place, its chunks do not.
            expect(seq).toBeGreaterThan(before);
            before = seq;
            expect(migrated.events[seq]?.time).toBe(event.time);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('one edge after the other equals all at once', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        const log = grow(0, steps);
        let step = { header: log.header, events: log.events as SessionEvent[], seqMap: (seq: number): number | undefined => seq };
        const whole = migrateSession(step, 4);
        const maps: ((seq: number) => number | undefined)[] = [];
        for (let target = 1; target <= 4; target++) {
          step = migrateSession(step, target);
          maps.push(step.seqMap);
        }
        expect(step.events).toEqual(whole.events);
        expect(step.header).toEqual(whole.header);
        for (const { seq } of log.events) {
          const composed = maps.reduce<number | undefined>((at, map) => (at === undefined ? undefined : map(at)), seq);
          expect(whole.seqMap(seq)).toBe(composed);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('leaves the source untouched', () => {
    const log = grow(0, ['prompt', 'tool', 'reply', 'prompt', 'retry', 'compact']);
    const before = JSON.stringify(log.events);
    migrateSession({ header: log.header, events: log.events as readonly SessionEvent[] }, 4);
    expect(JSON.stringify(log.events)).toBe(before);
  });
});
