/** Half-open intervals on both axes of the timeline; an end of `Infinity` is still open. */
export interface Interval {
  readonly seq: number;
  readonly endSeq: number;
  readonly start: number;
  readonly end: number;
}

const MAX_LANE = 0xffff;

/**
 * The lowest lane for each interval, in order of their seqs, such that no two of a lane overlap in time or in seq. A lane
 * is free when everything in it has ended on both axes: on time alone, two calls within one millisecond would share a
 * lane while they run in parallel; on seqs alone, a wall clock that steps back would draw one call over another.
 */
export class LanePacker {
  readonly #ends: number[] = [];
  readonly #endSeqs: number[] = [];

  add({ seq, endSeq, start, end }: Interval): number {
    let lane = 0;
    while (lane < this.#ends.length && !((this.#ends[lane] ?? 0) <= start && (this.#endSeqs[lane] ?? 0) < seq)) lane++;
    const last = Math.min(lane, MAX_LANE);
    this.#ends[last] = Math.max(this.#ends[last] ?? -Infinity, end, start);
    this.#endSeqs[last] = Math.max(this.#endSeqs[last] ?? -1, endSeq);
    return last;
  }
}
