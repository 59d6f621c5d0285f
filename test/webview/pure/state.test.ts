import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TypeAhead } from '../../../webview/state/type-ahead.ts';
import { initialState, restoreState } from '../../../webview/state/view-state.ts';

describe('restoreState', () => {
  it('gives a kept state back', () => {
    const kept = {
      ...initialState,
      selected: 12,
      axis: 'seq',
      view: { from: 3, to: 9 },
      anchor: { seq: 4, offset: 7 },
      foldedTurns: [1, 5],
      tab: 'raw',
    };
    expect(restoreState(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  });

  it('starts afresh from another version', () => {
    expect(restoreState({ ...initialState, version: 0, selected: 12 })).toEqual(initialState);
  });

  it('takes nothing of the wrong shape', () => {
    fc.assert(
      fc.property(fc.anything(), fc.dictionary(fc.constantFrom(...Object.keys(initialState)), fc.anything()), (junk, fields) => {
        for (const kept of [junk, { ...fields, version: 1 }]) {
          const state = restoreState(kept);
          expect(Object.keys(state).sort()).toEqual(Object.keys(initialState).sort());
          expect(['time', 'seq']).toContain(state.axis);
          if (state.view) expect(state.view.from).toBeLessThan(state.view.to);
          for (const seq of [...state.foldedTurns, ...state.foldedSteps]) expect(Number.isSafeInteger(seq)).toBe(true);
        }
      }),
    );
  });
});

describe('TypeAhead', () => {
  const words = ['Turn 1', 'bash', 'edit', 'bash', 'Assistant'];
  const find = (typed: TypeAhead, key: string, from: number): number =>
    typed.find(key, from, words.length, (row) => [words[row]!]);

  it('goes on to the next row with the letter, round the end', () => {
    let now = 0;
    const typed = new TypeAhead(() => now);
    expect(find(typed, 'b', 1)).toBe(3);
    now += 2000;
    expect(find(typed, 'b', 3)).toBe(1);
  });

  it('joins letters typed quickly and stays on a row they fit', () => {
    let now = 0;
    const typed = new TypeAhead(() => now);
    expect(find(typed, 'B', 0)).toBe(1);
    now += 100;
    expect(find(typed, 'a', 1)).toBe(1);
    now += 100;
    expect(find(typed, 'x', 1)).toBe(-1);
  });
});
