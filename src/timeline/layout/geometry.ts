/** Everything a canvas paints, placed on one axis. Rebuilt when the axis or the tables change, never while painting. */
import { DIVIDER, ENTRY_FLAG, NONE, OUTCOME, type TimelineTables } from '../tables.ts';
import { collapsedTimeAxis, mergeIntervals, plainTimeAxis, seqAxis, toUnit, type Axis, type AxisKind } from './axis.ts';
import { entryOfSeq } from './rows.ts';
import { indexSpans, type SpanIndex } from './spans.ts';

export interface Geometry {
  readonly axis: Axis;
  readonly turns: SpanIndex;
  readonly steps: SpanIndex;
  readonly attempts: SpanIndex;
  /** Unit of the first token of each attempt, by table row; NaN unknown. */
  readonly firstToken: Float64Array;
  readonly calls: SpanIndex;
  /** Rows are entry indexes of surface events. */
  readonly surface: SpanIndex;
  readonly marks: SpanIndex;
  readonly context: SpanIndex;
  readonly dividers: SpanIndex;
  /** Row of the cut in dividers, NONE. */
  readonly cut: number;
  /** Ordinary fork boundaries: first seq of each run. */
  readonly boundaries: SpanIndex;
  /** Rows of calls: lanes in use. */
  readonly callLanes: number;
  /** Child sessions from their announcement to the end of the call they run under; stacked so that none overlap. */
  readonly agents: SpanIndex;
  /** Stacked lane of each child, by table row, and how many lanes that takes. */
  readonly agentLane: Uint16Array;
  readonly agentLanes: number;
}

export interface GeometryOptions {
  readonly kind: AxisKind;
  readonly collapseIdle: boolean;
  readonly eventCount: number;
  readonly time: { readonly first: number; readonly last: number } | undefined;
}

function buildAxis(tables: TimelineTables, options: GeometryOptions): Axis {
  if (options.kind === 'seq' || !options.time) return seqAxis(options.eventCount);
  const { first, last } = options.time;
  if (!options.collapseIdle) return plainTimeAxis(first, last);
  const { entries, attempts, calls } = tables;
  const count = entries.length + attempts.length + calls.length;
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < entries.length; i++, at++) {
    starts[at] = entries.columns.time[i]!;
    ends[at] = starts[at]! + (entries.columns.duration[i]! > 0 ? entries.columns.duration[i]! : 0);
  }
  for (const spans of [attempts, calls]) {
    for (let i = 0; i < spans.length; i++, at++) {
      starts[at] = spans.columns.start[i]!;
      ends[at] = spans.columns.end[i]!;
    }
  }
  return collapsedTimeAxis(first, last, mergeIntervals(starts, ends));
}

export function buildGeometry(tables: TimelineTables, options: GeometryOptions): Geometry {
  const axis = buildAxis(tables, options);
  const placer = axis.kind === 'time' ? timePlacer(tables, axis, options.time!.last) : seqPlacer(tables, options.eventCount);
  const { entries, marks, context, dividers, boundaries } = tables;
  const surfaceRows = surfaceEntries(tables);
  const timeOfSeq = (seq: number): number => {
    const entry = entryOfSeq(entries, seq);
    return entry === NONE ? NaN : toUnit(axis, entries.columns.time[entry]!);
  };
  const points = (length: number, seq: Uint32Array, time: Float64Array | undefined): SpanIndex => {
    const at = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      at[i] = axis.kind === 'seq' ? seq[i]! : time ? toUnit(axis, time[i]!) : timeOfSeq(seq[i]!);
    }
    return indexSpans(at, at);
  };
  let cut: number = NONE;
  for (let i = 0; i < dividers.length; i++) if (dividers.columns.kind[i] === DIVIDER.cut) cut = i;
  let callLanes = 0;
  for (let i = 0; i < tables.calls.length; i++) callLanes = Math.max(callLanes, tables.calls.columns.lane[i]! + 1);
  return {
    axis,
    ...placer,
    surface: surfaceSpans(tables, axis, surfaceRows),
    marks: points(marks.length, marks.columns.seq, marks.columns.time),
    context: points(context.length, context.columns.seq, context.columns.time),
    dividers: points(dividers.length, dividers.columns.seq, dividers.columns.time),
    cut,
    boundaries: points(boundaries.length, boundaries.columns.first, undefined),
    callLanes,
    ...agentSpans(tables, axis, placer.calls),
  };
}

function agentSpans(tables: TimelineTables, axis: Axis, calls: SpanIndex): Pick<Geometry, 'agents' | 'agentLane' | 'agentLanes'> {
  const { seq, time, call } = tables.children.columns;
  const callEnd = new Float64Array(tables.calls.length).fill(NaN);
  for (let i = 0; i < calls.row.length; i++) callEnd[calls.row[i]!] = calls.end[i]!;
  const start = new Float64Array(tables.children.length);
  const end = new Float64Array(tables.children.length);
  for (let i = 0; i < start.length; i++) {
    start[i] = axis.kind === 'seq' ? seq[i]! : toUnit(axis, time[i]!);
    const under = call[i] === NONE ? NaN : callEnd[call[i]!]!;
    end[i] = under > start[i]! ? under : start[i]!;
  }
  const agents = indexSpans(start, end);
  return { agents, ...stackSpans(agents, start.length) };
}

/** First free lane for each span in order of start. An instant takes one unit. */
function stackSpans(spans: SpanIndex, rows: number): Pick<Geometry, 'agentLane' | 'agentLanes'> {
  const agentLane = new Uint16Array(rows);
  const free: number[] = [];
  for (let i = 0; i < spans.start.length; i++) {
    let lane = free.findIndex((until) => until <= spans.start[i]!);
    if (lane < 0) lane = free.length;
    free[lane] = Math.max(spans.end[i]!, spans.start[i]! + 1);
    agentLane[spans.row[i]!] = lane;
  }
  return { agentLane, agentLanes: free.length };
}

function surfaceEntries(tables: TimelineTables): Uint32Array {
  const { flags } = tables.entries.columns;
  const rows = new Uint32Array(tables.entries.length);
  let length = 0;
  for (let i = 0; i < tables.entries.length; i++) if ((flags[i]! & ENTRY_FLAG.surface) !== 0) rows[length++] = i;
  return rows.slice(0, length);
}

function surfaceSpans(tables: TimelineTables, axis: Axis, rows: Uint32Array): SpanIndex {
  const { seq, count, time } = tables.entries.columns;
  const start = new Float64Array(rows.length);
  const end = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const entry = rows[i]!;
    start[i] = axis.kind === 'seq' ? seq[entry]! : toUnit(axis, time[entry]!);
    end[i] = axis.kind === 'seq' ? start[i]! + count[entry]! : start[i]!;
  }
  return indexSpans(start, end, rows);
}

type Placed = Pick<Geometry, 'turns' | 'steps' | 'attempts' | 'firstToken' | 'calls'>;

/** Spans by their times; what is unfinished reaches to the end of its step or turn, or of the log. */
function timePlacer(tables: TimelineTables, axis: Axis, last: number): Placed {
  const { turns, steps, attempts, calls } = tables;
  const openEnd = (outcome: number, from: number, limit: number): number =>
    outcome === OUTCOME.open ? Math.max(from, limit) : from;
  const place = (
    table: { length: number; columns: { start: Float64Array; end: Float64Array; outcome: Uint8Array } },
    limitOf: (row: number) => number,
  ): SpanIndex => {
    const start = new Float64Array(table.length);
    const end = new Float64Array(table.length);
    for (let i = 0; i < table.length; i++) {
      const from = table.columns.start[i]!;
      const to = table.columns.end[i]!;
      start[i] = toUnit(axis, from);
      end[i] = toUnit(axis, Number.isNaN(to) ? openEnd(table.columns.outcome[i]!, from, limitOf(i)) : to);
    }
    return indexSpans(start, end);
  };
  const turnEnd = (turn: number): number => {
    const end = turn === NONE ? NaN : turns.columns.end[turn]!;
    if (!Number.isNaN(end)) return end;
    const next = turn === NONE || turn + 1 >= turns.length ? NaN : turns.columns.start[turn + 1]!;
    return Number.isNaN(next) ? last : next;
  };
  const stepEnd = (step: number): number => {
    if (step === NONE) return last;
    const end = steps.columns.end[step]!;
    return Number.isNaN(end) ? turnEnd(steps.columns.turn[step]!) : end;
  };
  const firstToken = new Float64Array(attempts.length);
  for (let i = 0; i < attempts.length; i++) firstToken[i] = toUnit(axis, attempts.columns.firstToken[i]!);
  return {
    turns: place(turns, turnEnd),
    steps: place(steps, (step) => turnEnd(steps.columns.turn[step]!)),
    attempts: place(attempts, (attempt) => stepEnd(attempts.columns.step[attempt]!)),
    firstToken,
    calls: place(calls, (call) => stepEnd(calls.columns.step[call]!)),
  };
}

/** Spans by the events they reach over, both ends included. */
function seqPlacer(tables: TimelineTables, eventCount: number): Placed {
  const { entries, turns, steps, attempts, calls } = tables;
  const range = (length: number, bounds: (row: number) => readonly [number, number]): SpanIndex => {
    const start = new Float64Array(length);
    const end = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      const [from, to] = bounds(i);
      start[i] = from;
      end[i] = Math.min(eventCount, to + 1);
    }
    return indexSpans(start, end);
  };
  const groups = (table: { columns: { firstSeq: Uint32Array; lastSeq: Uint32Array } }) => (row: number) =>
    [table.columns.firstSeq[row]!, table.columns.lastSeq[row]!] as const;
  const attemptRange = (row: number): readonly [number, number] => {
    const settled = attempts.columns.seq[row]!;
    const entry = attempts.columns.entry[row]!;
    if (entry === NONE || entry >= entries.length) return settled === NONE ? [NaN, NaN] : [settled, settled];
    const first = entries.columns.seq[entry]!;
    const last = first + Math.max(1, entries.columns.count[entry]!) - 1;
    return settled === NONE ? [first, last] : [Math.min(first, settled), Math.max(last, settled)];
  };
  return {
    turns: range(turns.length, groups(turns)),
    steps: range(steps.length, groups(steps)),
    attempts: range(attempts.length, attemptRange),
    firstToken: new Float64Array(attempts.length).fill(NaN),
    calls: range(calls.length, (row) => {
      const seq = calls.columns.seq[row]!;
      const result = calls.columns.result[row]!;
      return [seq, result === NONE ? seq : Math.max(seq, result)];
    }),
  };
}
