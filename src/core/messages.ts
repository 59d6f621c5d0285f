import type { JsonObject, JsonValue } from './json.ts';

/** Messages, blocks, sources, stream chunks and usage as a log stores them. format/events.md §5, §6. */

export interface AttachmentImage {
  readonly attachmentId: string;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly name?: string;
  readonly originalDimensions?: { readonly width: number; readonly height: number };
}

export interface AttachmentFile {
  readonly attachmentId: string;
  readonly name: string;
  readonly bytes: number;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly attachment: AttachmentImage;
  readonly offloaded?: true;
}

export interface FileBlock {
  readonly type: 'file';
  readonly attachment: AttachmentFile;
}

export interface ToolCallBlock {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The raw text the model produced; not necessarily JSON. */
  readonly arguments: string;
}

/** v0–v3 only; a v4 tool message carries its content directly. */
export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly content: readonly Block[];
  readonly isError?: boolean;
}

/** v4 developer messages only. */
export interface ToolChangeBlock {
  readonly type: 'tool-addition' | 'tool-removal';
  readonly toolName: string;
}

/** A third-party block: kept, never interpreted. */
export interface PluginBlock {
  readonly type: `plugin:${string}`;
  readonly [key: string]: unknown;
}

export type Block =
  TextBlock | ReasoningBlock | ImageBlock | FileBlock | ToolCallBlock | ToolResultBlock | ToolChangeBlock | PluginBlock;

/** Who made a message; an open set. Only `kind: 'user'` is a human prompt. */
export interface MessageSource {
  readonly kind: string;
  readonly [key: string]: unknown;
}

export type MessageRole = 'user' | 'assistant' | 'system' | 'developer' | 'tool';

export interface Message {
  readonly id: string;
  readonly role: MessageRole;
  readonly content: readonly Block[];
  readonly source: MessageSource;
  /** v4 tool messages. */
  readonly toolCallId?: string;
  /** v4 tool messages. */
  readonly isError?: boolean;
}

/** `inputTokens` is uncached input only; billed input is the three input numbers summed. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Already contained in `outputTokens`. */
  readonly reasoningTokens?: number;
  readonly totalTokens?: number;
}

export interface LlmFailure {
  readonly message: string;
  readonly code: string;
  readonly status?: number;
  readonly providerRetryAfterMs?: number;
  readonly requestId?: string;
  readonly offloadImages?: JsonValue;
}

export interface FinishReason {
  /** stop, tool-calls, max-tokens, aborted, error; an open set. */
  readonly kind: string;
  readonly failure?: LlmFailure;
}

export type StreamChunk =
  | { readonly type: 'block-start'; readonly index: number; readonly blockType: string }
  | { readonly type: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id: string;
      readonly name?: string;
      readonly argumentsDelta: string;
    }
  | { readonly type: 'block-end'; readonly index: number; readonly block: Block }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly replayState?: JsonObject };

export interface TimedChunk {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly chunk: StreamChunk;
}

/** One stored record of `data.stream` (v2+). format/on-disk.md §6.2. */
export type AssistantStreamRecord =
  | {
      readonly type: 'text-chunks' | 'reasoning-chunks';
      readonly time0: number;
      readonly index: number;
      readonly dt: readonly number[];
      readonly texts: readonly string[];
    }
  | {
      readonly type: 'tool-call-chunks';
      readonly time0: number;
      readonly index: number;
      readonly dt: readonly number[];
      readonly id: string;
      readonly name?: string;
      readonly args: readonly string[];
    }
  | { readonly type: 'chunk'; readonly time: number; readonly chunk: StreamChunk };
