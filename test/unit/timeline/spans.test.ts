import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG, NONE, OUTCOME } from '../../../src/timeline/index.ts';
import { answer, build, human, Lines, rowsOf } from './event-lines.ts';

const append = { surfaceOp: 'append' } as const;

describe('turns and steps', () => {
  it('follow their starts and ends, with half-open entry ranges', () => {
    const log = new Lines();
    log.add('permission/preset', { preset: 'x' });
    log.add('turn/start', { turn: 1 });
    log.add('step/start', { turn: 1, step: 1 });
    log.add('user/message', human('hello'), append);
    log.add('assistant/message', { turn: 1, step: 1, message: answer('hi'), stream: [] }, append);
    log.add('step/end', { turn: 1, step: 1 });
    log.add('turn/end', { turn: 1, reason: { kind: 'completed' } });
    log.add('session/title', { title: 't', messageSeqs: [3], source: { kind: 'fallback' } });
    const { tables } = build(log.records);
    expect(
      rowsOf(
        tables.turns,
        'number',
        'firstSeq',
        'lastSeq',
        'start',
        'end',
        'firstEntry',
        'endEntry',
        'firstStep',
        'endStep',
        'outcome',
      ),
    ).toEqual([
      {
        number: 1,
        firstSeq: 1,
        lastSeq: 6,
        start: 1020,
        end: 1070,
        firstEntry: 1,
        endEntry: 7,
        firstStep: 0,
        endStep: 1,
        outcome: OUTCOME.completed,
      },
    ]);
    expect(
      rowsOf(tables.steps, 'turn', 'number', 'firstSeq', 'lastSeq', 'start', 'end', 'firstEntry', 'endEntry', 'outcome'),
    ).toEqual([
      {
        turn: 0,
        number: 1,
        firstSeq: 2,
        lastSeq: 5,
        start: 1030,
        end: 1060,
        firstEntry: 2,
        endEntry: 6,
        outcome: OUTCOME.completed,
      },
    ]);
    expect([...tables.entries.columns.turn]).toEqual([NONE, 0, 0, 0, 0, 0, 0, NONE]);
    expect([...tables.entries.columns.step]).toEqual([NONE, NONE, 0, 0, 0, 0, NONE, NONE]);
    // The heads carry the duration of what they head.
    expect(tables.entries.columns.duration[1]).toBe(50);
    expect(tables.entries.columns.duration[2]).toBe(30);
    expect((tables.entries.columns.flags[1] ?? 0) & ENTRY_FLAG.headOf).toBe(ENTRY_FLAG.headOf);
  });

  it('are implied where the log lacks their starts', () => {
    const log = new Lines();
    log.add('tool/call', { turn: 3, step: 2, callId: 'c', name: 'bash', arguments: '{}' });
    log.add('turn/end', { turn: 3, reason: { kind: 'aborted', reason: { kind: 'user' } } });
    const { tables } = build(log.records);
    expect(rowsOf(tables.turns, 'number', 'firstSeq', 'lastSeq', 'outcome')).toEqual([
      { number: 3, firstSeq: 0, lastSeq: 1, outcome: OUTCOME.aborted },
    ]);
    expect(rowsOf(tables.steps, 'number', 'firstSeq', 'lastSeq', 'outcome')).toEqual([
      { number: 2, firstSeq: 0, lastSeq: 0, outcome: OUTCOME.aborted },
    ]);
    // No start is drawn as a head, so every event keeps a row.
    expect((tables.entries.columns.flags[0] ?? 0) & ENTRY_FLAG.headOf).toBe(0);
  });

  it('that nobody closed are abandoned when the next begins, and open at the end of the log', () => {
    const log = new Lines();
    log.add('turn/start', { turn: 1 });
    log.add('step/start', { turn: 1, step: 1 });
    log.add('turn/start', { turn: 2 });
    log.add('step/start', { turn: 2, step: 1 });
    const { tables } = build(log.records);
    expect(rowsOf(tables.turns, 'outcome', 'end', 'lastSeq', 'endEntry')).toEqual([
      { outcome: OUTCOME.abandoned, end: 1020, lastSeq: 1, endEntry: 2 },
      { outcome: OUTCOME.open, end: NaN, lastSeq: 3, endEntry: 4 },
    ]);
    expect([...tables.steps.columns.outcome]).toEqual([OUTCOME.abandoned, OUTCOME.open]);
  });

  it('left open before the last end-seed belong to an ended lifecycle', () => {
    const log = new Lines();
    log.add('turn/start', { turn: 1 });
    log.add('step/start', { turn: 1, step: 1 });
    log.add('session/end-seed', {});
    const { tables } = build(log.records);
    expect([...tables.turns.columns.outcome]).toEqual([OUTCOME.abandoned]);
    expect([...tables.steps.columns.outcome]).toEqual([OUTCOME.abandoned]);
  });

  it('closed behind a fork marker are forked, not abandoned', () => {
    const log = new Lines();
    log.add('turn/start', { turn: 1 });
    log.add('step/start', { turn: 1, step: 1 });
    log.add('session/end-seed', { inherited: true });
    log.add('step/end', { turn: 1, step: 1 });
    log.add('turn/end', { turn: 1, reason: { kind: 'forked' } });
    const { tables } = build(log.records, 4, { inheritedEventCount: 2 });
    expect([...tables.turns.columns.outcome]).toEqual([OUTCOME.forked]);
    expect([...tables.steps.columns.outcome]).toEqual([OUTCOME.forked]);
  });

  it('take an unknown reason as other and survive a turn/end out of nowhere', () => {
    const log = new Lines();
    log.add('turn/start', { turn: 1 });
    log.add('turn/end', { turn: 1, reason: { kind: 'vanished' } });
    log.add('turn/end', { turn: 1, reason: { kind: 'completed' } });
    const { tables } = build(log.records);
    expect([...tables.turns.columns.outcome]).toEqual([OUTCOME.other]);
    expect(tables.entries.length).toBe(3);
    expect(tables.entries.columns.turn[2]).toBe(NONE);
  });

  it('give an aborted turn to a step that never got an answer', () => {
    const log = new Lines();
    log.add('turn/start', { turn: 1 });
    log.add('step/start', { turn: 1, step: 1 });
    log.add('step/end', { turn: 1, step: 1 });
    log.add('turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'user' } } });
    expect([...build(log.records).tables.steps.columns.outcome]).toEqual([OUTCOME.aborted]);
  });
});

describe('fork boundaries', () => {
  it('are the runs outside open turns, up to where forking ends', () => {
    const log = new Lines();
    log.add('permission/preset'); // 0
    log.add('turn/start', { turn: 1 }); // 1
    log.add('turn/end', { turn: 1, reason: { kind: 'completed' } }); // 2
    log.add('session/title', { title: 't' }); // 3
    log.add('turn/start', { turn: 2 }); // 4
    log.add('turn/start', { turn: 3 }); // 5: nested, still open
    log.add('turn/end', { turn: 3, reason: { kind: 'completed' } }); // 6
    log.add('session/title', { title: 'u' }); // 7
    const runs = (facts = {}): number[][] =>
      rowsOf(build(log.records, 0, facts).tables.boundaries, 'first', 'last').map(({ first, last }) => [first ?? -1, last ?? -1]);
    expect(runs()).toEqual([
      [0, 0],
      [2, 3],
      [6, 7],
    ]);
    expect(runs({ unforkableFrom: 3 })).toEqual([
      [0, 0],
      [2, 2],
    ]);
    expect(runs({ unforkableFrom: 0 })).toEqual([]);
  });
});

describe('dividers', () => {
  it('tell the cut from later lifecycles', () => {
    const log = new Lines();
    log.add('session/title', { title: 't' });
    log.add('session/end-seed', {}); // an ancestor's lifecycle
    log.add('session/end-seed', { inherited: true }); // the cut
    log.add('session/end-seed', {}); // resumed
    const { tables } = build(log.records, 4, { inheritedEventCount: 2 });
    expect(rowsOf(tables.dividers, 'seq', 'kind')).toEqual([
      { seq: 1, kind: 1 },
      { seq: 2, kind: 0 },
      { seq: 3, kind: 1 },
    ]);
    expect([...tables.entries.columns.flags].map((f) => f & ENTRY_FLAG.inherited)).toEqual([16, 16, 0, 0]);
  });

  it('place a v0 cut without a marker of its own at the first own event', () => {
    const log = new Lines();
    log.add('session/title', { title: 't' });
    log.add('session/end-seed', {});
    log.add('session/title', { title: 'u' });
    expect(rowsOf(build(log.records, 0, { inheritedEventCount: 2 }).tables.dividers, 'seq', 'kind', 'time')).toEqual([
      { seq: 1, kind: 1, time: 1020 },
      { seq: 2, kind: 0, time: 1030 },
    ]);
  });
});
