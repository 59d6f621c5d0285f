import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import { dialectOf } from './dialects/dialect.ts';
import type { SessionEvent, StoredEvent } from './events.ts';
import { isRecord } from './json.ts';
import type { Message } from './messages.ts';

/**
 * The message one event alone derives to, or null: a log-only type, a payload without a message, or an empty answer, system or
 * developer message (their nodes stay on the surface). Content is verbatim. format/surface.md §5.
 */
export function deriveEventMessage(event: SessionEvent, version: number = SESSION_FORMAT_VERSION): Message | null {
  return messageOf(event, version) ?? null;
}

/** {@link deriveEventMessage} for an event nobody has checked. */
export function messageOf(event: StoredEvent, version: number): Message | undefined {
  if (!dialectOf(version).surfaceTypes.has(event.type)) return undefined;
  const message = rawMessageOf(event);
  if (message === undefined) return undefined;
  const mayBeEmpty = event.type === 'user/message' || event.type === 'tool/result';
  if (!mayBeEmpty && Array.isArray(message['content']) && message['content'].length === 0) return undefined;
  // The log is the authority on what a message holds; a malformed one is reported, and shown as it is.
  return message as unknown as Message;
}

/** The record that should be this event's message, whatever it holds. */
export function rawMessageOf(event: StoredEvent): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(event.data)) return undefined;
  if (event.type === 'user/message') return event.data;
  const message = event.data['message'];
  return isRecord(message) ? message : undefined;
}

/** Whether an event has a surface type of its version and carries a marker. format/surface.md §1. */
export function isSurfaceEvent(event: SessionEvent, version: number = SESSION_FORMAT_VERSION): boolean {
  return dialectOf(version).surfaceTypes.has(event.type) && event.surfaceOp !== undefined;
}

/** Whether a surface event was appended: it belongs to the human transcript. format/surface.md §8. */
export function isAppendSurfaceEvent(event: SessionEvent, version: number = SESSION_FORMAT_VERSION): boolean {
  return isSurfaceEvent(event, version) && event.surfaceOp === 'append';
}

/** Whether a surface event replaces a range: it is seen by the model only. */
export function isReplacementSurfaceEvent(event: SessionEvent, version: number = SESSION_FORMAT_VERSION): boolean {
  return isSurfaceEvent(event, version) && event.surfaceOp !== 'append';
}
