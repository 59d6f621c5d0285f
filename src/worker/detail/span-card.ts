import { text, type StoredEvent } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { durationText, ENTRY_FLAG, fields, NONE, OUTCOME } from '../../timeline/index.ts';
import { outcomeText, turnReason } from '../labels/outcomes.ts';
import { lowerBound, type LoadedLog } from '../loaded.ts';
import { addTokens, attemptFacts } from './attempt-facts.ts';
import { Facts } from './bounds.ts';
import { linkSection } from './links.ts';
import { requestSections } from './request-card.ts';

const ATTEMPTS = 20;

/** A turn as a whole: how long, how it ended, what it cost, its prompts and its steps. */
export function turnCard(loaded: LoadedLog, event: StoredEvent, entry: number): Section[] {
  const { turns, steps, entries } = loaded.timeline.tables;
  const turn = entries.columns.turn[entry] ?? NONE;
  const t = turns.columns;
  if (t.number[turn] === undefined) return [];
  const from = t.firstStep[turn] ?? 0;
  const to = t.endStep[turn] ?? 0;
  const isOver = (t.lastSeq[turn] ?? NONE) < loaded.until;
  const took = isOver ? (t.end[turn] ?? NaN) - (t.start[turn] ?? NaN) : NaN;
  const end = loaded.event(t.lastSeq[turn] ?? NONE);
  const outcome = isOver ? (t.outcome[turn] ?? OUTCOME.open) : OUTCOME.open;
  const heads: number[] = [];
  for (let step = from; step < to; step++) heads.push(steps.columns.firstSeq[step] ?? 0);
  const begun = heads.filter((seq) => seq < loaded.until);
  const facts = new Facts()
    .add(text('Turn'), t.number[turn])
    .add(
      outcome === OUTCOME.open ? text('State') : text('Ended'),
      end?.type === 'turn/end' ? turnReason(fields(end.data)['reason']) : outcomeText(outcome),
    )
    .add(text('Took'), Number.isFinite(took) ? durationText(took) : undefined)
    .add(text('Steps'), begun.length)
    .add(text('Calls'), isOver ? t.calls[turn] : callsSoFar(loaded, from, to));
  const total = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
  for (let step = from; step < to; step++) addAttempts(loaded, step, total);
  if (total.input + total.output > 0) addTokens(facts, total);
  const prompts: number[] = [];
  for (let i = t.firstEntry[turn] ?? 0; i < (t.endEntry[turn] ?? 0) && prompts.length < 20; i++) {
    const seq = entries.columns.seq[i] ?? NONE;
    if (seq < loaded.until && (entries.columns.flags[i] ?? 0) & ENTRY_FLAG.human) prompts.push(seq);
  }
  return [
    ...facts.sections(),
    ...linkSection(loaded, text('Prompts'), prompts, { sizes: true }),
    ...linkSection(
      loaded,
      text('Steps'),
      begun.filter((seq) => seq !== event.seq),
    ),
  ];
}

/** Top-level calls of some steps that follow one another. */
function callsSoFar(loaded: LoadedLog, firstStep: number, endStep: number): number {
  const { seq, parent, step } = loaded.timeline.tables.calls.columns;
  let count = 0;
  for (let i = 0; i < loaded.timeline.tables.calls.length; i++) {
    const own = step[i] ?? NONE;
    if (parent[i] === NONE && own >= firstStep && own < endStep && (seq[i] ?? NONE) < loaded.until) count++;
  }
  return count;
}

function addAttempts(
  loaded: LoadedLog,
  step: number,
  total: { input: number; cacheRead: number; cacheWrite: number; output: number; reasoning: number },
): void {
  const a = loaded.timeline.tables.attempts.columns;
  const { from, to } = loaded.attemptsOf(step);
  for (let i = from; i < to; i++) {
    total.input += a.input[i] ?? 0;
    total.cacheRead += a.cacheRead[i] ?? 0;
    total.cacheWrite += a.cacheWrite[i] ?? 0;
    total.output += a.output[i] ?? 0;
    total.reasoning += a.reasoning[i] ?? 0;
  }
}

/** A step as a whole: its attempts, its calls, and the request it sent. */
export function stepCard(loaded: LoadedLog, entry: number): Section[] {
  const { steps, calls, entries } = loaded.timeline.tables;
  const step = entries.columns.step[entry] ?? NONE;
  const s = steps.columns;
  const first = s.firstSeq[step];
  if (first === undefined) return [];
  const whole = s.lastSeq[step] ?? first;
  const last = Math.min(whole, loaded.until - 1);
  const { from, to } = loaded.attemptsOf(step);
  const sections: Section[] = [];
  // Of many the first ones, and the last, which is the one that counts.
  const shown = to - from > ATTEMPTS ? ATTEMPTS - 1 : to - from;
  for (let i = from; i < from + shown; i++) sections.push(...attemptFacts(loaded, i));
  if (from + shown < to) {
    const between = text('{count} attempts in between are not shown here', { count: to - 1 - from - shown });
    sections.push({ kind: 'note', tone: 'info', text: between }, ...attemptFacts(loaded, to - 1));
  }
  if (from === to && last === whole)
    sections.push({ kind: 'note', tone: 'info', text: text('The model gave no answer in this step') });
  const seqs: number[] = [];
  for (let i = lowerBound(calls.columns.seq, first); i < calls.length && (calls.columns.seq[i] ?? 0) <= last; i++) {
    if (calls.columns.parent[i] === NONE && calls.columns.step[i] === step) seqs.push(calls.columns.seq[i] ?? 0);
  }
  sections.push(...linkSection(loaded, text('Calls'), seqs));
  const { headers, requestEnds } = loaded.timeline.index;
  const end = to > from ? (requestEnds[to - 1] ?? last + 1) : last + 1;
  const header = loaded.latestBefore(headers, end);
  if (header !== NONE) sections.push(...requestSections(loaded, header, requestBefore(loaded, step, header), end));
  return sections;
}

/** Header of the request before this step's: the same one when nothing was sent anew in between. */
function requestBefore(loaded: LoadedLog, step: number, header: number): number {
  const { headers, requestEnds } = loaded.timeline.index;
  for (let previous = step - 1; previous >= 0; previous--) {
    const { from, to } = loaded.attemptsOf(previous);
    if (to > from) return loaded.latestBefore(headers, requestEnds[to - 1] ?? 0);
  }
  return loaded.latestBefore(headers, header);
}
