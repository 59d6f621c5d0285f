import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG, NONE } from '../../../../src/timeline/index.ts';
import {
  buildRows,
  entryOfSeq,
  ROW,
  rowIndex,
  rowKind,
  rowLevel,
  type RowList,
  type RowTables,
} from '../../../../src/timeline/layout/rows.ts';
import { tableOf } from './support.ts';

const nothingFolded = { isTurnFolded: () => false, isStepFolded: () => false };

/** One entry per item: [turn, step, isHead]; seqs count up. */
function tablesOf(items: readonly (readonly [number, number, boolean?])[]): RowTables {
  const groups = (at: 0 | 1): number => Math.max(-1, ...items.map((item) => (item[at] === NONE ? -1 : item[at]))) + 1;
  return {
    entries: tableOf(
      'entries',
      items.map(([turn, step, head], seq) => ({ seq, count: 1, turn, step, flags: head ? ENTRY_FLAG.headOf : 0 })),
    ),
    turns: tableOf(
      'turns',
      Array.from({ length: groups(0) }, (_, number) => ({ number })),
    ),
    steps: tableOf(
      'steps',
      Array.from({ length: groups(1) }, (_, number) => ({ number })),
    ),
  };
}

const shown = (rows: RowList): string[] =>
  Array.from(
    rows.codes,
    (code, row) =>
      `${'  '.repeat(rowLevel(rows, row) - 1)}${['turn', 'step', 'entry'][rowKind(code)]!} ${String(rowIndex(code))}`,
  );

// A setting, a turn with a step of two events, an event after the step, and one after the turn.
const small = tablesOf([
  [NONE, NONE],
  [0, NONE, true],
  [0, 0, true],
  [0, 0],
  [0, 0],
  [0, NONE],
  [NONE, NONE],
  [1, NONE, true],
  [1, NONE],
]);

describe('buildRows', () => {
  it('puts group heads before their entries and head events nowhere else', () => {
    expect(shown(buildRows(small, nothingFolded))).toEqual([
      'entry 0',
      'turn 0',
      '  step 0',
      '    entry 3',
      '    entry 4',
      '  entry 5',
      'entry 6',
      'turn 1',
      '  entry 8',
    ]);
  });

  it('numbers siblings', () => {
    const rows = buildRows(small, nothingFolded);
    expect(Array.from(rows.position)).toEqual([1, 2, 1, 1, 2, 2, 3, 4, 1]);
    expect(Array.from(rows.setSize)).toEqual([4, 4, 2, 2, 2, 2, 4, 4, 1]);
  });

  it('folds a turn and a step into their heads, which then stand for their entries', () => {
    const folded = buildRows(small, { isTurnFolded: (turn) => turn === 1, isStepFolded: () => true });
    expect(shown(folded)).toEqual(['entry 0', 'turn 0', '  step 0', '  entry 5', 'entry 6', 'turn 1']);
    expect(Array.from(folded.rowOfEntry)).toEqual([0, 1, 2, 2, 2, 3, 4, 5, 5]);
  });

  it('keeps the heads of what a filter keeps, and no others', () => {
    const rows = buildRows(small, { ...nothingFolded, keep: (entry) => entry === 4 || entry === 6 });
    expect(shown(rows)).toEqual(['turn 0', '  step 0', '    entry 4', 'entry 6']);
    expect(rows.rowOfEntry[3]).toBe(NONE);
  });

  it('gives a step that is come back to no second head', () => {
    const rows = buildRows(
      tablesOf([
        [0, 0],
        [0, NONE],
        [0, 0],
      ]),
      nothingFolded,
    );
    expect(shown(rows)).toEqual(['turn 0', '  step 0', '    entry 0', '  entry 1', '    entry 2']);
  });

  it('makes every entry reachable exactly once, in log order', () => {
    const logs = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 80 }).map((items) => {
      let turn = -1;
      let step = -1;
      let inTurn = false;
      let inStep = false;
      return items.map(([turnToggles, stepToggles]): [number, number, boolean] => {
        if (turnToggles) {
          inTurn = !inTurn;
          inStep = false;
          if (inTurn) turn++;
          return [inTurn ? turn : NONE, NONE, inTurn];
        }
        if (stepToggles && inTurn) {
          inStep = !inStep;
          if (inStep) step++;
          return [turn, inStep ? step : NONE, inStep];
        }
        return [inTurn ? turn : NONE, inStep ? step : NONE, false];
      });
    });
    fc.assert(
      fc.property(logs, fc.integer({ min: 0, max: 3 }), (items, modulus) => {
        const tables = tablesOf(items);
        const rows = buildRows(tables, {
          isTurnFolded: (turn) => modulus > 0 && turn % modulus === 0,
          isStepFolded: (step) => modulus > 1 && step % modulus === 1,
        });
        const seen = new Set<number>();
        for (const code of rows.codes) {
          expect(seen.has(code)).toBe(false);
          seen.add(code);
        }
        let before = -1;
        rows.rowOfEntry.forEach((row, entry) => {
          expect(row).toBeLessThan(rows.length);
          expect(row).toBeGreaterThanOrEqual(before);
          before = row;
          if (rowKind(rows.codes[row]!) === ROW.entry) expect(rowIndex(rows.codes[row]!)).toBe(entry);
        });
        for (let row = 0; row < rows.length; row++) if (rows.parent[row] !== NONE) expect(rows.parent[row]).toBeLessThan(row);
      }),
    );
  });
});

describe('entryOfSeq', () => {
  const entries = tableOf('entries', [
    { seq: 0, count: 1 },
    { seq: 1, count: 40 },
    { seq: 41, count: 1 },
  ]);

  it('finds the run that holds a seq', () => {
    expect([0, 1, 40, 41].map((seq) => entryOfSeq(entries, seq))).toEqual([0, 1, 1, 2]);
    expect(entryOfSeq(entries, 42)).toBe(NONE);
  });
});
