/** What the context menu acts on, for any seq: its group when it is a head, its call, or the event alone. */
import { ENTRY_FLAG, NONE, REPLACEMENT, type TimelineTables } from '../../src/timeline/index.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { menuContext } from './context-menu.ts';

export function turnMenu(tables: TimelineTables, turn: number): string {
  const { firstSeq, lastSeq, number } = tables.turns.columns;
  return menuContext({ webviewSection: 'turn', seq: lastSeq[turn]!, from: firstSeq[turn]!, turn: number[turn]! });
}

export function stepMenu(tables: TimelineTables, step: number): string {
  const { firstSeq, lastSeq, number, turn } = tables.steps.columns;
  return menuContext({
    webviewSection: 'step',
    seq: lastSeq[step]!,
    from: firstSeq[step]!,
    turn: tables.turns.columns.number[turn[step]!]!,
    step: number[step]!,
    attempt: lastAttempt(tables, step),
  });
}

/** The last attempt of a step is the one whose request counts. */
function lastAttempt(tables: TimelineTables, step: number): number {
  const { step: of, number } = tables.attempts.columns;
  let last = 1;
  for (let i = 0; i < tables.attempts.length; i++) if (of[i] === step) last = Math.max(last, number[i]!);
  return last;
}

export function entryMenu(tables: TimelineTables, entry: number): string {
  const { seq, count, turn, step, pair, flags } = tables.entries.columns;
  const turnIndex = turn[entry]!;
  const stepIndex = step[entry]!;
  if ((flags[entry]! & ENTRY_FLAG.headOf) !== 0) {
    if (stepIndex !== NONE) return stepMenu(tables, stepIndex);
    if (turnIndex !== NONE) return turnMenu(tables, turnIndex);
  }
  const own = seq[entry]! + Math.max(1, count[entry]!) - 1;
  const paired = pair[entry]!;
  const isCall = paired !== NONE && paired > entry;
  const { attempts } = tables;
  const attempt = attempts.columns.entry.indexOf(entry);
  return menuContext({
    webviewSection: isCall ? 'call' : 'event',
    // A call is forked after its last event (decisions.md "Fork target").
    seq: isCall ? seq[paired]! : own,
    from: seq[entry]!,
    ...(turnIndex === NONE ? {} : { turn: tables.turns.columns.number[turnIndex]! }),
    ...(stepIndex === NONE ? {} : { step: tables.steps.columns.number[stepIndex]! }),
    // What an attempt came to, a discarded one too, stands for its own request; any other event for the one of its step that counts.
    ...(attempt < 0 ? {} : { attempt: attempts.columns.number[attempt]! }),
    ...(replacementOf(tables, entry) === NONE ? {} : { replaces: true as const }),
  });
}

/** Seq of the replacement of the compaction or prune an entry belongs to, where that took something out of the context; NONE. */
export function replacementOf({ entries, compactions, replacements }: TimelineTables, entry: number): number {
  const { seq: replacing, kind } = replacements.columns;
  const own = entries.columns.seq[entry]!;
  const at = replacing.indexOf(own);
  if (at >= 0) return kind[at] === REPLACEMENT.system ? NONE : own; // a new system prompt is no compaction
  // The record of a prune stands right before what it makes. format/surface.md §7.
  const after = replacing.indexOf(own + 1);
  if (after >= 0 && kind[after] === REPLACEMENT.prune) return own + 1;
  const { startSeq, summarySeq, endSeq, replacement } = compactions.columns;
  for (let i = 0; i < compactions.length; i++) {
    if (own !== startSeq[i] && own !== summarySeq[i] && own !== endSeq[i]) continue;
    return replacement[i] === NONE ? NONE : replacing[replacement[i]!]!;
  }
  return NONE;
}

export function menuOfSeq(tables: TimelineTables, seq: number): string | undefined {
  const entry = entryOfSeq(tables.entries, seq);
  return entry === NONE ? undefined : entryMenu(tables, entry);
}
