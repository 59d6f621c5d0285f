/** The shared session core: what other layers and other programs may import. Pure; no vscode, node:* or DOM. */
export { deepFreeze, equalJson, isJsonValue, isRecord, isSeq, numberOf, snapshotJsonValue, wordOf } from './json.ts';
export type { JsonObject, JsonPrimitive, JsonValue, UnknownRecord } from './json.ts';
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
  passesEventGate,
  unknownEventText,
  versionRefusalText,
} from './dialects/gates.ts';
export { dialectOf, type Dialect } from './dialects/dialect.ts';
export {
  decodeStorageRecord,
  expandPackedRow,
  expandSources,
  isPackedRow,
  packChunkRuns,
  packedCount,
  packedMember,
  packedRowProblem,
  packedTimes,
} from './codec/chunk-rows.ts';
export { decodeSourceSeqs, encodeSourceSeqs, parseSourceRuns } from './codec/source-ranges.ts';
export { expandStream, packStream, streamProblem } from './codec/stream-records.ts';
export { legacyView, normaliseEvent, type LegacyContext } from './legacy.ts';
export {
  deriveEventMessage,
  isAppendSurfaceEvent,
  isReplacementSurfaceEvent,
  isSurfaceEvent,
  messageOf,
  rawMessageOf,
} from './derive.ts';
export { SurfaceFold, deriveMessages, foldSurface } from './surface.ts';
export type { EventLookup, NodeState, SurfacePlan, SurfaceReplacement } from './surface.ts';
export { envelopeProblem, payloadProblem, type EventProblem } from './envelope.ts';
export { CutFinder, isTaggedEndSeed } from './cut.ts';
export { TurnEdges, boundaryAt, buildForkSeed, forkBoundary, forkMarker, refusedBoundary } from './fork.ts';
export { creationHeader } from './session-header.ts';
export { OpenTail, closersOf, repairClosers, type CloserCause } from './repair.ts';
export { contextOf, foldRequestHeader, headerOf } from './request.ts';
export { AttemptFold, type Attempt } from './attempts.ts';
export { sumUsage, usageOf, usageOfStream, type UsageTotals } from './usage.ts';
export { plainLine } from './plain-line.ts';
export { promptLine } from './prompt-line.ts';
export { Session, type AppendOptions, type SessionOptions, type SessionSurface } from './session.ts';
export { SessionStore, type CreateOptions, type Disposable, type StoreOptions } from './store.ts';
export { migrateSession, type MigrateInput, type MigratedSession } from './migrations/chain.ts';
export { childFactsOf, type ChildFacts } from './migrations/catalog.ts';
export { migrationPreview, type MigrationPreview } from './migrations/preview.ts';
export { HEADER_SEQ, checkSession } from './check.ts';
export { CHECK_RULES, dshOf, type CheckRule } from './check-rules.ts';
export { LogOrder } from './check-order.ts';
export { BlockAssembler, contentAgrees } from './assemble.ts';
export { replay, verifyInPieces, verifyReplay } from './replay.ts';
export type { ReplayClock, ReplayFrame, ReplayOptions, ReplayReport, TolerantReport } from './replay.ts';
export { replayOrder, type ReplayItem, type ReplaySource } from './replay-order.ts';
export { transcript, type TranscriptRow } from './transcript.ts';
export { StateFold, stateAt, type SessionState } from './state/session-state.ts';
export type { GoalState } from './state/goal.ts';
export type { ModelChoice } from './state/model.ts';
export { titleProjection, type SessionTitle } from './state/title.ts';
export { todoProjection, type TodoItem } from './state/todo.ts';
export { requestOf, type ModelRequest } from './model-request.ts';
export { productForkBoundary } from './fork-default.ts';
