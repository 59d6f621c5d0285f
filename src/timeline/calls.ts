import { GrowingTable } from './growing.ts';
import { LanePacker } from './lanes.ts';
import { fields, items, stringOf } from './payload.ts';
import { NONE, OUTCOME, TABLES, type TableOf } from './tables.ts';

interface Advertised {
  readonly seq: number;
  readonly entry: number;
  readonly time: number;
  readonly step: number;
  readonly name: number;
}

/** Where a call starts or ends. */
export interface CallPlace {
  readonly seq: number;
  readonly time: number;
  readonly entry: number;
  readonly step: number;
}

/**
 * Tool calls from start to result, sub-calls under theirs, and the calls a message advertised but nothing ever started.
 * Ids are matched to the latest open call of that id, since broken logs repeat them.
 */
export class Calls {
  readonly #rows = new GrowingTable(TABLES.calls);
  readonly #open = new Map<string, number>();
  readonly #openSub = new Map<string, number>();
  readonly #advertised = new Map<string, Advertised>();
  readonly #abandonedAt = new Map<number, number>(); // row -> seq
  readonly #isAgent: boolean[] = []; // by name
  readonly #names: (name: string) => number;

  /** `names` gives the index of a tool name. */
  constructor(names: (name: string) => number) {
    this.#names = (name) => {
      const id = names(name);
      this.#isAgent[id] ??= /agent|workflow|delegate|task/i.test(name);
      return id;
    };
  }

  /** The tool-call blocks of an assistant message. */
  advertise(content: unknown, place: CallPlace): number {
    let count = 0;
    for (const item of items(content)) {
      const block = fields(item);
      const id = stringOf(block['id']);
      if (block['type'] !== 'tool-call' || id === undefined) continue;
      count++;
      const { seq, time, entry, step } = place;
      this.#advertised.set(id, { seq, time, entry, step, name: this.#names(stringOf(block['name']) ?? '') });
    }
    return count;
  }

  start(callId: string | undefined, name: string | undefined, place: CallPlace): void {
    const row = this.#row(place.seq, place.time, place.entry, place.step, this.#names(name ?? ''));
    if (callId === undefined) return;
    this.#advertised.delete(callId);
    this.#open.set(callId, row);
  }

  /** Row of the call this result settles, NONE where no open call has that id. */
  settle(callId: string | undefined, outcome: number, place: CallPlace): number {
    if (callId === undefined) return NONE;
    let row = this.#open.get(callId) ?? NONE;
    this.#open.delete(callId);
    const never = this.#advertised.get(callId);
    if (row === NONE && never) {
      // It never ran: drawn as an instant where its synthetic or refusing result landed.
      row = this.#row(never.seq, place.time, never.entry, never.step, never.name);
    }
    this.#advertised.delete(callId);
    if (row !== NONE) this.#close(row, outcome, place.seq, place.time);
    return row;
  }

  startSub(ids: SubCallIds, name: string | undefined, place: CallPlace): void {
    const row = this.#row(place.seq, place.time, place.entry, place.step, this.#names(name ?? ''));
    const parent = this.#openSub.get(ids.parent ?? '') ?? this.#open.get(ids.parent ?? '') ?? this.#open.get(ids.root ?? '');
    this.#rows.columns.parent[row] = parent ?? NONE;
    if (ids.sub !== undefined) this.#openSub.set(ids.sub, row);
  }

  settleSub(sub: string | undefined, outcome: number, place: CallPlace): number {
    const row = this.#openSub.get(sub ?? '');
    if (row === undefined) return NONE;
    this.#openSub.delete(sub ?? '');
    this.#close(row, outcome, place.seq, place.time);
    return row;
  }

  /** What a closing turn leaves behind can never be answered: ended there, abandoned. */
  endTurn(seq: number, time: number): void {
    for (const row of this.#open.values()) this.#abandon(row, seq, time);
    for (const row of this.#openSub.values()) this.#abandon(row, seq, time);
    for (const call of this.#advertised.values()) {
      this.#abandon(this.#row(call.seq, call.time, call.entry, call.step, call.name), call.seq, call.time);
    }
    this.#open.clear();
    this.#openSub.clear();
    this.#advertised.clear();
  }

  /** Row of the call most likely to start an agent now: the latest open one that is named like that, else the latest open one. */
  starting(): number {
    let latest = NONE;
    for (const row of this.#open.values()) {
      if (this.#isAgent[this.#rows.columns.name[row] ?? 0]) latest = row;
      else if (latest === NONE || !this.#isAgent[this.#rows.columns.name[latest] ?? 0]) latest = row;
    }
    return latest;
  }

  entryOf(row: number): number {
    return this.#rows.columns.entry[row] ?? NONE;
  }

  startOf(row: number): number {
    return this.#rows.columns.start[row] ?? NaN;
  }

  /**
   * Rows by seq, lanes packed, and where each row so far has moved to. Calls still open at the end of the log stay open
   * unless their lifecycle has ended.
   */
  finish(lastEndSeed: number, lastTime: number): { readonly table: TableOf<'calls'>; readonly moved: Uint32Array } {
    for (const call of this.#advertised.values()) this.#row(call.seq, call.time, call.entry, call.step, call.name);
    const c = this.#rows.columns;
    for (let i = 0; i < this.#rows.length; i++) {
      if (c.outcome[i] !== OUTCOME.open || (c.seq[i] ?? 0) >= lastEndSeed) continue;
      this.#abandon(i, lastEndSeed, lastTime);
    }
    const order = Uint32Array.from({ length: this.#rows.length }, (_, i) => i);
    order.sort((a, b) => (c.seq[a] ?? 0) - (c.seq[b] ?? 0) || a - b);
    const table = this.#rows.finish(order);
    const moved = new Uint32Array(order.length);
    for (let i = 0; i < order.length; i++) moved[order[i] ?? 0] = i;
    const lanes = new LanePacker();
    const { seq, result, start, end, lane, parent } = table.columns;
    for (let i = 0; i < table.length; i++) {
      const p = parent[i] ?? NONE;
      if (p !== NONE) parent[i] = moved[p] ?? NONE;
      const until = end[i] ?? NaN;
      lane[i] = lanes.add({
        seq: seq[i] ?? 0,
        endSeq: result[i] !== NONE ? (result[i] ?? 0) : (this.#abandonedAt.get(order[i] ?? 0) ?? Infinity),
        start: orZero(start[i]),
        end: Number.isNaN(until) ? Infinity : until,
      });
    }
    return { table, moved };
  }

  #row(seq: number, time: number, entry: number, step: number, name: number): number {
    const i = this.#rows.push();
    const c = this.#rows.columns;
    c.seq[i] = seq;
    c.result[i] = NONE;
    c.entry[i] = entry;
    c.step[i] = step;
    c.name[i] = name;
    c.start[i] = time;
    c.end[i] = NaN;
    c.parent[i] = NONE;
    return i;
  }

  #abandon(row: number, seq: number, time: number): void {
    this.#abandonedAt.set(row, seq);
    this.#close(row, OUTCOME.abandoned, NONE, time);
  }

  #close(row: number, outcome: number, result: number, time: number): void {
    const c = this.#rows.columns;
    c.result[row] = result;
    c.end[row] = time;
    c.outcome[row] = outcome;
  }
}

export interface SubCallIds {
  readonly root: string | undefined;
  readonly parent: string | undefined;
  readonly sub: string | undefined;
}

function orZero(time: number | undefined): number {
  return time === undefined || Number.isNaN(time) ? 0 : time;
}

/** Outcome of a result: the two repair codes mean that it never came. format/fork-resume.md §4. */
export function resultOutcome(isError: boolean, code: string | undefined): number {
  if (code === 'TOOL_OUTCOME_UNKNOWN' || code === 'TOOL_NOT_STARTED') return OUTCOME.interrupted;
  return isError ? OUTCOME.error : OUTCOME.completed;
}
