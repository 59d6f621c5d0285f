import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/core/events.ts';
import { english } from '../../../src/core/text.ts';
import { knownSessionEventTypes } from '../../../src/core/dialects/gates.ts';
import { payloadRules } from '../../../src/core/migrations/payload/event-rules.ts';
import { strictPayloadProblem } from '../../../src/core/migrations/payload/problem.ts';

const where = { turn: 1, step: 1 };
const route = { provider: 'p', model: 'm' };
const block = { type: 'text', text: 'x' };
const user = { id: 'u', role: 'user', content: [block], source: { kind: 'user' } };
const answer = { id: 'a', role: 'assistant', content: [block], source: { kind: 'model', ...route } };
const result = {
  id: 'r',
  role: 'user',
  source: { kind: 'tool', callId: 'c' },
  content: [{ type: 'tool-result', toolCallId: 'c', content: [block] }],
};
const span = { shadowedRange: { start: 0, end: 1 }, shadowedSeqs: [0, 1], shadowedTokenCount: 2 };
const failure = { message: 'no', code: 'X' };
const dispatch = { rootCallId: 'r', parentCallId: 'r', subCallId: 's', name: 'n', arguments: null };
const usage = { inputTokens: 1, outputTokens: 2 };

/** A payload of every type with its required members only, from format/events.md §2 and §3. */
const REQUIRED: Readonly<Record<string, Record<string, unknown>>> = {
  'turn/start': { turn: 1 },
  'turn/end': { turn: 1, reason: { kind: 'completed' } },
  'step/start': where,
  'step/end': where,
  'user/message': user,
  'assistant/chunk': { ...where, chunk: { type: 'text-delta', index: 0, text: 'x' } },
  'assistant/message': { ...where, message: answer },
  'assistant/attempt': { ...where, stream: [] },
  'tool/call': { ...where, callId: 'c', name: 'n', arguments: '{' },
  'tool/result': { ...where, message: result },
  'request/header': { header: { config: route }, reason: 'initial' },
  'request/context': route,
  'session/end-seed': {},
  'todo/write': { todos: [{ content: 'x', status: 'pending' }] },
  'agent/inbox/spliced': { target: 'next-turn', start: 0, inserted: [user] },
  'agent-preset/selected': { agentPreset: 'x' },
  'approval/asked': { id: 'x', toolName: 'n' },
  'approval/decided': { id: 'x', outcome: 'rejected' },
  'approval/policy': { policy: 'ask' },
  'command/run': { commandId: 'c', name: 'n', source: { kind: 'user' } },
  'command/done': { commandId: 'c', kind: 'success' },
  'compaction/start': { compactionId: 'k', turn: null },
  'compaction/summary': { compactionId: 'k', summary: [block], ...span, ...route },
  'compaction/prune': span,
  'compaction/end': { compactionId: 'k', turn: 1 },
  'feedback/record': {},
  'feedback/message-put': {
    sessionId: 's',
    item: { messageId: 'm', rating: 'positive', version: 1, createdAt: 1, updatedAt: 1 },
  },
  'feedback/message-delete': { sessionId: 's', messageId: 'm' },
  'goal/change': {
    kind: 'goal/change',
    version: 1,
    operation: 'create',
    goal: { id: 'g', revision: 1, objective: 'x', phase: 'active', maxGoalRounds: 3 },
    roundsStarted: 0,
    createdAt: 1,
    updatedAt: 1,
  },
  'hook/invoked': { turn: 1, point: 'x', dialect: 'codex', handlerId: 'h' },
  'hook/result': { turn: 1, point: 'x', handlerId: 'h', decision: 'allow', durationMs: 1 },
  'llm/retry': {
    retryId: 'r',
    ...where,
    provider: 'p',
    mode: 'normal',
    maxRetries: 3,
    policyKey: 'k',
    retry: 1,
    delayMs: 1,
    failure,
  },
  'llm/retry-started': { retryId: 'r', ...where, retry: 1 },
  'model/selection': route,
  'permission/preset': { preset: 'x' },
  'plan/mode': { active: true },
  'sandbox/mode': { mode: 'read-only' },
  'schedule/change': { version: 1, operation: 'create', schedule: { id: 's', kind: 'after' } },
  'session/title': { title: 't', messageSeqs: [0], source: { kind: 'fallback' } },
  'session/title-llm-request': { titleProvider: 'x', messageSeqs: [0], route, system: '', messages: [], maxTokens: 1 },
  'session-log-deepseek/delivery-accepted': { sessionId: 's', throughSeq: 0 },
  'subagent/descriptor': { mode: 'one-shot', version: 3, provider: 'p' },
  'subagent/model-selection-policy': { allowedModels: [route] },
  'team/member': { version: 2, teamId: 't', member: { id: 'm' } },
  'team/task': { version: 2, teamId: 't', task: { id: 'k' } },
  'team/message/queued': { version: 2, teamId: 't', message: { id: 'm' } },
  'team/message/delivered': { version: 2, teamId: 't', messageId: 'm', targetId: 'x' },
  'tool/code-dispatch-start': dispatch,
  'tool/code-dispatch': { ...dispatch, isError: false, content: [block] },
  'tool-workflow/run-start': { runId: 'r', name: 'n' },
  'tool-workflow/agent-start': { runId: 'r', seq: 0, label: 'l', childId: 'c' },
  'tool-workflow/agent-end': { runId: 'r', seq: 0, outcome: 'completed' },
  'tool-workflow/run-end': { runId: 'r', stopReason: 'completed' },
  'web/deepseek-search-llm-request': {
    endpoint: 'e',
    apiVersion: 'v',
    body: { model: 'm', messages: [], tools: [], max_tokens: 1 },
  },
};

/** Members that may be there as well. */
const OPTIONAL: Readonly<Record<string, Record<string, unknown>>> = {
  'assistant/message': { usage: { ...usage, cacheReadTokens: 1, cacheWriteTokens: 1, reasoningTokens: 1 }, interrupted: true },
  'tool/result': { error: { name: 'n', code: 'c' }, meta: { any: [null] } },
  'request/header': { startsSeries: true },
  'request/context': { contextWindow: 9 },
  'agent/inbox/spliced': { removedCount: 1, outcome: 'canceled' },
  'approval/asked': { callId: 'c', reason: 'x' },
  'approval/policy': { source: 'delegation' },
  'command/run': { args: 'x' },
  'command/done': { text: 'x', sourceEventSeq: 0 },
  'compaction/start': { sourceCommandId: 'c' },
  'compaction/summary': { sourceCommandId: 'c', maxTokens: 1, usage, rawOutput: [block], llmStreamCall: true },
  'compaction/end': { sourceCommandId: 'c', error: 'no' },
  'feedback/record': { text: 'x', category: 'y' },
  'hook/invoked': { matcher: 'x' },
  'hook/result': { exitCode: 0, stderrSummary: 'x' },
  'model/selection': { reasoningEffort: 'high' },
  'sandbox/mode': { source: 'delegation' },
  'session-log-deepseek/delivery-accepted': { sessionFormatVersion: 1 },
  'subagent/descriptor': { label: 'l' },
  'tool/code-dispatch': { error: 'no' },
  'tool-workflow/agent-start': { phase: 'p' },
};

/** The version whose table knows a type: 1, or 2 for what came with it. */
const versionOf = (type: string): number => (knownSessionEventTypes(1).has(type) ? 1 : 2);

function problemOf(type: string, data: unknown, version = versionOf(type)): string | undefined {
  const event: StoredEvent = { type, seq: 0, time: 0, data };
  const problem = strictPayloadProblem(event, version);
  return problem === undefined ? undefined : english(problem);
}

describe('strict payload rules', () => {
  it('cover every type of v1 and v2', () => {
    for (const version of [1, 2]) {
      expect(Object.keys(payloadRules(version) ?? {}).sort()).toEqual([...knownSessionEventTypes(version)].sort());
    }
    expect(Object.keys(REQUIRED).sort()).toEqual(
      [...new Set([...knownSessionEventTypes(1), ...knownSessionEventTypes(2)])].sort(),
    );
    expect([payloadRules(3), payloadRules(4)]).toEqual([undefined, undefined]);
  });

  it.each(Object.keys(REQUIRED))('%s: the required members do, and with the optional ones', (type) => {
    expect(problemOf(type, REQUIRED[type])).toBeUndefined();
    expect(problemOf(type, { ...REQUIRED[type], ...OPTIONAL[type] })).toBeUndefined();
  });

  it.each(Object.keys(REQUIRED))('%s: every required member is missed', (type) => {
    const whole = REQUIRED[type] ?? {};
    for (const name of Object.keys(whole)) {
      const { [name]: _gone, ...rest } = whole;
      expect(problemOf(type, rest), name).toMatch(/lacks|value of/);
    }
  });

  it.each(Object.keys(REQUIRED).filter((type) => type !== 'assistant/chunk'))('%s: another member is refused', (type) => {
    expect(problemOf(type, { ...REQUIRED[type], surplus: 1 })).toMatch(/"surplus"/);
  });

  it.each(Object.entries(REQUIRED).flatMap(([type, data]) => Object.keys(data).map((name) => [type, name] as const)))(
    '%s: %s of the wrong kind is refused',
    (type, name) => {
      if (OPAQUE.has(`${type}.${name}`)) return;
      expect(problemOf(type, { ...REQUIRED[type], [name]: Symbol('no JSON at all') })).toMatch(/value of|lacks|has version/);
    },
  );
});

/** Members of which any value will do. */
const OPAQUE: ReadonlySet<string> = new Set(['tool/code-dispatch-start.arguments', 'tool/code-dispatch.arguments']);

describe('strict payload rules, version by version', () => {
  it('an answer of v2 carries a well-formed stream', () => {
    const data = { ...REQUIRED['assistant/message'] };
    expect(problemOf('assistant/message', data, 2)).toMatch(/"stream"/);
    expect(problemOf('assistant/message', { ...data, stream: [] }, 2)).toBeUndefined();
    expect(problemOf('assistant/message', { ...data, stream: [{ type: 'text-chunks' }] }, 2)).toMatch(/"stream"/);
    expect(problemOf('assistant/message', { ...data, stream: [] }, 1)).toMatch(/"stream"/);
  });

  it('a tagged end-seed came with v2', () => {
    expect(problemOf('session/end-seed', { inherited: true }, 1)).toMatch(/"inherited"/);
    expect(problemOf('session/end-seed', { inherited: true }, 2)).toBeUndefined();
    expect(problemOf('session/end-seed', { inherited: false }, 2)).toBeDefined();
  });

  it('a file block came with v2', () => {
    const content = [{ type: 'file', attachment: { attachmentId: 'a', name: 'n', bytes: 1 } }];
    expect(problemOf('user/message', { ...user, content }, 1)).toMatch(/content\[0\]\.type/);
    expect(problemOf('user/message', { ...user, content }, 2)).toBeUndefined();
  });

  it.each([
    ['turn/end', { turn: 1, reason: { kind: 'aborted' } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', error: { message: 'x' } } }],
    ['turn/end', { turn: 1, reason: { kind: 'completed', note: 1 } }],
    ['turn/start', { turn: 0 }],
    ['tool/result', { ...where, message: { ...result, content: [] } }],
    ['tool/result', { ...where, message: { ...result, source: { kind: 'user' } } }],
    ['assistant/message', { ...where, message: { ...answer, source: { kind: 'user' } } }],
    ['assistant/message', { ...where, message: answer, usage: { inputTokens: 1 } }],
    ['user/message', { ...user, content: [{ type: 'tool-call', id: 'c', name: 'n', arguments: '' }] }],
    [
      'user/message',
      {
        ...user,
        content: [{ type: 'image', attachment: { attachmentId: 'a', mediaType: 'image/bmp', width: 1, height: 1, bytes: 1 } }],
      },
    ],
    ['user/message', { ...user, source: { kind: 'user', form: 'x' } }],
    ['request/header', { header: { config: { ...route, stop: [1] } }, reason: 'initial' }],
    ['request/header', { header: { config: route, tools: [{ name: 'n' }] }, reason: 'initial' }],
    ['request/header', { header: { config: route, adapterDefaults: { maxTokens: 1 } }, reason: 'initial' }],
    [
      'request/header',
      { header: { config: route, tools: [{ name: 'n', description: '', parameters: 'x' }] }, reason: 'initial' },
    ],
    [
      'session/title-llm-request',
      { ...REQUIRED['session/title-llm-request'], messages: [{ ...user, source: { kind: 'acme' } }] },
    ],
    ['goal/change', { ...REQUIRED['goal/change'], operation: 'clear' }],
    ['llm/retry', { ...REQUIRED['llm/retry'], mode: 'always' }],
    ['schedule/change', { version: 1, operation: 'delete' }],
    ['session/title', { title: 't', messageSeqs: [], source: { kind: 'else' } }],
    ['subagent/descriptor', { mode: 'continuable', version: 3, provider: 'p' }],
  ])('%s refuses %j', (type, data) => {
    expect(problemOf(type, data)).toMatch(/^#0 \(/);
  });

  it.each([
    ['turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'hook', reason: 'x' } } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', error: failure } }],
    ['turn/end', { turn: 1, reason: { kind: 'from-a-plugin', anything: 1 } }],
    ['user/message', { ...user, source: { kind: 'plugin', plugin: 'x', form: 'snapshot', sections: [] } }],
    [
      'user/message',
      {
        ...user,
        content: [{ type: 'image', attachment: { attachmentId: 'a', mediaType: 'image/png', width: 1, height: 1, bytes: 1 } }],
      },
    ],
    [
      'assistant/message',
      { ...where, message: { ...answer, content: [{ type: 'tool-call', id: 'c', name: 'n', arguments: 'not json' }] } },
    ],
    ['session/title-llm-request', { ...REQUIRED['session/title-llm-request'], messages: [user, answer] }],
    ['goal/change', { kind: 'goal/change', version: 1, operation: 'clear', cleared: { id: 'g', revision: 2 }, clearedAt: 3 }],
    ['schedule/change', { version: 1, operation: 'dispatch', id: 's', acceptedAt: 1 }],
    ['session/title', { title: 't', messageSeqs: [], source: { kind: 'provider', provider: 'x', model: route } }],
    ['subagent/descriptor', { mode: 'continuable', version: 3, provider: 'p', label: 'l', toolFilter: { allow: ['x'] } }],
  ])('%s takes %j', (type, data) => {
    expect(problemOf(type, data)).toBeUndefined();
  });

  it('does not recurse with the depth of a value', () => {
    let deep: unknown = null;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(problemOf('tool/result', { ...where, message: result, meta: deep })).toBeUndefined();
    expect(problemOf('user/message', { ...user, content: deep })).toMatch(/"content\[0\]"/);
  });
});
