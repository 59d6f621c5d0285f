import { text, wordOf } from '../../core/index.ts';
import { RpcError, type ExportPart } from '../../protocol/index.ts';
import { ENTRY_FLAG, fields, isHuman, items, messageOf, NONE } from '../../timeline/index.ts';
import { historyOf, sessionName } from '../documents/history.ts';
import { Lines } from '../documents/lines.ts';
import { addMessage, type Translate } from '../documents/message-text.ts';
import { turnReason } from '../labels/outcomes.ts';
import { seedTitle } from '../labels/seed.ts';
import { isCheckpoint, producerOf } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { titleOf } from '../overview.ts';
import { entryRow } from '../rows.ts';
import { blockMarkdown, plainMarkdown } from './markdown.ts';

/** A part of the file, and how much of the file is behind it (0 to 1). */
interface Written {
  readonly words: string;
  readonly share: number;
}

/** The words of an exported part, one line, event or message after the other, so that no export is in memory as a whole. */
export function exportWords(loaded: LoadedLog, part: ExportPart, t: Translate): Iterable<Written> {
  switch (part.kind) {
    case 'jsonl':
      return storedLines(loaded);
    case 'transcript':
      return transcript(loaded, t);
    case 'history':
      if (part.seq >= loaded.log.eventCount)
        throw new RpcError('not-found', text('There is no readable event #{seq}', { seq: part.seq }));
      return part.as === 'text' ? historyText(loaded, part.seq, t) : historyMarkdown(loaded, part.seq, t);
  }
}

/** Header, events, then what could be salvaged (a refused header is among that): as "Open as JSONL", but all of it. */
function* storedLines(loaded: LoadedLog): Iterable<Written> {
  const { log, lineSeqs } = loaded;
  const isRead = log.refusal === undefined || log.refusal.kind === 'unknown-event';
  if (isRead && log.firstLine !== undefined) yield { words: `${log.firstLine}\n`, share: 0 };
  for (const [i, seq] of lineSeqs.entries()) yield { words: `${log.rawLineOf(seq)}\n`, share: i / lineSeqs.length };
  for (const { text: stored } of log.salvagedLines()) yield { words: `${stored}\n`, share: 1 };
}

function* historyText(loaded: LoadedLog, seq: number, t: Translate): Iterable<Written> {
  const history = historyOf(loaded, seq + 1);
  yield {
    words: [
      t(text('Derived history of {session}', { session: sessionName(loaded) })),
      t(text('after event #{seq}', { seq })),
      t(text('messages: {count}', { count: history.length })),
      '\n',
    ].join('\n'),
    share: 0,
  };
  for (const [i, { seq: node, message }] of history.entries()) {
    const lines = new Lines({ isWhole: true });
    addMessage(lines, node, message, t);
    yield { words: lines.finish('').text, share: i / history.length };
  }
}

function* historyMarkdown(loaded: LoadedLog, seq: number, t: Translate): Iterable<Written> {
  const history = historyOf(loaded, seq + 1);
  yield {
    words: [
      ...heading(loaded),
      `${t(text('Derived history of {session}', { session: plainMarkdown(sessionName(loaded)) }))} · ` +
        `${t(text('after event #{seq}', { seq }))} · ${t(text('messages: {count}', { count: history.length }))}`,
      '\n',
    ].join('\n'),
    share: 0,
  };
  for (const [i, { seq: node, message }] of history.entries())
    yield { words: messageMarkdown(loaded, node, message, t), share: i / history.length };
}

function heading(loaded: LoadedLog): string[] {
  return [`# ${plainMarkdown(titleOf(loaded))}`, ''];
}

/** What people read, in log order; replacements show as a line where they happened. format/surface.md §8. */
function* transcript(loaded: LoadedLog, t: Translate): Iterable<Written> {
  yield {
    words: [...heading(loaded), t(text('Transcript of {session}', { session: plainMarkdown(sessionName(loaded)) })), '\n'].join(
      '\n',
    ),
    share: 0,
  };
  const { length, columns } = loaded.timeline.tables.entries;
  for (let entry = 0; entry < length; entry++) {
    if ((columns.flags[entry] ?? 0) & ENTRY_FLAG.streamed) continue;
    const words = transcriptEntry(loaded, entry, t);
    if (words !== '') yield { words, share: entry / length };
  }
}

function transcriptEntry(loaded: LoadedLog, entry: number, t: Translate): string {
  const { flags, seq } = loaded.timeline.tables.entries.columns;
  const event = loaded.event(seq[entry] ?? NONE);
  if (!event) return '';
  const data = fields(event.data);
  switch (event.type) {
    case 'turn/start':
      return `## ${t(text('Turn {turn}', { turn: plainMarkdown(wordOf(data['turn'])) }))}\n\n`;
    case 'turn/end':
      return `${remark(`${t(text('turn {turn}', { turn: wordOf(data['turn']) }))}: ${t(turnReason(data['reason']))}`)}---\n\n`;
    case 'llm/retry':
      return remark(`#${event.seq} ${t(text('a retry was scheduled'))}`);
    case 'session/end-seed':
      return remark(`#${event.seq} ${t(seedTitle(event, loaded.cut))}`);
    case 'user/message':
    case 'assistant/message':
    case 'tool/result':
    case 'system/message':
    case 'developer/message':
      if ((flags[entry] ?? 0) & ENTRY_FLAG.replace)
        return isCheckpoint(messageOf(event.type, event.data)['source'])
          ? remark(`#${event.seq} ${t(text('earlier context was compacted'))}`)
          : '';
      return messageMarkdown(loaded, event.seq, messageOf(event.type, event.data), t);
    default:
      return '';
  }
}

const remark = (words: string): string => `*${plainMarkdown(words)}*\n\n`;

/** Heading as in the list, then block by block; the blocks are whole. */
function messageMarkdown(loaded: LoadedLog, seq: number | undefined, message: unknown, t: Translate): string {
  const m = fields(message);
  const row = seq === undefined ? undefined : entryRow(loaded, loaded.entryAt(seq));
  const name = row === undefined ? wordOf(m['role']) : t(row.title);
  const isInjected = m['role'] === 'user' && row !== undefined && !isHuman(loaded.event(seq ?? NONE)?.data);
  const producer = isInjected && !isCheckpoint(m['source']) && !isResult(m) ? ` (${producerOf(m['source'])})` : '';
  const place = seq === undefined ? '' : ` · #${seq}`;
  const parts = [`### ${plainMarkdown(`${name}${producer}${place}`)}\n\n`];
  for (const item of items(m['content'])) parts.push(blockMarkdown(fields(item), m['role'], t));
  return parts.join('');
}

/** Before format 4 results are messages of the user role (format/events.md §5). */
const isResult = (message: ReturnType<typeof fields>): boolean => fields(message['source'])['kind'] === 'tool';
