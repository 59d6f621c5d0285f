/** Looking up places of a log from its tables. */
import { NONE, type TimelineTables } from '../../src/timeline/index.ts';

/** A stretch of an axis in its values. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** Row of the calls table for each entry, call and result alike; NONE. */
export function callsByEntry(tables: TimelineTables): Uint32Array<ArrayBuffer> {
  const { entries, calls } = tables;
  const callOf = new Uint32Array(entries.length).fill(NONE);
  for (let i = 0; i < calls.length; i++) {
    const entry = calls.columns.entry[i]!;
    if (entry >= entries.length) continue;
    callOf[entry] = i;
    const result = entries.columns.pair[entry]!;
    if (result < entries.length && callOf[result] === NONE) callOf[result] = i;
  }
  return callOf;
}

/** The stretch of events that lies in a stretch of time, and the other way round, so that switching the axis keeps the place. */
export function seqPlace(tables: TimelineTables, seen: Place): Place | undefined {
  const { time, seq, count } = tables.entries.columns;
  let first = -1;
  let last = -1;
  for (let i = 0; i < tables.entries.length; i++) {
    if (time[i]! < seen.from || time[i]! > seen.to) continue;
    if (first < 0) first = i;
    last = i;
  }
  return first < 0 ? undefined : { from: seq[first]!, to: seq[last]! + count[last]! };
}

export function timePlace(tables: TimelineTables, seen: Place): Place | undefined {
  const { time, seq, duration } = tables.entries.columns;
  let from = Infinity;
  let to = -Infinity;
  for (let i = 0; i < tables.entries.length; i++) {
    if (seq[i]! < Math.floor(seen.from) || seq[i]! >= seen.to) continue;
    from = Math.min(from, time[i]!);
    to = Math.max(to, time[i]! + (duration[i]! > 0 ? duration[i]! : 0));
  }
  return from < to ? { from, to } : undefined;
}
