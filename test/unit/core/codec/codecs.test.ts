import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeStorageRecord,
  packChunkRuns,
  packedMember,
  packedRowProblem,
  packedTimes,
} from '../../../../src/core/codec/chunk-rows.ts';
import { decodeSourceSeqs, encodeSourceSeqs } from '../../../../src/core/codec/source-ranges.ts';
import { expandStream, packStream, streamProblem } from '../../../../src/core/codec/stream-records.ts';
import type { SessionEvent } from '../../../../src/core/events.ts';
import type { AssistantStreamRecord, StreamChunk, TimedChunk } from '../../../../src/core/messages.ts';

/** The examples of format/on-disk.md §6.1 to §6.3, and the laws that hold beyond them. */

const chunkEvent = (seq: number, time: number, chunk: StreamChunk, turn = 1, step = 1): SessionEvent<'assistant/chunk'> => ({
  type: 'assistant/chunk',
  seq,
  time,
  data: { turn, step, chunk },
});
const text = (index: number, value: string): StreamChunk => ({ type: 'text-delta', index, text: value });
const reasoning = (index: number, value: string): StreamChunk => ({ type: 'reasoning-delta', index, text: value });
const tool = (index: number, argumentsDelta: string, id = 'call_1', name?: string): StreamChunk => ({
  type: 'tool-call-delta',
  index,
  id,
  ...(name === undefined ? {} : { name }),
  argumentsDelta,
});
const stored = (events: SessionEvent[]): string => JSON.stringify(packChunkRuns(events));

describe('packed lines (v0, v1)', () => {
  it('three text deltas, a clock that runs back', () => {
    const run = [chunkEvent(5, 1000, text(1, 'He')), chunkEvent(6, 1010, text(1, 'llo')), chunkEvent(7, 1007, text(1, '!'))];
    expect(stored(run)).toBe(
      '[{"type":"text-chunks","seq0":5,"time0":1000,"data":{"turn":1,"step":1,"index":1,"dt":[10,-3],"texts":["He","llo","!"]}}]',
    );
  });

  it('two stay plain', () => {
    const run = [chunkEvent(5, 1, text(1, 'He')), chunkEvent(6, 1, text(1, 'llo'))];
    expect(packChunkRuns(run)).toEqual(run);
  });

  it('a run of reasoning, then two of text', () => {
    const events = ['a', 'b', 'c'].map((value, i) => chunkEvent(i, i + 1, reasoning(0, value)));
    const rest = ['x', 'y'].map((value, i) => chunkEvent(3 + i, 9, text(1, value)));
    expect(packChunkRuns([...events, ...rest])).toEqual([
      { type: 'reasoning-chunks', seq0: 0, time0: 1, data: { turn: 1, step: 1, index: 0, dt: [1, 1], texts: ['a', 'b', 'c'] } },
      ...rest,
    ]);
  });

  it('an index change ends a run', () => {
    const events = ['a', 'b'].map((value, i) => chunkEvent(i, i, text(0, value)));
    const rest = ['c', 'd', 'e'].map((value, i) => chunkEvent(2 + i, 2 + i, text(1, value)));
    expect(packChunkRuns([...events, ...rest])).toEqual([
      ...events,
      { type: 'text-chunks', seq0: 2, time0: 2, data: { turn: 1, step: 1, index: 1, dt: [1, 1], texts: ['c', 'd', 'e'] } },
    ]);
  });

  it('tool deltas without a name', () => {
    const run = [chunkEvent(0, 1, tool(2, '{"a')), chunkEvent(1, 1, tool(2, '":1')), chunkEvent(2, 9, tool(2, '}'))];
    expect(stored(run)).toBe(
      '[{"type":"tool-call-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":2,"dt":[0,8],"id":"call_1","args":["{\\"a","\\":1","}"]}}]',
    );
  });

  it('a name on the first delta only keeps it out of the run', () => {
    const named = chunkEvent(0, 1, tool(0, '', 'c', 'read'));
    const rest = ['{', '}', ''].map((value, i) => chunkEvent(1 + i, 1, tool(0, value, 'c')));
    expect(packChunkRuns([named, ...rest])).toEqual([
      named,
      {
        type: 'tool-call-chunks',
        seq0: 1,
        time0: 1,
        data: { turn: 1, step: 1, index: 0, dt: [0, 0], id: 'c', args: ['{', '}', ''] },
      },
    ]);
  });

  it('the same name on all of them joins', () => {
    const run = ['{', '}', ''].map((value, i) => chunkEvent(i, 1, tool(0, value, 'c', 'read')));
    expect(packChunkRuns(run)).toEqual([
      {
        type: 'tool-call-chunks',
        seq0: 0,
        time0: 1,
        data: { turn: 1, step: 1, index: 0, dt: [0, 0], id: 'c', name: 'read', args: ['{', '}', ''] },
      },
    ]);
  });

  it('an ignorable mark keeps an event out, and parts the runs around it', () => {
    const before = [0, 1].map((seq) => chunkEvent(seq, 1, text(0, 'a')));
    const marked = { ...chunkEvent(2, 1, text(0, 'a')), ignorable: true } as SessionEvent;
    const after = [3, 4, 5].map((seq) => chunkEvent(seq, 1, text(0, 'a')));
    expect(packChunkRuns([...before, marked, ...after]).map(({ type }) => type)).toEqual([
      'assistant/chunk',
      'assistant/chunk',
      'assistant/chunk',
      'text-chunks',
    ]);
  });

  const row = (changes: object, data: object = {}): unknown => ({
    type: 'text-chunks',
    seq0: 10,
    time0: 1000,
    data: { turn: 1, step: 2, index: 0, dt: [1, 2], texts: ['a', 'b', 'c'], ...data },
    ...changes,
  });

  it.each([
    ['an extra key', row({ ignorable: true })],
    ['an extra key in data', row({}, { id: 'x' })],
    ['no data', { type: 'text-chunks', seq0: 1, time0: 1 }],
    ['a wrong number of times', row({}, { dt: [1] })],
    ['no members', row({}, { dt: [], texts: [] })],
    ['a member that is no text', row({}, { texts: ['a', 1, 'c'] })],
    ['a fraction of a seq', row({ seq0: 0.5 })],
    ['a negative seq', row({ seq0: -1 })],
    ['seqs beyond the safe integers', row({ seq0: 2 ** 53 - 1 }, { dt: [1], texts: ['a', 'b'] })],
    ['times beyond the safe integers', row({ time0: 2 ** 53 - 1 })],
    ['a fraction of a time', row({ time0: 0.5 })],
    ['a turn that is no number', row({}, { turn: '1' })],
    [
      'a call id that is no text',
      { ...(row({}) as object), type: 'tool-call-chunks', data: { turn: 1, step: 1, index: 0, dt: [], id: 1, args: ['a'] } },
    ],
  ])('a row with %s is refused', (_, bad) => {
    expect(() => decodeStorageRecord(bad, 0)).toThrow();
    expect(packedRowProblem(bad, 0)).toBeTypeOf('string');
  });

  it('a row of one member is legal to read', () => {
    expect(decodeStorageRecord(row({}, { dt: [], texts: ['a'] }), 0)).toEqual([chunkEvent(10, 1000, text(0, 'a'), 1, 2)]);
  });

  it('v0 asks turn, step and index to be numbers, v1 to be counts', () => {
    const odd = row({}, { turn: 1.5, step: -1 });
    expect(packedRowProblem(odd, 0)).toBeUndefined();
    expect(packedRowProblem(odd, 1)).toBeTypeOf('string');
  });

  const deltas = fc.oneof(
    fc.record({
      type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
      index: fc.nat(2),
      text: fc.string({ maxLength: 3 }),
    }),
    fc.record(
      {
        type: fc.constant('tool-call-delta' as const),
        index: fc.nat(1),
        id: fc.constantFrom('a', 'b', ''),
        name: fc.constantFrom('n', ''),
        argumentsDelta: fc.string({ maxLength: 3 }),
      },
      { requiredKeys: ['type', 'index', 'id', 'argumentsDelta'] },
    ),
    fc.constant({ type: 'block-start' as const, index: 0, blockType: 'text' }),
  );
  const logs = fc.array(fc.tuple(deltas, fc.integer({ min: -5, max: 5 }), fc.nat(1)), { maxLength: 30 }).map((steps) => {
    let time = 0;
    return steps.map(([chunk, dt, step], seq) => chunkEvent(seq, (time += dt), chunk as StreamChunk, 1, step));
  });

  it('unpacking what was packed gives the same events, member by member too', () => {
    fc.assert(
      fc.property(logs, (events) => {
        const records = packChunkRuns(events);
        expect(records.flatMap((record) => decodeStorageRecord(JSON.parse(JSON.stringify(record)), 0))).toEqual(events);
        for (const record of records) {
          if (!('seq0' in record)) continue;
          const members = decodeStorageRecord(record, 0);
          expect(members.length).toBeGreaterThanOrEqual(3);
          members.forEach((member, k) => expect(packedMember(record, k, packedTimes(record)[k] ?? 0)).toEqual(member));
        }
      }),
    );
  });
});

describe('stream records (v2+)', () => {
  const timed = (time: number, chunk: StreamChunk): TimedChunk => ({ time, chunk });

  it('deltas between other chunks', () => {
    const start: StreamChunk = { type: 'block-start', index: 0, blockType: 'text' };
    const end: StreamChunk = { type: 'block-end', index: 0, block: { type: 'text', text: 'Hello!' } };
    const finish: StreamChunk = { type: 'finish', reason: { kind: 'stop' } };
    const chunks = [
      timed(104, start),
      timed(105, text(0, 'He')),
      timed(106, text(0, 'llo')),
      timed(108, text(0, '!')),
      timed(109, end),
      timed(110, finish),
    ];
    const records: AssistantStreamRecord[] = [
      { type: 'chunk', time: 104, chunk: start },
      { type: 'text-chunks', time0: 105, index: 0, dt: [1, 2], texts: ['He', 'llo', '!'] },
      { type: 'chunk', time: 109, chunk: end },
      { type: 'chunk', time: 110, chunk: finish },
    ];
    expect(JSON.stringify(packStream(chunks))).toBe(JSON.stringify(records));
    expect(expandStream(records)).toEqual(chunks);
  });

  it('nothing', () => {
    expect(packStream([])).toEqual([]);
    expect(expandStream([])).toEqual([]);
  });

  it('one delta is packed too', () => {
    expect(packStream([timed(104, text(0, 'par'))])).toEqual([
      { type: 'text-chunks', time0: 104, index: 0, dt: [], texts: ['par'] },
    ]);
  });

  it('another block in between ends a record', () => {
    expect(packStream([timed(1, text(0, 'a')), timed(2, reasoning(1, 'b')), timed(3, text(0, 'c'))])).toHaveLength(3);
  });

  it('a tool delta without id, or with an empty name, is a chunk record', () => {
    const anonymous = tool(0, '{', '');
    expect(packStream([timed(7, anonymous)])).toEqual([{ type: 'chunk', time: 7, chunk: anonymous }]);
    const unnamed = tool(0, '{', 'c', '');
    expect(packStream([timed(7, unnamed)])).toEqual([{ type: 'chunk', time: 7, chunk: unnamed }]);
  });

  it.each([
    ['not a list', {}],
    ['an unknown record', [{ type: 'x' }]],
    ['a record that is null', [null]],
    ['an extra key', [{ type: 'chunk', time: 1, chunk: { type: 'usage' }, x: 1 }]],
    ['a time that is no whole number', [{ type: 'chunk', time: 0.5, chunk: { type: 'usage' } }]],
    ['a negative index', [{ type: 'text-chunks', time0: 1, index: -1, dt: [], texts: ['a'] }]],
    ['seqs of the old layout', [{ type: 'text-chunks', seq0: 1, time0: 1, data: {} }]],
    ['an empty id', [{ type: 'tool-call-chunks', time0: 1, index: 0, dt: [], id: '', args: ['a'] }]],
    ['an empty name', [{ type: 'tool-call-chunks', time0: 1, index: 0, dt: [], id: 'c', name: '', args: ['a'] }]],
    ['a wrong number of times', [{ type: 'text-chunks', time0: 1, index: 0, dt: [1], texts: ['a'] }]],
    ['no members', [{ type: 'text-chunks', time0: 1, index: 0, dt: [], texts: [] }]],
  ])('a stream with %s is refused', (_, stream) => {
    expect(streamProblem(stream)).toBeTypeOf('string');
    expect(() => expandStream(stream as AssistantStreamRecord[])).toThrow();
  });

  const chunk = fc.oneof(
    fc.record({
      type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
      index: fc.nat(1),
      text: fc.string({ maxLength: 2 }),
    }),
    fc.record(
      {
        type: fc.constant('tool-call-delta' as const),
        index: fc.nat(1),
        id: fc.constantFrom('a', ''),
        name: fc.constantFrom('n', ''),
        argumentsDelta: fc.string({ maxLength: 2 }),
      },
      { requiredKeys: ['type', 'index', 'id', 'argumentsDelta'] },
    ),
    fc.constant({ type: 'usage' as const, usage: { inputTokens: 1, outputTokens: 1 } }),
  );

  it('unpacking what was packed gives the same chunks, and packing is settled', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), chunk), { maxLength: 30 }), (steps) => {
        const chunks = steps.map(([time, one]) => timed(time, one as StreamChunk));
        const records = packStream(chunks);
        expect(streamProblem(records)).toBeUndefined();
        expect(expandStream(records)).toEqual(chunks);
        expect(packStream(expandStream(records))).toEqual(records);
      }),
    );
  });
});

describe('cited seqs', () => {
  it.each([
    [[5], [5]],
    [
      [4, 5],
      [4, 5],
    ],
    [[4, 5, 6], [[4, 6]]],
    [
      [1, 2, 3, 7, 9, 10, 11, 12],
      [[1, 3], 7, [9, 12]],
    ],
    [
      [3, 2, 1],
      [3, 2, 1],
    ],
    [
      [9, 4, 5, 6],
      [9, 4, 5, 6],
    ],
    [
      [1, 2, 4, 5, 6, 8, 9],
      [1, 2, [4, 6], 8, 9],
    ],
    [[], []],
  ])('%j is stored as %j', (seqs, disk) => {
    expect(encodeSourceSeqs(seqs)).toEqual(disk);
  });

  it.each([
    [[[3, 5]], [3, 4, 5]],
    [
      [1, [3, 5], 9],
      [1, 3, 4, 5, 9],
    ],
    [[[3, 3]], [3]],
    [
      [
        [3, 5],
        [6, 7],
      ],
      [3, 4, 5, 6, 7],
    ],
    [
      [5, 4],
      [5, 4],
    ],
  ])('%j is read as %j', (disk, seqs) => {
    expect(decodeSourceSeqs(disk, 20)).toEqual(seqs);
  });

  it.each([[[[5, 3]]], [[[3, 25]]], [[[1, 2, 3]]], [['a']], [5], [[20]], [[5, 5]], [[[3, 5], 4]], [[-1]], [[[0.5, 2]]], [null]])(
    '%j is refused',
    (disk) => {
      expect(() => decodeSourceSeqs(disk, 20)).toThrow();
    },
  );

  it('reading what was stored gives the same seqs', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), fc.boolean(), (seqs, sorted) => {
        const list = sorted ? seqs.toSorted((a, b) => a - b) : seqs;
        expect(decodeSourceSeqs(JSON.parse(JSON.stringify(encodeSourceSeqs(list))), 100)).toEqual(list);
      }),
    );
  });
});
