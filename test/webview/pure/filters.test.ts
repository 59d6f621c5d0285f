import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG, FAMILY, NONE, TABLES, type TableName, type TimelineTables } from '../../../src/timeline/index.ts';
import { filterKinds, filterStates, isFiltering, keeps, noFilter, sumsOf, type Filter } from '../../../webview/state/filters.ts';
import { History } from '../../../webview/state/history.ts';
import { tableOf } from '../../unit/timeline/layout/support.ts';

const { surface, error, inherited } = ENTRY_FLAG;
const empty = Object.fromEntries(
  (Object.keys(TABLES) as TableName[]).map((name) => [name, tableOf(name, [])]),
) as unknown as TimelineTables;
const tables: TimelineTables = {
  ...empty,
  entries: tableOf('entries', [
    { seq: 0, count: 1, time: 100, duration: NaN, family: FAMILY.settings, flags: inherited, shadowedBy: NONE },
    { seq: 1, count: 1, time: 200, duration: NaN, family: FAMILY.conversation, flags: surface | inherited, shadowedBy: 4 },
    { seq: 2, count: 2, time: 300, duration: 150, family: FAMILY.conversation, flags: surface, shadowedBy: NONE },
    { seq: 4, count: 1, time: 500, duration: NaN, family: FAMILY.context, flags: surface | error, shadowedBy: NONE },
    { seq: 5, count: 1, time: 600, duration: NaN, family: FAMILY.unknown, flags: 0, shadowedBy: NONE },
  ]),
  calls: tableOf('calls', [
    { entry: 2, parent: NONE },
    { entry: 2, parent: 0 },
    { entry: 4, parent: NONE },
  ]),
  attempts: tableOf('attempts', [
    { entry: 2, hasUsage: 1, input: 10, cacheRead: 5, cacheWrite: 1, output: 4 },
    { entry: 3, hasUsage: 0, input: 99, output: 99 },
  ]),
};
const kept = (filter: Partial<Filter>): number[] => {
  const keep = keeps(tables, { ...noFilter, ...filter });
  return [0, 1, 2, 3, 4].filter(keep);
};

describe('keeps', () => {
  it('keeps everything without a filter', () => {
    expect(kept({})).toEqual([0, 1, 2, 3, 4]);
    expect(isFiltering(noFilter)).toBe(false);
  });

  it('narrows to kinds, unknown ones with the structure', () => {
    expect(kept({ kinds: new Set(['conversation']) })).toEqual([1, 2]);
    expect(kept({ kinds: new Set(['settings', 'structure']) })).toEqual([0, 4]);
    expect(kept({ kinds: new Set(filterKinds) })).toEqual([0, 1, 2, 3, 4]);
  });

  it('narrows to errors, to the surface and to own events', () => {
    expect(kept({ states: new Set(['errors']) })).toEqual([3]);
    expect(kept({ states: new Set(['current']) })).toEqual([2, 3]);
    expect(kept({ states: new Set(['shadowed']) })).toEqual([1]);
    expect(kept({ states: new Set(['current', 'shadowed']) })).toEqual([1, 2, 3]);
    expect(kept({ states: new Set(['own']) })).toEqual([2, 3, 4]);
    expect(kept({ states: new Set(filterStates), kinds: new Set(['conversation']) })).toEqual([]);
  });

  it('narrows to a stretch, with what reaches into it', () => {
    expect(kept({ range: { axis: 'time', from: 420, to: 500 } })).toEqual([2, 3]);
    expect(kept({ range: { axis: 'seq', from: 3, to: 4.5 } })).toEqual([2, 3]);
  });
});

describe('sumsOf', () => {
  it('counts rows, top-level calls and recorded tokens of what is kept', () => {
    expect(sumsOf(tables, () => true)).toEqual({ entries: 5, calls: 2, tokens: 20 });
    expect(sumsOf(tables, keeps(tables, { ...noFilter, states: new Set(['errors']) }))).toEqual({
      entries: 1,
      calls: 0,
      tokens: 0,
    });
  });
});

describe('History', () => {
  it('goes back and forward, and forgets what lay ahead', () => {
    const history = new History<number>();
    for (const place of [1, 2, 3]) history.push(place);
    expect([history.go(-1), history.go(-1), history.go(-1), history.go(1)]).toEqual([2, 1, undefined, 2]);
    history.push(9);
    expect([history.go(1), history.go(-1)]).toEqual([undefined, 2]);
    history.clear();
    expect(history.go(-1)).toBeUndefined();
  });

  it('keeps the latest hundred', () => {
    const history = new History<number>();
    for (let i = 0; i < 150; i++) history.push(i);
    let last: number | undefined;
    for (let place = history.go(-1); place !== undefined; place = history.go(-1)) last = place;
    expect(last).toBe(50);
  });
});
