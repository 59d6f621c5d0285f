/** Which requests there are and what each contained, answered from the tables alone (format/surface.md §5). */
import { ENTRY_FLAG, NONE, type TimelineTables } from '../../src/timeline/index.ts';

export interface RequestRef {
  /** Row of the attempts table. */
  readonly attempt: number;
  /** What settled it: where a link to it leads. */
  readonly seq: number;
}

/**
 * Where the request of an answer or of a step ends, by the seq that stands for it in list and lanes: the request is the fold of the events
 * before. A step stands for its last attempt, and without any for all it holds.
 */
export function requestEndsBySeq(tables: TimelineTables): Map<number, number> {
  const { attempts, steps, entries } = tables;
  const ends = new Map<number, number>();
  for (let i = 0; i < steps.length; i++) ends.set(steps.columns.firstSeq[i]!, steps.columns.lastSeq[i]! + 1);
  for (let i = 0; i < attempts.length; i++) {
    const { step, seq, entry, requestEnd } = attempts.columns;
    if (step[i] !== NONE) ends.set(steps.columns.firstSeq[step[i]!]!, requestEnd[i]!);
    if (seq[i] !== NONE) ends.set(seq[i]!, requestEnd[i]!);
    if (entry[i]! < entries.length) ends.set(entries.columns.seq[entry[i]!]!, requestEnd[i]!);
  }
  return ends;
}

/** Whether an entry's node was on the surface when a request that ends at a seq was put together. */
export function wasInRequest({ entries }: TimelineTables, entry: number, requestEnd: number): boolean {
  const { seq, shadowedBy, flags } = entries.columns;
  if (!isNode(flags[entry]!) || seq[entry]! >= requestEnd) return false;
  return shadowedBy[entry] === NONE || shadowedBy[entry]! >= requestEnd;
}

/** The requests that contained an entry's node, in order, at most `most`; and how many there are. `until`: of those answered before a seq. */
export function requestsWith(
  tables: TimelineTables,
  entry: number,
  most: number,
  until = Infinity,
): { readonly requests: readonly RequestRef[]; readonly count: number } {
  const { seq, requestEnd } = tables.attempts.columns;
  const requests: RequestRef[] = [];
  let count = 0;
  for (let i = 0; i < tables.attempts.length; i++) {
    if (!wasInRequest(tables, entry, requestEnd[i]!) || seq[i]! >= until) continue;
    count++;
    if (requests.length < most) requests.push({ attempt: i, seq: seq[i]! });
  }
  return { requests, count };
}

const isNode = (flag: number): boolean =>
  (flag & ENTRY_FLAG.surface) !== 0 && (flag & (ENTRY_FLAG.invalid | ENTRY_FLAG.refused)) === 0;
