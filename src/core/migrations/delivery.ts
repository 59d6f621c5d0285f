import type { SessionHeader, StoredEvent } from '../events.ts';
import { isRecord, wordOf } from '../json.ts';
import { text, type Text } from '../text.ts';

/**
 * What is wrong with an upload acknowledgement of the header's own format version that names another session, or undefined. A forked
 * child keeps its parent's acknowledgements in its inherited prefix. format/events.md §7, format/migrations.md §1.
 */
export function foreignDelivery(event: StoredEvent, header: SessionHeader, inheritedEventCount: number): Text | undefined {
  if (event.type !== 'session-log-deepseek/delivery-accepted' || !isRecord(event.data)) return undefined;
  const { sessionId, sessionFormatVersion = 0 } = event.data;
  if (sessionFormatVersion !== header.version || sessionId === header.id) return undefined;
  if (header.parentSession !== undefined && event.seq < inheritedEventCount) return undefined;
  return text('#{seq} acknowledges the upload of another session, {session}', {
    seq: event.seq,
    session: wordOf(sessionId),
  });
}
