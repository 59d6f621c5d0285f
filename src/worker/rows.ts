import { text, type StoredEvent } from '../core/index.ts';
import type { RowText, RowTexts } from '../protocol/index.ts';
import { compactCount, ENTRY_FLAG, fields, isHuman, items, messageOf, NONE, OUTCOME, stringOf } from '../timeline/index.ts';
import { outcomeText, turnReason } from './labels/outcomes.ts';
import { rowText } from './labels/row-text.ts';
import { argumentsOf, keyArgument } from './labels/tool-call.ts';
import { contentLine, line } from './labels/words.ts';
import type { LoadedLog } from './loaded.ts';

/** Entries looked at for the prompt of a turn. */
const PROMPT_SEARCH = 200;
/** Chunks and characters joined for the row of a stream. */
const STREAM_CHUNKS = 400;
const STREAM_LENGTH = 600;

export function rowTexts(
  loaded: LoadedLog,
  turns: readonly number[],
  steps: readonly number[],
  entries: readonly number[],
): RowTexts {
  return {
    turns: turns.map((i) => turnRow(loaded, i)),
    steps: steps.map((i) => stepRow(loaded, i)),
    entries: entries.map((i) => entryRow(loaded, i)),
  };
}

/** `until`: of a row of chunks, only those up to this seq are told of; what the log is not told of anyway is left out too. */
export function entryRow(loaded: LoadedLog, entry: number, until = Infinity): RowText {
  const { seq, count } = loaded.timeline.tables.entries.columns;
  const first = seq[entry];
  if (first === undefined) return { title: text('Nothing here'), detail: '' };
  const event = loaded.event(first);
  if (!event) return { title: text('Unreadable event'), detail: '' };
  const members = Math.min(count[entry] ?? 1, until - first + 1, loaded.until - first);
  const stream =
    event.type === 'assistant/chunk'
      ? {
          count: members,
          text: streamText(loaded.log.events(first, first + Math.min(members, STREAM_CHUNKS))),
          failure: chunkFailure(loaded.event(first + members - 1)),
        }
      : undefined;
  return rowText(event, { pair: loaded.pairOf(entry), stream, isOver: loaded.isOver(first), cut: loaded.cut });
}

/** What the last chunk of an answer that failed says of it. */
const chunkFailure = (last: StoredEvent | undefined): unknown => fields(fields(fields(last?.data)['chunk'])['reason'])['failure'];

/** What the chunks of an answer say, block by block: its text, and its calls by name and key argument; bounded. */
function streamText(events: Iterable<StoredEvent>): string {
  const blocks = new Map<unknown, { name: string; words: string; isCall: boolean }>();
  let length = 0;
  for (const event of events) {
    const chunk = fields(fields(event.data)['chunk']);
    const part = stringOf(chunk['text']) ?? stringOf(chunk['argumentsDelta']);
    if (part === undefined) continue;
    const block = blocks.get(chunk['index']) ?? { name: '', words: '', isCall: false };
    blocks.set(chunk['index'], block);
    block.words += part;
    block.isCall ||= chunk['type'] === 'tool-call-delta';
    block.name = stringOf(chunk['name']) ?? block.name;
    length += part.length;
    if (length > STREAM_LENGTH) break;
  }
  return [...blocks.values()]
    .map(({ name, words, isCall }) => (isCall ? callWords(name, words) : words))
    .filter((words) => words !== '')
    .join(' · ');
}

/** Arguments that are not whole tell nothing worth a line. */
function callWords(name: string, args: string): string {
  return argumentsOf(args) ? `${name} ${keyArgument(name, args)}`.trim() : name;
}

/** Turn N: its human prompt, and how it ended when it did not simply complete. */
export function turnRow(loaded: LoadedLog, turn: number): RowText {
  const t = loaded.timeline.tables.turns.columns;
  const number = t.number[turn];
  if (number === undefined) return { title: text('Nothing here'), detail: '' };
  const title = text('Turn {turn}', { turn: number });
  const detail = promptOf(loaded, t.firstEntry[turn] ?? 0, t.endEntry[turn] ?? 0);
  const outcome = t.outcome[turn] ?? OUTCOME.open;
  if (outcome === OUTCOME.completed) return { title, detail };
  const end = loaded.event(t.lastSeq[turn] ?? NONE);
  const note = end?.type === 'turn/end' ? turnReason(fields(end.data)['reason']) : outcomeText(outcome);
  return note ? { title, detail, note } : { title, detail };
}

function promptOf(loaded: LoadedLog, from: number, to: number): string {
  const { seq, flags, type } = loaded.timeline.tables.entries.columns;
  let injected: StoredEvent | undefined;
  for (let i = from; i < Math.min(to, from + PROMPT_SEARCH); i++) {
    if (loaded.timeline.strings.types[type[i] ?? 0] !== 'user/message') continue;
    const isPrompt = ((flags[i] ?? 0) & ENTRY_FLAG.human) !== 0;
    if (!isPrompt && injected) continue;
    const event = loaded.event(seq[i] ?? NONE);
    if (!event) continue;
    if (isPrompt && isHuman(event.data)) return contentLine(messageOf(event.type, event.data)['content']);
    injected = event;
  }
  return injected ? contentLine(messageOf(injected.type, injected.data)['content']) : '';
}

/** Step N.M: tokens, model and tools of its latest request; what differs from step to step comes first, for it may be cut. */
export function stepRow(loaded: LoadedLog, step: number): RowText {
  const { tables, index } = loaded.timeline;
  const s = tables.steps.columns;
  const number = s.number[step];
  if (number === undefined) return { title: text('Nothing here'), detail: '' };
  const title = text('Step {turn}.{step}', { turn: tables.turns.columns.number[s.turn[step] ?? 0] ?? '?', step: number });
  const { from, to } = loaded.attemptsOf(step);
  const end = to > from ? (index.requestEnds[to - 1] ?? 0) : (s.lastSeq[step] ?? 0) + 1;
  const header = fields(fields(loaded.event(loaded.latestBefore(index.headers, end))?.data)['header']);
  const model = line(fields(header['config'])['model'], 80);
  const tools = items(header['tools']).length;
  const note = outcomeText(s.outcome[step] ?? OUTCOME.open);
  return { title, detail: stepDetail(loaded, from, to, model, tools), ...(note ? { note } : {}) };
}

function stepDetail(loaded: LoadedLog, from: number, to: number, model: string, tools: number): RowText['detail'] {
  const a = loaded.timeline.tables.attempts.columns;
  for (let i = to - 1; i >= from; i--) {
    if (!a.hasUsage[i]) continue;
    const input = (a.input[i] ?? 0) + (a.cacheRead[i] ?? 0) + (a.cacheWrite[i] ?? 0);
    const cached = input === 0 ? 0 : Math.round(((a.cacheRead[i] ?? 0) / input) * 100);
    const figures = { model, tools, input: compactCount(input), cached, output: compactCount(a.output[i] ?? 0) };
    if (tools === 0) return text('{input} in ({cached}% cached) · {output} out · {model}', figures);
    return tools === 1
      ? text('{input} in ({cached}% cached) · {output} out · {model} · 1 tool', figures)
      : text('{input} in ({cached}% cached) · {output} out · {model} · {tools} tools', figures);
  }
  if (model === '' || tools === 0) return model;
  return tools === 1 ? text('{model} · 1 tool', { model }) : text('{model} · {tools} tools', { model, tools });
}
