import { ENTRY_FLAG, NONE } from '../timeline/index.ts';
import type { LoadedLog } from './loaded.ts';

/** The last event of the turn, step or call that begins at a seq; of anything else, of its row. decisions.md "Fork target". */
export function spanEnd(loaded: LoadedLog, seq: number): number {
  const { entries, turns, steps } = loaded.timeline.tables;
  const at = loaded.entryAt(seq);
  if (at === NONE) return seq;
  const { columns: e } = entries;
  const [turn, step, pair] = [e.turn[at] ?? NONE, e.step[at] ?? NONE, e.pair[at] ?? NONE];
  if (((e.flags[at] ?? 0) & ENTRY_FLAG.headOf) !== 0) {
    if (step !== NONE) return steps.columns.lastSeq[step] ?? seq;
    if (turn !== NONE) return turns.columns.lastSeq[turn] ?? seq;
  }
  if (pair !== NONE && pair > at) return e.seq[pair] ?? seq;
  return (e.seq[at] ?? seq) + Math.max(1, e.count[at] ?? 1) - 1;
}
