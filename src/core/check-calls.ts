import { recordOf, shown, type OrderContext, type OrderPart } from './check-rules.ts';
import { rawMessageOf } from './derive.ts';
import type { StoredEvent } from './events.ts';
import { isRecord, type UnknownRecord } from './json.ts';
import { isNotStarted, repairNumber } from './migrations/repair-ids.ts';
import { INTERRUPTED_NOT_STARTED } from './repair.ts';
import { text } from './text.ts';

interface Call {
  readonly name: unknown;
  readonly arguments: unknown;
  started: boolean;
}

/** Tool calls: advertised by an answer, started once, answered once, all within their step. format/events.md §7. */
export class CallOrder implements OrderPart {
  readonly #context: OrderContext;
  readonly #pending = new Map<string, Call>();

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    switch (event.type) {
      case 'assistant/message':
        this.#advertise(event);
        return;
      case 'tool/call':
        this.#start(event, data);
        return;
      case 'tool/result':
        if (event.surfaceOp === 'append') this.#settle(event);
        return;
      case 'step/end':
        this.#close(event, 'step-end-open-calls');
        return;
      case 'turn/end':
        this.#close(event, 'turn-end-open-calls');
        return;
      case 'turn/start':
        this.#pending.clear();
        return;
    }
  }

  #advertise(event: StoredEvent): void {
    const content = rawMessageOf(event)?.['content'];
    if (!Array.isArray(content)) return;
    for (const block of content as unknown[]) {
      if (!isRecord(block) || block['type'] !== 'tool-call' || typeof block['id'] !== 'string') continue;
      const { id } = block;
      const { seq } = event;
      if (this.#pending.has(id)) {
        this.#context.report(
          'call-id-reused',
          seq,
          text('The answer at #{seq} uses the call id {id}, which is still pending', { seq, id }),
        );
      }
      this.#pending.set(id, { name: block['name'], arguments: block['arguments'], started: false });
    }
  }

  #start(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    const id = shown(data['callId']);
    const call = this.#pending.get(id);
    if (call === undefined) {
      report(
        'call-not-advertised',
        seq,
        text('The call {id} starts at #{seq}, but no answer of its step asks for it', { seq, id }),
      );
      return;
    }
    if (call.started) report('call-started-twice', seq, text('The call {id} starts a second time at #{seq}', { seq, id }));
    if (call.name !== data['name'] || call.arguments !== data['arguments']) {
      report(
        'call-differs',
        seq,
        text('The call {id} starts at #{seq} with another name or other arguments than the answer gave', { seq, id }),
      );
    }
    call.started = true;
  }

  #settle(event: StoredEvent): void {
    const { report } = this.#context;
    const { seq } = event;
    const id = shown(recordOf(rawMessageOf(event)?.['source'])['callId']);
    const call = this.#pending.get(id);
    if (call === undefined) {
      report(
        'result-without-call',
        seq,
        text('The result at #{seq} answers the call {id}, which no answer of its step asks for', { seq, id }),
      );
      return;
    }
    this.#pending.delete(id);
    if (!call.started && !isExactRepair(event, id, this.#context.version)) {
      report('result-not-started', seq, text('The result at #{seq} answers the call {id}, which never started', { seq, id }));
    }
  }

  #close(event: StoredEvent, rule: 'step-end-open-calls' | 'turn-end-open-calls'): void {
    const count = this.#pending.size;
    const { type, seq } = event;
    if (count > 0)
      this.#context.report(rule, seq, text('{type} at #{seq} leaves {count} tool calls without a result', { type, seq, count }));
    this.#pending.clear();
  }
}

/**
 * Whether an appended result is the exact repair of a call that never started. v4 compares the sentence byte by byte and ties the id of
 * a forked one to its own seq. format/fork-resume.md §4.
 */
function isExactRepair(event: StoredEvent, callId: string, version: number): boolean {
  const error = recordOf(recordOf(event.data)['error']);
  const message = rawMessageOf(event);
  if (!isNotStarted(event) || error['name'] !== 'ToolNotStartedError' || message === undefined) return false;
  const { id, content } = message;
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const body = version >= 4 ? message : recordOf(blocks[0]);
  if (body['isError'] !== true) return false;
  if (repairNumber(id, 'forked', callId) !== undefined) return version < 4 || repairNumber(id, 'forked', callId) === event.seq;
  if (repairNumber(id, 'interrupted', callId) === undefined) return false;
  if (version < 4) return true;
  const only: unknown = blocks.length === 1 ? blocks[0] : undefined;
  return isRecord(only) && only['type'] === 'text' && only['text'] === INTERRUPTED_NOT_STARTED;
}
