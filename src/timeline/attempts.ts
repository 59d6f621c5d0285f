import { GrowingTable } from './growing.ts';
import type { StreamFacts } from './stream-facts.ts';
import { NONE, OUTCOME, TABLES } from './tables.ts';
import type { Usage } from './usage.ts';

/** One chunk, or the chunks of one packed line. */
export interface ChunkRun {
  readonly seq: number;
  readonly time: number; // of the first
  readonly end: number; //  of the last
  readonly content: boolean; // carries content, not only usage or finish
  readonly usage: Usage | undefined;
  readonly finish: string | undefined;
}

/**
 * Model attempts. In v0/v1 a run of chunks of one step is an attempt, settled by its message or by whatever ends it
 * (format/migrations.md §2); from v2 on a message or an attempt event carries its stream.
 * Usage: chunks, else message in v0/v1; message, else stream from v2 on; one figure per attempt (format/open-questions.md 16).
 */
export class Attempts {
  readonly rows = new GrowingTable(TABLES.attempts);
  #pending = NONE;
  #pendingFinish: string | undefined;
  #pendingEnd = NaN;
  #step = NONE; // of the latest attempt
  #number = 0; //  of the latest attempt in that step
  #dispatch = NaN;
  readonly #unsettled: (attempt: number) => void;

  /** `unsettled` hears of every run of chunks that ended without an answer. */
  constructor(unsettled: (attempt: number) => void) {
    this.#unsettled = unsettled;
  }

  /** An event after which a request of the open step may be sent: its start, its header, input, a retry that begins. */
  dispatchable(time: number): void {
    this.#dispatch = time;
  }

  /** Index of the attempt these chunks belong to. */
  chunks(step: number, run: ChunkRun, entry: number): number {
    if (this.#pending !== NONE && (this.#step !== step || this.#pendingFinish !== undefined)) this.closePending();
    if (this.#pending === NONE) {
      this.#pending = this.#open(step, run.seq, run.time, entry, run.time);
      this.#pendingFinish = undefined;
    }
    const i = this.#pending;
    const c = this.rows.columns;
    if (run.content && Number.isNaN(c.firstToken[i] ?? NaN)) this.#firstToken(i, run.time);
    if (run.usage) this.#usage(i, run.usage);
    this.#pendingFinish = run.finish ?? this.#pendingFinish;
    this.#pendingEnd = run.end;
    return i;
  }

  /** The step's answer: settles pending chunks, or is an attempt of its own. */
  message(step: number, seq: number, time: number, entry: number, facts: MessageFacts): number {
    let i = this.#pending;
    const fromChunks = i !== NONE && this.#step === step;
    if (!fromChunks) {
      this.closePending();
      i = this.#open(step, seq, facts.stream.firstToken, entry, time);
      this.#firstToken(i, facts.stream.firstToken);
    }
    const c = this.rows.columns;
    c.seq[i] = seq;
    c.entry[i] = entry;
    c.end[i] = time;
    if (!fromChunks || c.hasUsage[i] === 0) this.#usage(i, facts.usage ?? facts.stream.usage);
    const finish = this.#pendingFinish ?? facts.stream.finish;
    c.outcome[i] = facts.interrupted ? OUTCOME.interrupted : finish === 'max-tokens' ? OUTCOME.maxTokens : OUTCOME.completed;
    this.#pending = NONE;
    this.#pendingFinish = undefined;
    return i;
  }

  /** A stream that never became a message (v2+). */
  discarded(step: number, seq: number, time: number, entry: number, stream: StreamFacts): number {
    this.closePending();
    const i = this.#open(step, seq, stream.firstToken, entry, time);
    this.#firstToken(i, stream.firstToken);
    this.#usage(i, stream.usage);
    this.rows.columns.end[i] = time;
    this.rows.columns.outcome[i] = unsettledOutcome(stream.finish);
    return i;
  }

  /** A retry is scheduled: whatever the step tried last has failed. */
  retried(step: number): void {
    this.closePending();
    const i = this.rows.length - 1;
    const c = this.rows.columns;
    if (i >= 0 && c.step[i] === step && c.outcome[i] === OUTCOME.interrupted) c.outcome[i] = OUTCOME.error;
  }

  /** Chunks that nothing will settle any more. */
  closePending(): void {
    const i = this.#pending;
    if (i === NONE) return;
    this.rows.columns.end[i] = this.#pendingEnd;
    this.rows.columns.outcome[i] = unsettledOutcome(this.#pendingFinish);
    this.#pending = NONE;
    this.#pendingFinish = undefined;
    this.#unsettled(i);
  }

  /** Outcome of the step's last attempt, undefined when it made none. */
  lastOutcome(step: number): number | undefined {
    return this.#step === step && this.#number > 0 ? this.rows.columns.outcome[this.rows.length - 1] : undefined;
  }

  /** At the end of the log: chunks of an ended lifecycle are abandoned, others are still arriving. */
  finish(lastEndSeed: number): void {
    const i = this.#pending;
    if (i === NONE) return;
    const c = this.rows.columns;
    const abandoned = (c.seq[i] ?? 0) < lastEndSeed;
    if (this.#pendingFinish !== undefined || abandoned) {
      this.closePending();
      if (abandoned) c.outcome[i] = OUTCOME.abandoned;
      return;
    }
    c.end[i] = NaN;
    c.outcome[i] = OUTCOME.open;
  }

  /** `settled`: where it begins when neither a dispatch nor a chunk tells. */
  #open(step: number, seq: number, firstTime: number, entry: number, settled: number): number {
    this.#number = step === this.#step ? this.#number + 1 : 1;
    this.#step = step;
    const i = this.rows.push();
    const c = this.rows.columns;
    c.step[i] = step;
    c.number[i] = this.#number;
    c.seq[i] = seq;
    c.entry[i] = entry;
    c.requestEnd[i] = seq;
    // The wall clock may jump, and from v2 on an event between dispatch and answer is stored before the answer's stream.
    const start = firstTime < this.#dispatch || Number.isNaN(this.#dispatch) ? firstTime : this.#dispatch;
    c.start[i] = Number.isNaN(start) ? settled : start;
    c.firstToken[i] = NaN;
    c.end[i] = NaN;
    return i;
  }

  #firstToken(i: number, time: number): void {
    this.rows.columns.firstToken[i] = time;
  }

  #usage(i: number, usage: Usage | undefined): void {
    if (!usage) return;
    const c = this.rows.columns;
    c.hasUsage[i] = 1;
    c.input[i] = usage.input;
    c.cacheRead[i] = usage.cacheRead;
    c.cacheWrite[i] = usage.cacheWrite;
    c.output[i] = usage.output;
    c.reasoning[i] = usage.reasoning;
  }
}

export interface MessageFacts {
  readonly usage: Usage | undefined;
  readonly interrupted: boolean;
  readonly stream: StreamFacts;
}

function unsettledOutcome(finish: string | undefined): number {
  return finish === 'error' ? OUTCOME.error : OUTCOME.interrupted;
}
