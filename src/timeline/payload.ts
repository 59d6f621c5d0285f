/**
 * Reading payloads nobody has vouched for: a log may hold anything where an object, a list or a number is expected, and a
 * timeline is drawn all the same. Every reader here answers with an empty value instead of throwing.
 */
export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};
const NO_ITEMS: readonly unknown[] = [];

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NO_FIELDS; // an object: any key may be read
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : NO_ITEMS; // members stay unknown
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A time in epoch milliseconds; NaN for what cannot be one, so that no axis has to reach it. format/events.md §1. */
export function timeOf(value: unknown): number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : NaN;
}

const LARGEST_COUNT = 0xffff_fffe; // what a u32 column holds besides NONE

/** A seq, a count, the number of a turn: a non-negative integer that a column can hold. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_COUNT ? value : undefined;
}

/** The message of an event: the payload itself for user messages, its `message` member otherwise. format/events.md §2. */
export function messageOf(type: string, data: unknown): Fields {
  return type === 'user/message' ? fields(data) : fields(fields(data)['message']);
}

/** What a tool/result carries, in the shape of either spelling: one tool-result block (v0–v3) or direct content (v4). */
export interface ToolOutcome {
  readonly callId: string | undefined;
  readonly content: readonly unknown[];
  readonly isError: boolean;
  readonly errorCode: string | undefined;
}

/** format/events.md §5. */
export function toolOutcomeOf(data: unknown): ToolOutcome {
  const message = messageOf('tool/result', data);
  const first = fields(items(message['content'])[0]);
  const wrapped = first['type'] === 'tool-result';
  const error = fields(fields(data)['error']);
  const errorCode = stringOf(error['code']);
  return {
    callId:
      stringOf(fields(message['source'])['callId']) ??
      stringOf(message['toolCallId']) ??
      (wrapped ? stringOf(first['toolCallId']) : undefined),
    content: wrapped ? items(first['content']) : items(message['content']),
    isError: message['isError'] === true || (wrapped && first['isError'] === true) || errorCode !== undefined,
    errorCode,
  };
}

/** Whether a user message is a human's. Everything else in the user role was injected. format/events.md §5. */
export function isHuman(data: unknown): boolean {
  return fields(fields(data)['source'])['kind'] === 'user';
}

/** Members of a packed line: its texts, or the argument pieces of a tool call. format/on-disk.md §6.1. */
export function packedMembers(record: Fields): readonly unknown[] {
  const data = fields(record['data']);
  return record['type'] === 'tool-call-chunks' ? items(data['args']) : items(data['texts']);
}

/** Time of the last member of a packed line. */
export function packedEnd(record: Fields): number {
  let time = timeOf(record['time0']);
  for (const dt of items(fields(record['data'])['dt'])) time += numberOf(dt) ?? 0;
  return time;
}
