import { deriveEventMessage, text, type Message, type SessionEvent } from '../../core/index.ts';
import { RpcError, type Comparison } from '../../protocol/index.ts';
import { line } from '../labels/words.ts';
import { lowerBound, type LoadedLog } from '../loaded.ts';
import { addComparison } from './comparison.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';
import { compactCount } from '../../timeline/index.ts';

/** One message of a derived history with the seq of its node. */
export interface HistoryMessage {
  readonly seq: number | undefined;
  readonly message: Message;
}

/**
 * The history derived after the first `eventCount` events, each message with its node. Nodes without a message are left
 * out, as the derivation leaves them out. Throws a not-found error where nothing can be derived.
 */
export function historyOf(loaded: LoadedLog, eventCount: number): readonly HistoryMessage[] {
  if (eventCount === 0) return [];
  return withSeqs(loaded, eventCount, derived(loaded, eventCount - 1));
}

/** Messages derived after the first `eventCount` events, each with its node; without where there are more or fewer than nodes. */
export function withSeqs(loaded: LoadedLog, eventCount: number, messages: readonly Message[]): readonly HistoryMessage[] {
  const seqs: number[] = [];
  for (const seq of loaded.log.surfaceNodes(eventCount - 1)) {
    const event = loaded.event(seq);
    if (event && deriveEventMessage(event as SessionEvent, loaded.version) !== null) seqs.push(seq); // a node: the fold accepted it
  }
  return messages.map((message, i) => ({ seq: seqs.length === messages.length ? seqs[i] : undefined, message }));
}

function derived(loaded: LoadedLog, atSeq: number): Message[] {
  try {
    return loaded.log.deriveMessages(atSeq);
  } catch (error) {
    throw new RpcError('not-found', loaded.log.refusal?.text ?? (error instanceof Error ? error.message : String(error)));
  }
}

/** The model's history after an event (inclusive), one message after the other. */
export function addHistory(lines: Lines, loaded: LoadedLog, seq: number, compared: Comparison | undefined, t: Translate): void {
  if (seq >= loaded.log.eventCount) throw new RpcError('not-found', text('There is no readable event #{seq}', { seq }));
  addMessages(lines, loaded, seq, historyOf(loaded, seq + 1), compared, t);
}

export function addMessages(
  lines: Lines,
  loaded: LoadedLog,
  seq: number,
  history: readonly HistoryMessage[],
  compared: Comparison | undefined,
  t: Translate,
): void {
  if (compared) addComparison(lines, compared, t);
  else addTitle(lines, loaded, seq, history.length, t);
  for (const { seq: node, message } of history) addMessage(lines, node, message, t, compared?.heading);
}

function addTitle(lines: Lines, loaded: LoadedLog, seq: number, count: number, t: Translate): void {
  lines
    .add(t(text('Derived history of {session}', { session: sessionName(loaded) })))
    .add(t(text('after event #{seq}', { seq })))
    .add(t(text('messages: {count}', { count })));
  const tokens = contextTokens(loaded, seq);
  if (tokens !== undefined) lines.add(t(text('tokens of the last answered request: {tokens}', { tokens: compactCount(tokens) })));
  lines.add();
}

/** Context size that the latest answered request up to an event recorded. */
function contextTokens(loaded: LoadedLog, seq: number): number | undefined {
  const { seq: seqs, tokens } = loaded.timeline.tables.context.columns;
  const at = lowerBound(seqs, seq + 1);
  return at === 0 ? undefined : tokens[at - 1];
}

/**
 * The same as far as it still tells the size of that history: undefined when messages were replaced since, as right after a compaction,
 * whose two sides would else seem to be of one size.
 */
export function currentTokens(loaded: LoadedLog, seq: number): number | undefined {
  const { context, replacements } = loaded.timeline.tables;
  const measured = context.columns.seq[lowerBound(context.columns.seq, seq + 1) - 1] ?? -1;
  const replaced = replacements.columns.seq[lowerBound(replacements.columns.seq, seq + 1) - 1] ?? -1;
  return replaced > measured ? undefined : contextTokens(loaded, seq);
}

export function sessionName(loaded: LoadedLog): string {
  const id: unknown = loaded.log.header?.id; // a stored header may hold anything
  return typeof id === 'string' && id !== '' ? line(id, 200) : line(loaded.log.path.split(/[\\/]/).pop(), 200);
}
