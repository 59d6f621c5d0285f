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
  const characters = seqs.reduce((sum, node) => sum + textLength(messageAt(loaded, node)['content']), 0);
  lines
    .add(t(text('What #{seq} removed from the context', { seq })))
    .add(t(text('session: {session}', { session: sessionName(loaded) })))
    .add(t(text('messages: {count}', { count: seqs.length })))
    .add(t(text('characters: {count}', { count: characters })));
  addTokens(lines, loaded, replacement, 'before', t);
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
  lines
    .add(t(replacement === NONE ? text('Message #{seq}', { seq }) : text('What #{seq} put in its place', { seq })))
    .add(t(text('session: {session}', { session: sessionName(loaded) })))
    .add(t(text('messages: {count}', { count: 1 })))
    .add(t(text('characters: {count}', { count: textLength(message['content']) })));
  if (replacement !== NONE) addTokens(lines, loaded, replacement, 'after', t);
  lines.add();
  addMessage(lines, seq, message, t);
}

/** Tokens of one side of a replacement; a dash where only the other side's are known, so that both documents have as many lines. */
function addTokens(lines: Lines, loaded: LoadedLog, replacement: number, side: 'before' | 'after', t: Translate): void {
  const { tokensBefore, tokensAfter } = loaded.timeline.tables.replacements.columns;
  const [before, after] = [tokensBefore[replacement] ?? NaN, tokensAfter[replacement] ?? NaN];
  if (Number.isNaN(before) && Number.isNaN(after)) return;
  const own = side === 'before' ? before : after;
  if (Number.isNaN(own)) lines.add(t(text('tokens: {tokens}', { tokens: '–' })));
  else if (side === 'before') lines.add(t(text('tokens: {tokens}', { tokens: compactCount(own) })));
  else lines.add(t(text('tokens: ≈{tokens}', { tokens: compactCount(own) })));
}

function messageAt(loaded: LoadedLog, seq: number): Fields {
  const event = loaded.event(seq);
  return event ? fields(messageOf(event.type, event.data)) : {};
}
