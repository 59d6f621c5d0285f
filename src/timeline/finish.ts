import type { TimelineBuilder } from './build.ts';
import type { CitationTable } from './citations.ts';
import { GrowingTable } from './growing.ts';
import { DIVIDER, ENTRY_FLAG, MARK, NONE, TABLES, type TableOf, type TimelineStrings, type TimelineTables } from './tables.ts';

/** What only the whole log tells. */
export interface LogFacts {
  readonly eventCount: number;
  readonly inheritedEventCount: number;
  /** Trailing events recovered from a torn tail. */
  readonly uncommittedEvents: number;
  /** First seq that stops deriving; undefined = none. */
  readonly refusedFrom: number | undefined;
  /** First seq at which no fork is possible for reasons other than an open turn; `eventCount` = none. */
  readonly unforkableFrom: number;
  /** Seqs that some damage names. */
  readonly findings: readonly number[];
  /** State of a surface event at the end of the log, from the one fold. */
  readonly nodeState: (seq: number) => 'current' | 'log-only' | { readonly shadowedBy: number };
}

/** Sums of one side of the cut; one figure per attempt, failed attempts included. */
export interface UsageSums {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  readonly attempts: number;
}

/** Facts for the worker, not for drawing. Seqs ascend. */
export interface TimelineIndex {
  readonly headers: Uint32Array; //     request/header
  readonly contexts: Uint32Array; //    request/context
  readonly requestEnds: Uint32Array; // per attempt: how many events its request had seen
  readonly citations: CitationTable;
  readonly titleSeq: number; //         latest session/title with words, NONE
  readonly promptSeq: number; //        first human prompt with words or files, NONE
}

export interface Timeline {
  readonly version: number;
  readonly tables: TimelineTables;
  readonly strings: TimelineStrings;
  readonly index: TimelineIndex;
  readonly usage: { readonly own: UsageSums; readonly inherited: UsageSums };
  readonly time: { readonly first: number; readonly last: number } | undefined;
  readonly lastActivity: number | undefined;
  readonly contextWindow: number | undefined;
}

/** Closes what is open, asks the fold, and cuts every table to size. */
export function finishTimeline(b: TimelineBuilder, facts: LogFacts): Timeline {
  const lastEndSeed = b.endSeeds.length === 0 ? 0 : (b.endSeeds.columns.seq[b.endSeeds.length - 1] ?? 0);
  b.attempts.finish(lastEndSeed);
  b.spans.finish(b.entries.rows.length, lastEndSeed);
  const { table: calls, moved } = b.calls.finish(lastEndSeed, b.last.time);
  const shadowed = foldStates(b, facts);
  const entries = b.entries.rows.finish();
  flagFindings(entries, facts.findings);
  const turns = b.spans.turns.finish();
  const steps = b.spans.steps.finish();
  headDurations(entries, turns, steps);
  countCalls(turns, steps, calls);
  const attempts = b.attempts.rows.finish();
  const tables: TimelineTables = {
    entries,
    turns,
    steps,
    attempts,
    calls,
    ...b.compactions.finish(shadowed.nodes, shadowed.by),
    dividers: dividers(b, facts),
    marks: marks(b, entries, facts.findings),
    context: b.context.finish(),
    boundaries: boundaries(b, facts),
    children: b.children.finish(moved),
  };
  const { first, last, activity } = b.time;
  return {
    version: b.version,
    tables,
    strings: { types: b.entries.types, names: b.names, children: b.children.ids },
    index: {
      headers: b.headers.finish().columns.seq,
      contexts: b.contexts.finish().columns.seq,
      requestEnds: attempts.columns.requestEnd,
      citations: b.citations.finish(),
      titleSeq: b.titleSeq,
      promptSeq: b.promptSeq,
    },
    usage: usage(attempts, facts.inheritedEventCount),
    time: first <= last ? { first, last } : undefined,
    lastActivity: activity === -Infinity ? undefined : activity,
    contextWindow: b.window === 0 ? undefined : b.window,
  };
}

function foldStates(b: TimelineBuilder, facts: LogFacts): { nodes: number[]; by: number[] } {
  const nodes: number[] = [];
  const by: number[] = [];
  const { seq, flags, shadowedBy } = b.entries.rows.columns;
  const refusedFrom = facts.refusedFrom ?? Infinity;
  const uncommittedFrom = facts.eventCount - facts.uncommittedEvents;
  for (let i = 0; i < b.entries.rows.length; i++) {
    const at = seq[i] ?? 0;
    let f = flags[i] ?? 0;
    if (at < facts.inheritedEventCount) f |= ENTRY_FLAG.inherited;
    if (at >= uncommittedFrom) f |= ENTRY_FLAG.uncommitted;
    if (at >= refusedFrom) f |= ENTRY_FLAG.refused;
    else if (f & ENTRY_FLAG.surface) {
      const state = facts.nodeState(at);
      if (state === 'log-only') f = (f & ~ENTRY_FLAG.surface) | ENTRY_FLAG.invalid;
      else if (state !== 'current') {
        shadowedBy[i] = state.shadowedBy;
        nodes.push(at);
        by.push(state.shadowedBy);
      }
    }
    flags[i] = f;
  }
  return { nodes, by };
}

/** Index of the entry holding a seq, NONE past the end. */
export function entryOf(entries: TableOf<'entries'>, seq: number): number {
  const { seq: first, count } = entries.columns;
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const from = first[middle] ?? 0;
    if (seq < from) high = middle - 1;
    else if (seq >= from + (count[middle] ?? 1)) low = middle + 1;
    else return middle;
  }
  return NONE;
}

function flagFindings(entries: TableOf<'entries'>, findings: readonly number[]): void {
  for (const seq of findings) {
    const entry = entryOf(entries, seq);
    if (entry !== NONE) entries.columns.flags[entry] = (entries.columns.flags[entry] ?? 0) | ENTRY_FLAG.finding;
  }
}

function headDurations(entries: TableOf<'entries'>, turns: TableOf<'turns'>, steps: TableOf<'steps'>): void {
  for (const { length, columns } of [turns, steps]) {
    for (let i = 0; i < length; i++) {
      const entry = columns.firstEntry[i] ?? NONE;
      if (((entries.columns.flags[entry] ?? 0) & ENTRY_FLAG.headOf) === 0) continue;
      entries.columns.duration[entry] = (columns.end[i] ?? NaN) - (columns.start[i] ?? NaN);
    }
  }
}

function countCalls(turns: TableOf<'turns'>, steps: TableOf<'steps'>, calls: TableOf<'calls'>): void {
  for (let i = 0; i < calls.length; i++) {
    if (calls.columns.parent[i] !== NONE) continue;
    const turn = steps.columns.turn[calls.columns.step[i] ?? NONE];
    if (turn !== undefined) turns.columns.calls[turn] = (turns.columns.calls[turn] ?? 0) + 1;
  }
}

function dividers(b: TimelineBuilder, facts: LogFacts): TableOf<'dividers'> {
  const rows = new GrowingTable(TABLES.dividers);
  const add = (seq: number, time: number, kind: number): void => {
    const i = rows.push();
    rows.columns.seq[i] = seq;
    rows.columns.time[i] = time;
    rows.columns.kind[i] = kind;
  };
  const cut = facts.inheritedEventCount;
  let open = cut > 0;
  for (let i = 0; i < b.endSeeds.length; i++) {
    const seq = b.endSeeds.columns.seq[i] ?? 0;
    const time = b.endSeeds.columns.time[i] ?? NaN;
    if (open && seq >= cut) {
      // The end-seed at the cut is the cut; a v0 seed whose prefix ended in one has it just before.
      open = false;
      add(cut, seq === cut ? time : timeAt(b, cut), DIVIDER.cut);
      if (seq === cut) continue;
    }
    add(seq, time, DIVIDER.lifecycle);
  }
  if (open) add(cut, timeAt(b, cut), DIVIDER.cut);
  return rows.finish();
}

/** Time of the event at a seq, or of the last one when the log ends before it. */
function timeAt(b: TimelineBuilder, seq: number): number {
  const { seq: seqs, time } = b.entries.rows.columns;
  for (let i = 0; i < b.entries.rows.length; i++) if ((seqs[i] ?? 0) >= seq) return time[i] ?? NaN;
  return b.last.time;
}

function marks(b: TimelineBuilder, entries: TableOf<'entries'>, findings: readonly number[]): TableOf<'marks'> {
  for (const seq of findings) {
    const entry = entryOf(entries, seq);
    if (entry === NONE) continue;
    const i = b.marks.push();
    b.marks.columns.seq[i] = seq;
    b.marks.columns.entry[i] = entry;
    b.marks.columns.time[i] = entries.columns.time[entry] ?? NaN;
    b.marks.columns.kind[i] = MARK.damage;
  }
  const order = Uint32Array.from({ length: b.marks.length }, (_, i) => i);
  const { seq } = b.marks.columns;
  order.sort((x, y) => (seq[x] ?? 0) - (seq[y] ?? 0) || x - y);
  return b.marks.finish(order);
}

/** Fork points that need no closers (format/fork-resume.md §2), up to where forks end altogether. */
function boundaries(b: TimelineBuilder, facts: LogFacts): TableOf<'boundaries'> {
  const limit = Math.min(facts.unforkableFrom, facts.eventCount);
  const rows = new GrowingTable(TABLES.boundaries);
  const add = (first: number, last: number): void => {
    if (first > last) return;
    const i = rows.push();
    rows.columns.first[i] = first;
    rows.columns.last[i] = last;
  };
  const { first, last } = b.boundaries.columns;
  for (let i = 0; i < b.boundaries.length; i++) add(first[i] ?? 0, Math.min(last[i] ?? 0, limit - 1));
  if (b.boundaryFrom !== NONE) add(b.boundaryFrom, limit - 1);
  return rows.finish();
}

function usage(attempts: TableOf<'attempts'>, cut: number): Timeline['usage'] {
  const sum = (from: (seq: number) => boolean): UsageSums => {
    const total = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, attempts: 0 };
    const c = attempts.columns;
    for (let i = 0; i < attempts.length; i++) {
      if (!c.hasUsage[i] || !from(c.seq[i] ?? 0)) continue;
      total.input += c.input[i] ?? 0;
      total.cacheRead += c.cacheRead[i] ?? 0;
      total.cacheWrite += c.cacheWrite[i] ?? 0;
      total.output += c.output[i] ?? 0;
      total.reasoning += c.reasoning[i] ?? 0;
      total.attempts++;
    }
    return total;
  };
  return { own: sum((seq) => seq >= cut), inherited: sum((seq) => seq < cut) };
}
