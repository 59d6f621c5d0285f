import { streamProblem } from '../../codec/stream-records.ts';
import { answerMessage, capturedMessage, contentBlocks, failure, resultMessage, usage, userMessage } from './message-rules.ts';
import {
  boolean,
  count,
  either,
  id,
  integer,
  list,
  literal,
  nullable,
  number,
  opaque,
  openRecord,
  opt,
  ordinal,
  record,
  string,
  tagged,
  type Optional,
  type Rule,
} from './rules.ts';

/** Payloads of v1 and v2 by event type; v0 is checked after its legacy spellings are mapped to v1. format/events.md §2, §3. */
type Table = Readonly<Record<string, Rule>>;

const address = { turn: ordinal, step: ordinal };
const route = { provider: string, model: string };
const range = record({ start: count, end: count });
const shadow = { shadowedRange: range, shadowedSeqs: list(count), shadowedTokenCount: number };
const kindOnly = record({ kind: string });

const abortCause = tagged('kind', { hook: record({ kind: string, reason: string }) }, kindOnly);

/** The set of reasons is open: of an unlisted one nothing more is known. */
const endReason = tagged(
  'kind',
  {
    completed: kindOnly,
    blocked: kindOnly,
    'max-tokens': kindOnly,
    interrupted: kindOnly,
    aborted: record({ kind: string, reason: abortCause }),
    error: record({ kind: string, error: failure }),
  },
  openRecord({ kind: string }),
);

const requestHeader = record({
  config: record({
    ...route,
    reasoningEffort: opt(string),
    maxTokens: opt(number),
    temperature: opt(number),
    stop: opt(list(string)),
  }),
  adapterDefaults: opt(record({ reasoningEffort: opt(literal(true)), maxTokens: opt(literal(true)) })),
  tools: opt(list(record({ name: string, description: string, parameters: openRecord({}) }))),
  system: opt(string),
});

const goalSnapshot = record({
  kind: literal('goal/change'),
  version: literal(1),
  operation: string,
  goal: record({
    id,
    revision: count,
    objective: string,
    phase: literal('active', 'paused', 'blocked', 'complete'),
    maxGoalRounds: count,
    blockedReason: opt(record({ code: string, message: string })),
  }),
  roundsStarted: count,
  createdAt: integer,
  updatedAt: integer,
});

const goalCleared = record({
  kind: literal('goal/change'),
  version: literal(1),
  operation: string,
  cleared: record({ id, revision: count }),
  clearedAt: integer,
});

const goalChange = tagged('operation', {
  create: goalSnapshot,
  edit: goalSnapshot,
  pause: goalSnapshot,
  resume: goalSnapshot,
  block: goalSnapshot,
  complete: goalSnapshot,
  clear: goalCleared,
});

const dispatchStart = { rootCallId: id, parentCallId: id, subCallId: id, name: string, arguments: opaque };
const descriptorVersion = literal(3);

function common(version: number): Table {
  return {
    'turn/start': record({ turn: ordinal }),
    'turn/end': record({ turn: ordinal, reason: endReason }),
    'step/start': record(address),
    'step/end': record(address),
    'user/message': userMessage(version),
    'tool/call': record({ ...address, callId: id, name: string, arguments: string }),
    'tool/result': record({
      ...address,
      message: resultMessage(version),
      error: opt(record({ name: string, code: string, reason: opt(string) })),
      meta: opt(opaque),
    }),
    'request/header': record({
      header: requestHeader,
      reason: literal('initial', 'resume', 'change', 'series'),
      startsSeries: opt(literal(true)),
    }),
    'request/context': record({ ...route, contextWindow: opt(number), systemPromptUpdate: opt(literal('in-history')) }),
    'todo/write': record({
      todos: list(record({ content: string, status: literal('pending', 'in_progress', 'completed') })),
    }),
    'agent/inbox/spliced': record({
      target: literal('next-turn', 'next-step'),
      start: count,
      removedCount: opt(count),
      inserted: list(userMessage(version)),
      outcome: opt(literal('canceled')),
    }),
    'agent-preset/selected': record({ agentPreset: string }),
    'approval/asked': record({ id, toolName: string, callId: opt(string), reason: opt(string) }),
    'approval/decided': record({ id, outcome: literal('allowed-once', 'rejected', 'cancelled', 'unavailable') }),
    'approval/policy': record({ policy: literal('ask', 'never'), source: opt(literal('delegation')) }),
    'command/run': record({ commandId: id, name: string, args: opt(string), source: record({ kind: literal('user') }) }),
    'command/done': record({
      commandId: id,
      kind: literal('success', 'error'),
      text: opt(string),
      sourceEventSeq: opt(count),
    }),
    'compaction/start': record({ compactionId: id, turn: nullable(ordinal), sourceCommandId: opt(id) }),
    'compaction/summary': record({
      compactionId: id,
      sourceCommandId: opt(id),
      summary: contentBlocks(version),
      ...shadow,
      ...route,
      maxTokens: opt(number),
      usage: opt(usage),
      rawOutput: opt(list(openRecord({ type: string }))),
      llmStreamCall: opt(literal(true)),
    }),
    'compaction/prune': record(shadow),
    'compaction/end': record({
      compactionId: id,
      turn: nullable(ordinal),
      sourceCommandId: opt(id),
      error: opt(opaque),
    }),
    'feedback/record': record({ text: opt(string), category: opt(string) }),
    'goal/change': goalChange,
    'hook/invoked': record({
      turn: ordinal,
      point: string,
      dialect: literal('claude-code', 'codex'),
      handlerId: string,
      matcher: opt(string),
    }),
    'hook/result': record({
      turn: ordinal,
      point: string,
      handlerId: string,
      decision: string,
      durationMs: number,
      exitCode: opt(nullable(integer)),
      stderrSummary: opt(string),
    }),
    'llm/retry': tagged('mode', { normal: retry({ maxRetries: count }), always: retry({}) }),
    'llm/retry-started': record({ retryId: id, ...address, retry: ordinal }),
    'model/selection': record({ ...route, reasoningEffort: opt(string) }),
    'permission/preset': record({ preset: string }),
    'plan/mode': record({ active: boolean }),
    'sandbox/mode': record({
      mode: literal('read-only', 'workspace-write', 'danger-full-access'),
      source: opt(string),
    }),
    'schedule/change': tagged('operation', {
      create: record({
        version: literal(1),
        operation: string,
        schedule: openRecord({ id, kind: literal('after', 'at', 'every') }),
      }),
      delete: record({ version: literal(1), operation: string, id }),
      dispatch: record({ version: literal(1), operation: string, id, acceptedAt: opt(integer) }),
    }),
    'session/title': record({
      title: string,
      messageSeqs: list(count),
      source: tagged('kind', {
        fallback: kindOnly,
        provider: record({ kind: string, provider: string, model: opt(record(route)) }),
        user: kindOnly,
      }),
    }),
    'session/title-llm-request': record({
      titleProvider: string,
      messageSeqs: list(count),
      route: record(route),
      system: string,
      messages: list(capturedMessage(version)),
      maxTokens: number,
    }),
    'session-log-deepseek/delivery-accepted': record({ sessionId: id, throughSeq: count, sessionFormatVersion: opt(count) }),
    'subagent/descriptor': tagged('mode', {
      'one-shot': record({ mode: string, version: descriptorVersion, provider: string, label: opt(string) }),
      continuable: record({
        mode: string,
        version: descriptorVersion,
        provider: string,
        label: string,
        agentProvider: opt(string),
        agentModel: opt(string),
        agentReasoningEffort: opt(string),
        persona: opt(string),
        toolFilter: opt(record({ allow: opt(list(string)), deny: opt(list(string)) })),
      }),
    }),
    'subagent/model-selection-policy': record({ allowedModels: list(record(route)) }),
    'team/member': record({ version: count, teamId: id, member: openRecord({ id }) }),
    'team/task': record({ version: count, teamId: id, task: openRecord({ id }) }),
    'team/message/queued': record({ version: count, teamId: id, message: openRecord({ id }) }),
    'team/message/delivered': record({ version: count, teamId: id, messageId: id, targetId: id }),
    'tool/code-dispatch-start': record(dispatchStart),
    'tool/code-dispatch': record({
      ...dispatchStart,
      isError: boolean,
      content: contentBlocks(version),
      error: opt(opaque),
    }),
    'tool-workflow/run-start': record({ runId: id, name: string }),
    'tool-workflow/agent-start': record({ runId: id, seq: count, label: string, childId: string, phase: opt(string) }),
    'tool-workflow/agent-end': record({ runId: id, seq: count, outcome: literal('completed', 'failed', 'cancelled') }),
    'tool-workflow/run-end': record({ runId: id, stopReason: literal('completed', 'error', 'cancelled') }),
    'web/deepseek-search-llm-request': record({
      endpoint: string,
      apiVersion: string,
      body: record({ model: string, messages: opaque, tools: opaque, max_tokens: number }),
    }),
  };
}

function retry(mode: Readonly<Record<string, Rule>>): Rule {
  return record({
    retryId: id,
    ...address,
    provider: string,
    mode: string,
    ...mode,
    policyKey: string,
    retry: ordinal,
    delayMs: number,
    failure,
  });
}

const answer = (version: number): Readonly<Record<string, Rule | Optional>> => ({
  ...address,
  message: answerMessage(version),
  usage: opt(usage),
  interrupted: opt(literal(true)),
});

const stream: Rule = (value, path) => (streamProblem(value) === undefined ? undefined : { kind: 'value', path });

const V1: Table = {
  ...common(1),
  // What a chunk may hold beyond its address is not known: real converters pass extra members through.
  'assistant/chunk': openRecord({ ...address, chunk: openRecord({ type: string }) }),
  'assistant/message': record(answer(1)),
  'session/end-seed': record({}),
};

const V2: Table = {
  ...common(2),
  'assistant/message': record({ ...answer(2), stream }),
  'assistant/attempt': record({ ...address, stream }),
  'session/end-seed': either(record({}), record({ inherited: literal(true) })),
  'feedback/message-put': record({
    sessionId: id,
    item: record({
      messageId: id,
      rating: literal('positive', 'negative'),
      note: opt(string),
      category: opt(string),
      version: count,
      createdAt: integer,
      updatedAt: integer,
    }),
  }),
  'feedback/message-delete': record({ sessionId: id, messageId: id }),
};

/** The rules of one version's payloads; undefined for v3 and later, whose payloads no migration looks into that closely. */
export function payloadRules(version: number): Table | undefined {
  return version <= 1 ? V1 : version === 2 ? V2 : undefined;
}

/**
 * Types of which some nested member is only known by name, so that a preview cannot promise it passes: captured requests, sources of
 * other plugins, schedules, team records, chunks.
 */
export const PARTLY_KNOWN_TYPES: ReadonlySet<string> = new Set([
  'assistant/chunk',
  'schedule/change',
  'session/title-llm-request',
  'team/member',
  'team/task',
  'team/message/queued',
  'tool/code-dispatch',
  'web/deepseek-search-llm-request',
]);
