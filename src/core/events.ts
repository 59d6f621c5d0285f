import type { JsonValue } from './json.ts';
import type { AssistantStreamRecord, LlmFailure, Message, StreamChunk, TokenUsage } from './messages.ts';
import type { PluginEventMap } from './plugin-events.ts';

/** First stored line of a log, as it is written; unknown keys are damage but stay here. format/on-disk.md §5. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: number;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Absent: the session lives in `_no-cwd`. */
  readonly cwd?: string;
  readonly parentSession?: string;
  /** v0, v1: number of inherited leading events. */
  readonly seedLength?: number;
  /** v2+. */
  readonly isSeeded?: boolean;
  readonly origin?: 'subagent';
  /** Always stored; absent in memory means 0. */
  readonly delegationDepth?: number;
  readonly agentPreset?: string;
}

export type SurfaceReplace =
  | { readonly op: 'replace'; readonly start: number; readonly end: number }
  | { readonly op: 'replace'; readonly startSeq: number; readonly endSeq: number };

/** How an event changes the surface: v0–v2 spell a range start/end, v3+ startSeq/endSeq. format/surface.md §2. */
export type SurfaceOp = 'append' | SurfaceReplace;

export interface EpochConfig {
  readonly provider: string;
  readonly model: string;
  readonly reasoningEffort?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonValue;
  readonly deferLoading?: true;
}

/** The envelope of the next request; the latest one wins. */
export interface EpochHeader {
  readonly config: EpochConfig;
  readonly adapterDefaults?: { readonly reasoningEffort?: true; readonly maxTokens?: true };
  readonly tools?: readonly ToolDefinition[];
  /** v0–v2. */
  readonly system?: string;
}

/** The resolved route of the next request. */
export interface RequestContext {
  readonly provider: string;
  readonly model: string;
  readonly contextWindow?: number;
  readonly systemPromptUpdate?: 'in-history';
}

export interface StepAddress {
  readonly turn: number;
  readonly step: number;
}

export interface TurnEndReason {
  /** completed, aborted, blocked, error, max-tokens, interrupted, forked; an open set. */
  readonly kind: string;
  readonly reason?: { readonly kind: string; readonly reason?: string };
  readonly error?: LlmFailure;
}

export interface ToolError {
  readonly name: string;
  readonly code: string;
  readonly reason?: string;
}

/** Payloads of the core event types over all versions. format/events.md §2. */
export interface CoreEventMap {
  'turn/start': { readonly turn: number };
  'turn/end': { readonly turn: number; readonly reason: TurnEndReason };
  'step/start': StepAddress;
  'step/end': StepAddress;
  'user/message': Message;
  'system/message': StepAddress & { readonly message: Message };
  'developer/message': StepAddress & { readonly message: Message; readonly headerSeq?: number };
  'assistant/chunk': StepAddress & { readonly chunk: StreamChunk };
  'assistant/message': StepAddress & {
    readonly message: Message;
    readonly usage?: TokenUsage;
    readonly interrupted?: true;
    readonly stream?: readonly AssistantStreamRecord[];
  };
  'assistant/attempt': StepAddress & { readonly stream: readonly AssistantStreamRecord[] };
  'tool/call': StepAddress & {
    readonly callId: string;
    readonly name: string;
    readonly arguments: string;
  };
  'tool/result': StepAddress & {
    readonly message: Message;
    readonly error?: ToolError;
    readonly meta?: JsonValue;
  };
  'request/header': {
    readonly header: EpochHeader;
    /** initial, resume, change, series; `fallback` is retired. */
    readonly reason: string;
    readonly startsSeries?: true;
  };
  'request/context': RequestContext;
  'session/end-seed': { readonly inherited?: true };
  'todo/write': {
    readonly todos: readonly {
      readonly content: string;
      readonly status: 'pending' | 'in_progress' | 'completed';
    }[];
  };
}

/**
 * Every known event type with its payload. Open: a plugin adds its own by declaration merging, as
 * `declare module '…/core/events.ts' { interface SessionEventMap { 'goal/change': … } }`.
 */
export interface SessionEventMap extends CoreEventMap, PluginEventMap {}

export interface EventEnvelope<T extends string, D> {
  readonly type: T;
  /** Index in the log, dense from 0. */
  readonly seq: number;
  /** Epoch milliseconds of the wall clock; may run backwards. */
  readonly time: number;
  readonly data: D;
  readonly ignorable?: true;
  readonly sourceEventSeqs?: readonly number[];
  readonly surfaceOp?: SurfaceOp;
}

/** A stored event, discriminated by `type`. A log may also hold types outside the map; see `isEventOf`. */
export type SessionEvent<T extends keyof SessionEventMap = keyof SessionEventMap> = {
  [K in T]: EventEnvelope<K & string, SessionEventMap[K]>;
}[T];

/** An event as a line holds it, before anything but its envelope's shape is trusted. */
export type StoredEvent = EventEnvelope<string, unknown>;

/** A packed line of v0/v1, or any single event: what one stored line holds. format/on-disk.md §6.1. */
export type StorageRecord = SessionEvent | PackedChunkRow;

export interface PackedTextRow {
  readonly type: 'text-chunks' | 'reasoning-chunks';
  readonly seq0: number;
  readonly time0: number;
  readonly data: {
    readonly turn: number;
    readonly step: number;
    readonly index: number;
    readonly dt: readonly number[];
    readonly texts: readonly string[];
  };
}

export interface PackedToolRow {
  readonly type: 'tool-call-chunks';
  readonly seq0: number;
  readonly time0: number;
  readonly data: {
    readonly turn: number;
    readonly step: number;
    readonly index: number;
    readonly dt: readonly number[];
    readonly id: string;
    readonly name?: string;
    readonly args: readonly string[];
  };
}

export type PackedChunkRow = PackedTextRow | PackedToolRow;
