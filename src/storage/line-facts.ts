import { isRecord, type UnknownRecord } from '../core/json.ts';
import { plainLine } from '../core/plain-line.ts';
import { promptLine } from '../core/prompt-line.ts';

/** What a session list wants to know of stored lines, without decoding them into events. */

/** Longest title or prompt line a summary carries. */
const MAX_TITLE_UNITS = 200;

/** A stored line as a plain record, or undefined when it is none. */
export function recordOf(line: string): UnknownRecord | undefined {
  // Cheaper than the error that a line of anything else ends in.
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // a bad line tells the list nothing; opening the session reports it
  }
}

/** What a session is called: one bounded plain line, and the seq of the event that says so. */
export interface SessionName {
  readonly text: string;
  readonly seq: number | undefined;
}

/** The title a `session/title` line sets. */
export function titleOf(record: UnknownRecord): SessionName | undefined {
  if (record['type'] !== 'session/title' || !isRecord(record['data'])) return undefined;
  return nameOf(record, record['data']['title']);
}

/** The words of a human prompt; injected context in the user role is none. format/events.md §5. */
export function promptOf(record: UnknownRecord): SessionName | undefined {
  const { type, data } = record;
  if ((type !== 'user/message' && type !== 'steering/message') || !isRecord(data)) return undefined;
  const message = isRecord(data['message']) ? data['message'] : data;
  if (!isRecord(message['source']) || message['source']['kind'] !== 'user') return undefined;
  return nameOf(record, promptLine(message['content'], MAX_TITLE_UNITS));
}

/** The label a subagent child was started under. */
export function subagentLabelOf(record: UnknownRecord): string | undefined {
  if (record['type'] !== 'subagent/descriptor' || !isRecord(record['data'])) return undefined;
  return nonEmptyLine(record['data']['label']);
}

const MODEL_ACTIVITY: ReadonlySet<unknown> = new Set([
  'assistant/message',
  'assistant/attempt',
  'assistant/chunk',
  'tool/call',
  'tool/result',
  'command/run',
]);

/**
 * When the last human or model act of a line happened, epoch ms: prompts, answers, calls and commands. A lifecycle marker is none, nor are
 * injected context and settings.
 */
export function activityOf(record: UnknownRecord): number | undefined {
  const { type, time } = record;
  if (type === 'user/message' || type === 'steering/message')
    return promptSource(record) === 'user' ? wholeNumber(time) : undefined;
  if (MODEL_ACTIVITY.has(type)) return wholeNumber(time);
  if (type !== 'text-chunks' && type !== 'reasoning-chunks' && type !== 'tool-call-chunks') return undefined;
  const data = record['data'];
  let last = wholeNumber(record['time0']);
  if (last === undefined || !isRecord(data) || !Array.isArray(data['dt'])) return last;
  for (const gap of data['dt'] as unknown[]) last += wholeNumber(gap) ?? 0;
  return last;
}

/** The number of the turn a line belongs to; turns count from 1, so the latest one is their count. */
export function turnOf(record: UnknownRecord): number | undefined {
  const { type, data } = record;
  if (typeof type !== 'string' || !isRecord(data) || !/^(turn|step|assistant|tool)\/|-chunks$/.test(type)) return undefined;
  const turn = wholeNumber(data['turn']);
  return turn !== undefined && turn > 0 ? turn : undefined;
}

/** The seq of the event that marks the end of an inherited part. format/on-disk.md §7. */
export function markerOf(record: UnknownRecord): number | undefined {
  const { type, data, seq } = record;
  if (type !== 'session/end-seed' || !isRecord(data) || data['inherited'] !== true) return undefined;
  return wholeNumber(seq);
}

/** Whether a line takes messages out of the context: a compaction or a prune; a new system prompt is neither. format/surface.md §7. */
export function shrinksContext({ type, surfaceOp }: { readonly type: unknown; readonly surfaceOp?: unknown }): boolean {
  return isRecord(surfaceOp) && type !== 'system/message';
}

function promptSource(record: UnknownRecord): unknown {
  const data = record['data'];
  if (!isRecord(data)) return undefined;
  const message = isRecord(data['message']) ? data['message'] : data;
  return isRecord(message['source']) ? message['source']['kind'] : undefined;
}

function nameOf({ seq }: UnknownRecord, value: unknown): SessionName | undefined {
  const line = nonEmptyLine(value);
  return line === undefined ? undefined : { text: line, seq: wholeNumber(seq) };
}

function nonEmptyLine(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = plainLine(value, MAX_TITLE_UNITS);
  return line === '' ? undefined : line;
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}
