import { text, type ChildFacts } from '../../core/index.ts';
import { RpcError, type DocumentRef, type DocumentText } from '../../protocol/index.ts';
import { jsonText } from '../json-text.ts';
import type { LoadedLog } from '../loaded.ts';
import { addAnswer } from './answer.ts';
import { addDamage } from './damage.ts';
import { addHistory, addMessages } from './history.ts';
import { replayedHistory } from '../replay/proof.ts';
import { Lines } from './lines.ts';
import type { Translate } from './message-text.ts';
import { addMigrated } from './migrated.ts';
import { addRemoved, addSingle } from './removed.ts';
import { addRequest } from './request.ts';
import { addTranscript } from './transcript.ts';

/**
 * The text of a read-only document. Texts are stable: no clock, no counters of the reader, the order of the log, so that a
 * diff of two shows what differs in the logs and nothing else. `children`: subagent sessions of the log, for a migration.
 */
export function documentText(
  loaded: LoadedLog,
  ref: DocumentRef,
  t: Translate,
  children: readonly ChildFacts[] = [],
): DocumentText {
  const lines = new Lines();
  switch (ref.kind) {
    case 'history':
      addHistory(lines, loaded, ref.seq, ref.compared, t);
      break;
    case 'replayed':
      if (ref.seq >= loaded.log.eventCount)
        throw new RpcError('not-found', text('There is no readable event #{seq}', { seq: ref.seq }));
      addMessages(lines, loaded, ref.seq, replayedHistory(loaded, ref.seq + 1), ref.compared, t);
      break;
    case 'request':
      addRequest(lines, loaded, ref, t);
      break;
    case 'answer':
      addAnswer(lines, loaded, ref.seq, ref.side, t);
      break;
    case 'migrated':
      addMigrated(lines, loaded, ref, children, t);
      break;
    case 'removed':
      addRemoved(lines, loaded, ref.seq, t);
      break;
    case 'message':
      addSingle(lines, loaded, ref.seq, t);
      break;
    case 'event':
      addEvent(lines, loaded, ref.seq);
      break;
    case 'jsonl':
      addJsonl(lines, loaded);
      break;
    case 'transcript':
      addTranscript(lines, loaded, t);
      break;
    case 'damage':
      addDamage(lines, loaded, t);
      break;
  }
  return lines.finish(t(text('The document is longer than shown here; the rest was left out.')));
}

/** The stored line, indented only where that keeps every character of it apart from white space. */
function addEvent(lines: Lines, loaded: LoadedLog, seq: number): void {
  if (seq >= loaded.log.eventCount) throw new RpcError('not-found', text('There is no readable event #{seq}', { seq }));
  const stored = loaded.log.rawLineOf(seq);
  const value: unknown = JSON.parse(stored); // a readable event stands in a line that parses
  lines.add(jsonText(value) === stored ? jsonText(value, 2) : stored);
}

/** Every readable line as it is stored: header, events, then what could be salvaged (a refused header is among that). */
function addJsonl(lines: Lines, loaded: LoadedLog): void {
  const { log } = loaded;
  const isRead = log.refusal === undefined || log.refusal.kind === 'unknown-event';
  if (isRead && log.firstLine !== undefined) lines.add(log.firstLine);
  for (const seq of loaded.lineSeqs) {
    if (!lines.complete) return;
    lines.add(log.rawLineOf(seq));
  }
  for (const { text: stored } of log.salvagedLines()) lines.add(stored);
}
