import type { StoredEvent } from './events.ts';
import { isRecord, isSeq, type UnknownRecord } from './json.ts';
import { LEGACY_V0_TYPES } from './dialects/gates.ts';

/**
 * The payloads older v0 releases wrote, seen as the later v0 releases write them: a view for display and derivation; the stored event
 * stays as it is. format/migrations.md §1. Ids that need the history of the log (compaction, retry) are left to the migration.
 */

export interface LegacyContext {
  readonly sessionId: string;
  /** The message id a seq carries in this view; a replacing tool result takes it over. */
  readonly messageIdAt: (seq: number) => string | undefined;
}

/**
 * A v0 event in today's v0 shape: itself when it already has it, or is no well-formed older one. What an older shape does not allow for
 * would be lost in the new one, so dsh refuses it, and it is left for the checks to find.
 */
export function legacyView(event: StoredEvent, context: LegacyContext): StoredEvent {
  const renamed = LEGACY_V0_TYPES.get(event.type);
  if (renamed !== undefined && renamed !== 'user/message') return { ...event, type: renamed };
  const { data } = event;
  if (!isRecord(data)) return event;
  switch (event.type) {
    case 'steering/message':
      return steering(event, data, context);
    case 'turn/start':
      return hasKeys(data, ['turn', 'trigger']) ? { ...event, data: without(data, 'trigger') } : event;
    case 'turn/end':
      return turnEnd(event, data);
    case 'request/header':
      return requestHeader(event, data);
    case 'user/message':
      return userMessage(event, data, context);
    case 'assistant/message':
      return answer(event, data, context);
    case 'tool/result':
      return toolResult(event, data, context);
    default:
      return event;
  }
}

/** Whether {@link legacyView} would have to look at anything but the type. Cheap; most logs hold none of these. */
function mayBeLegacy(type: string): boolean {
  return LEGACY_V0_TYPES.has(type) || LEGACY_SHAPES.has(type);
}

const LEGACY_SHAPES: ReadonlySet<string> = new Set([
  'turn/start',
  'turn/end',
  'request/header',
  'user/message',
  'assistant/message',
  'tool/result',
]);

/** The id a message gets that was written before messages had ids. */
function legacyMessageId(context: LegacyContext, seq: number): string {
  return `legacy-message:${context.sessionId}:${seq}`;
}

function steering(event: StoredEvent, data: UnknownRecord, context: LegacyContext): StoredEvent {
  if (!Number.isSafeInteger(data['turn'])) return event;
  const wrapped = data['message'];
  if (isRecord(wrapped) && hasKeys(data, ['turn', 'message'])) return { ...event, type: 'user/message', data: wrapped };
  if (!hasKeys(data, ['turn', 'content', 'source'])) return event;
  const message = { ...without(data, 'turn'), id: legacyMessageId(context, event.seq), role: 'user' };
  return { ...event, type: 'user/message', data: message };
}

function turnEnd(event: StoredEvent, data: UnknownRecord): StoredEvent {
  const reason = data['reason'];
  if (!isRecord(reason)) return event;
  const settled = (next: unknown): StoredEvent => ({ ...event, data: { ...data, reason: next } });
  switch (reason['kind']) {
    case 'aborted':
      return hasKeys(reason, ['kind']) ? settled({ kind: 'aborted', reason: { kind: 'legacy' } }) : event;
    case 'disposed':
      return hasKeys(reason, ['kind']) ? settled({ kind: 'aborted', reason: { kind: 'disposed' } }) : event;
    case 'error': {
      const error = oldError(reason);
      return error === undefined ? event : settled({ kind: 'error', error });
    }
    default:
      return event;
  }
}

/** The failure of a reason that still names its step. */
function oldError(reason: UnknownRecord): UnknownRecord | undefined {
  const { step, failure, message, code } = reason;
  if (!isSeq(step)) return undefined;
  if (hasKeys(reason, ['kind', 'step', 'failure'])) return isRecord(failure) && isOldFailure(failure) ? failure : undefined;
  if (!hasKeys(reason, code === undefined ? ['kind', 'step', 'message'] : ['kind', 'step', 'message', 'code'])) return undefined;
  if (typeof message !== 'string' || (code !== undefined && typeof code !== 'string')) return undefined;
  return { message, code: code ?? 'UNKNOWN' };
}

function isOldFailure(failure: UnknownRecord): boolean {
  const { message, code, status, providerRetryAfterMs, requestId, ...others } = failure;
  if (Object.keys(others).length > 0 || typeof message !== 'string' || typeof code !== 'string') return false;
  const isNumber = (value: unknown): boolean => value === undefined || typeof value === 'number';
  return isNumber(status) && isNumber(providerRetryAfterMs) && (requestId === undefined || typeof requestId === 'string');
}

/** Whether a record has these keys and no other. */
function hasKeys(record: UnknownRecord, keys: readonly string[]): boolean {
  return Object.keys(record).length === keys.length && keys.every((key) => Object.hasOwn(record, key));
}

function requestHeader(event: StoredEvent, data: UnknownRecord): StoredEvent {
  const header = data['header'];
  if (!isRecord(header) || !Object.hasOwn(header, 'messagePrefix')) return event;
  return { ...event, data: { ...data, header: without(header, 'messagePrefix') } };
}

function userMessage(event: StoredEvent, data: UnknownRecord, context: LegacyContext): StoredEvent {
  const current = Object.hasOwn(data, 'id') || Object.hasOwn(data, 'role') || Object.hasOwn(data, 'message');
  if (current || !Object.hasOwn(data, 'content') || !Object.hasOwn(data, 'source')) return event;
  return { ...event, data: { ...data, id: legacyMessageId(context, event.seq), role: 'user' } };
}

function answer(event: StoredEvent, data: UnknownRecord, context: LegacyContext): StoredEvent {
  if (Object.hasOwn(data, 'message') || !Object.hasOwn(data, 'content') || !Object.hasOwn(data, 'provenance')) return event;
  const { content, provenance, ...rest } = data;
  const source = { ...(isRecord(provenance) ? provenance : {}), kind: 'model' };
  const message = { id: legacyMessageId(context, event.seq), role: 'assistant', content, source };
  return { ...event, data: { ...rest, message } };
}

function toolResult(event: StoredEvent, data: UnknownRecord, context: LegacyContext): StoredEvent {
  if (Object.hasOwn(data, 'message') || !Object.hasOwn(data, 'callId')) return event;
  if (!Object.hasOwn(data, 'content') || !Object.hasOwn(data, 'isError')) return event;
  const { callId, content, isError, ...rest } = data;
  const op: unknown = event.surfaceOp;
  const replaced = isRecord(op) && isSeq(op['start']) ? context.messageIdAt(op['start']) : undefined;
  const message = {
    id: replaced ?? legacyMessageId(context, event.seq),
    role: 'user',
    content: [{ type: 'tool-result', toolCallId: callId, content, isError }],
    source: { kind: 'tool', callId },
  };
  return { ...event, data: { ...rest, message } };
}

function without(record: UnknownRecord, key: string): UnknownRecord {
  const { [key]: _dropped, ...rest } = record;
  return rest;
}

/**
 * An event as its version's latest release would write it, for display: the legacy view in v0, the event itself in every other version.
 */
export function normaliseEvent(event: StoredEvent, version: number, context?: LegacyContext): StoredEvent {
  if (version !== 0 || !mayBeLegacy(event.type)) return event;
  return legacyView(event, context ?? NO_CONTEXT);
}

const NO_CONTEXT: LegacyContext = { sessionId: '', messageIdAt: () => undefined };
