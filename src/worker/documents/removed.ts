import { text } from '../../core/index.ts';
import { RpcError } from '../../protocol/index.ts';
import { compactCount, fields, messageOf, NONE, type Fields } from '../../timeline/index.ts';
import { textLength } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { replacementAt, shadowedBy } from '../replacements.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';
import { sessionName } from './history.ts';

/** The messages a replacement took out of the context, as they stood in the log, in surface order. */
export function addRemoved(lines: Lines, loaded: LoadedLog, seq: number, t: Translate): void {
  const replacement = replacementAt(loaded, seq);
  if (replacement === NONE) throw new RpcError('not-found', text('#{seq} replaces nothing', { seq }));
  const seqs = shadowedBy(loaded, replacement);
  const { tokensBefore } = loaded.timeline.tables.replacements.columns;
  const characters = seqs.reduce((sum, node) => sum + textLength(messageAt(loaded, node)['content']), 0);
  const before = tokensBefore[replacement] ?? NaN;
  lines
    .add(t(text('What #{seq} of {session} removed from the context', { seq, session: sessionName(loaded) })))
    .add(t(text('messages: {count}', { count: seqs.length })))
    .add(t(text('characters: {count}', { count: characters })));
  if (!Number.isNaN(before)) lines.add(t(text('tokens: {tokens}', { tokens: compactCount(before) })));
  lines.add();
  for (const node of seqs) addMessage(lines, node, messageAt(loaded, node), t);
}

/** One event's message, with its length, as the model would be given it. */
export function addSingle(lines: Lines, loaded: LoadedLog, seq: number, t: Translate): void {
  const event = loaded.event(seq);
  if (!event) throw new RpcError('not-found', text('There is no readable event #{seq}', { seq }));
  const message = messageAt(loaded, seq);
  if (!Array.isArray(message['content'])) throw new RpcError('not-found', text('#{seq} holds no message', { seq }));
  const replacement = replacementAt(loaded, seq);
  const after = replacement === NONE ? NaN : (loaded.timeline.tables.replacements.columns.tokensAfter[replacement] ?? NaN);
  lines
    .add(
      replacement === NONE
        ? t(text('Message #{seq} of {session}', { seq, session: sessionName(loaded) }))
        : t(text('What #{seq} of {session} put in its place', { seq, session: sessionName(loaded) })),
    )
    .add(t(text('messages: {count}', { count: 1 })))
    .add(t(text('characters: {count}', { count: textLength(message['content']) })));
  if (!Number.isNaN(after)) lines.add(t(text('tokens: ≈{tokens}', { tokens: compactCount(after) })));
  lines.add();
  addMessage(lines, seq, message, t);
}

function messageAt(loaded: LoadedLog, seq: number): Fields {
  const event = loaded.event(seq);
  return event ? fields(messageOf(event.type, event.data)) : {};
}
