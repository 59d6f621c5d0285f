import { encodeSourceSeqs, packChunkRuns, type SessionEvent } from '../core/index.ts';

/**
 * The stored lines of one append batch, line ends included. Before v2 runs of chunks may be packed, within the batch only; from v2 on runs
 * of cited seqs are written as ranges, which earlier releases neither write nor read. format/on-disk.md §6.1, §6.3.
 */
export function batchText(events: readonly SessionEvent[], version: number, packChunks: boolean): string {
  const records: readonly unknown[] = version >= 2 ? events.map(withRanges) : packChunks ? packChunkRuns(events) : events;
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function withRanges(event: SessionEvent): unknown {
  if (event.sourceEventSeqs === undefined) return event;
  return { ...event, sourceEventSeqs: encodeSourceSeqs(event.sourceEventSeqs) };
}
