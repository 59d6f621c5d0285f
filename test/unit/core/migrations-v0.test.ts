import { describe, expect, it } from 'vitest';
import { migrateSession } from '../../../src/core/migrations/chain.ts';
import { Log, dataAt, text, typesOf } from './migrations-log.ts';

describe('v0 → v1: legacy spellings', () => {
  it('changes the number only when nothing is legacy', () => {
    const log = new Log(0, { seedLength: 2, parentSession: 'p', cwd: '/a' }).open().user('u').requestHeader();
    log
      .chunk('hi')
      .answer('a', { sources: [4] })
      .close();
    const migrated = log.migrate(1);
    expect(migrated.events).toEqual(log.events);
    expect(migrated.header).toEqual({ ...log.header, version: 1 });
    expect(migrated.inheritedEventCount).toBe(2);
    expect([migrated.seqMap(3), migrated.seqMap(99), migrated.seqMap(-1)]).toEqual([3, undefined, undefined]);
  });

  it('names compactions and gives them one id until they end', () => {
    const range = { shadowedRange: { start: 2, end: 2 }, shadowedSeqs: [2], shadowedTokenCount: 5 };
    const log = new Log(0).open().user('u').close();
    log.add('compact/start', { turn: null });
    log.add('compact/summary', { summary: [text('s')], ...range, provider: 'p', model: 'm' });
    log.add(
      'user/message',
      { id: 'c', role: 'user', content: [text('s')], source: { kind: 'plugin', plugin: 'compact' } },
      {
        sourceEventSeqs: [2],
        surfaceOp: { op: 'replace', start: 2, end: 2 },
      },
    );
    log.add('compact/end', { turn: null });
    log.user('later', 'later', { kind: 'plugin', plugin: 'compact' });
    const migrated = log.migrate(1);
    expect(typesOf(migrated).slice(5)).toEqual([
      'compaction/start',
      'compaction/summary',
      'user/message',
      'compaction/end',
      'user/message',
    ]);
    const id = 'legacy-compaction:s1:5';
    expect([5, 6, 8].map((seq) => (dataAt(migrated, seq) as { compactionId: string }).compactionId)).toEqual([id, id, id]);
    expect(dataAt(migrated, 7)).toMatchObject({ source: { kind: 'plugin', plugin: 'compact', compactionId: id } });
    expect(dataAt(migrated, 9)).toMatchObject({ source: { kind: 'plugin', plugin: 'compact' } });
    expect(JSON.stringify(dataAt(migrated, 9))).not.toContain('compactionId');
  });

  it('renames a prune and forgets an open compaction at an end-seed', () => {
    const log = new Log(0).add('compaction/start', { turn: null }).add('session/end-seed', {});
    log.add('compaction/end', { turn: null });
    expect(log.refusal(1)).toMatchObject({ from: 0, seq: 2, message: expect.stringContaining('compactionId') as unknown });
    const pruned = new Log(0).open().user('u');
    pruned.add('compact/prune', { shadowedRange: { start: 2, end: 2 }, shadowedSeqs: [2], shadowedTokenCount: 1 });
    expect(typesOf(pruned.migrate(1)).at(-1)).toBe('compaction/prune');
  });

  it('gives a chain of retries one id', () => {
    const failure = { message: 'no', code: 'X' };
    const retry = (n: number, policyKey = 'k'): unknown => ({
      turn: 1,
      step: 1,
      provider: 'p',
      mode: 'always',
      policyKey,
      retry: n,
      delayMs: 1,
      failure,
    });
    const log = new Log(0).open().user('u').requestHeader();
    log.add('llm/retry', retry(1)).add('llm/retry-started', { turn: 1, step: 1, retry: 1 });
    log.add('llm/retry', retry(2)).add('llm/retry-started', { turn: 1, step: 1, retry: 2 });
    log.add('llm/retry', retry(1, 'other')).add('llm/retry-started', { turn: 1, step: 1, retry: 1 });
    const ids = log
      .migrate(1)
      .events.slice(4)
      .map((event) => (event.data as { retryId?: string }).retryId);
    expect(ids).toEqual([...Array<string>(4).fill('legacy-retry:s1:4'), 'legacy-retry:s1:8', 'legacy-retry:s1:8']);
  });

  it.each([
    [{ turn: 1, message: { id: 'm', role: 'user', content: [text('x')], source: { kind: 'user' } } }, 'm'],
    [{ turn: 1, content: [text('x')], source: { kind: 'user' } }, 'legacy-message:s1:2'],
  ])('makes steering a message of the user: %#', (data, id) => {
    const migrated = new Log(0).open().add('steering/message', data, { surfaceOp: 'append' }).migrate(1);
    expect(migrated.events[2]).toEqual({
      type: 'user/message',
      seq: 2,
      time: 1200,
      data: { id, role: 'user', content: [text('x')], source: { kind: 'user' } },
      surfaceOp: 'append',
    });
  });

  it('drops the trigger of a turn and the prefix of a request header', () => {
    const log = new Log(0).add('turn/start', { turn: 1, trigger: 'user' }).add('step/start', { turn: 1, step: 1 });
    log.requestHeader({ messagePrefix: [] });
    const migrated = log.migrate(1);
    expect(dataAt(migrated, 0)).toEqual({ turn: 1 });
    expect(dataAt(migrated, 2)).toEqual({ header: { config: { provider: 'p', model: 'm' } }, reason: 'initial' });
  });

  it.each([
    [{ kind: 'aborted' }, { kind: 'aborted', reason: { kind: 'legacy' } }],
    [{ kind: 'disposed' }, { kind: 'aborted', reason: { kind: 'disposed' } }],
    [
      { kind: 'error', step: 1, failure: { message: 'no', code: 'X' } },
      { kind: 'error', error: { message: 'no', code: 'X' } },
    ],
    [
      { kind: 'error', step: 1, message: 'no', code: 'Y' },
      { kind: 'error', error: { message: 'no', code: 'Y' } },
    ],
    [
      { kind: 'error', step: 1, message: 'no' },
      { kind: 'error', error: { message: 'no', code: 'UNKNOWN' } },
    ],
    [
      { kind: 'aborted', reason: { kind: 'user' } },
      { kind: 'aborted', reason: { kind: 'user' } },
    ],
  ])('reads the turn end %j', (reason, expected) => {
    const log = new Log(0).add('turn/start', { turn: 1 }).add('turn/end', { turn: 1, reason });
    expect(dataAt(log.migrate(1), 1)).toEqual({ turn: 1, reason: expected });
  });

  it('wraps bare messages and lets a rewritten result keep the id of the first', () => {
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    const log = new Log(0).open();
    log.add('user/message', { content: [text('q')], source: { kind: 'user' } }, { surfaceOp: 'append' });
    log.add(
      'assistant/message',
      { turn: 1, step: 1, content: [call], provenance: { provider: 'p', model: 'm' } },
      { surfaceOp: 'append' },
    );
    log.add('tool/call', { turn: 1, step: 1, callId: 'c', name: 'n', arguments: '{}' });
    const bare = (words: string): unknown => ({ turn: 1, step: 1, callId: 'c', content: [text(words)], isError: false });
    log.add('tool/result', bare('long'), { sourceEventSeqs: [4], surfaceOp: 'append' });
    log.add('tool/result', bare('short'), { sourceEventSeqs: [5], surfaceOp: { op: 'replace', start: 5, end: 5 } });
    const migrated = log.migrate(1);
    expect(dataAt(migrated, 2)).toEqual({
      id: 'legacy-message:s1:2',
      role: 'user',
      content: [text('q')],
      source: { kind: 'user' },
    });
    expect(dataAt(migrated, 3)).toEqual({
      turn: 1,
      step: 1,
      message: {
        id: 'legacy-message:s1:3',
        role: 'assistant',
        content: [call],
        source: { kind: 'model', provider: 'p', model: 'm' },
      },
    });
    expect(dataAt(migrated, 6)).toEqual({
      turn: 1,
      step: 1,
      message: {
        id: 'legacy-message:s1:5',
        role: 'user',
        source: { kind: 'tool', callId: 'c' },
        content: [{ type: 'tool-result', toolCallId: 'c', content: [text('short')], isError: false }],
      },
    });
  });
});

describe('v0 → v1: refusals', () => {
  const marker = (sessionId: string): [string, unknown] => [
    'session-log-deepseek/delivery-accepted',
    { sessionId, throughSeq: 0 },
  ];

  it.each<[string, string, unknown, object, RegExp]>([
    ['a retired header delta', 'request/header-delta', {}, {}, /request\/header-delta/],
    ['a retired mode', 'mode/set', { mode: 'x' }, {}, /mode\/set/],
    [
      'the reason fallback',
      'request/header',
      { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' },
      {},
      /fallback/,
    ],
    ['an unknown type', 'x/y', {}, {}, /x\/y/],
    ['an unknown type that may be ignored', 'x/y', {}, { ignorable: true }, /even though it may be ignored/],
    ['a preset with its origin', 'permission/preset', { preset: 'ask', origin: 'user' }, {}, /"origin"/],
    ['an old descriptor', 'subagent/descriptor', { mode: 'one-shot', version: 2, provider: 'p' }, {}, /version 2/],
    ['a missing member', 'todo/write', {}, {}, /lacks the member "todos"/],
    ['a wrong nested value', 'todo/write', { todos: [{ content: 'x', status: 'later' }] }, {}, /"todos\[0\]\.status"/],
    ['a wrong value', 'plan/mode', { active: 1 }, {}, /"active"/],
    ['a payload that is no record', 'plan/mode', 'on', {}, /"data"/],
    ['a delivery for another session', ...marker('other'), {}, /another session, other/],
    [
      'a source kind of a plugin of its own',
      'user/message',
      { id: 'u', role: 'user', content: [], source: { kind: 'acme' } },
      { surfaceOp: 'append' },
      /"source\.kind"/,
    ],
    [
      'a summary under another form than notice',
      'user/message',
      { id: 'u', role: 'user', content: [], source: { kind: 'plugin', plugin: 'x', form: 'snapshot', summary: 's' } },
      { surfaceOp: 'append' },
      /"source\.form"/,
    ],
    [
      'a file block, which came later',
      'user/message',
      {
        id: 'u',
        role: 'user',
        content: [{ type: 'file', attachment: { attachmentId: 'a', name: 'n', bytes: 1 } }],
        source: { kind: 'user' },
      },
      { surfaceOp: 'append' },
      /"content\[0\]\.type"/,
    ],
  ])('refuses %s', (_name, type, data, rest, about) => {
    const log = new Log(0).open().add(type, data, rest);
    for (const target of [1, 2, 3, 4]) {
      expect(log.refusal(target)).toEqual({ from: 0, seq: 2, message: expect.stringMatching(about) as unknown });
    }
  });

  it('takes a summary with the form notice, or with none', () => {
    const source = { kind: 'plugin', plugin: 'x', summary: 's' };
    const log = new Log(0)
      .open()
      .user('a', 'a', source)
      .user('b', 'b', { ...source, form: 'notice' });
    expect(log.refusal(4)).toBe('accepted');
  });

  it('takes a parent’s delivery in the inherited prefix of a child', () => {
    const child = new Log(0, { parentSession: 'other', seedLength: 1 }).add(...marker('other'));
    expect(child.refusal(4)).toBe('accepted');
    const own = new Log(0, { parentSession: 'other', seedLength: 0 }).add(...marker('other'));
    expect(own.refusal(4)).toMatchObject({ from: 0, seq: 0 });
  });

  it.each([
    [{ extra: 1 }, /"extra"/],
    [{ isSeeded: true }, /"isSeeded"/],
    [{ seedLength: -1 }, /"seedLength"/],
    [{ createdAt: 'now' }, /"createdAt"/],
    [{ seedLength: 1 }, /counts 1 inherited events, but the log holds 0/],
  ])('refuses the header with %j', (members, about) => {
    expect(new Log(0, members).refusal(1)).toEqual({ from: 0, seq: undefined, message: expect.stringMatching(about) as unknown });
  });

  it.each([
    ['a first turn that is not 1', new Log(0).add('turn/start', { turn: 2 }), 0],
    ['an answer outside any step', new Log(0).add('turn/start', { turn: 1 }).answer('a'), 1],
    [
      'a surface event without an operation',
      new Log(0).open().add('user/message', { id: 'u', role: 'user', content: [], source: { kind: 'user' } }),
      2,
    ],
  ])('refuses %s once all edges have seen the log', (_name, log, seq) => {
    expect(log.refusal(1)).toMatchObject({ from: 0, seq });
    // What an edge refuses on the way comes first, however late it stands.
    expect(log.add('x/late', {}).refusal(1)).toMatchObject({ from: 0, seq: log.events.length - 1 });
  });

  it('refuses an event out of its place or envelope', () => {
    const log = new Log(0).open().open();
    const [first, second] = log.events;
    expect(() => migrateSession({ header: log.header, events: [first, first] as never }, 1)).toThrow(/#1 carries the seq 0/);
    expect(() => migrateSession({ header: log.header, events: [first, { ...second, note: 1 }] as never }, 1)).toThrow(/"note"/);
    expect(() => migrateSession({ header: log.header, events: [first, null] as never }, 1)).toThrow(/not a record/);
  });
});

describe('targets', () => {
  it('passes a log of the target version through', () => {
    const log = new Log(4).add('turn/start', { turn: 1 });
    const same = log.migrate(4);
    expect(same.events).toEqual(log.events);
    expect(same.header).toEqual(log.header);
    expect(same.seqMap(0)).toBe(0);
  });

  it('knows no way back or beyond', () => {
    expect(() => new Log(3).migrate(2)).toThrow(RangeError);
    expect(() => new Log(3).migrate(5)).toThrow(RangeError);
    expect(new Log(5).refusal(5)).toMatchObject({
      from: 5,
      seq: undefined,
      message: expect.stringContaining('newer') as unknown,
    });
  });
});
