import type { NodeState } from './surface.ts';

/**
 * All nodes a surface ever had, in one order. A replacement stands right before the first node it removed, and removed nodes keep their
 * place, so the nodes that were current at any seq are this list, filtered: two nodes that were current together never change sides.
 */
export class NodeOrder {
  /** Seqs of the nodes in the order they came, so ascending. */
  readonly #seqs: number[] = [];
  /** By node: seq of the replacement that removed it, or 0 (the first event of a log removes nothing). */
  readonly #shadowedBy: number[] = [];
  /** Doubly linked surface order over node indexes; -1 ends it. */
  readonly #next: number[] = [];
  readonly #previous: number[] = [];
  #first = -1;
  #last = -1;
  #ordered: number[] | undefined;

  append(seq: number): void {
    const node = this.#add(seq);
    this.#link(this.#last, node, -1);
    this.#ordered?.push(node);
  }

  /** `removed` are current nodes in surface order, at least one. */
  replace(seq: number, removed: readonly number[]): void {
    const node = this.#add(seq);
    const first = this.#indexOf(removed[0] ?? -1);
    this.#link(this.#previous[first] ?? -1, node, first);
    for (const gone of removed) this.#shadowedBy[this.#indexOf(gone)] = seq;
    this.#ordered = undefined;
  }

  isCurrent(seq: number): boolean {
    const node = this.#indexOf(seq);
    return node >= 0 && this.#shadowedBy[node] === 0;
  }

  stateOf(seq: number, atSeq: number): NodeState {
    const node = seq <= atSeq ? this.#indexOf(seq) : -1;
    if (node < 0) return 'log-only';
    const shadowedBy = this.#shadowedBy[node] ?? 0;
    return shadowedBy === 0 || shadowedBy > atSeq ? 'current' : { shadowedBy };
  }

  nodesAt(atSeq: number): number[] {
    const nodes: number[] = [];
    for (const node of this.#order()) {
      const seq = this.#seqs[node] ?? Infinity;
      const shadowedBy = this.#shadowedBy[node] ?? 0;
      if (seq <= atSeq && (shadowedBy === 0 || shadowedBy > atSeq)) nodes.push(seq);
    }
    return nodes;
  }

  #order(): readonly number[] {
    if (this.#ordered !== undefined) return this.#ordered;
    const ordered: number[] = [];
    for (let node = this.#first; node >= 0; node = this.#next[node] ?? -1) ordered.push(node);
    this.#ordered = ordered;
    return ordered;
  }

  #add(seq: number): number {
    this.#shadowedBy.push(0);
    this.#next.push(-1);
    this.#previous.push(-1);
    return this.#seqs.push(seq) - 1;
  }

  #link(before: number, node: number, after: number): void {
    this.#previous[node] = before;
    this.#next[node] = after;
    if (before < 0) this.#first = node;
    else this.#next[before] = node;
    if (after < 0) this.#last = node;
    else this.#previous[after] = node;
  }

  /** Node index of a seq, or -1. The seqs ascend. */
  #indexOf(seq: number): number {
    let low = 0;
    let high = this.#seqs.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#seqs[middle] ?? -1;
      if (found === seq) return middle;
      if (found < seq) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
