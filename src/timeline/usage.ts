import { countOf, fields } from './payload.ts';

/** Token figures of one attempt. `input` is uncached; `output` includes reasoning. format/events.md §6. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** A stored usage object, undefined where it is none. */
export function usageOf(value: unknown): Usage | undefined {
  const usage = fields(value);
  const input = countOf(usage['inputTokens']);
  const output = countOf(usage['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  return {
    input: input ?? 0,
    cacheRead: countOf(usage['cacheReadTokens']) ?? 0,
    cacheWrite: countOf(usage['cacheWriteTokens']) ?? 0,
    output: output ?? 0,
    reasoning: countOf(usage['reasoningTokens']) ?? 0,
  };
}
