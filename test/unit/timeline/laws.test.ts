import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPackedRow, type StoredEvent } from '../../../src/core/index.ts';
import { decodeStorageRecord } from '../../../src/core/codec/chunk-rows.ts';
import { LanePacker } from '../../../src/timeline/lanes.ts';
import { entryOf, NONE, OUTCOME, TimelineBuilder, type Timeline } from '../../../src/timeline/index.ts';
import { answer, build, human, Lines, plainFacts, rowsOf, toolMessage, usage } from './event-lines.ts';

const append = { surfaceOp: 'append' } as const;

/** What may happen next in a log; the numbers are drawn freely, so starts, ends and ids rarely fit together. */
const act = fc.oneof(
  fc.record({ kind: fc.constant('turn'), n: fc.nat(4), end: fc.boolean() }),
  fc.record({ kind: fc.constant('step'), n: fc.nat(4), turn: fc.nat(4), end: fc.boolean() }),
  fc.record({ kind: fc.constant('chunks'), n: fc.integer({ min: 1, max: 5 }), step: fc.nat(3), finish: fc.boolean() }),
  fc.record({
    kind: fc.constant('answer'),
    n: fc.nat(3),
    calls: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('call'), id: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ kind: fc.constant('result'), id: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ kind: fc.constant('sub'), id: fc.constantFrom('s', 't'), end: fc.boolean() }),
  fc.record({ kind: fc.constant('retry') }),
  fc.record({ kind: fc.constant('prompt') }),
  fc.record({ kind: fc.constant('seed') }),
  fc.record({ kind: fc.constant('compaction'), end: fc.boolean() }),
  fc.record({ kind: fc.constant('title') }),
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

function play(acts: readonly (readonly [Act, number])[]): Lines {
  const log = new Lines();
  for (const [a, after] of acts) {
    log.time += after - 10;
    const address = { turn: 1, step: 1 };
    switch (a.kind) {
      case 'turn':
        log.add('end' in a && a.end ? 'turn/end' : 'turn/start', { turn: 'n' in a ? a.n : 1, reason: { kind: 'completed' } });
        break;
      case 'step':
        log.add('end' in a && a.end ? 'step/end' : 'step/start', { turn: 'turn' in a ? a.turn : 1, step: 'n' in a ? a.n : 1 });
        break;
      case 'chunks':
        log.packed(Array.from({ length: 'n' in a ? a.n : 1 }, (_, i) => String(i)));
        if ('finish' in a && a.finish) log.chunk({ type: 'finish', reason: { kind: 'error' } });
        break;
      case 'answer':
        log.add(
          'assistant/message',
          {
            ...address,
            message: answer(
              'x',
              ('calls' in a ? a.calls : []).map((id) => [id, 'tool'] as const),
            ),
            stream: [],
            usage: usage(10, 1),
          },
          append,
        );
        break;
      case 'call':
        log.add('tool/call', { ...address, callId: 'id' in a ? a.id : 'a', name: 'tool', arguments: '{}' });
        break;
      case 'result':
        log.add('tool/result', { ...address, message: toolMessage('id' in a ? a.id : 'a') }, append);
        break;
      case 'sub':
        log.add('end' in a && a.end ? 'tool/ptc-dispatch' : 'tool/ptc-dispatch-start', {
          rootCallId: 'a',
          parentCallId: 'a',
          subCallId: 'id' in a ? a.id : 's',
          name: 'sub',
        });
        break;
      case 'retry':
        log.add('llm/retry', { ...address, retryId: 'r', retry: 1 });
        break;
      case 'prompt':
        log.add('user/message', human('x'), append);
        break;
      case 'seed':
        log.add('session/end-seed', {});
        break;
      case 'compaction':
        log.add('end' in a && a.end ? 'compaction/end' : 'compaction/start', { compactionId: 'k', turn: null });
        break;
      default:
        log.add('session/title', { title: 't', messageSeqs: [] });
    }
  }
  return log;
}

const program = fc.array(fc.tuple(act, fc.integer({ min: -50, max: 100 })), { maxLength: 60 });

function everyChunkAlone(log: Lines): StoredEvent[] {
  return log.records.flatMap((record) =>
    isPackedRow(record as never) ? (decodeStorageRecord(record, 0) as StoredEvent[]) : [record as StoredEvent],
  );
}

describe('the tables of any log, however broken', () => {
  it('reach every event through exactly one entry, in the order of the log', () => {
    fc.assert(
      fc.property(program, (acts) => {
        const log = play(acts);
        const { entries } = build(log.records, 0).tables;
        let next = 0;
        for (let i = 0; i < entries.length; i++) {
          expect(entries.columns.seq[i]).toBe(next);
          next += entries.columns.count[i] ?? 0;
        }
        expect(next).toBe(log.seq);
        for (let seq = 0; seq < log.seq; seq++) {
          const entry = entryOf(entries, seq);
          expect(seq - (entries.columns.seq[entry] ?? NONE)).toBeLessThan(entries.columns.count[entry] ?? 0);
        }
        expect(entryOf(entries, log.seq)).toBe(NONE);
      }),
    );
  });

  it('are the same whether chunks come packed or one by one', () => {
    fc.assert(
      fc.property(program, (acts) => {
        const log = play(acts);
        const packed = build(log.records, 0);
        const plain = build(everyChunkAlone(log), 0);
        expect(plain.tables).toEqual(packed.tables);
        expect(plain.usage).toEqual(packed.usage);
        expect(plain.index).toEqual(packed.index);
      }),
    );
  });

  it('give no two calls of a lane the same time or the same seqs', () => {
    fc.assert(
      fc.property(program, (acts) => {
        const { calls } = build(play(acts).records).tables;
        const rows = rowsOf(calls, 'seq', 'result', 'start', 'end', 'lane', 'outcome');
        for (const [i, a] of rows.entries()) {
          for (const b of rows.slice(i + 1)) {
            if (a['lane'] !== b['lane']) continue;
            const [endA, endB] = [a['end'], b['end']].map((end) => (Number.isNaN(end) ? Infinity : (end ?? 0)));
            expect((a['start'] ?? 0) < (endB ?? 0) && (b['start'] ?? 0) < (endA ?? 0)).toBe(false);
            const until =
              a['result'] === NONE ? (a['outcome'] === OUTCOME.abandoned ? (a['seq'] ?? 0) : Infinity) : (a['result'] ?? 0);
            expect(until).toBeLessThan(b['seq'] ?? 0);
          }
        }
      }),
    );
  });

  it('nest steps in turns, keep both apart, and agree with their entries', () => {
    fc.assert(
      fc.property(program, (acts) => {
        const { turns, steps, entries } = build(play(acts).records, 0).tables;
        let lastEntry = 0;
        let lastStep = 0;
        for (const [i, turn] of rowsOf(turns, 'firstEntry', 'endEntry', 'firstStep', 'endStep').entries()) {
          expect(turn['firstEntry']).toBeGreaterThanOrEqual(lastEntry);
          expect(turn['endEntry']).toBeGreaterThan(turn['firstEntry'] ?? 0);
          expect(turn['firstStep']).toBe(lastStep);
          lastEntry = turn['endEntry'] ?? 0;
          lastStep = turn['endStep'] ?? 0;
          for (let e = turn['firstEntry'] ?? 0; e < lastEntry; e++) expect(entries.columns.turn[e]).toBe(i);
        }
        expect(lastStep).toBe(steps.length);
        expect(lastEntry).toBeLessThanOrEqual(entries.length);
        for (const [i, step] of rowsOf(steps, 'turn', 'firstEntry', 'endEntry').entries()) {
          const turn = step['turn'] ?? 0;
          expect(step['firstEntry']).toBeGreaterThanOrEqual(turns.columns.firstEntry[turn] ?? 0);
          expect(step['endEntry']).toBeLessThanOrEqual(turns.columns.endEntry[turn] ?? 0);
          for (let e = step['firstEntry'] ?? 0; e < (step['endEntry'] ?? 0); e++) expect(entries.columns.step[e]).toBe(i);
        }
      }),
    );
  });

  it('sum to the same tokens on whatever side of a cut they fall', () => {
    fc.assert(
      fc.property(program, fc.nat(80), (acts, cut) => {
        const { records, seq } = play(acts);
        const { own, inherited } = build(records, 0, { inheritedEventCount: Math.min(cut, seq) }).usage;
        const whole = build(records, 0).usage.own;
        for (const key of ['input', 'output', 'cacheRead', 'attempts', 'reasoning'] as const)
          expect(own[key] + inherited[key]).toBe(whole[key]);
      }),
    );
  });

  it('come out exactly sized, and survive payloads of any shape', () => {
    const types = [
      'turn/start',
      'turn/end',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'assistant/attempt',
      'tool/call',
      'tool/result',
      'request/header',
      'request/context',
      'compaction/summary',
      'compaction/end',
      'session/title',
      'user/message',
      'image/offload',
      'llm/retry',
      'x',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...types), fc.jsonValue(), fc.option(fc.jsonValue())), { maxLength: 30 }),
        (events) => {
          const builder = new TimelineBuilder({ version: 4 });
          events.forEach(([type, data, op], seq) =>
            builder.add({ type, seq, time: seq, data, ...(op === null ? {} : { surfaceOp: op }) } as StoredEvent),
          );
          const timeline: Timeline = builder.finish(plainFacts(events.length));
          for (const table of Object.values(timeline.tables)) {
            for (const column of Object.values(table.columns)) {
              expect(column.length).toBe(table.length);
              expect(column.buffer.byteLength).toBe(column.byteLength);
            }
          }
        },
      ),
    );
  });
});

describe('lane packing', () => {
  it('uses the lowest free lane', () => {
    const lanes = new LanePacker();
    const add = (seq: number, endSeq: number, start: number, end: number): number => lanes.add({ seq, endSeq, start, end });
    expect([add(0, 5, 0, 10), add(1, 2, 1, 3), add(3, 9, 3, 20), add(6, 7, 10, 12), add(8, 8, 12, 13)]).toEqual([0, 1, 1, 0, 0]);
  });

  it('keeps calls apart that run at once within one millisecond, or whose clock stepped back', () => {
    const lanes = new LanePacker();
    expect(lanes.add({ seq: 0, endSeq: 2, start: 5, end: 5 })).toBe(0);
    expect(lanes.add({ seq: 1, endSeq: 3, start: 5, end: 5 })).toBe(1);
    expect(lanes.add({ seq: 4, endSeq: 5, start: 2, end: 3 })).toBe(2);
    expect(lanes.add({ seq: 6, endSeq: Infinity, start: 5, end: Infinity })).toBe(0);
    expect(lanes.add({ seq: 7, endSeq: 8, start: 9, end: 9 })).toBe(1);
  });
});

describe('size', () => {
  it('of a log of 100,000 lines stays under 8 MB', () => {
    const log = new Lines();
    for (let turn = 1; log.seq < 100_000; turn++) {
      log.add('turn/start', { turn });
      log.add('user/message', human('go'), append);
      for (let step = 1; step <= 40; step++) {
        log.add('step/start', { turn, step });
        const id = `${turn}.${step}`;
        log.add(
          'assistant/message',
          { turn, step, message: answer('x', [[id, 'bash']]), stream: [], usage: usage(100, 10) },
          append,
        );
        log.add('tool/call', { turn, step, callId: id, name: 'bash', arguments: '{}' });
        log.add('tool/result', { turn, step, message: toolMessage(id) }, append);
        log.add('step/end', { turn, step });
      }
      log.add('turn/end', { turn, reason: { kind: 'completed' } });
    }
    const { tables } = build(log.records);
    let bytes = 0;
    for (const table of Object.values(tables)) for (const column of Object.values(table.columns)) bytes += column.byteLength;
    expect(tables.entries.length).toBeGreaterThanOrEqual(100_000);
    expect(bytes).toBeLessThan(8_000_000);
  });
});
