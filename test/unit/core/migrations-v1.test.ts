import { describe, expect, it } from 'vitest';
import { Log, dataAt, text, typesOf } from './migrations-log.ts';

const run = (time0: number, ...texts: string[]): unknown => ({
  type: 'text-chunks',
  time0,
  index: 0,
  dt: texts.slice(1).map(() => 100),
  texts,
});

/** [type, seq, time] of every event. */
const shape = (events: readonly { type: string; seq: number; time: number }[]): unknown[] =>
  events.map(({ type, seq, time }) => [type, seq, time]);

describe('v1 → v2: attempts', () => {
  it('moves the chunks of an answer into its stream: the worked example', () => {
    const log = new Log(1, { seedLength: 13, parentSession: 'p' }).open().user('u').requestHeader();
    for (const word of ['a', 'b', 'c', 'd', 'e', 'f']) log.chunk(word);
    log
      .answer('a', { sources: [4, 5, 6, 7, 8, 9] })
      .close()
      .add('session/end-seed', {});
    const migrated = log.migrate(2);
    expect(typesOf(migrated)).toEqual([
      'turn/start',
      'step/start',
      'user/message',
      'request/header',
      'assistant/message',
      'step/end',
      'turn/end',
      'session/end-seed',
    ]);
    expect(migrated.events[4]).toEqual({
      type: 'assistant/message',
      seq: 4,
      time: 2000,
      data: {
        turn: 1,
        step: 1,
        message: { id: 'a', role: 'assistant', content: [text('a')], source: { kind: 'model', provider: 'p', model: 'm' } },
        stream: [run(1400, 'a', 'b', 'c', 'd', 'e', 'f')],
      },
      surfaceOp: 'append',
    });
    expect(migrated.events[7]).toEqual({ type: 'session/end-seed', seq: 7, time: 2300, data: { inherited: true } });
    expect(migrated.inheritedEventCount).toBe(7);
    expect(migrated.header).toEqual({
      type: 'session',
      version: 2,
      id: 's1',
      createdAt: 900,
      parentSession: 'p',
      isSeeded: true,
      delegationDepth: 0,
    });
    expect([3, 4, 9, 10, 13].map(migrated.seqMap)).toEqual([3, undefined, undefined, 4, 7]);
  });

  it('turns a retried attempt into an event of its own at its last chunk', () => {
    const failure = { message: 'no', code: 'X' };
    const where = { retryId: 'r', turn: 1, step: 1 };
    const log = new Log(1).open().user('u').requestHeader().chunk('lost').finishChunk();
    log.add('llm/retry', { ...where, provider: 'p', mode: 'always', policyKey: 'k', retry: 1, delayMs: 1, failure });
    log.add('llm/retry-started', { ...where, retry: 1 });
    log
      .chunk('kept')
      .answer('a', { sources: [8] })
      .close();
    const migrated = log.migrate(2);
    expect(shape(migrated.events).slice(4, 8)).toEqual([
      ['assistant/attempt', 4, 1500],
      ['llm/retry', 5, 1600],
      ['llm/retry-started', 6, 1700],
      ['assistant/message', 7, 1900],
    ]);
    expect(migrated.events[4]).toEqual({
      type: 'assistant/attempt',
      seq: 4,
      time: 1500,
      data: {
        turn: 1,
        step: 1,
        stream: [run(1400, 'lost'), { type: 'chunk', time: 1500, chunk: { type: 'finish', reason: { kind: 'stop' } } }],
      },
    });
    expect(dataAt(migrated, 7)).toMatchObject({ stream: [run(1800, 'kept')] });
  });

  it('begins another attempt after a finish', () => {
    const log = new Log(1)
      .open()
      .user('u')
      .chunk('lost')
      .finishChunk()
      .chunk('kept')
      .answer('a', { sources: [5] })
      .close();
    const migrated = log.migrate(2);
    expect(typesOf(migrated).slice(3, 5)).toEqual(['assistant/attempt', 'assistant/message']);
  });

  it.each([
    ['the end of its step', new Log(1).open().user('u').chunk('lost').close()],
    ['the end of the log', new Log(1).open().user('u').chunk('lost')],
  ])('settles an attempt at %s', (_name, log) => {
    expect(typesOf(log.migrate(2))[3]).toBe('assistant/attempt');
  });

  it('lets events between chunks pass before the settlement', () => {
    const log = new Log(1).open().user('u').chunk('a').add('plan/mode', { active: true }).chunk('b');
    log
      .add('plan/mode', { active: false })
      .answer('a', { sources: [3, 5] })
      .close();
    const migrated = log.migrate(2);
    expect(typesOf(migrated).slice(3, 6)).toEqual(['plan/mode', 'plan/mode', 'assistant/message']);
    expect([3, 4, 5, 6, 7].map(migrated.seqMap)).toEqual([undefined, 3, undefined, 4, 5]);
  });

  it('keeps events after the last chunk of an attempt behind it', () => {
    const log = new Log(1)
      .open()
      .user('u')
      .chunk('a')
      .add('plan/mode', { active: true })
      .chunk('b')
      .add('plan/mode', { active: false });
    const migrated = log.close().migrate(2);
    expect(shape(migrated.events).slice(3, 6)).toEqual([
      ['plan/mode', 3, 1400],
      ['assistant/attempt', 4, 1500],
      ['plan/mode', 5, 1600],
    ]);
    expect([4, 6].map(migrated.seqMap)).toEqual([3, 5]);
  });

  it.each([[undefined], [[]]])('gives an answer without chunks an empty stream (sources %j)', (sources) => {
    const log = new Log(1)
      .open()
      .user('u')
      .answer('a', sources === undefined ? {} : { sources });
    const migrated = log.migrate(2);
    expect(dataAt(migrated, 3)).toMatchObject({ stream: [] });
    expect(migrated.events[3]).not.toHaveProperty('sourceEventSeqs');
  });

  it('keeps what a chunk holds beyond its known members', () => {
    const chunk = { type: 'text-delta', index: 0, text: 'x', extra: 1 };
    const log = new Log(1).open().user('u').add('assistant/chunk', { turn: 1, step: 1, chunk, note: 'n' }).close();
    expect(dataAt(log.migrate(2), 3)).toEqual({ turn: 1, step: 1, stream: [{ type: 'chunk', time: 1300, chunk }] });
  });
});

describe('v1 → v2: references', () => {
  it('moves every structured reference', () => {
    const log = new Log(1)
      .open()
      .user('u')
      .chunk('x')
      .answer('a', { sources: [3] })
      .close();
    log.add('session/title', { title: 't', messageSeqs: [2], source: { kind: 'fallback' } });
    log.add('session/title-llm-request', {
      titleProvider: 'x',
      messageSeqs: [2],
      route: { provider: 'p', model: 'm' },
      system: '',
      messages: [],
      maxTokens: 9,
    });
    log.add('command/run', { commandId: 'c', name: 'compact', source: { kind: 'user' } });
    log.add('compaction/start', { compactionId: 'k', turn: null });
    const span = { shadowedRange: { start: 2, end: 4 }, shadowedSeqs: [2, 4], shadowedTokenCount: 3 };
    log.add('compaction/summary', { compactionId: 'k', summary: [], ...span, provider: 'p', model: 'm' });
    log.add(
      'user/message',
      { id: 's', role: 'user', content: [], source: { kind: 'plugin', plugin: 'compact', compactionId: 'k' } },
      {
        sourceEventSeqs: [11, 2, 4],
        surfaceOp: { op: 'replace', start: 2, end: 4 },
      },
    );
    log.add('compaction/end', { compactionId: 'k', turn: null });
    log.add('command/done', { commandId: 'c', kind: 'success', sourceEventSeq: 12 });
    const migrated = log.migrate(2);
    expect(dataAt(migrated, 6)).toMatchObject({ messageSeqs: [2] });
    expect(dataAt(migrated, 7)).toMatchObject({ messageSeqs: [2] });
    expect(dataAt(migrated, 10)).toMatchObject({ shadowedRange: { start: 2, end: 3 }, shadowedSeqs: [2, 3] });
    expect(migrated.events[11]).toMatchObject({ sourceEventSeqs: [10, 2, 3], surfaceOp: { op: 'replace', start: 2, end: 3 } });
    expect(dataAt(migrated, 13)).toEqual({ commandId: 'c', kind: 'success', sourceEventSeq: 11 });
    expect(migrated.seqMap(14)).toBe(13);
  });

  it('refuses a reference to a chunk that is gone', () => {
    const log = new Log(1)
      .open()
      .user('u')
      .chunk('x')
      .answer('a', { sources: [3] });
    log.add('session/title', { title: 't', messageSeqs: [3], source: { kind: 'fallback' } });
    expect(log.refusal(2)).toMatchObject({ from: 1, seq: 5, message: expect.stringContaining('#3') as unknown });
  });
});

describe('v1 → v2: goals and turns a crash left open', () => {
  const change = { kind: 'goal/change', version: 1, operation: 'clear', cleared: { id: 'g', revision: 1 }, clearedAt: 5 };

  it('splits the goal change off a message', () => {
    const log = new Log(1).open().user('u', 'u', { kind: 'goal', goalId: 'g', change });
    log.add('session/title', { title: 't', messageSeqs: [], source: { kind: 'user' } });
    const migrated = log.migrate(2);
    expect(typesOf(migrated).slice(2)).toEqual(['goal/change', 'user/message', 'session/title']);
    expect(migrated.events[2]).toEqual({ type: 'goal/change', seq: 2, time: 1200, data: change });
    expect(dataAt(migrated, 3)).toMatchObject({ id: 'u', source: { kind: 'plugin', plugin: 'goal' } });
    expect(migrated.seqMap(2)).toBe(3);
  });

  it('leaves the change of another source alone', () => {
    const log = new Log(1).open().user('u', 'u', { kind: 'webhook', change });
    expect(typesOf(log.migrate(2))).toEqual(['turn/start', 'step/start', 'user/message']);
  });

  it('leaves a goal source without a change alone', () => {
    const log = new Log(1).open().user('u', 'u', { kind: 'goal', goalId: 'g', revision: 1, round: 1 });
    expect(typesOf(log.migrate(2))).toEqual(['turn/start', 'step/start', 'user/message']);
  });

  const queued = { target: 'next-turn', start: 0, inserted: [{ id: 'q', role: 'user', content: [], source: { kind: 'user' } }] };

  it('ends an open turn that the next one passed over', () => {
    const log = new Log(1).add('turn/start', { turn: 1 }).add('agent/inbox/spliced', queued).add('turn/start', { turn: 2 });
    const migrated = log.migrate(2);
    expect(migrated.events[2]).toEqual({
      type: 'turn/end',
      seq: 2,
      time: 1200,
      data: { turn: 1, reason: { kind: 'interrupted' } },
    });
    expect(migrated.seqMap(2)).toBe(3);
  });

  it('does not end a turn for what was queued inside a step', () => {
    const log = new Log(1)
      .open()
      .add('agent/inbox/spliced', queued)
      .add('step/end', { turn: 1, step: 1 })
      .add('turn/start', { turn: 2 });
    expect(log.refusal(2)).toMatchObject({ from: 1, seq: 4 });
  });

  it.each([
    ['nothing was queued', { ...queued, inserted: [] }],
    ['it was queued for the next step', { ...queued, target: 'next-step' }],
  ])('refuses the open turn when %s', (_name, data) => {
    const log = new Log(1).add('turn/start', { turn: 1 }).add('agent/inbox/spliced', data).add('turn/start', { turn: 2 });
    expect(log.refusal(2)).toMatchObject({
      from: 1,
      seq: 2,
      message: expect.stringContaining('while turn 1 is open') as unknown,
    });
  });
});

describe('v1 → v2: the cut', () => {
  it('inserts a marker where the first own event is no end-seed', () => {
    const log = new Log(1, { seedLength: 2, parentSession: 'p' }).add('turn/start', { turn: 1 });
    log.add('turn/end', { turn: 1, reason: { kind: 'completed' } }).add('plan/mode', { active: true });
    const migrated = log.migrate(2);
    expect(migrated.events[2]).toEqual({ type: 'session/end-seed', seq: 2, time: 1200, data: { inherited: true } });
    expect([migrated.inheritedEventCount, migrated.seqMap(2)]).toEqual([2, 3]);
  });

  it('inserts it at the end of a log that is all inherited, and at 0 for an empty seed', () => {
    const whole = new Log(1, { seedLength: 1 }).add('plan/mode', { active: true });
    expect(whole.migrate(2).events[1]).toEqual({ type: 'session/end-seed', seq: 1, time: 1000, data: { inherited: true } });
    const none = new Log(1, { seedLength: 0 }).add('plan/mode', { active: true });
    expect(typesOf(none.migrate(2))).toEqual(['session/end-seed', 'plan/mode']);
    expect(none.migrate(2).inheritedEventCount).toBe(0);
    expect(new Log(1, { seedLength: 0 }).migrate(2).events).toEqual([
      { type: 'session/end-seed', seq: 0, time: 900, data: { inherited: true } },
    ]);
  });

  it('leaves the marker of an ancestor untagged and puts its own behind it', () => {
    const log = new Log(1, { seedLength: 2 })
      .add('plan/mode', { active: true })
      .add('session/end-seed', {})
      .add('plan/mode', { active: false });
    const migrated = log.migrate(2);
    expect(migrated.events.map((event) => event.data)).toEqual([{ active: true }, {}, { inherited: true }, { active: false }]);
    expect(migrated.inheritedEventCount).toBe(2);
  });

  it('has no marker without a seed', () => {
    const migrated = new Log(1).add('session/end-seed', {}).migrate(2);
    expect(migrated.events[0]?.data).toEqual({});
    expect(migrated.header.isSeeded).toBe(false);
  });

  it('refuses a cut inside an attempt that goes on', () => {
    const streamed = (sources: number[]): Log =>
      new Log(1, { seedLength: 4 }).open().user('u').chunk('a').chunk('b').answer('a', { sources });
    expect(streamed([3, 4]).refusal(2)).toMatchObject({ from: 1, seq: 4, message: expect.stringContaining('cut') as unknown });
    const answered = new Log(1, { seedLength: 4 })
      .open()
      .user('u')
      .chunk('a')
      .answer('a', { sources: [3] });
    expect(answered.refusal(2)).toMatchObject({ from: 1, seq: 4 });
    const given = new Log(1, { seedLength: 4 }).open().user('u').chunk('a').close();
    expect(typesOf(given.migrate(2)).slice(3)).toEqual(['assistant/attempt', 'session/end-seed', 'step/end', 'turn/end']);
  });
});

describe('v1 → v2: refusals', () => {
  it.each([
    ['an answer that cites nothing over chunks', new Log(1).open().user('u').chunk('x').answer('a'), 4, /cites no sources/],
    [
      'an answer that cites half its chunks',
      new Log(1)
        .open()
        .user('u')
        .chunk('x')
        .chunk('y')
        .answer('a', { sources: [3] }),
      5,
      /not exactly/,
    ],
    [
      'an answer that cites them out of order',
      new Log(1)
        .open()
        .user('u')
        .chunk('x')
        .chunk('y')
        .answer('a', { sources: [4, 3] }),
      5,
      /not exactly/,
    ],
    [
      'an answer that cites an attempt already over',
      new Log(1)
        .open()
        .user('u')
        .chunk('x')
        .finishChunk()
        .chunk('y')
        .answer('a', { sources: [3, 4, 5] }),
      6,
      /not exactly/,
    ],
    [
      'an answer that cites what is no chunk',
      new Log(1)
        .open()
        .user('u')
        .answer('a', { sources: [2] }),
      3,
      /not exactly/,
    ],
    ['an unknown type', new Log(1).add('x/y', {}, { ignorable: true }), 0, /x\/y/],
    [
      'a payload the strict check does not know',
      new Log(1).add('permission/preset', { preset: 'a', origin: 'b' }),
      0,
      /"origin"/,
    ],
    [
      'an attempt in a step that is not open',
      new Log(1).open().user('u').chunk('x', 1, 2).close(),
      3,
      /outside the open turn and step/,
    ],
  ])('refuses %s', (_name, log, seq, about) => {
    expect(log.refusal(2)).toEqual({ from: 1, seq, message: expect.stringMatching(about) as unknown });
  });
});

describe('large logs', () => {
  it('streams a long attempt without deep recursion or wide calls', () => {
    const log = new Log(1).open().user('u');
    const sources: number[] = [];
    for (let i = 0; i < 200_000; i++) {
      sources.push(log.events.length);
      log.chunk('x');
    }
    log.answer('a', { sources }).close();
    const migrated = log.migrate(4);
    expect(migrated.events.length).toBe(7);
    expect(migrated.seqMap(200_003)).toBe(4);
  });
});
