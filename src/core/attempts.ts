import { packedCount } from './codec/chunk-rows.ts';
import { dialectOf } from './dialects/dialect.ts';
import type { PackedChunkRow, StoredEvent } from './events.ts';
import { isRecord, numberOf, type UnknownRecord } from './json.ts';
import type { TokenUsage } from './messages.ts';
import { usageOf, usageOfStream } from './usage.ts';

/** One model call of a step: what "request of (turn, step, attempt)" means. format/surface.md §5. */
export interface Attempt {
  readonly turn: number;
  readonly step: number;
  /** From 1 within the step. */
  readonly attempt: number;
  /** The request is what the log held before this seq: the first chunk, the settling event, or the end of an unanswered step. */
  readonly beforeSeq: number;
  /** Seq of the `assistant/message` or `assistant/attempt`; undefined when nothing settled it, as with discarded chunks of v0 and v1. */
  readonly settledSeq: number | undefined;
  readonly outcome: 'answered' | 'discarded' | 'unanswered';
  /** The one figure that counts for this attempt. format/open-questions.md, item 16. */
  readonly usage: TokenUsage | undefined;
  /** Latest request header and route before `beforeSeq`. */
  readonly headerSeq: number | undefined;
  readonly contextSeq: number | undefined;
}

interface Step {
  readonly turn: number;
  readonly step: number;
  /** Whether a `step/start` opened it and nothing has closed it. */
  readonly isOpen: boolean;
  count: number;
  answered: boolean;
}

/** An attempt whose chunks are arriving. */
interface Arriving {
  readonly beforeSeq: number;
  readonly headerSeq: number | undefined;
  readonly contextSeq: number | undefined;
  usage: TokenUsage | undefined;
  finished: boolean;
}

/** Finds the attempts of a log, one event (or packed line) after the other. Payloads are not trusted. */
export class AttemptFold {
  readonly #done: Attempt[] = [];
  readonly #embedded: boolean;
  #step: Step | undefined;
  #arriving: Arriving | undefined;
  #headerSeq: number | undefined;
  #contextSeq: number | undefined;
  #nextSeq = 0;

  constructor(version: number) {
    this.#embedded = dialectOf(version).embeddedStreams;
  }

  /** The attempts so far in log order; a step still waiting for its answer contributes a last, unanswered one. */
  attempts(): readonly Attempt[] {
    const step = this.#step;
    if (step === undefined) return this.#done;
    const waits = this.#arriving !== undefined || (step.isOpen && !step.answered);
    return waits ? [...this.#done, this.#made(step, 'unanswered', undefined, this.#arriving?.usage, this.#nextSeq)] : this.#done;
  }

  applyPacked(row: PackedChunkRow): void {
    this.#chunk(row.data.turn, row.data.step, row.seq0);
    this.#nextSeq = row.seq0 + packedCount(row);
  }

  apply(event: StoredEvent): void {
    this.#nextSeq = event.seq + 1;
    const data = isRecord(event.data) ? event.data : {};
    const turn = numberOf(data['turn']);
    const step = numberOf(data['step']);
    switch (event.type) {
      case 'request/header':
        this.#headerSeq = event.seq;
        break;
      case 'request/context':
        this.#contextSeq = event.seq;
        break;
      case 'step/start':
        this.#leaveStep(event.seq);
        this.#step = { turn, step, isOpen: true, count: 0, answered: false };
        break;
      case 'step/end':
      case 'turn/start':
      case 'turn/end':
        this.#leaveStep(event.seq);
        break;
      case 'llm/retry':
      case 'llm/retry-started':
        this.#discard();
        break;
      case 'assistant/chunk':
        this.#noteChunk(this.#chunk(turn, step, event.seq), data['chunk']);
        break;
      case 'assistant/message':
        this.#settle(event.seq, turn, step, 'answered', data);
        break;
      case 'assistant/attempt':
        this.#settle(event.seq, turn, step, 'discarded', data);
        break;
    }
  }

  /** Chunks of one turn and step form an attempt until something settles it. format/migrations.md §2. */
  #chunk(turn: number, step: number, seq: number): Arriving {
    this.#enter(turn, step);
    if (this.#arriving?.finished === true) this.#discard();
    this.#arriving ??= {
      beforeSeq: seq,
      headerSeq: this.#headerSeq,
      contextSeq: this.#contextSeq,
      usage: undefined,
      finished: false,
    };
    return this.#arriving;
  }

  #noteChunk(arriving: Arriving, chunk: unknown): void {
    if (!isRecord(chunk)) return;
    if (chunk['type'] === 'usage') arriving.usage = usageOf(chunk['usage']) ?? arriving.usage;
    if (chunk['type'] === 'finish') arriving.finished = true;
  }

  #settle(seq: number, turn: number, step: number, outcome: 'answered' | 'discarded', data: UnknownRecord): void {
    const current = this.#enter(turn, step);
    const own = usageOf(data['usage']);
    const streamed = this.#embedded ? usageOfStream(data['stream']) : this.#arriving?.usage;
    const usage = this.#embedded ? (own ?? streamed) : (streamed ?? own);
    this.#push(current, this.#made(current, outcome, seq, usage, seq));
  }

  /** Makes (turn, step) the current step. A log that never opened it still gets its attempts. */
  #enter(turn: number, step: number): Step {
    const current = this.#step;
    if (current?.turn === turn && current.step === step) return current;
    this.#discard();
    const entered: Step = { turn, step, isOpen: false, count: 0, answered: false };
    this.#step = entered;
    return entered;
  }

  #discard(): void {
    if (this.#step === undefined || this.#arriving === undefined) return;
    this.#push(this.#step, this.#made(this.#step, 'discarded', undefined, this.#arriving.usage, this.#nextSeq));
  }

  #leaveStep(seq: number): void {
    this.#discard();
    const step = this.#step;
    if (step?.isOpen === true && step.count === 0) this.#push(step, this.#made(step, 'unanswered', undefined, undefined, seq));
    this.#step = undefined;
  }

  #push(step: Step, attempt: Attempt): void {
    this.#done.push(attempt);
    step.count++;
    step.answered ||= attempt.outcome === 'answered';
    this.#arriving = undefined;
  }

  #made(
    step: Step,
    outcome: Attempt['outcome'],
    settledSeq: number | undefined,
    usage: TokenUsage | undefined,
    limit: number,
  ): Attempt {
    const arriving = this.#arriving;
    return {
      turn: step.turn,
      step: step.step,
      attempt: step.count + 1,
      beforeSeq: arriving?.beforeSeq ?? limit,
      settledSeq,
      outcome,
      usage,
      headerSeq: arriving === undefined ? this.#headerSeq : arriving.headerSeq,
      contextSeq: arriving === undefined ? this.#contextSeq : arriving.contextSeq,
    };
  }
}
