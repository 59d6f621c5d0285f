import type { JsonValue } from './json.ts';
import type { Block, LlmFailure, Message, TokenUsage } from './messages.ts';

interface Route {
  readonly provider: string;
  readonly model: string;
}

interface SeqRange {
  readonly start: number;
  readonly end: number;
}

export interface GoalSnapshot {
  readonly id: string;
  readonly revision: number;
  readonly objective: string;
  readonly phase: 'active' | 'paused' | 'blocked' | 'complete';
  readonly maxGoalRounds: number;
  readonly blockedReason?: { readonly code: string; readonly message: string };
}

export type GoalChange =
  | {
      readonly kind: 'goal/change';
      readonly version: 1;
      readonly operation: 'create' | 'edit' | 'pause' | 'resume' | 'block' | 'complete';
      readonly goal: GoalSnapshot;
      readonly roundsStarted: number;
      readonly createdAt: number;
      readonly updatedAt: number;
    }
  | {
      readonly kind: 'goal/change';
      readonly version: 1;
      readonly operation: 'clear';
      readonly cleared: { readonly id: string; readonly revision: number };
      readonly clearedAt: number;
    };

interface SubDispatchStart {
  readonly rootCallId: string;
  readonly parentCallId: string;
  readonly subCallId: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

interface SubDispatch extends SubDispatchStart {
  readonly isError: boolean;
  readonly content: readonly Block[];
  readonly error?: JsonValue;
}

/** Payloads of the log-only plugin event types, over all versions. format/events.md §3. */
export interface PluginEventMap {
  'agent/inbox/spliced': {
    readonly target: 'next-turn' | 'next-step';
    readonly start: number;
    readonly removedCount?: number;
    readonly inserted: readonly Message[];
    readonly outcome?: 'canceled';
  };
  'agent-preset/selected': { readonly agentPreset: string };
  'approval/asked': {
    readonly id: string;
    readonly toolName: string;
    readonly callId?: string;
    readonly reason?: string;
  };
  'approval/decided': {
    readonly id: string;
    readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable';
  };
  'approval/policy': { readonly policy: 'ask' | 'never'; readonly source?: 'delegation' };
  'command/run': {
    readonly commandId: string;
    readonly name: string;
    readonly args?: string;
    readonly source: { readonly kind: string };
  };
  'command/done': {
    readonly commandId: string;
    readonly kind: 'success' | 'error';
    readonly text?: string;
    readonly sourceEventSeq?: number;
  };
  'compaction/start': {
    readonly compactionId: string;
    readonly turn: number | null;
    readonly sourceCommandId?: string;
  };
  'compaction/summary': {
    readonly compactionId: string;
    readonly sourceCommandId?: string;
    readonly summary: readonly Block[];
    readonly shadowedRange: SeqRange;
    readonly shadowedSeqs: readonly number[];
    readonly shadowedTokenCount: number;
    readonly provider: string;
    readonly model: string;
    readonly maxTokens?: number;
    readonly usage?: TokenUsage;
    readonly rawOutput?: readonly Block[];
    readonly llmStreamCall?: true;
  };
  'compaction/prune': {
    readonly shadowedRange: SeqRange;
    readonly shadowedSeqs: readonly number[];
    readonly shadowedTokenCount: number;
  };
  'compaction/end': {
    readonly compactionId: string;
    readonly turn: number | null;
    readonly sourceCommandId?: string;
    readonly error?: JsonValue;
  };
  'image/offload': {
    readonly targets: readonly { readonly seq: number; readonly imageIndexes: readonly number[] }[];
  };
  'feedback/record': { readonly text?: string; readonly category?: string };
  'feedback/message-put': {
    readonly sessionId: string;
    readonly item: {
      readonly messageId: string;
      readonly rating: 'positive' | 'negative';
      readonly note?: string;
      readonly category?: string;
      readonly version: number;
      readonly createdAt: number;
      readonly updatedAt: number;
    };
  };
  'feedback/message-delete': { readonly sessionId: string; readonly messageId: string };
  'goal/change': GoalChange;
  'hook/invoked': {
    readonly turn: number;
    readonly point: string;
    readonly dialect: string;
    readonly handlerId: string;
    readonly matcher?: string;
  };
  'hook/result': {
    readonly turn: number;
    readonly point: string;
    readonly handlerId: string;
    readonly decision: string;
    readonly durationMs: number;
    readonly exitCode?: number;
    readonly stderrSummary?: string;
  };
  'llm/retry': {
    readonly retryId: string;
    readonly turn: number;
    readonly step: number;
    readonly provider: string;
    readonly mode: 'normal' | 'always';
    readonly maxRetries?: number;
    readonly policyKey: string;
    readonly retry: number;
    readonly delayMs: number;
    readonly failure: LlmFailure;
  };
  'llm/retry-started': {
    readonly retryId: string;
    readonly turn: number;
    readonly step: number;
    readonly retry: number;
  };
  'model/selection': Route & { readonly reasoningEffort?: string };
  'permission/preset': { readonly preset: string; readonly origin?: string };
  'plan/mode': { readonly active: boolean };
  'sandbox/mode': {
    readonly mode: 'read-only' | 'workspace-write' | 'danger-full-access';
    readonly source?: string;
  };
  'schedule/change': {
    readonly version: 1;
    readonly operation: 'create' | 'delete' | 'dispatch';
    readonly schedule?: JsonValue;
    readonly id?: string;
    readonly acceptedAt?: number;
  };
  'session/title': {
    readonly title: string;
    readonly messageSeqs: readonly number[];
    readonly source:
      | { readonly kind: 'fallback' }
      | { readonly kind: 'provider'; readonly provider: string; readonly model?: Route }
      | { readonly kind: 'user' };
  };
  'session/title-llm-request': {
    readonly titleProvider: string;
    readonly messageSeqs: readonly number[];
    readonly route: Route;
    readonly system: string;
    readonly messages: readonly Message[];
    readonly maxTokens: number;
  };
  'session-log-deepseek/delivery-accepted': {
    readonly sessionId: string;
    readonly throughSeq: number;
    readonly sessionFormatVersion?: number;
  };
  'subagent/descriptor': {
    readonly mode: 'one-shot' | 'continuable';
    readonly version: number;
    readonly provider: string;
    readonly label?: string;
    readonly agentProvider?: string;
    readonly agentModel?: string;
    readonly agentReasoningEffort?: string;
    readonly persona?: string;
    readonly toolFilter?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  };
  'subagent/catalog': {
    readonly version: 0 | 1;
    readonly childId: string;
    readonly childCreatedAt: number;
    readonly mode: 'continuable' | 'one-shot' | 'unknown';
    readonly label?: string;
  };
  'subagent/model-selection-policy': { readonly allowedModels: readonly Route[] };
  'team/member': { readonly version: number; readonly teamId: string; readonly member: JsonValue };
  'team/task': { readonly version: number; readonly teamId: string; readonly task: JsonValue };
  'team/message/queued': {
    readonly version: number;
    readonly teamId: string;
    readonly message: JsonValue;
  };
  'team/message/delivered': {
    readonly version: number;
    readonly teamId: string;
    readonly messageId: string;
    readonly targetId: string;
  };
  'tool/code-dispatch-start': SubDispatchStart;
  'tool/code-dispatch': SubDispatch;
  'tool/ptc-dispatch-start': SubDispatchStart;
  'tool/ptc-dispatch': SubDispatch;
  'tool-workflow/run-start': { readonly runId: string; readonly name: string };
  'tool-workflow/agent-start': {
    readonly runId: string;
    /** Number of the member, not of an event. */
    readonly seq: number;
    readonly label: string;
    readonly childId: string;
    readonly phase?: string;
  };
  'tool-workflow/agent-end': {
    readonly runId: string;
    readonly seq: number;
    readonly outcome: 'completed' | 'failed' | 'cancelled';
  };
  'tool-workflow/run-end': {
    readonly runId: string;
    readonly stopReason: 'completed' | 'error' | 'cancelled';
  };
  'deliverables/presented': {
    readonly turn: number;
    readonly callId: string;
    readonly files: readonly { readonly path: string; readonly description?: string }[];
  };
  'workspace/changes': { readonly turn: number };
  'web/deepseek-search-llm-request': {
    readonly endpoint: string;
    readonly apiVersion: string;
    readonly body: JsonValue;
  };
}
