import type { OutlineCall, OutlineStep, OutlineTurn } from '../protocol/index.ts';
import { NONE } from '../timeline/index.ts';
import { rowText } from './labels/row-text.ts';
import { lowerBound, type LoadedLog } from './loaded.ts';
import { entryRow, stepRow, turnRow } from './rows.ts';

const CALLS_PER_STEP = 200;
/** Outline rows a single call answers. */
const PAGE = 1000;

export function outlineTurns(loaded: LoadedLog, from: number, to: number): { total: number; turns: OutlineTurn[] } {
  const { length, columns: t } = loaded.timeline.tables.turns;
  const turns: OutlineTurn[] = [];
  for (let i = from; i < Math.min(to, length, from + PAGE); i++) {
    turns.push({
      index: i,
      number: t.number[i] ?? 0,
      seq: t.firstSeq[i] ?? 0,
      lastSeq: t.lastSeq[i] ?? 0,
      row: turnRow(loaded, i),
      outcome: t.outcome[i] ?? 0,
      start: t.start[i] ?? NaN,
      end: t.end[i] ?? NaN,
      steps: (t.endStep[i] ?? 0) - (t.firstStep[i] ?? 0),
    });
  }
  return { total: length, turns };
}

/** Steps of a turn (by its index), `from` and `to` counted within it. */
export function outlineSteps(loaded: LoadedLog, turn: number, from: number, to: number): { total: number; steps: OutlineStep[] } {
  const t = loaded.timeline.tables.turns.columns;
  const first = t.firstStep[turn] ?? 0;
  const total = (t.endStep[turn] ?? 0) - first;
  const s = loaded.timeline.tables.steps.columns;
  const steps: OutlineStep[] = [];
  for (let k = from; k < Math.min(to, total, from + PAGE); k++) {
    const i = first + k;
    steps.push({
      index: i,
      number: s.number[i] ?? 0,
      seq: s.firstSeq[i] ?? 0,
      lastSeq: s.lastSeq[i] ?? 0,
      row: stepRow(loaded, i),
      outcome: s.outcome[i] ?? 0,
      start: s.start[i] ?? NaN,
      end: s.end[i] ?? NaN,
      ...callsOf(loaded, i),
    });
  }
  return { total, steps };
}

function callsOf(loaded: LoadedLog, step: number): { calls: OutlineCall[]; callCount: number } {
  const c = loaded.timeline.tables.calls.columns;
  const s = loaded.timeline.tables.steps.columns;
  const last = s.lastSeq[step] ?? 0;
  const calls: OutlineCall[] = [];
  let callCount = 0;
  for (let i = lowerBound(c.seq, s.firstSeq[step] ?? 0); i < c.seq.length && (c.seq[i] ?? 0) <= last; i++) {
    if (c.parent[i] !== NONE || c.step[i] !== step) continue;
    callCount++;
    if (calls.length < CALLS_PER_STEP) calls.push(call(loaded, i));
  }
  return { calls, callCount };
}

function call(loaded: LoadedLog, i: number): OutlineCall {
  const c = loaded.timeline.tables.calls.columns;
  const seq = c.seq[i] ?? 0;
  const result = c.result[i] ?? NONE;
  const event = loaded.event(seq);
  // A call that was advertised and never started has no event of its own: its message stands for it.
  const row =
    event?.type === 'assistant/message'
      ? rowText(
          { ...event, type: 'tool/call', data: { name: loaded.timeline.strings.names[c.name[i] ?? 0] } },
          { pair: loaded.event(result), isOver: loaded.isOver(seq) },
        )
      : entryRow(loaded, c.entry[i] ?? NONE);
  return { seq, lastSeq: result === NONE ? seq : result, row, outcome: c.outcome[i] ?? 0 };
}
