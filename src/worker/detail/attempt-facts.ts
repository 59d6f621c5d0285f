import { text, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { outcomeText } from '../labels/outcomes.ts';
import type { LoadedLog } from '../loaded.ts';
import { Facts } from './bounds.ts';
import { compactCount, durationText } from '../../timeline/index.ts';

/** Times and tokens of one attempt, by its index. */
export function attemptFacts(loaded: LoadedLog, attempt: number, heading: Text = text('Request')): Section[] {
  const a = loaded.timeline.tables.attempts.columns;
  const first = (a.firstToken[attempt] ?? NaN) - (a.start[attempt] ?? NaN);
  const whole = (a.end[attempt] ?? NaN) - (a.start[attempt] ?? NaN);
  const facts = new Facts()
    .add(text('Attempt'), a.number[attempt])
    .add(text('Outcome'), outcomeText(a.outcome[attempt] ?? 0))
    .add(text('First token after'), Number.isFinite(first) ? durationText(first) : undefined)
    .add(text('Took'), Number.isFinite(whole) ? durationText(whole) : undefined);
  if (a.hasUsage[attempt]) {
    addTokens(facts, {
      input: a.input[attempt] ?? 0,
      cacheRead: a.cacheRead[attempt] ?? 0,
      cacheWrite: a.cacheWrite[attempt] ?? 0,
      output: a.output[attempt] ?? 0,
      reasoning: a.reasoning[attempt] ?? 0,
    });
  }
  return facts.sections(heading);
}

/** Token figures; `input` is what was not cached. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export function addTokens(facts: Facts, tokens: Tokens): Facts {
  const some = (count: number): string | undefined => (count === 0 ? undefined : compactCount(count));
  return facts
    .add(text('Input tokens'), compactCount(tokens.input))
    .add(text('Cache read'), some(tokens.cacheRead))
    .add(text('Cache write'), some(tokens.cacheWrite))
    .add(text('Output tokens'), compactCount(tokens.output))
    .add(text('Reasoning tokens'), some(tokens.reasoning));
}
