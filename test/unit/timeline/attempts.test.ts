import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG, MARK, OUTCOME } from '../../../src/timeline/index.ts';
import { answer, build, human, Lines, rowsOf, usage } from './event-lines.ts';

const append = { surfaceOp: 'append' } as const;

function opened(): Lines {
  const log = new Lines();
  log.add('turn/start', { turn: 1 }); // 0 @1010
  log.add('step/start', { turn: 1, step: 1 }); // 1 @1020
  log.add('user/message', human('q'), append); // 2 @1030
  log.add('request/header', { header: { config: {} }, reason: 'initial' }); // 3 @1040
  return log;
}

it('an answer without a step, a request or a stream before it begins where it stands', () => {
  for (const version of [0, 4]) {
    const log = new Lines();
    log.add('assistant/message', { turn: 1, step: 1, message: answer('x'), stream: [] }, append); // @1010
    const { attempts } = build(log.records, version).tables;
    expect(rowsOf(attempts, 'start', 'end')).toEqual([{ start: 1010, end: 1010 }]);
  }
});

describe('attempts of v0 and v1', () => {
  it('fold the chunks of one answer into one entry, whatever they were packed into', () => {
    const log = opened();
    log.chunk({ type: 'block-start', index: 0, blockType: 'text' }); // 4 @1050
    log.packed(['a', 'b', 'c']); // 5-7 @1060,1062,1064
    log.chunk({ type: 'usage', usage: usage(100, 20) }); // 8 @1074
    log.chunk({ type: 'finish', reason: { kind: 'stop' } }); // 9 @1084
    log.add(
      'assistant/message',
      { turn: 1, step: 1, message: answer('abc'), usage: usage(1, 1) },
      { surfaceOp: 'append', sourceEventSeqs: [4, 5, 6, 7, 8, 9] },
    ); // 10 @1094
    const { tables, index } = build(log.records, 0);
    expect(rowsOf(tables.entries, 'seq', 'count', 'duration').slice(4)).toEqual([
      { seq: 4, count: 6, duration: 34 },
      { seq: 10, count: 1, duration: 54 },
    ]);
    expect((tables.entries.columns.flags[4] ?? 0) & ENTRY_FLAG.streamed).toBe(ENTRY_FLAG.streamed);
    // Dispatched after the header; the first chunk is the first token. The chunk's usage counts, the message's does not.
    expect(
      rowsOf(
        tables.attempts,
        'step',
        'number',
        'seq',
        'entry',
        'start',
        'firstToken',
        'end',
        'outcome',
        'input',
        'cacheRead',
        'output',
        'reasoning',
      ),
    ).toEqual([
      {
        step: 0,
        number: 1,
        seq: 10,
        entry: 5,
        start: 1040,
        firstToken: 1050,
        end: 1094,
        outcome: OUTCOME.completed,
        input: 100,
        cacheRead: 5,
        output: 20,
        reasoning: 1,
      },
    ]);
    expect([...index.requestEnds]).toEqual([4]);
    expect(rowsOf(tables.context, 'seq', 'tokens', 'window')).toEqual([{ seq: 10, tokens: 125, window: 0 }]);
  });

  it('keep an event between two chunks in its place', () => {
    const log = opened();
    log.packed(['a', 'b', 'c']); // 4-6
    log.add('session/title', { title: 't' }); // 7
    log.packed(['d', 'e', 'f']); // 8-10
    log.add('assistant/message', { turn: 1, step: 1, message: answer('abcdef') }, append); // 11
    const { tables } = build(log.records, 0);
    expect(rowsOf(tables.entries, 'seq', 'count').slice(4)).toEqual([
      { seq: 4, count: 3 },
      { seq: 7, count: 1 },
      { seq: 8, count: 3 },
      { seq: 11, count: 1 },
    ]);
    expect(tables.attempts.length).toBe(1);
  });

  it('begin anew after a finish chunk: a failed attempt, a retry, an answer', () => {
    const log = opened();
    log.chunk({ type: 'text-delta', index: 0, text: 'half' }); // 4
    log.chunk({ type: 'usage', usage: usage(7, 3) }); // 5
    log.chunk({ type: 'finish', reason: { kind: 'error', failure: { message: 'broke', code: 'TRANSPORT' } } }); // 6
    log.add('llm/retry', { retryId: 'r', turn: 1, step: 1, retry: 1, delayMs: 50, failure: {} }); // 7
    log.add('llm/retry-started', { retryId: 'r', turn: 1, step: 1, retry: 1 }, {}, 50); // 8
    const started = log.time;
    log.chunk({ type: 'text-delta', index: 0, text: 'whole' }); // 9
    log.add('assistant/message', { turn: 1, step: 1, message: answer('whole'), usage: usage(8, 4) }, append); // 10
    const timeline = build(log.records, 1);
    const { tables } = timeline;
    expect(rowsOf(tables.attempts, 'number', 'seq', 'outcome', 'input', 'start')).toEqual([
      { number: 1, seq: 4, outcome: OUTCOME.error, input: 7, start: 1040 },
      { number: 2, seq: 10, outcome: OUTCOME.completed, input: 8, start: started },
    ]);
    expect(timeline.usage.own).toEqual({ input: 15, cacheRead: 10, cacheWrite: 0, output: 7, reasoning: 2, attempts: 2 });
    expect(rowsOf(tables.marks, 'seq', 'kind')).toEqual([
      { seq: 2, kind: MARK.prompt },
      { seq: 4, kind: MARK.error },
      { seq: 7, kind: MARK.retry },
    ]);
    // The retry is paired with its start and lasts until then.
    expect(tables.entries.columns.duration[5]).toBe(50);
    expect(tables.entries.columns.pair[5]).toBe(6);
  });

  it('without an answer are interrupted when their step ends, and still arriving when the log does', () => {
    const log = opened();
    log.chunk({ type: 'text-delta', index: 0, text: 'half' });
    expect([...build(log.records, 0).tables.attempts.columns.outcome]).toEqual([OUTCOME.open]);
    log.add('step/end', { turn: 1, step: 1 });
    const { tables } = build(log.records, 0);
    expect(rowsOf(tables.attempts, 'outcome', 'end')).toEqual([{ outcome: OUTCOME.interrupted, end: 1050 }]);
    expect([...tables.steps.columns.outcome]).toEqual([OUTCOME.interrupted]);
  });
});

describe('attempts from v2 on', () => {
  const stream = [
    { type: 'chunk', time: 1100, chunk: { type: 'block-start', index: 0, blockType: 'text' } },
    { type: 'text-chunks', time0: 1110, index: 0, dt: [5], texts: ['a', 'b'] },
    { type: 'chunk', time: 1120, chunk: { type: 'usage', usage: usage(50, 6) } },
    { type: 'chunk', time: 1130, chunk: { type: 'finish', reason: { kind: 'max-tokens' } } },
  ];

  it('take the usage of the message, else of its stream', () => {
    const log = opened();
    log.add('assistant/message', { turn: 1, step: 1, message: answer('ab'), stream, usage: usage(60, 7) }, append, 100);
    log.add('assistant/message', { turn: 1, step: 1, message: answer('ab'), stream }, append);
    const { tables } = build(log.records);
    expect(rowsOf(tables.attempts, 'number', 'input', 'output', 'firstToken', 'start', 'outcome')).toEqual([
      { number: 1, input: 60, output: 7, firstToken: 1100, start: 1040, outcome: OUTCOME.maxTokens },
      { number: 2, input: 50, output: 6, firstToken: 1100, start: 1040, outcome: OUTCOME.maxTokens },
    ]);
  });

  it('count a discarded attempt by its stream; a retry makes it an error', () => {
    const log = opened();
    log.add('assistant/attempt', { turn: 1, step: 1, stream: stream.slice(0, 3) });
    expect([...build(log.records).tables.attempts.columns.outcome]).toEqual([OUTCOME.interrupted]);
    log.add('llm/retry', { retryId: 'r', turn: 1, step: 1, retry: 1, delayMs: 5, failure: {} });
    const timeline = build(log.records);
    expect([...timeline.tables.attempts.columns.outcome]).toEqual([OUTCOME.error]);
    expect(timeline.usage.own.output).toBe(6);
    expect(timeline.tables.context.length).toBe(0);
  });

  it('split their usage at the cut', () => {
    const log = opened();
    log.add('assistant/message', { turn: 1, step: 1, message: answer('x'), stream: [], usage: usage(10, 1) }, append); // 4
    log.add('session/end-seed', { inherited: true }); // 5
    log.add('assistant/message', { turn: 1, step: 1, message: answer('y'), stream: [], usage: usage(20, 2) }, append); // 6
    const timeline = build(log.records, 4, { inheritedEventCount: 5 });
    expect([timeline.usage.inherited.input, timeline.usage.own.input]).toEqual([10, 20]);
  });

  it('never start after their first token when the clock steps back', () => {
    const log = opened();
    const early = [{ type: 'text-chunks', time0: 500, index: 0, dt: [], texts: ['a'] }];
    log.add('assistant/message', { turn: 1, step: 1, message: answer('a'), stream: early }, append, -600);
    expect(rowsOf(build(log.records).tables.attempts, 'start', 'firstToken', 'end')).toEqual([
      { start: 500, firstToken: 500, end: 440 },
    ]);
  });
});
