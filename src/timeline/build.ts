import { isPackedRow, plainLine, promptLine, wordOf, type PackedChunkRow, type StoredEvent } from '../core/index.ts';
import { Attempts } from './attempts.ts';
import { Calls, resultOutcome, type CallPlace } from './calls.ts';
import { Children } from './children.ts';
import { Citations } from './citations.ts';
import { Compactions } from './compactions.ts';
import { Entries } from './entries.ts';
import { finishTimeline, type LogFacts, type Timeline } from './finish.ts';
import { GrowingTable } from './growing.ts';
import {
  countOf,
  fields,
  isHuman,
  messageOf,
  packedEnd,
  packedMembers,
  stringOf,
  timeOf,
  toolOutcomeOf,
  type Fields,
} from './payload.ts';
import { Spans, turnOutcome } from './spans.ts';
import { streamFacts } from './stream-facts.ts';
import { ENTRY_FLAG, LONGEST_NAME, MARK, NONE, OUTCOME, TABLES } from './tables.ts';
import { usageOf } from './usage.ts';

export interface BuilderOptions {
  readonly version: number;
  /** Today's view of a legacy event; the identity unless given. */
  readonly view?: (event: StoredEvent) => StoredEvent;
}

/**
 * Builds the tables of a log in one pass: every stored line is handed to `add` in log order, then `finish` takes what
 * only the whole log tells. Nothing in a line is trusted; whatever is missing or twice, the rest is drawn.
 */
export class TimelineBuilder {
  readonly version: number;
  readonly last = { seq: -1, time: NaN };
  readonly entries: Entries;
  readonly marks = new GrowingTable(TABLES.marks);
  readonly context = new GrowingTable(TABLES.context);
  readonly endSeeds = new GrowingTable({ seq: 'u32', time: 'f64' });
  readonly boundaries = new GrowingTable(TABLES.boundaries);
  readonly headers = new GrowingTable({ seq: 'u32' });
  readonly contexts = new GrowingTable({ seq: 'u32' });
  readonly spans = new Spans(this.last);
  readonly attempts = new Attempts((attempt) => this.#unsettled(attempt));
  readonly calls: Calls;
  readonly compactions = new Compactions();
  readonly citations = new Citations();
  readonly names: string[] = [];
  readonly children = new Children();
  readonly time = { first: Infinity, last: -Infinity, activity: -Infinity };
  titleSeq = NONE;
  promptSeq = NONE;
  window = 0;
  /** Where the current run of boundaries that need no closers began, NONE inside a turn. */
  boundaryFrom = 0;

  readonly #view: ((event: StoredEvent) => StoredEvent) | undefined;
  readonly #nameIds = new Map<string, number>();
  #streamAttempt = NONE; // attempt of the last entry when that is a run of chunks
  #stepInterrupted = false; // a call of the open step was settled by a repair

  constructor(options: BuilderOptions) {
    this.version = options.version;
    this.#view = options.view;
    this.entries = new Entries(options.version);
    this.calls = new Calls((called) => {
      const name = called.slice(0, LONGEST_NAME);
      let id = this.#nameIds.get(name);
      if (id === undefined) {
        id = this.names.push(name) - 1;
        this.#nameIds.set(name, id);
      }
      return id;
    });
  }

  /** One stored line: an event, or a packed line of v0/v1, which becomes one entry without being expanded. */
  add(record: StoredEvent | PackedChunkRow): void {
    if (isPackedRow(record))
      this.#packed(record as unknown as Fields); // read field by field
    else this.#event(this.#view ? this.#view(record) : record);
  }

  finish(facts: LogFacts): Timeline {
    return finishTimeline(this, facts);
  }

  #packed(row: Fields): void {
    const data = fields(row['data']);
    const seq = countOf(row['seq0']) ?? this.last.seq + 1;
    const members = packedMembers(row).length;
    if (members === 0) return;
    const time = timeOf(row['time0']);
    const end = packedEnd(row);
    this.#chunks(seq, members, countOf(data['turn']), countOf(data['step']), {
      seq,
      time,
      end,
      content: true,
      usage: undefined,
      finish: undefined,
    });
  }

  #chunk(event: StoredEvent, data: Fields): void {
    const chunk = fields(data['chunk']);
    const kind = chunk['type'];
    const time = timeOf(event.time);
    const usage = kind === 'usage' ? usageOf(chunk['usage']) : undefined;
    const finish = kind === 'finish' ? (stringOf(fields(chunk['reason'])['kind']) ?? '') : undefined;
    const content = kind !== 'usage' && kind !== 'finish';
    this.#chunks(event.seq, 1, countOf(data['turn']), countOf(data['step']), {
      seq: event.seq,
      time,
      end: time,
      content,
      usage,
      finish,
    });
  }

  #chunks(
    seq: number,
    members: number,
    turn: number | undefined,
    step: number | undefined,
    run: Parameters<Attempts['chunks']>[1],
  ): void {
    this.spans.ensure(turn, step, seq, run.time, this.entries.rows.length);
    const attempt = this.attempts.chunks(this.spans.step, run, this.entries.rows.length);
    const previous = this.entries.rows.length - 1;
    if (this.#streamAttempt === attempt && previous >= 0) {
      const c = this.entries.rows.columns;
      c.count[previous] = (c.count[previous] ?? 0) + members;
      c.duration[previous] = run.end - (c.time[previous] ?? NaN);
    } else {
      const entry = this.#entry('assistant/chunk', seq, run.time, ENTRY_FLAG.streamed);
      this.entries.rows.columns.count[entry] = members;
      this.entries.rows.columns.duration[entry] = run.end - run.time;
    }
    this.#streamAttempt = attempt;
    this.#passed(seq + members - 1, run.end, true);
  }

  #event(event: StoredEvent): void {
    const { type, seq } = event;
    const data = fields(event.data);
    if (type === 'assistant/chunk') {
      this.#chunk(event, data);
      return;
    }
    const time = timeOf(event.time);
    const activity =
      this.#structural(event, data, time) || this.#conversation(event, data, time) || this.#other(event, data, time);
    if ((this.entries.rows.columns.flags[this.entries.rows.length - 1] ?? 0) & ENTRY_FLAG.replace)
      this.compactions.replace(type, seq);
    this.citations.add(type, seq, event.sourceEventSeqs, event.data);
    this.#streamAttempt = NONE;
    this.#passed(seq, time, activity === 'activity');
  }

  #structural(event: StoredEvent, data: Fields, time: number): Handled {
    const { spans, attempts, entries } = this;
    const { type, seq } = event;
    const at = entries.rows.length;
    switch (type) {
      case 'turn/start':
        attempts.closePending();
        if (spans.turn !== NONE) this.calls.endTurn(this.last.seq, this.last.time);
        spans.startTurn(countOf(data['turn']), seq, time, at);
        this.#entry(type, seq, time, ENTRY_FLAG.headOf);
        if (this.boundaryFrom !== NONE) this.#boundaries(seq - 1);
        this.boundaryFrom = NONE;
        return 'handled';
      case 'turn/end': {
        attempts.closePending();
        const outcome = turnOutcome(stringOf(fields(data['reason'])['kind']));
        this.#settleLastStep(outcome);
        const entry = this.#entry(type, seq, time, outcome === OUTCOME.error ? ENTRY_FLAG.error : 0);
        const turn = spans.endTurn(countOf(data['turn']), outcome, seq, time, entry);
        entries.rows.columns.turn[entry] = turn;
        entries.rows.columns.step[entry] = NONE;
        this.calls.endTurn(seq, time);
        if (outcome === OUTCOME.error) this.#mark(MARK.error, seq, entry, time);
        if (this.boundaryFrom === NONE) this.boundaryFrom = seq;
        return 'handled';
      }
      case 'step/start':
        attempts.closePending();
        spans.startStep(countOf(data['turn']), countOf(data['step']), seq, time, at);
        attempts.dispatchable(time);
        this.#stepInterrupted = false;
        // A start that opens nothing stays a row of its own.
        this.#entry(
          type,
          seq,
          time,
          spans.step !== NONE && spans.steps.columns.firstEntry[spans.step] === at ? ENTRY_FLAG.headOf : 0,
        );
        return 'handled';
      case 'step/end': {
        attempts.closePending();
        const open = spans.step;
        const outcome = open === NONE ? OUTCOME.completed : this.#stepOutcome(open);
        const entry = this.#entry(type, seq, time, 0);
        spans.endStep(outcome, seq, time, entry);
        return 'handled';
      }
      case 'session/end-seed': {
        this.#entry(type, seq, time, 0);
        this.compactions.abandon(time);
        const i = this.endSeeds.push();
        this.endSeeds.columns.seq[i] = seq;
        this.endSeeds.columns.time[i] = time;
        return 'handled';
      }
      default:
        return '';
    }
  }

  #conversation(event: StoredEvent, data: Fields, time: number): Handled {
    const { spans, attempts } = this;
    const { type, seq } = event;
    const at = this.entries.rows.length;
    const turn = countOf(data['turn']);
    const step = countOf(data['step']);
    switch (type) {
      case 'user/message': {
        const human = isHuman(event.data);
        const appended = event.surfaceOp === undefined || event.surfaceOp === 'append';
        const entry = this.#entry(type, seq, time, surfaceFlags(event) | (human ? ENTRY_FLAG.human : 0));
        attempts.dispatchable(time);
        if (!human || !appended) return 'handled';
        if (this.promptSeq === NONE && promptLine(data['content'], 1) !== '') this.promptSeq = seq;
        this.#mark(MARK.prompt, seq, entry, time);
        return 'activity';
      }
      case 'system/message':
      case 'developer/message':
        this.#entry(type, seq, time, surfaceFlags(event));
        attempts.dispatchable(time);
        return 'handled';
      case 'assistant/message': {
        spans.ensure(turn, step, seq, time, at);
        const interrupted = data['interrupted'] === true;
        const entry = this.#entry(type, seq, time, surfaceFlags(event) | (interrupted ? ENTRY_FLAG.interrupted : 0));
        const attempt = attempts.message(spans.step, seq, time, entry, {
          usage: usageOf(data['usage']),
          interrupted,
          stream: streamFacts(data['stream']),
        });
        this.#contextPoint(attempt, seq, time);
        this.entries.rows.columns.duration[entry] = time - (attempts.rows.columns.start[attempt] ?? NaN);
        this.calls.advertise(messageOf(type, event.data)['content'], this.#place(seq, time, entry));
        return 'activity';
      }
      case 'assistant/attempt': {
        spans.ensure(turn, step, seq, time, at);
        const entry = this.#entry(type, seq, time, ENTRY_FLAG.interrupted);
        const attempt = attempts.discarded(spans.step, seq, time, entry, streamFacts(data['stream']));
        this.entries.rows.columns.duration[entry] = time - (attempts.rows.columns.start[attempt] ?? NaN);
        this.#unsettled(attempt);
        return 'activity';
      }
      case 'tool/call': {
        spans.ensure(turn, step, seq, time, at);
        const entry = this.#entry(type, seq, time, 0);
        this.calls.start(stringOf(data['callId']), stringOf(data['name']), this.#place(seq, time, entry));
        return 'activity';
      }
      case 'tool/result': {
        const flags = surfaceFlags(event);
        const entry = this.#entry(type, seq, time, flags);
        if (flags & ENTRY_FLAG.replace) return 'handled'; // a shortened copy; the call was settled before
        const { callId, isError, errorCode } = toolOutcomeOf(event.data);
        const outcome = resultOutcome(isError, errorCode);
        if (outcome === OUTCOME.interrupted) this.#stepInterrupted = true;
        const row = this.calls.settle(callId, outcome, this.#place(seq, time, entry));
        if (row !== NONE) this.entries.pair(this.calls.entryOf(row), entry, time - this.calls.startOf(row));
        if (isError) this.#error(entry, seq, time);
        return 'activity';
      }
      case 'tool/code-dispatch-start':
      case 'tool/ptc-dispatch-start': {
        const entry = this.#entry(type, seq, time, 0);
        const ids = {
          root: stringOf(data['rootCallId']),
          parent: stringOf(data['parentCallId']),
          sub: stringOf(data['subCallId']),
        };
        this.calls.startSub(ids, stringOf(data['name']), this.#place(seq, time, entry));
        return 'activity';
      }
      case 'tool/code-dispatch':
      case 'tool/ptc-dispatch': {
        const entry = this.#entry(type, seq, time, 0);
        const outcome = resultOutcome(data['isError'] === true, stringOf(fields(data['error'])['code']));
        const row = this.calls.settleSub(stringOf(data['subCallId']), outcome, this.#place(seq, time, entry));
        if (row !== NONE) this.entries.pair(this.calls.entryOf(row), entry, time - this.calls.startOf(row));
        if (outcome === OUTCOME.error) this.#error(entry, seq, time);
        return 'activity';
      }
      default:
        return '';
    }
  }

  #other(event: StoredEvent, data: Fields, time: number): Handled {
    const { type, seq } = event;
    const { entries } = this;
    const entry = this.#entry(type, seq, time, 0);
    switch (type) {
      case 'request/header':
        this.attempts.dispatchable(time);
        this.headers.columns.seq[this.headers.push()] = seq;
        break;
      case 'request/context':
        this.attempts.dispatchable(time);
        this.contexts.columns.seq[this.contexts.push()] = seq;
        this.window = countOf(data['contextWindow']) ?? 0;
        break;
      case 'session/title':
        // One without words does not take the session's name away.
        if (plainLine(stringOf(data['title']) ?? '', 1) !== '') this.titleSeq = seq;
        break;
      case 'image/offload':
        this.attempts.dispatchable(time);
        break;
      case 'compaction/start':
        this.compactions.start(seq, time, this.last.time);
        entries.first('compaction', data['compactionId'], entry);
        break;
      case 'compaction/summary':
        this.compactions.summary(seq, time, data['shadowedTokenCount'], data['usage']);
        break;
      case 'compaction/prune':
        this.compactions.prune(data['shadowedTokenCount']);
        break;
      case 'compaction/end':
        this.compactions.end(seq, time, data['error'] !== undefined);
        entries.second('compaction', data['compactionId'], entry);
        if (data['error'] !== undefined) this.#error(entry, seq, time);
        break;
      case 'llm/retry':
        this.attempts.retried(this.spans.step);
        entries.first('retry', retryKey(data), entry);
        this.#mark(MARK.retry, seq, entry, time);
        break;
      case 'llm/retry-started':
        this.attempts.dispatchable(time);
        entries.second('retry', retryKey(data), entry);
        break;
      case 'approval/asked':
        entries.first('approval', data['id'], entry);
        this.#mark(MARK.approval, seq, entry, time);
        break;
      case 'approval/decided':
        entries.second('approval', data['id'], entry);
        break;
      case 'command/run':
        entries.first('command', data['commandId'], entry);
        return 'activity';
      case 'command/done':
        entries.second('command', data['commandId'], entry);
        if (data['kind'] === 'error') this.#error(entry, seq, time);
        break;
      case 'hook/invoked':
        entries.first('hook', `${wordOf(data['handlerId'])} ${wordOf(data['point'])}`, entry);
        break;
      case 'hook/result':
        entries.second('hook', `${wordOf(data['handlerId'])} ${wordOf(data['point'])}`, entry);
        break;
      case 'subagent/catalog':
      case 'tool-workflow/agent-start':
        this.children.add(stringOf(data['childId']), { seq, entry, call: this.calls.starting(), time });
        break;
      case 'tool-workflow/run-start':
        entries.first('workflow', data['runId'], entry);
        break;
      case 'tool-workflow/run-end':
        entries.second('workflow', data['runId'], entry);
        if (data['stopReason'] === 'error') this.#error(entry, seq, time);
        break;
      default:
    }
    return 'handled';
  }

  #entry(type: string, seq: number, time: number, flags: number): number {
    return this.entries.push(type, seq, time, flags, this.spans);
  }

  /** The event is done with: what comes next stands after it. */
  #passed(seq: number, time: number, activity: boolean): void {
    this.last.seq = seq;
    if (Number.isNaN(time)) return;
    this.last.time = time;
    if (time < this.time.first) this.time.first = time;
    if (time > this.time.last) this.time.last = time;
    if (activity) this.time.activity = Math.max(this.time.activity, time);
  }

  #place(seq: number, time: number, entry: number): CallPlace {
    return { seq, time, entry, step: this.spans.step };
  }

  #stepOutcome(step: number): number {
    const last = this.attempts.lastOutcome(step);
    if (last === undefined) return OUTCOME.completed;
    return last === OUTCOME.completed && this.#stepInterrupted ? OUTCOME.interrupted : last;
  }

  /** A turn that did not end well takes its last step with it, unless that step had answered and run its calls. */
  #settleLastStep(turnEnd: number): void {
    const { spans, attempts } = this;
    const step = spans.steps.length - 1;
    if (turnEnd === OUTCOME.completed || turnEnd === OUTCOME.maxTokens || step < 0 || spans.step !== NONE) return;
    const c = spans.steps.columns;
    if (c.turn[step] !== spans.turn) return;
    if (attempts.lastOutcome(step) === undefined || c.outcome[step] !== OUTCOME.completed) c.outcome[step] = turnEnd;
  }

  /** An attempt ended without an answer: seen on its entry. */
  #unsettled(attempt: number): void {
    const a = this.attempts.rows.columns;
    const entry = a.entry[attempt] ?? NONE;
    const c = this.entries.rows.columns;
    this.entries.flag(entry, ENTRY_FLAG.interrupted);
    if (a.outcome[attempt] === OUTCOME.error) this.#error(entry, c.seq[entry] ?? 0, c.time[entry] ?? NaN);
  }

  #contextPoint(attempt: number, seq: number, time: number): void {
    const a = this.attempts.rows.columns;
    if (!a.hasUsage[attempt]) return;
    const i = this.context.push();
    const c = this.context.columns;
    c.seq[i] = seq;
    c.time[i] = time;
    c.tokens[i] = (a.input[attempt] ?? 0) + (a.cacheRead[attempt] ?? 0) + (a.cacheWrite[attempt] ?? 0) + (a.output[attempt] ?? 0);
    c.window[i] = this.window;
  }

  #boundaries(last: number): void {
    if (last < this.boundaryFrom) return;
    const i = this.boundaries.push();
    this.boundaries.columns.first[i] = this.boundaryFrom;
    this.boundaries.columns.last[i] = last;
  }

  #mark(kind: number, seq: number, entry: number, time: number): void {
    const i = this.marks.push();
    const c = this.marks.columns;
    c.seq[i] = seq;
    c.entry[i] = entry;
    c.time[i] = time;
    c.kind[i] = kind;
  }

  #error(entry: number, seq: number, time: number): void {
    this.entries.flag(entry, ENTRY_FLAG.error);
    this.#mark(MARK.error, seq, entry, time);
  }
}

/** '' = not of this group; `activity` counts as somebody doing something. */
type Handled = '' | 'handled' | 'activity';

function surfaceFlags(event: StoredEvent): number {
  if (event.surfaceOp === undefined) return 0;
  return event.surfaceOp === 'append' ? ENTRY_FLAG.surface : ENTRY_FLAG.surface | ENTRY_FLAG.replace;
}

function retryKey(data: Fields): string {
  return `${wordOf(data['retryId'])} ${wordOf(data['retry'])}`;
}
