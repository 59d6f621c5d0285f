import { describe, expect, it } from 'vitest';
import { AttemptFold, type Attempt } from '../../../src/core/attempts.ts';
import type { PackedChunkRow, StoredEvent } from '../../../src/core/events.ts';
import type { TokenUsage } from '../../../src/core/messages.ts';
import { sumUsage } from '../../../src/core/usage.ts';

/** "Request of (turn, step, attempt)" and the usage that counts once. format/surface.md §5, format/open-questions.md item 16. */

const usage = (inputTokens: number): TokenUsage => ({ inputTokens, outputTokens: 1 });
let seq = 0;
const event = (type: string, data: object = {}): StoredEvent => ({ type, seq: seq++, time: 0, data });
const at = { turn: 1, step: 1 };
const chunk = (value: object, where: object = at): StoredEvent => event('assistant/chunk', { ...where, chunk: value });
const usageChunk = (inputTokens: number): object => ({ type: 'usage', usage: usage(inputTokens) });
const record = (value: object): object => ({ type: 'chunk', time: 0, chunk: value });

function attempts(version: number, make: () => (StoredEvent | PackedChunkRow)[]): readonly Attempt[] {
  seq = 0;
  const fold = new AttemptFold(version);
  for (const one of make()) {
    if ('seq0' in one) fold.applyPacked(one);
    else fold.apply(one);
  }
  return fold.attempts();
}

const brief = (list: readonly Attempt[]): unknown[] =>
  list.map(({ attempt, beforeSeq, settledSeq, outcome, usage: counted }) => [
    attempt,
    beforeSeq,
    settledSeq,
    outcome,
    counted?.inputTokens,
  ]);

describe('embedded streams (v2+)', () => {
  it('an answered step after a discarded attempt', () => {
    const list = attempts(4, () => [
      event('turn/start', { turn: 1 }),
      event('step/start', at),
      event('request/header'),
      event('request/context'),
      event('assistant/attempt', { ...at, stream: [record(usageChunk(5))] }),
      event('llm/retry'),
      event('request/context'),
      event('llm/retry-started'),
      event('assistant/message', { ...at, usage: usage(7), stream: [record(usageChunk(9))] }),
      event('step/end', at),
    ]);
    expect(brief(list)).toEqual([
      [1, 4, 4, 'discarded', 5],
      [2, 8, 8, 'answered', 7],
    ]);
    expect(list.map(({ headerSeq, contextSeq }) => [headerSeq, contextSeq])).toEqual([
      [2, 3],
      [2, 6],
    ]);
  });

  it('the message’s figure counts, its stream only where it has none, the last chunk of it', () => {
    const list = attempts(3, () => [
      event('assistant/message', { ...at, stream: [record(usageChunk(1)), record(usageChunk(2))] }),
      event('assistant/message', { turn: 1, step: 2, usage: usage(3), stream: [record(usageChunk(4))] }),
      event('assistant/message', { turn: 1, step: 3, stream: [] }),
    ]);
    expect(list.map(({ usage: counted }) => counted?.inputTokens)).toEqual([2, 3, undefined]);
  });

  it('a step still waiting for its answer ends at the log’s end, one that never got any at its own', () => {
    expect(brief(attempts(4, () => [event('step/start', at), event('user/message')]))).toEqual([
      [1, 2, undefined, 'unanswered', undefined],
    ]);
    const closed = (): StoredEvent[] => [
      event('step/start', at),
      event('user/message'),
      event('step/end', at),
      event('turn/end'),
    ];
    expect(brief(attempts(4, closed))).toEqual([[1, 2, undefined, 'unanswered', undefined]]);
  });

  it('a step whose attempt was discarded waits for another, until it is closed', () => {
    const open = (): StoredEvent[] => [
      event('step/start', at),
      event('assistant/attempt', { ...at, stream: [] }),
      event('llm/retry-started'),
    ];
    expect(brief(attempts(4, open))).toEqual([
      [1, 1, 1, 'discarded', undefined],
      [2, 3, undefined, 'unanswered', undefined],
    ]);
    expect(attempts(4, () => [...open(), event('step/end', at)])).toHaveLength(1);
  });

  it('an answered step has nothing more to wait for', () => {
    expect(
      attempts(4, () => [event('step/start', at), event('assistant/message', { ...at, stream: [] }), event('tool/call')]),
    ).toHaveLength(1);
  });
});

describe('chunk events (v0, v1)', () => {
  const packed = (seq0: number): PackedChunkRow => {
    seq = seq0 + 3;
    return { type: 'text-chunks', seq0, time0: 0, data: { ...at, index: 0, dt: [0, 0], texts: ['a', 'b', 'c'] } };
  };

  it('the request is what lay before the first chunk; the usage chunk counts, else the message', () => {
    const list = attempts(0, () => [
      event('step/start', at),
      event('request/header'),
      packed(2),
      event('request/header'),
      chunk(usageChunk(5)),
      chunk({ type: 'finish', reason: { kind: 'stop' } }),
      event('assistant/message', { ...at, usage: usage(6) }),
    ]);
    expect(brief(list)).toEqual([[1, 2, 8, 'answered', 5]]);
    expect(list[0]?.headerSeq).toBe(1);
    const plain = attempts(0, () => [event('step/start', at), event('assistant/message', { ...at, usage: usage(6) })]);
    expect(brief(plain)).toEqual([[1, 1, 1, 'answered', 6]]);
  });

  it('a retry, or another first chunk after a finish, ends an attempt', () => {
    const retried = attempts(0, () => [
      event('step/start', at),
      chunk(usageChunk(1)),
      event('llm/retry'),
      chunk(usageChunk(2)),
      event('assistant/message', at),
    ]);
    expect(brief(retried)).toEqual([
      [1, 1, undefined, 'discarded', 1],
      [2, 3, 4, 'answered', 2],
    ]);
    const finished = attempts(0, () => [
      chunk({ type: 'finish', reason: { kind: 'error' } }),
      chunk(usageChunk(2)),
      event('assistant/message', at),
    ]);
    expect(brief(finished)).toEqual([
      [1, 0, undefined, 'discarded', undefined],
      [2, 1, 2, 'answered', 2],
    ]);
  });

  it('chunks without an answer are discarded by the step’s end and in flight at the log’s', () => {
    const cut = (): StoredEvent[] => [event('step/start', at), chunk(usageChunk(1))];
    expect(brief(attempts(0, cut))).toEqual([[1, 1, undefined, 'unanswered', 1]]);
    expect(brief(attempts(0, () => [...cut(), event('step/end', at)]))).toEqual([[1, 1, undefined, 'discarded', 1]]);
    expect(brief(attempts(0, () => [...cut(), chunk(usageChunk(2), { turn: 1, step: 2 })]))).toEqual([
      [1, 1, undefined, 'discarded', 1],
      [1, 2, undefined, 'unanswered', 2],
    ]);
  });

  it('asking in between changes nothing', () => {
    const fold = new AttemptFold(0);
    seq = 0;
    const events = [event('step/start', at), chunk(usageChunk(1)), event('assistant/message', at), event('step/end', at)];
    for (const one of events) {
      fold.apply(one);
      fold.attempts();
    }
    expect(brief(fold.attempts())).toEqual([[1, 1, 2, 'answered', 1]]);
  });
});

describe('sums', () => {
  it('own and inherited apart, each attempt once', () => {
    const list = [
      { usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 }, settledSeq: 4, beforeSeq: 2 },
      { usage: undefined, settledSeq: undefined, beforeSeq: 5 },
      { usage: usage(10), settledSeq: undefined, beforeSeq: 9 },
      { usage: usage(100), settledSeq: 10, beforeSeq: 9 },
    ];
    const { own, inherited } = sumUsage(list, 10);
    expect([own.inputTokens, own.outputTokens]).toEqual([100, 1]);
    expect(inherited).toMatchObject({ inputTokens: 11, outputTokens: 3, cacheReadTokens: 3, totalTokens: 0 });
  });

  it('figures that are no numbers do not spoil a sum', () => {
    const odd = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 'x' } as unknown as TokenUsage;
    expect(sumUsage([{ usage: odd, settledSeq: 0, beforeSeq: 0 }], 0).own).toMatchObject({ inputTokens: 1, cacheReadTokens: 0 });
  });
});
