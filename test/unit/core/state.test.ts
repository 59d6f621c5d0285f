import { describe, expect, it } from 'vitest';
import type { SessionHeader, StoredEvent } from '../../../src/core/events.ts';
import { StateFold, stateAt } from '../../../src/core/state/session-state.ts';

const header = (version = 4, more: Partial<SessionHeader> = {}): SessionHeader => ({
  type: 'session',
  version,
  id: 's',
  createdAt: 1,
  delegationDepth: 0,
  ...more,
});
const log = (...entries: (readonly [type: string, data: unknown])[]): StoredEvent[] =>
  entries.map(([type, data], seq) => ({ type, seq, time: seq, data }));
const goal = { id: 'g', revision: 2, objective: 'ship', phase: 'active', maxGoalRounds: 5 };
const change = (operation: string, more: object): unknown => ({ kind: 'goal/change', version: 1, operation, ...more });

describe('state at a seq', () => {
  it('begins empty, with the preset of the header', () => {
    expect(stateAt(header(4, { agentPreset: 'code' }), []).state).toEqual({
      title: undefined,
      todos: [],
      goal: undefined,
      planMode: false,
      permissionPreset: undefined,
      sandboxMode: undefined,
      approvalPolicy: undefined,
      model: undefined,
      agentPreset: 'code',
      header: undefined,
      route: undefined,
    });
  });

  it('is what the last event of each kind says, up to and including the seq', () => {
    const events = log(
      ['session/title', { title: 'one', messageSeqs: [], source: { kind: 'provider', provider: 'p' } }],
      ['todo/write', { todos: [{ content: 'a', status: 'in_progress' }] }],
      ['plan/mode', { active: true }],
      ['permission/preset', { preset: 'auto' }],
      ['sandbox/mode', { mode: 'read-only' }],
      ['approval/policy', { policy: 'never' }],
      ['agent-preset/selected', { agentPreset: 'ptc' }],
      ['session/title', { title: 'two', messageSeqs: [], source: { kind: 'user' } }],
      ['todo/write', { todos: [] }],
      ['plan/mode', { active: false }],
      ['request/context', { provider: 'p', model: 'm', contextWindow: 9 }],
    );
    const early = stateAt(header(4, { agentPreset: 'code' }), events, 6).state;
    expect(early).toMatchObject({
      title: { title: 'one', source: 'provider', seq: 0 },
      todos: [{ content: 'a', status: 'in_progress' }],
      planMode: true,
      permissionPreset: 'auto',
      sandboxMode: 'read-only',
      approvalPolicy: 'never',
      agentPreset: 'ptc',
      route: undefined,
    });
    expect(stateAt(header(), events).state).toMatchObject({
      title: { title: 'two', source: 'user', seq: 7 },
      todos: [],
      planMode: false,
      route: { provider: 'p', model: 'm', contextWindow: 9 },
    });
    expect(stateAt(header(), events, -1).state.title).toBeUndefined();
  });

  it('takes the model that was named last, chosen or used', () => {
    const request = { header: { config: { provider: 'p', model: 'used', maxTokens: 1 } }, reason: 'initial' };
    const events = log(
      ['model/selection', { provider: 'p', model: 'chosen', reasoningEffort: 'high' }],
      ['request/header', request],
      ['model/selection', { provider: 'q', model: 'next' }],
    );
    const modelAt = (seq: number): unknown => stateAt(header(), events, seq).state.model;
    expect(modelAt(0)).toEqual({ provider: 'p', model: 'chosen', reasoningEffort: 'high' });
    expect(modelAt(1)).toEqual({ provider: 'p', model: 'used', reasoningEffort: undefined });
    expect(modelAt(2)).toEqual({ provider: 'q', model: 'next', reasoningEffort: undefined });
    expect(stateAt(header(), events).state.header).toEqual({ config: request.header.config });
  });

  it('follows the goal to its end', () => {
    const events = log(
      ['goal/change', change('create', { goal, roundsStarted: 0, createdAt: 1, updatedAt: 1 })],
      [
        'goal/change',
        change('block', {
          goal: { ...goal, phase: 'blocked', blockedReason: { code: 'X', message: 'stuck' } },
          roundsStarted: 3,
        }),
      ],
      ['goal/change', change('clear', { cleared: { id: 'g', revision: 3 }, clearedAt: 2 })],
    );
    expect(stateAt(header(), events, 0).state.goal).toEqual({
      id: 'g',
      objective: 'ship',
      phase: 'active',
      revision: 2,
      roundsStarted: 0,
      maxGoalRounds: 5,
      blockedReason: undefined,
    });
    expect(stateAt(header(), events, 1).state.goal).toMatchObject({ phase: 'blocked', roundsStarted: 3, blockedReason: 'stuck' });
    expect(stateAt(header(), events).state.goal).toBeUndefined();
  });

  it('finds a goal change that travels in a user message', () => {
    const source = { kind: 'goal', change: change('create', { goal, roundsStarted: 1 }) };
    const events = log(['user/message', { id: 'u', role: 'user', content: [], source }]);
    expect(stateAt(header(0), events).state.goal).toMatchObject({ objective: 'ship', roundsStarted: 1 });
    const human = log(['user/message', { id: 'u', role: 'user', content: [], source: { ...source, kind: 'user' } }]);
    expect(stateAt(header(0), human).state.goal).toBeUndefined();
  });

  it('is not disturbed by payloads of another shape', () => {
    const good = log(
      ['session/title', { title: 'T', source: { kind: 'user' } }],
      ['todo/write', { todos: [{ content: 'a', status: 'pending' }] }],
      ['plan/mode', { active: true }],
      ['model/selection', { provider: 'p', model: 'm' }],
      ['goal/change', change('create', { goal, roundsStarted: 0 })],
      ['permission/preset', { preset: 'auto' }],
    );
    const bad = [null, 1, [], {}, { title: 1, todos: 'x', active: 'yes', provider: 'p', goal: {}, preset: 2 }].flatMap((data) =>
      good.map(({ type }) => ({ type, data })),
    );
    const events = [...good, ...bad.map((each, i) => ({ ...each, seq: good.length + i, time: 0 }))];
    expect(stateAt(header(), events).state).toEqual(stateAt(header(), good).state);
    expect(stateAt(header(), log(['todo/write', { todos: [1, { content: 'a' }, { status: 'pending' }] }])).state.todos).toEqual([
      { content: 'a', status: 'pending' },
    ]);
    expect(stateAt(header(), log(['session/title', { title: 'T' }])).state.title).toEqual({
      title: 'T',
      source: 'fallback',
      seq: 0,
    });
  });

  it('a state once taken stays as it is', () => {
    const fold = new StateFold(header());
    const before = fold.state;
    for (const event of log(['plan/mode', { active: true }])) fold.apply(event);
    expect(before.planMode).toBe(false);
    expect(fold.state.planMode).toBe(true);
  });
});

describe('usage', () => {
  const usage = (inputTokens: number, outputTokens: number): object => ({ inputTokens, outputTokens });
  const zero = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, totalTokens: 0 };
  const streamed = (inputTokens: number, outputTokens: number): object => ({
    stream: [{ type: 'chunk', time: 1, chunk: { type: 'usage', usage: usage(inputTokens, outputTokens) } }],
  });
  const step = (turn: number, number: number): object => ({ turn, step: number });

  it('is one figure per attempt, failed ones from their stream, the parent apart (v4)', () => {
    const events = log(
      ['step/start', step(1, 1)],
      ['assistant/attempt', { ...step(1, 1), ...streamed(10, 1) }],
      // Its own figure and the one in its stream are the same tokens.
      ['assistant/message', { ...step(1, 1), usage: usage(20, 2), ...streamed(20, 2), message: {} }],
      ['step/end', step(1, 1)],
      ['session/end-seed', { inherited: true }],
      ['step/start', step(2, 1)],
      ['assistant/message', { ...step(2, 1), ...streamed(300, 30), message: {} }],
    );
    const sums = stateAt(header(4, { isSeeded: true }), events).usage;
    expect(sums.inherited).toEqual({ ...zero, inputTokens: 30, outputTokens: 3 });
    expect(sums.own).toEqual({ ...zero, inputTokens: 300, outputTokens: 30 });
    const early = stateAt(header(4, { isSeeded: true }), events, 1).usage;
    expect(early.inherited).toEqual({ ...zero, inputTokens: 10, outputTokens: 1 });
    expect(early.own).toEqual({ ...zero, inputTokens: 0, outputTokens: 0 });
  });

  it('of v0 comes from the chunks of each attempt, else from the message', () => {
    const chunk = (inner: object): [string, unknown] => ['assistant/chunk', { ...step(1, 1), chunk: inner }];
    const events = log(
      ['step/start', step(1, 1)],
      chunk({ type: 'usage', usage: usage(10, 1) }),
      chunk({ type: 'finish', reason: { kind: 'error' } }),
      chunk({ type: 'usage', usage: usage(19, 1) }),
      chunk({ type: 'usage', usage: usage(20, 2) }),
      ['assistant/message', { ...step(1, 1), usage: usage(20, 2), message: {} }],
      ['step/end', step(1, 1)],
      ['session/end-seed', {}],
      ['step/start', step(2, 1)],
      ['assistant/message', { ...step(2, 1), usage: usage(300, 30), message: {} }],
    );
    const sums = stateAt(header(0, { seedLength: 7 }), events).usage;
    expect(sums.inherited).toEqual({ ...zero, inputTokens: 30, outputTokens: 3 });
    expect(sums.own).toEqual({ ...zero, inputTokens: 300, outputTokens: 30 });
  });
});
