import { text, type StoredEvent } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { citedSeqs, NONE } from '../../timeline/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { linkSection } from './links.ts';

/** Most events read to find out whether they cite this one. */
const CANDIDATES = 5000;
const CITED = 2000;

/** Events this one cites, is cited by, is paired with, shadows and is shadowed by. */
export function sourceSections(loaded: LoadedLog, event: StoredEvent, entry: number): readonly Section[] {
  const { entries } = loaded.timeline.tables;
  const pair = entries.columns.seq[entries.columns.pair[entry] ?? NONE] ?? NONE;
  const by = entries.columns.shadowedBy[entry] ?? NONE;
  const known = (seq: number): number[] => (seq === NONE || seq >= loaded.until ? [] : [seq]);
  const shadowed = shadowedBy(loaded, event.seq);
  const shadowedSet = new Set(shadowed);
  const cited = citedSeqs(event, CITED).filter((seq) => !shadowedSet.has(seq));
  const sections = [
    ...linkSection(loaded, text('Other half'), known(pair)),
    ...linkSection(loaded, text('Cites'), cited),
    ...linkSection(loaded, text('Cited by'), citingSeqs(loaded, event.seq)),
    ...linkSection(loaded, text('Shadowed by'), known(by)),
    ...linkSection(loaded, text('Shadows'), shadowed, { sizes: true }),
  ];
  return sections.length > 0
    ? sections
    : [{ kind: 'note', tone: 'info', text: text('No event cites this one, and it cites none') }];
}

function shadowedBy(loaded: LoadedLog, seq: number): number[] {
  const { replacements, shadowedSeqs } = loaded.timeline.tables;
  const seqs: number[] = [];
  for (let i = 0; i < replacements.length; i++) {
    if (replacements.columns.seq[i] !== seq) continue;
    for (let k = replacements.columns.from[i] ?? 0; k < (replacements.columns.to[i] ?? 0); k++)
      seqs.push(shadowedSeqs.columns.seq[k] ?? 0);
  }
  return seqs;
}

/** Seqs of the events that name this one, ascending. */
export function citingSeqs(loaded: LoadedLog, seq: number): number[] {
  const { length, columns } = loaded.timeline.index.citations;
  const found: number[] = [];
  let read = 0;
  for (let i = 0; i < length && read < CANDIDATES; i++) {
    if ((columns.least[i] ?? NONE) > seq || (columns.most[i] ?? 0) < seq) continue;
    const candidate = columns.seq[i] ?? NONE;
    read++;
    const event = loaded.event(candidate);
    if (event && citedSeqs(event, Infinity).includes(seq)) found.push(candidate);
  }
  return found;
}
