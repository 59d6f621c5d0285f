import type { CompareMethods, RemovedMessage, ReplacementInfo } from '../protocol/index.ts';
import { messageOf, NONE } from '../timeline/index.ts';
import { rowText } from './labels/row-text.ts';
import { textLength } from './labels/words.ts';
import type { LoadedLog } from './loaded.ts';

const MOST_REPLACEMENTS = 1000;
const MOST_MESSAGES = 2000;
const WORDS = 120;

/** Row of the replacement a replacing event made, NONE. */
export function replacementAt(loaded: LoadedLog, seq: number): number {
  const { length, columns } = loaded.timeline.tables.replacements;
  for (let i = 0; i < length; i++) if (columns.seq[i] === seq) return i;
  return NONE;
}

/** Seqs of the nodes a replacement removed, as they stood in the model's order: a checkpoint comes before what it left standing. */
export function shadowedBy(loaded: LoadedLog, replacement: number): readonly number[] {
  const { replacements, shadowedSeqs } = loaded.timeline.tables;
  const { from, to, seq } = replacements.columns;
  const shadowed = new Set(shadowedSeqs.columns.seq.subarray(from[replacement] ?? 0, to[replacement] ?? 0));
  const replacing = seq[replacement] ?? 0;
  return replacing === 0 ? [] : loaded.log.surfaceNodes(replacing - 1).filter((node) => shadowed.has(node));
}

/**
 * All replacements, the latest {@link MOST_REPLACEMENTS}; with a seq, the one that event belongs to: the replacing event, the
 * record before it, its compaction's start, summary or end, or a message it removed.
 */
export function replacementsOf(loaded: LoadedLog, seq: number | undefined): ReturnType<CompareMethods['replacements']> {
  const { length } = loaded.timeline.tables.replacements;
  if (seq !== undefined) {
    const found = owner(loaded, seq);
    return { replacements: found === NONE ? [] : [infoOf(loaded, found)] };
  }
  const replacements: ReplacementInfo[] = [];
  for (let i = Math.max(0, length - MOST_REPLACEMENTS); i < length; i++) replacements.push(infoOf(loaded, i));
  return { replacements };
}

function owner(loaded: LoadedLog, seq: number): number {
  const own = replacementAt(loaded, seq);
  if (own !== NONE) return own;
  const { compactions, entries } = loaded.timeline.tables;
  const { startSeq, summarySeq, endSeq, replacement } = compactions.columns;
  for (let i = 0; i < compactions.length; i++) {
    if (seq === startSeq[i] || seq === summarySeq[i] || seq === endSeq[i]) return replacement[i] ?? NONE;
  }
  if (loaded.event(seq)?.type === 'compaction/prune') return replacementAt(loaded, seq + 1); // format/surface.md §7
  const entry = loaded.entryAt(seq);
  const by = entry === NONE ? NONE : (entries.columns.shadowedBy[entry] ?? NONE);
  return by === NONE ? NONE : replacementAt(loaded, by);
}

function infoOf(loaded: LoadedLog, i: number): ReplacementInfo {
  const { seq, kind, from, to, firstSeq, lastSeq, tokensBefore } = loaded.timeline.tables.replacements.columns;
  const before = tokensBefore[i] ?? NaN;
  return {
    seq: seq[i] ?? 0,
    kind: kind[i] ?? 0,
    messages: (to[i] ?? 0) - (from[i] ?? 0),
    firstSeq: firstSeq[i] ?? 0,
    lastSeq: lastSeq[i] ?? 0,
    tokensBefore: Number.isNaN(before) ? undefined : before,
  };
}

/** The messages a replacement took out, each with its length. */
export function removedBy(loaded: LoadedLog, seq: number): ReturnType<CompareMethods['removed']> {
  const replacement = replacementAt(loaded, seq);
  const seqs = replacement === NONE ? [] : shadowedBy(loaded, replacement);
  const messages: RemovedMessage[] = [];
  for (const node of seqs) {
    if (messages.length === MOST_MESSAGES) break;
    const event = loaded.event(node);
    if (!event) continue; // not readable any more
    const { title, detail } = rowText(event, { pair: loaded.pairOf(loaded.entryAt(node)) });
    const characters = textLength(messageOf(event.type, event.data)['content']);
    messages.push({ seq: node, title, words: typeof detail === 'string' ? detail.slice(0, WORDS) : (detail ?? ''), characters });
  }
  return { total: seqs.length, messages };
}
