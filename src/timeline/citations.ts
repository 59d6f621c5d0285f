import { GrowingTable } from './growing.ts';
import { countOf, fields, items } from './payload.ts';
import type { Table } from './tables.ts';

const CITATIONS = { seq: 'u32', least: 'u32', most: 'u32' } as const;
export type CitationTable = Table<typeof CITATIONS>;

/** Members of every list of event seqs a payload or envelope holds: seqs, or `[first, last]` as stored. */
function citedMembers(type: string, sources: unknown, data: unknown): readonly unknown[] {
  const payload = fields(data);
  switch (type) {
    case 'command/done':
      return [payload['sourceEventSeq']];
    case 'session/title':
    case 'session/title-llm-request':
      return items(payload['messageSeqs']);
    case 'compaction/summary':
    case 'compaction/prune':
      return items(payload['shadowedSeqs']);
    case 'image/offload':
      return items(payload['targets']).map((target) => fields(target)['seq']);
    case 'developer/message':
      return [...items(sources), payload['headerSeq']];
    default:
      return items(sources);
  }
}

/** First and last seq of a member, undefined where it is neither a seq nor a range. */
function span(member: unknown): readonly [number, number] | undefined {
  const pair = items(member);
  const first = countOf(pair.length === 0 ? member : pair[0]);
  const last = countOf(pair.length === 0 ? member : pair[1]);
  return first === undefined || last === undefined ? undefined : [first, last];
}

/**
 * Which events name other events, kept as the span of what they name: whoever asks for the citations of an event reads
 * the few lines whose span holds it. An answer's own chunks (v0/v1) are left out, they are its attempt.
 */
export class Citations {
  readonly #rows = new GrowingTable(CITATIONS);

  add(type: string, seq: number, sources: unknown, data: unknown): void {
    if (type === 'assistant/message') return;
    let least = Infinity;
    let most = -1;
    for (const member of citedMembers(type, sources, data)) {
      const range = span(member);
      if (!range) continue;
      least = Math.min(least, range[0]);
      most = Math.max(most, range[1]);
    }
    if (most < 0) return;
    const i = this.#rows.push();
    this.#rows.columns.seq[i] = seq;
    this.#rows.columns.least[i] = least;
    this.#rows.columns.most[i] = most;
  }

  finish(): CitationTable {
    return this.#rows.finish();
  }
}

/** Every earlier seq an event names, once each, ascending; at most `limit`. */
export function citedSeqs(
  event: { type: string; seq: number; sourceEventSeqs?: unknown; data: unknown },
  limit: number,
): number[] {
  const seen = new Set<number>();
  for (const member of citedMembers(event.type, event.sourceEventSeqs, event.data)) {
    const range = span(member);
    if (!range) continue;
    for (let seq = range[0]; seq <= range[1] && seq < event.seq && seen.size < limit; seq++) seen.add(seq);
  }
  return [...seen].sort((a, b) => a - b);
}
