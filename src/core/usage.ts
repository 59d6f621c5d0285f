import { isRecord } from './json.ts';
import type { TokenUsage } from './messages.ts';

/** A stored usage record, or undefined when there is none. */
export function usageOf(value: unknown): TokenUsage | undefined {
  if (!isRecord(value) || typeof value['inputTokens'] !== 'number' || typeof value['outputTokens'] !== 'number') return undefined;
  return value as unknown as TokenUsage;
}

/** The last usage a stored stream reports. */
export function usageOfStream(stream: unknown): TokenUsage | undefined {
  if (!Array.isArray(stream)) return undefined;
  for (let i = stream.length - 1; i >= 0; i--) {
    const record: unknown = stream[i];
    const chunk = isRecord(record) && record['type'] === 'chunk' ? record['chunk'] : undefined;
    if (isRecord(chunk) && chunk['type'] === 'usage') {
      const usage = usageOf(chunk['usage']);
      if (usage !== undefined) return usage;
    }
  }
  return undefined;
}

/** Token sums of a log, each attempt counted once, the inherited ones apart so that a fork does not count its parent again. */
export interface UsageTotals {
  readonly own: TokenUsage;
  readonly inherited: TokenUsage;
}

interface CountedAttempt {
  readonly usage: TokenUsage | undefined;
  readonly settledSeq: number | undefined;
  readonly beforeSeq: number;
}

/** Sums the attempts of a log; those before the cut are inherited. format/events.md §6, format/fork-resume.md §7. */
export function sumUsage(attempts: readonly CountedAttempt[], inheritedEventCount: number): UsageTotals {
  const own = new UsageSum();
  const inherited = new UsageSum();
  for (const { usage, settledSeq, beforeSeq } of attempts) {
    if (usage !== undefined) ((settledSeq ?? beforeSeq) < inheritedEventCount ? inherited : own).add(usage);
  }
  return { own: own.total, inherited: inherited.total };
}

const USAGE_KEYS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
] as const;

class UsageSum {
  readonly #sums: Record<(typeof USAGE_KEYS)[number], number> = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    totalTokens: 0,
  };

  add(usage: TokenUsage): void {
    for (const key of USAGE_KEYS) {
      const value = usage[key];
      if (typeof value === 'number' && Number.isFinite(value)) this.#sums[key] += value;
    }
  }

  get total(): TokenUsage {
    return { ...this.#sums };
  }
}
