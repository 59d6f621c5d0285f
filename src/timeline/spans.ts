import { GrowingTable } from './growing.ts';
import { NONE, OUTCOME, TABLES } from './tables.ts';

/** Where the last event before the current one stood; spans that nobody closed end there. */
export interface LastEvent {
  seq: number;
  time: number;
}

/** `turn/end` reasons as outcomes. format/events.md §4; unknown kinds are `other`. */
export function turnOutcome(kind: string | undefined): number {
  switch (kind) {
    case 'completed':
      return OUTCOME.completed;
    case 'error':
      return OUTCOME.error;
    case 'aborted':
      return OUTCOME.aborted;
    case 'interrupted':
      return OUTCOME.interrupted;
    case 'max-tokens':
      return OUTCOME.maxTokens;
    case 'blocked':
      return OUTCOME.blocked;
    case 'forked':
      return OUTCOME.forked;
    default:
      return OUTCOME.other;
  }
}

/**
 * Turns and steps. A turn or step whose start is missing is implied by the first event that names it; one that nobody
 * closed before the next began is abandoned and ends with its last event.
 */
export class Spans {
  readonly turns = new GrowingTable(TABLES.turns);
  readonly steps = new GrowingTable(TABLES.steps);
  /** Indexes of what is open, NONE. */
  turn = NONE;
  step = NONE;
  readonly #last: LastEvent;
  #highestTurn = 0;
  #highestStep = 0;

  constructor(last: LastEvent) {
    this.#last = last;
  }

  startTurn(number: number | undefined, seq: number, time: number, entry: number): void {
    this.#abandonTurn(entry);
    const i = this.turns.push();
    const c = this.turns.columns;
    c.number[i] = number ?? this.#highestTurn + 1;
    this.#highestTurn = Math.max(this.#highestTurn, c.number[i] ?? 0);
    this.#highestStep = 0;
    c.firstSeq[i] = seq;
    c.lastSeq[i] = seq;
    c.start[i] = this.#known(time);
    c.end[i] = NaN;
    c.firstEntry[i] = entry;
    c.endEntry[i] = entry + 1;
    c.firstStep[i] = this.steps.length;
    c.endStep[i] = this.steps.length;
    this.turn = i;
  }

  /** Index of the turn closed, NONE when the end belongs to no turn we know. */
  endTurn(number: number | undefined, outcome: number, seq: number, time: number, entry: number): number {
    if (this.turn === NONE) {
      if (number === undefined || number <= this.#highestTurn) return NONE;
      this.startTurn(number, seq, time, entry);
    }
    this.#closeStep(outcome === OUTCOME.completed ? OUTCOME.abandoned : outcome, entry, this.#last.seq, this.#last.time);
    const i = this.turn;
    this.#closeTurn(outcome, entry + 1, seq, this.#known(time));
    return i;
  }

  startStep(turn: number | undefined, number: number | undefined, seq: number, time: number, entry: number): void {
    this.#ensureTurn(turn, seq, time, entry);
    if (this.turn === NONE) return;
    this.#closeStep(OUTCOME.abandoned, entry, this.#last.seq, this.#last.time);
    this.#openStep(number ?? this.#highestStep + 1, seq, time, entry);
  }

  /** Index of the step closed, NONE when none was open. */
  endStep(outcome: number, seq: number, time: number, entry: number): number {
    const i = this.step;
    this.#closeStep(outcome, entry + 1, seq, this.#known(time));
    return i;
  }

  /** Makes sure the step an event names is open, implying turn and step where the log lacks their starts. */
  ensure(turn: number | undefined, step: number | undefined, seq: number, time: number, entry: number): void {
    this.#ensureTurn(turn, seq, time, entry);
    if (this.turn === NONE || step === undefined || step <= this.#highestStep) return;
    if (turn !== this.turns.columns.number[this.turn]) return;
    this.#closeStep(OUTCOME.abandoned, entry, this.#last.seq, this.#last.time);
    this.#openStep(step, seq, time, entry);
  }

  /** Settles what is still open at the end of the log. */
  finish(entries: number, lastEndSeed: number): void {
    const { seq, time } = this.#last;
    const outcome = (first: number | undefined): number => ((first ?? 0) < lastEndSeed ? OUTCOME.abandoned : OUTCOME.open);
    if (this.step !== NONE) {
      const state = outcome(this.steps.columns.firstSeq[this.step]);
      this.#closeStep(state, entries, seq, state === OUTCOME.open ? NaN : time);
    }
    if (this.turn !== NONE) {
      const state = outcome(this.turns.columns.firstSeq[this.turn]);
      this.#closeTurn(state, entries, seq, state === OUTCOME.open ? NaN : time);
    }
  }

  /** An edge whose own time is unusable stands where the event before it does. */
  #known(time: number): number {
    return Number.isNaN(time) ? this.#last.time : time;
  }

  #ensureTurn(number: number | undefined, seq: number, time: number, entry: number): void {
    if (number !== undefined && number > this.#highestTurn) this.startTurn(number, seq, time, entry);
  }

  #openStep(number: number, seq: number, time: number, entry: number): void {
    const i = this.steps.push();
    const c = this.steps.columns;
    c.turn[i] = this.turn;
    c.number[i] = number;
    c.firstSeq[i] = seq;
    c.lastSeq[i] = seq;
    c.start[i] = this.#known(time);
    c.end[i] = NaN;
    c.firstEntry[i] = entry;
    c.endEntry[i] = entry + 1;
    this.#highestStep = Math.max(this.#highestStep, number);
    this.step = i;
    this.turns.columns.endStep[this.turn] = this.steps.length;
  }

  #closeStep(outcome: number, endEntry: number, seq: number, time: number): void {
    if (this.step === NONE) return;
    const c = this.steps.columns;
    c.lastSeq[this.step] = seq;
    c.end[this.step] = time;
    c.endEntry[this.step] = endEntry;
    c.outcome[this.step] = outcome;
    this.step = NONE;
  }

  #closeTurn(outcome: number, endEntry: number, seq: number, time: number): void {
    if (this.turn === NONE) return;
    const c = this.turns.columns;
    c.lastSeq[this.turn] = seq;
    c.end[this.turn] = time;
    c.endEntry[this.turn] = endEntry;
    c.outcome[this.turn] = outcome;
    this.turn = NONE;
  }

  #abandonTurn(entry: number): void {
    this.#closeStep(OUTCOME.abandoned, entry, this.#last.seq, this.#last.time);
    this.#closeTurn(OUTCOME.abandoned, entry, this.#last.seq, this.#last.time);
  }
}
