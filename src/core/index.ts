/** The shared session core: what other layers and other programs may import. Pure; no vscode, node:* or DOM. */
export type { JsonObject, JsonPrimitive, JsonValue } from './json.ts';
export { english, text, type Text } from './text.ts';
export type {
  AssistantStreamRecord,
  AttachmentFile,
  AttachmentImage,
  Block,
  FileBlock,
  FinishReason,
  ImageBlock,
  LlmFailure,
  Message,
  MessageRole,
  MessageSource,
  PluginBlock,
  ReasoningBlock,
  StreamChunk,
  TextBlock,
  TimedChunk,
  TokenUsage,
  ToolCallBlock,
  ToolChangeBlock,
  ToolResultBlock,
} from './messages.ts';
export type {
  EpochConfig,
  EpochHeader,
  EventEnvelope,
  PackedChunkRow,
  PackedTextRow,
  PackedToolRow,
  RequestContext,
  SessionEvent,
  SessionEventMap,
  SessionHeader,
  StepAddress,
  StorageRecord,
  StoredEvent,
  SurfaceOp,
  SurfaceReplace,
  ToolDefinition,
  ToolError,
  TurnEndReason,
} from './events.ts';
export type { GoalChange, GoalSnapshot, PluginEventMap } from './plugin-events.ts';
export type { Damage, DamageKind, DshOutcome, Finding, Refusal } from './damage.ts';
export type { ForkBoundary } from './boundary.ts';
export {
  SessionForkError,
  SessionFormatUnsupportedError,
  SessionMigrationRefusedError,
  type SessionForkErrorCode,
} from './errors.ts';
export {
  KNOWN_SESSION_EVENT_TYPES,
  SESSION_FORMAT_VERSION,
  knownSessionEventTypes,
  sessionFormatVersionRefusal,
} from './dialects/gates.ts';
