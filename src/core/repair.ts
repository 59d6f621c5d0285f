import { dialectOf } from './dialects/dialect.ts';
import type { SessionEvent, StepAddress, StoredEvent, ToolError } from './events.ts';
import { isRecord, numberOf, wordOf } from './json.ts';
import type { Block, Message } from './messages.ts';

export type CloserCause = 'interrupted' | 'forked';

/** v4 compares this sentence byte by byte: it is part of the format. format/fork-resume.md §4. */
export const INTERRUPTED_NOT_STARTED =
  'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.';
const INTERRUPTED_STARTED =
  'This tool call had started when the session stopped, and its outcome was never recorded. It may or may not have taken effect. Call it again only if it reads or is safe to repeat; otherwise check the state first.';
const FORKED_NOT_STARTED =
  'This branch begins before the tool call was recorded as started. The parent session may have run it since. Call it again only if it reads or is safe to repeat; otherwise check the state first.';
const FORKED_STARTED =
  'This branch begins while the tool call was running, so its outcome is unknown here; the parent session may have finished it. Call it again only if it reads or is safe to repeat; otherwise check the state first.';

const NOT_STARTED: ToolError = { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' };
const OUTCOME_UNKNOWN: ToolError = { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' };

interface PendingCall {
  readonly step: number;
  /** Seq of its `tool/call`, when it started. */
  started: number | undefined;
}

/** What an open tail leaves unfinished, one event at a time. Payloads are not trusted. */
export class OpenTail {
  turn: number | undefined;
  step: number | undefined;
  readonly #calls = new Map<string, PendingCall>();

  apply(event: StoredEvent): void {
    const data = isRecord(event.data) ? event.data : {};
    switch (event.type) {
      case 'turn/start':
        this.turn = numberOf(data['turn']);
        this.step = undefined;
        this.#calls.clear();
        break;
      case 'turn/end':
        this.turn = undefined;
        this.step = undefined;
        this.#calls.clear();
        break;
      case 'step/start':
        this.step = numberOf(data['step']);
        break;
      case 'step/end':
        this.step = undefined;
        this.#calls.clear();
        break;
      case 'assistant/message':
        this.#advertise(data['message'], numberOf(data['step']));
        break;
      case 'tool/call': {
        const call = this.#calls.get(wordOf(data['callId']));
        if (call !== undefined) call.started = event.seq;
        break;
      }
      case 'tool/result': {
        const source = isRecord(data['message']) ? data['message']['source'] : undefined;
        if (isRecord(source)) this.#calls.delete(wordOf(source['callId']));
        break;
      }
    }
  }

  get calls(): ReadonlyMap<string, Readonly<PendingCall>> {
    return this.#calls;
  }

  #advertise(message: unknown, step: number): void {
    const content = isRecord(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) return;
    for (const block of content as unknown[]) {
      if (!isRecord(block) || block['type'] !== 'tool-call' || typeof block['id'] !== 'string') continue;
      this.#calls.set(block['id'], { step, started: undefined });
    }
  }
}

/**
 * The events that close an open tail: an error result for each pending call, then the step's and the turn's end. Empty when no turn is
 * open. They carry the last event's time and go on with its seq. Nothing is written anywhere. format/fork-resume.md §4.
 */
export function repairClosers(events: readonly SessionEvent[], options: { version: number; cause: CloserCause }): SessionEvent[] {
  const last = events.at(-1);
  if (last === undefined) return [];
  const tail = new OpenTail();
  for (const event of events) tail.apply(event);
  return closersOf(tail, last, options);
}

/** {@link repairClosers} for a tail already followed up to `last`. */
export function closersOf(
  tail: OpenTail,
  last: { readonly seq: number; readonly time: number },
  options: { version: number; cause: CloserCause },
): SessionEvent[] {
  const { turn, step } = tail;
  if (turn === undefined) return [];
  const { cause } = options;
  const { time } = last;
  const closers: SessionEvent[] = [];
  let { seq } = last;
  for (const [callId, call] of tail.calls)
    closers.push(resultOf(callId, call, { turn, step: call.step }, { ...options, seq: ++seq, time }));
  if (step !== undefined) closers.push({ type: 'step/end', seq: ++seq, time, data: { turn, step } });
  closers.push({ type: 'turn/end', seq: seq + 1, time, data: { turn, reason: { kind: cause } } });
  return closers;
}

interface Place {
  readonly version: number;
  readonly cause: CloserCause;
  readonly seq: number;
  readonly time: number;
}

function resultOf(callId: string, call: Readonly<PendingCall>, address: StepAddress, place: Place): SessionEvent<'tool/result'> {
  const { seq, time, cause, version } = place;
  const started = call.started;
  const content: Block[] = [{ type: 'text', text: sentenceOf(cause, started !== undefined) }];
  const id = `${cause}-tool-result-${callId}-${seq}`;
  const source = { kind: 'tool', callId };
  const message: Message =
    dialectOf(version).toolMessage === 'direct'
      ? { id, role: 'tool', toolCallId: callId, isError: true, source, content }
      : { id, role: 'user', source, content: [{ type: 'tool-result', toolCallId: callId, isError: true, content }] };
  const data = { ...address, message, error: started === undefined ? NOT_STARTED : OUTCOME_UNKNOWN };
  const event = { type: 'tool/result', seq, time, data, surfaceOp: 'append' } as const;
  return started === undefined ? event : { ...event, sourceEventSeqs: [started] };
}

function sentenceOf(cause: CloserCause, started: boolean): string {
  if (cause === 'interrupted') return started ? INTERRUPTED_STARTED : INTERRUPTED_NOT_STARTED;
  return started ? FORKED_STARTED : FORKED_NOT_STARTED;
}
