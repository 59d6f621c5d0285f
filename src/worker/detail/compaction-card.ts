import { text, type StoredEvent } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { compactCount, durationText, fields, items, NONE, numberOf, type Fields } from '../../timeline/index.ts';
import { failure } from '../labels/outcomes.ts';
import { routeLine } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { contentSections } from './blocks.ts';
import { Facts } from './bounds.ts';
import { linkSection } from './links.ts';

/**
 * Everything about one compaction or prune, whichever of its events was asked for: tokens before and after, model, cost,
 * the whole summary, and the messages that left the context. format/surface.md §7.
 */
export function compactionCard(loaded: LoadedLog, event: StoredEvent): Section[] {
  const place = findReplacement(loaded, event.seq);
  const record =
    loaded.event(place.record) ?? (event.type === 'compaction/summary' || event.type === 'compaction/prune' ? event : undefined);
  const data = fields(record?.data);
  const sections: Section[] = [...outcome(loaded, place, event), ...tokens(data, place).sections(text('Context'))];
  if (record?.type === 'compaction/summary') {
    sections.push(
      ...cost(data).sections(text('Cost of the summary')),
      ...contentSections(data['summary'], 'prose', text('Summary')),
    );
  }
  sections.push(...linkSection(loaded, text('Left the context'), place.shadowed, { sizes: true }));
  if (place.replacing !== NONE)
    sections.push(...linkSection(loaded, text('Stands in their place'), [place.replacing], { sizes: true }));
  return sections;
}

interface Place {
  readonly compaction: number; // row, NONE
  readonly record: number; //     seq of the summary, NONE
  readonly replacing: number; //  seq, NONE
  readonly shadowed: readonly number[];
}

/** The replacement an event of a compaction belongs to: the bracket around it, or the replacement right after a prune. */
function findReplacement(loaded: LoadedLog, seq: number): Place {
  const { compactions, replacements, shadowedSeqs } = loaded.timeline.tables;
  const c = compactions.columns;
  const r = replacements.columns;
  let compaction = NONE;
  let replacement = NONE;
  for (let i = 0; i < compactions.length; i++) {
    const own = (c.replacement[i] ?? NONE) === NONE ? NONE : (r.seq[c.replacement[i] ?? NONE] ?? NONE);
    if (seq !== c.startSeq[i] && seq !== c.summarySeq[i] && seq !== c.endSeq[i] && seq !== own) continue;
    compaction = i;
    replacement = c.replacement[i] ?? NONE;
  }
  if (compaction === NONE) {
    for (let i = 0; i < replacements.length; i++) if (r.seq[i] === seq || r.seq[i] === seq + 1) replacement = i;
  }
  if (replacement !== NONE && (r.seq[replacement] ?? NONE) >= loaded.until) replacement = NONE;
  const shadowed: number[] = [];
  if (replacement !== NONE) {
    for (let k = r.from[replacement] ?? 0; k < (r.to[replacement] ?? 0); k++) shadowed.push(shadowedSeqs.columns.seq[k] ?? 0);
  }
  const replacing = replacement === NONE ? NONE : (r.seq[replacement] ?? NONE);
  return {
    compaction,
    record: compaction === NONE ? (replacing === NONE ? NONE : replacing - 1) : (c.summarySeq[compaction] ?? NONE),
    replacing,
    shadowed,
  };
}

function outcome(loaded: LoadedLog, place: Place, event: StoredEvent): Section[] {
  if (place.compaction === NONE) return [];
  const c = loaded.timeline.tables.compactions.columns;
  const end = loaded.event(c.endSeq[place.compaction] ?? NONE);
  const error: unknown = fields(end?.data)['error'];
  if (error !== undefined) {
    return [{ kind: 'note', tone: 'error', text: failure(typeof error === 'string' ? { message: error } : error) }];
  }
  if (end) {
    const took = (c.end[place.compaction] ?? NaN) - (c.start[place.compaction] ?? NaN);
    return Number.isFinite(took) ? new Facts().add(text('Took'), durationText(took)).sections() : [];
  }
  const abandoned = loaded.until === Infinity && !Number.isNaN(c.end[place.compaction] ?? NaN);
  const note = abandoned
    ? text('This compaction never finished; its lifecycle has ended')
    : text('This compaction has not finished');
  return event.type === 'compaction/start' || abandoned ? [{ kind: 'note', tone: 'warning', text: note }] : [];
}

function tokens(data: Fields, place: Place): Facts {
  const before = numberOf(data['shadowedTokenCount']);
  const after = numberOf(fields(data['usage'])['outputTokens']);
  const count = place.shadowed.length > 0 ? place.shadowed.length : items(data['shadowedSeqs']).length;
  return new Facts()
    .add(text('Messages'), count === 0 ? undefined : count)
    .add(text('Tokens before'), before === undefined ? undefined : compactCount(before))
    .add(text('Tokens after'), after === undefined ? undefined : text('≈{tokens}', { tokens: compactCount(after) }));
}

function cost(data: Fields): Facts {
  const usage = fields(data['usage']);
  const read = (key: string): string | undefined => {
    const value = numberOf(usage[key]);
    return value === undefined ? undefined : compactCount(value);
  };
  return new Facts()
    .add(text('Model'), routeLine(data))
    .add(text('Input tokens'), read('inputTokens'))
    .add(text('Cache read'), read('cacheReadTokens'))
    .add(text('Output tokens'), read('outputTokens'))
    .add(text('Reasoning tokens'), read('reasoningTokens'))
    .add(text('Output limit'), numberOf(data['maxTokens']));
}
