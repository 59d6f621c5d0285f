import { normaliseEvent, type StoredEvent } from '../core/index.ts';
import { entryOf, fields, NONE, TimelineBuilder, type Timeline } from '../timeline/index.ts';
import type { LogOpener, OpenLog } from './open-log.ts';

/** One complete reading of a log: the open log, its timeline, and where its lines begin. */
export class LoadedLog {
  readonly generation: number;
  readonly log: OpenLog;
  readonly timeline: Timeline;
  /** First seq of every readable event line, ascending. */
  readonly lineSeqs: Uint32Array;
  /** What is told of the log stops before this seq; Infinity: all of it is told. The tables are of the whole log all the same. */
  readonly until: number;
  readonly #attemptsOfStep: Uint32Array;

  constructor(
    generation: number,
    log: OpenLog,
    timeline: Timeline,
    lineSeqs: Uint32Array,
    { until = Infinity, attemptsOfStep = firstAttempts(timeline) } = {},
  ) {
    this.generation = generation;
    this.log = log;
    this.timeline = timeline;
    this.lineSeqs = lineSeqs;
    this.until = until;
    this.#attemptsOfStep = attemptsOfStep;
  }

  /** The same reading, telling only of the events before a seq. */
  asOf(until: number): LoadedLog {
    return new LoadedLog(this.generation, this.log, this.timeline, this.lineSeqs, {
      until,
      attemptsOfStep: this.#attemptsOfStep,
    });
  }

  /** Where the log was cut, as far as it is told of, and in which format. */
  get cut(): { readonly inheritedEventCount: number; readonly version: number } {
    const { version } = this;
    const { inheritedEventCount } = this.log;
    if (version < 2 || inheritedEventCount < this.until) return { inheritedEventCount, version };
    const { seq } = this.timeline.tables.dividers.columns; // from format 2 on the last one that is marked is the cut
    for (let i = lowerBound(seq, this.until) - 1; i >= 0; i--) {
      const at = seq[i] ?? NONE;
      if (fields(this.event(at)?.data)['inherited'] === true) return { inheritedEventCount: at, version };
    }
    return { inheritedEventCount: 0, version };
  }

  get version(): number {
    return this.log.version ?? 0;
  }

  /** The event in today's shape, undefined where there is none. */
  event(seq: number): StoredEvent | undefined {
    return seq < this.log.eventCount && seq < this.until ? this.log.viewAt(seq) : undefined;
  }

  /** The event of an entry's other half. */
  pairOf(entry: number): StoredEvent | undefined {
    const { pair, seq } = this.timeline.tables.entries.columns;
    const other = pair[entry] ?? NONE;
    return other === NONE ? undefined : this.event(seq[other] ?? NONE);
  }

  entryAt(seq: number): number {
    return entryOf(this.timeline.tables.entries, seq);
  }

  /** Indexes of a step's attempts: from, to (exclusive). */
  attemptsOf(step: number): { readonly from: number; readonly to: number } {
    const from = this.#attemptsOfStep[step] ?? NONE;
    if (from === NONE) return { from: 0, to: 0 };
    const { length, columns } = this.timeline.tables.attempts;
    let to = from;
    while (to < length && columns.step[to] === step && (columns.seq[to] ?? NONE) < this.until) to++;
    return { from, to };
  }

  /** Whether the lifecycle of an event has ended, so that what it left open will never be closed. format/fork-resume.md §3. */
  isOver(seq: number): boolean {
    const { seq: dividers } = this.timeline.tables.dividers.columns;
    const known = lowerBound(dividers, this.until);
    return known > 0 && seq < (dividers[known - 1] ?? 0);
  }

  /** Latest seq of an ascending list that is below `end`. */
  latestBefore(seqs: Uint32Array, end: number): number {
    const at = lowerBound(seqs, Math.min(end, this.until));
    return at === 0 ? NONE : (seqs[at - 1] ?? NONE);
  }
}

/** Number of values below `value` in an ascending list. */
export function lowerBound(ascending: Uint32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAttempts(timeline: Timeline): Uint32Array {
  const first = new Uint32Array(timeline.tables.steps.length).fill(NONE);
  const { step } = timeline.tables.attempts.columns;
  for (let i = step.length - 1; i >= 0; i--) {
    const s = step[i] ?? NONE;
    if (s !== NONE) first[s] = i;
  }
  return first;
}

/** Longest time, ms, that others wait while a log is read. */
const STRETCH_MS = 8;

/** Reads a log and builds its timeline in the same pass. Rejects only where the opener does. */
export async function loadLog(path: string, generation: number, open: LogOpener, signal?: AbortSignal): Promise<LoadedLog> {
  let builder: TimelineBuilder | undefined;
  let lineSeqs = new Uint32Array(1024);
  let lines = 0;
  let since = performance.now();
  const log = await open(path, {
    // What is asked of the reading before is answered while this one is made.
    pause: async () => {
      if (performance.now() - since < STRETCH_MS) return;
      await new Promise(setImmediate);
      since = performance.now();
    },
    visit: ({ seq0, version, record }) => {
      builder ??= new TimelineBuilder({ version, view: (event) => normaliseEvent(event, version) });
      builder.add(record);
      if (lines === lineSeqs.length) {
        const larger = new Uint32Array(lines * 2);
        larger.set(lineSeqs);
        lineSeqs = larger;
      }
      lineSeqs[lines++] = seq0;
    },
    ...(signal ? { signal } : {}),
  });
  builder ??= new TimelineBuilder({ version: log.version ?? 0 });
  const findings: number[] = [];
  for (const { seq } of log.damage) if (seq !== undefined) findings.push(seq);
  const timeline = builder.finish({
    eventCount: log.eventCount,
    inheritedEventCount: log.inheritedEventCount,
    uncommittedEvents: log.uncommittedEvents,
    refusedFrom: log.refusal === undefined ? undefined : (log.refusal.seq ?? 0),
    unforkableFrom: unforkableFrom(log),
    findings,
    nodeState: (seq) => log.nodeState(seq),
  });
  return new LoadedLog(generation, log, timeline, lineSeqs.slice(0, lines));
}

/** Where forking ends for a reason other than an open turn; from there on every seq is refused (api.md "Fork legality"). */
function unforkableFrom(log: OpenLog): number {
  let low = 0;
  let high = log.eventCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    const answer = log.forkBoundary(middle);
    if (!answer.legal && answer.code === 'UNREADABLE') high = middle;
    else low = middle + 1;
  }
  return low;
}
