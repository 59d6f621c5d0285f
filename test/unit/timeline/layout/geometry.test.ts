import { describe, expect, it } from 'vitest';
import {
  DIVIDER,
  ENTRY_FLAG,
  NONE,
  OUTCOME,
  TABLES,
  type TableName,
  type TimelineTables,
} from '../../../../src/timeline/index.ts';
import { buildGeometry } from '../../../../src/timeline/layout/geometry.ts';
import { tableOf } from './support.ts';

const empty = Object.fromEntries(
  (Object.keys(TABLES) as TableName[]).map((name) => [name, tableOf(name, [])]),
) as unknown as TimelineTables;

// Two turns an hour apart; the second is still running, with an open call.
const hour = 3_600_000;
const tables: TimelineTables = {
  ...empty,
  entries: tableOf('entries', [
    { seq: 0, count: 1, time: 0, duration: NaN, turn: 0, step: NONE },
    { seq: 1, count: 1, time: 1000, duration: NaN, turn: 0, step: NONE, flags: ENTRY_FLAG.surface },
    { seq: 2, count: 9, time: 2000, duration: 8000, turn: 0, step: NONE, flags: ENTRY_FLAG.surface },
    { seq: 11, count: 1, time: 10_000, duration: NaN, turn: 0, step: NONE },
    { seq: 12, count: 1, time: hour, duration: NaN, turn: 1, step: NONE },
    { seq: 13, count: 1, time: hour + 5000, duration: NaN, turn: 1, step: NONE },
  ]),
  turns: tableOf('turns', [
    { number: 1, firstSeq: 0, lastSeq: 11, start: 0, end: 10_000, outcome: OUTCOME.completed },
    { number: 2, firstSeq: 12, lastSeq: 13, start: hour, end: NaN, outcome: OUTCOME.open },
  ]),
  calls: tableOf('calls', [
    { seq: 13, result: NONE, entry: 5, step: NONE, start: hour + 5000, end: NaN, lane: 2, outcome: OUTCOME.open },
  ]),
  // Two children of the open call, announced one after the other, and one of no call.
  children: tableOf('children', [
    { seq: 13, entry: 5, call: 0, child: 0, time: hour + 5500 },
    { seq: 13, entry: 5, call: 0, child: 1, time: hour + 6000 },
    { seq: 3, entry: 3, call: NONE, child: 2, time: 10_000 },
  ]),
  dividers: tableOf('dividers', [{ seq: 12, time: hour, kind: DIVIDER.cut }]),
  boundaries: tableOf('boundaries', [{ first: 11, last: 11 }]),
};
const base = { eventCount: 14, time: { first: 0, last: hour + 9000 } };

describe('buildGeometry over time', () => {
  const geometry = buildGeometry(tables, { ...base, kind: 'time', collapseIdle: true });

  it('collapses the hour between the turns', () => {
    expect(geometry.axis.gaps).toHaveLength(1);
    expect(geometry.axis.length).toBeLessThan(30_000);
  });

  it('draws unfinished work to the end of the log', () => {
    expect(geometry.turns.end[1]).toBeCloseTo(geometry.axis.length, 6);
    expect(geometry.calls.end[0]).toBeCloseTo(geometry.axis.length, 6);
  });

  it('places nodes, dividers and fork boundaries at the time of their events', () => {
    expect(Array.from(geometry.surface.row)).toEqual([1, 2]);
    expect(geometry.surface.start[0]).toBe(1000);
    expect(geometry.dividers.start[0]).toBe(geometry.turns.start[1]);
    expect(geometry.boundaries.start[0]).toBe(10_000);
    expect(geometry.cut).toBe(0);
    expect(geometry.callLanes).toBe(3);
  });

  it('draws child sessions to the end of their call, and none over another', () => {
    expect(Array.from(geometry.agents.row)).toEqual([2, 0, 1]);
    expect(geometry.agents.end[1]).toBeCloseTo(geometry.axis.length, 6);
    expect(Array.from(geometry.agentLane)).toEqual([0, 1, 0]);
    expect(geometry.agentLanes).toBe(2);
  });

  it('keeps the hour when idle is not collapsed', () => {
    expect(buildGeometry(tables, { ...base, kind: 'time', collapseIdle: false }).axis.length).toBe(hour + 9000);
  });
});

describe('buildGeometry over events', () => {
  const geometry = buildGeometry(tables, { ...base, kind: 'seq', collapseIdle: true });

  it('gives every event one unit and groups all of theirs', () => {
    expect(geometry.axis.length).toBe(14);
    expect([geometry.turns.start[0], geometry.turns.end[0]]).toEqual([0, 12]);
    expect([geometry.turns.start[1], geometry.turns.end[1]]).toEqual([12, 14]);
    expect([geometry.surface.start[1], geometry.surface.end[1]]).toEqual([2, 11]);
  });
});
