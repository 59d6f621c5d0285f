import { rawMessageOf } from './derive.ts';
import { dialectOf } from './dialects/dialect.ts';
import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import type { StoredEvent } from './events.ts';
import { isRecord, numberOf, wordOf } from './json.ts';
import type { Message } from './messages.ts';

/** One row of the human transcript. format/surface.md §8. */
export type TranscriptRow =
  /** An appended message; `callSeq` is the `tool/call` a result answers. It stays, whatever the model still sees of it. */
  | { readonly kind: 'message'; readonly seq: number; readonly message: Message; readonly callSeq: number | undefined }
  /** Earlier context was folded into a checkpoint here: what the model sees instead is the message at `seq`. */
  | { readonly kind: 'compacted'; readonly seq: number }
  | { readonly kind: 'turn-end'; readonly seq: number; readonly turn: number; readonly reason: string }
  | { readonly kind: 'retry'; readonly seq: number; readonly retry: number };

/**
 * The human transcript: appended messages in log order, with a marker where a checkpoint landed, turn ends and retries between them.
 * Unlike the model history it never loses a row. Payloads are not trusted: what holds no message has no row. format/surface.md §8.
 */
export function transcript(events: Iterable<StoredEvent>, version: number = SESSION_FORMAT_VERSION): TranscriptRow[] {
  const { surfaceTypes } = dialectOf(version);
  const rows: TranscriptRow[] = [];
  const calls = new Map<string, number>();
  for (const event of events) {
    const { type, seq } = event;
    const data = isRecord(event.data) ? event.data : {};
    if (type === 'tool/call') calls.set(wordOf(data['callId']), seq);
    else if (type === 'turn/end')
      rows.push({ kind: 'turn-end', seq, turn: numberOf(data['turn']), reason: reasonOf(data['reason']) });
    else if (type === 'llm/retry') rows.push({ kind: 'retry', seq, retry: numberOf(data['retry']) });
    if (!surfaceTypes.has(type)) continue;
    if (event.surfaceOp === 'append') {
      const message = rawMessageOf(event);
      if (message === undefined) continue;
      // A malformed message is shown as it is.
      rows.push({ kind: 'message', seq, message: message as unknown as Message, callSeq: callOf(type, message, calls) });
    } else if (event.surfaceOp !== undefined && type === 'user/message') rows.push({ kind: 'compacted', seq });
  }
  return rows;
}

function callOf(
  type: string,
  message: Readonly<Record<string, unknown>>,
  calls: ReadonlyMap<string, number>,
): number | undefined {
  const source = type === 'tool/result' ? message['source'] : undefined;
  return isRecord(source) ? calls.get(wordOf(source['callId'])) : undefined;
}

function reasonOf(reason: unknown): string {
  return isRecord(reason) && typeof reason['kind'] === 'string' ? reason['kind'] : '';
}
