import { GrowingTable } from './growing.ts';
import { numberOf } from './payload.ts';
import { NONE, OUTCOME, REPLACEMENT, TABLES, type TableOf } from './tables.ts';
import { usageOf } from './usage.ts';

/** Replacements and what they shadow, once the surface has been folded. */
export interface ReplacementTables {
  readonly replacements: TableOf<'replacements'>;
  readonly shadowedSeqs: TableOf<'shadowedSeqs'>;
  readonly compactions: TableOf<'compactions'>;
}

interface Price {
  readonly kind: number;
  readonly before: number;
  readonly after: number;
  readonly compaction: number; // row, NONE
}

/**
 * Compaction brackets, price records and the surface replacements that follow them. Whether a replacement took effect is
 * known only from the fold, so candidates are collected here and the fold decides at the end. format/surface.md §7.
 */
export class Compactions {
  readonly #rows = new GrowingTable(TABLES.compactions);
  readonly #candidates = new GrowingTable({ seq: 'u32', kind: 'u8', before: 'f64', after: 'f64', compaction: 'u32' });
  #open = NONE;
  #price: Price | undefined;

  start(seq: number, time: number, lastTime: number): void {
    this.abandon(lastTime);
    this.#open = this.#row(seq, time);
  }

  summary(seq: number, time: number, shadowedTokens: unknown, usage: unknown): void {
    if (this.#open === NONE) this.#open = this.#row(seq, time);
    this.#rows.columns.summarySeq[this.#open] = seq;
    this.#price = {
      kind: REPLACEMENT.compaction,
      before: numberOf(shadowedTokens) ?? NaN,
      after: usageOf(usage)?.output ?? NaN,
      compaction: this.#open,
    };
  }

  prune(shadowedTokens: unknown): void {
    this.#price = { kind: REPLACEMENT.prune, before: numberOf(shadowedTokens) ?? NaN, after: NaN, compaction: NONE };
  }

  /** A surface event with a replace operation. */
  replace(type: string, seq: number): void {
    const i = this.#candidates.push();
    const c = this.#candidates.columns;
    const price = this.#price;
    this.#price = undefined;
    c.seq[i] = seq;
    c.kind[i] = price?.kind ?? (type === 'system/message' ? REPLACEMENT.system : REPLACEMENT.other);
    c.before[i] = price?.before ?? NaN;
    c.after[i] = price?.after ?? NaN;
    c.compaction[i] = price?.compaction ?? NONE;
  }

  end(seq: number, time: number, failed: boolean): void {
    this.#price = undefined;
    const i = this.#open;
    if (i === NONE) return;
    const c = this.#rows.columns;
    c.endSeq[i] = seq;
    c.end[i] = time;
    c.outcome[i] = failed ? OUTCOME.error : OUTCOME.completed;
    this.#open = NONE;
  }

  /** An end-seed drops an open bracket, and so does the start of another. */
  abandon(time: number): void {
    this.#price = undefined;
    if (this.#open === NONE) return;
    this.#rows.columns.end[this.#open] = time;
    this.#rows.columns.outcome[this.#open] = OUTCOME.abandoned;
    this.#open = NONE;
  }

  /** `shadowed(i)` and `shadowers(i)`: the i-th node that was shadowed, ascending, and the seq that did it. */
  finish(shadowed: readonly number[], shadowers: readonly number[]): ReplacementTables {
    const groups = new Map<number, number[]>();
    for (let i = 0; i < shadowed.length; i++) {
      const by = shadowers[i] ?? NONE;
      const group = groups.get(by);
      if (group) group.push(shadowed[i] ?? 0);
      else groups.set(by, [shadowed[i] ?? 0]);
    }
    const rows = new GrowingTable(TABLES.replacements);
    const flat = new GrowingTable(TABLES.shadowedSeqs);
    const candidates = this.#candidates.columns;
    for (let k = 0; k < this.#candidates.length; k++) {
      const seq = candidates.seq[k] ?? 0;
      const group = groups.get(seq);
      if (!group) continue;
      const i = rows.push();
      rows.columns.seq[i] = seq;
      rows.columns.kind[i] = candidates.kind[k] ?? 0;
      rows.columns.tokensBefore[i] = candidates.before[k] ?? NaN;
      rows.columns.tokensAfter[i] = candidates.after[k] ?? NaN;
      rows.columns.from[i] = flat.length;
      rows.columns.firstSeq[i] = group[0] ?? 0;
      rows.columns.lastSeq[i] = group[group.length - 1] ?? 0;
      for (const s of group) {
        const f = flat.push();
        flat.columns.seq[f] = s;
      }
      rows.columns.to[i] = flat.length;
      const compaction = candidates.compaction[k] ?? NONE;
      if (compaction !== NONE) this.#rows.columns.replacement[compaction] = i;
    }
    return { replacements: rows.finish(), shadowedSeqs: flat.finish(), compactions: this.#rows.finish() };
  }

  #row(seq: number, time: number): number {
    const i = this.#rows.push();
    const c = this.#rows.columns;
    c.startSeq[i] = seq;
    c.summarySeq[i] = NONE;
    c.replacement[i] = NONE;
    c.endSeq[i] = NONE;
    c.start[i] = time;
    c.end[i] = NaN;
    return i;
  }
}
