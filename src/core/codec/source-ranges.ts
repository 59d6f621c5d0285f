import { isSeq } from '../json.ts';

/** Shortest run of consecutive seqs that is stored as a range. */
const MIN_RUN = 3;

/** Cited seqs as inclusive runs in stored order; the runs share no seq. */
export type SourceRuns = readonly (readonly [first: number, last: number])[];

/**
 * Cited seqs in their stored form: runs of three and more ascending neighbours become `[first, last]`. A list that does not strictly
 * ascend is stored as it is. format/on-disk.md §6.3.
 */
export function encodeSourceSeqs(seqs: readonly number[]): (number | [number, number])[] {
  for (let i = 1; i < seqs.length; i++) if ((seqs[i] ?? 0) <= (seqs[i - 1] ?? 0)) return [...seqs];
  const stored: (number | [number, number])[] = [];
  for (let i = 0; i < seqs.length;) {
    const first = seqs[i] ?? 0;
    let length = 1;
    while (seqs[i + length] === first + length) length++;
    if (length >= MIN_RUN) stored.push([first, first + length - 1]);
    else for (let k = 0; k < length; k++) stored.push(first + k);
    i += length;
  }
  return stored;
}

/**
 * Stored sources as runs, without expanding them: a line may cite a hundred thousand seqs in a few bytes. Undefined when a member is
 * neither a seq nor an ascending pair, is not earlier than `ownSeq`, or comes twice.
 */
export function parseSourceRuns(stored: unknown, ownSeq: number): SourceRuns | undefined {
  if (!Array.isArray(stored)) return undefined;
  const runs: (readonly [number, number])[] = [];
  for (const member of stored as unknown[]) {
    if (isSeq(member)) runs.push([member, member]);
    else {
      if (!Array.isArray(member) || member.length !== 2) return undefined;
      const [first, last] = member as unknown[];
      if (!isSeq(first) || !isSeq(last) || first > last) return undefined;
      runs.push([first, last]);
    }
    if ((runs.at(-1)?.[1] ?? 0) >= ownSeq) return undefined;
  }
  return overlaps(runs) ? undefined : runs;
}

/**
 * Stored sources expanded to seqs, order kept. Throws on anything {@link parseSourceRuns} does not accept.
 * format/on-disk.md §6.3.
 */
export function decodeSourceSeqs(stored: unknown, ownSeq: number): number[] {
  const runs = parseSourceRuns(stored, ownSeq);
  if (runs === undefined) throw new Error(`sourceEventSeqs of event ${ownSeq} are not distinct earlier seqs or ranges of them`);
  const seqs: number[] = [];
  for (const [first, last] of runs) for (let seq = first; seq <= last; seq++) seqs.push(seq);
  return seqs;
}

/** Answers whether a seq is among the runs, in logarithmic time. */
export function sourceLookup(runs: SourceRuns): (seq: number) => boolean {
  const sorted = ascending(runs);
  return (seq) => {
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const run = sorted[middle];
      if (run === undefined) return false;
      if (seq < run[0]) high = middle - 1;
      else if (seq > run[1]) low = middle + 1;
      else return true;
    }
    return false;
  };
}

function overlaps(runs: SourceRuns): boolean {
  const sorted = ascending(runs);
  for (let i = 1; i < sorted.length; i++) if ((sorted[i]?.[0] ?? 0) <= (sorted[i - 1]?.[1] ?? 0)) return true;
  return false;
}

function ascending(runs: SourceRuns): SourceRuns {
  return runs.toSorted((a, b) => a[0] - b[0]);
}
