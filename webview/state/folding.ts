/** Which turns and steps are folded. Kept by their first seqs: indexes change when a log grows, those do not. */
import { NONE, type TimelineTables } from '../../src/timeline/index.ts';
import type { ViewState } from './view-state.ts';

export type GroupKind = 'turn' | 'step';

export class Folding {
  readonly #turns: Set<number>;
  readonly #steps: Set<number>;

  constructor(kept: Pick<ViewState, 'foldedTurns' | 'foldedSteps'>) {
    this.#turns = new Set(kept.foldedTurns);
    this.#steps = new Set(kept.foldedSteps);
  }

  /** What is kept over a reload. */
  get kept(): Pick<ViewState, 'foldedTurns' | 'foldedSteps'> {
    return { foldedTurns: [...this.#turns], foldedSteps: [...this.#steps] };
  }

  has(tables: TimelineTables | undefined, kind: GroupKind, index: number): boolean {
    return (kind === 'turn' ? this.#turns : this.#steps).has(firstSeq(tables, kind, index));
  }

  set(tables: TimelineTables | undefined, kind: GroupKind, index: number, folded: boolean): void {
    const set = kind === 'turn' ? this.#turns : this.#steps;
    const seq = firstSeq(tables, kind, index);
    if (folded) set.add(seq);
    else set.delete(seq);
  }

  setAll(tables: TimelineTables | undefined, folded: boolean): void {
    this.#turns.clear();
    this.#steps.clear();
    if (folded && tables) for (const seq of tables.turns.columns.firstSeq) this.#turns.add(seq);
  }

  /** Unfolds what hides an entry; a group's own head, whose seq is meant then, shows while the group is folded. Whether anything changed. */
  show(tables: TimelineTables, entry: number, seq: number): boolean {
    const turn = firstSeq(tables, 'turn', tables.entries.columns.turn[entry]!);
    const step = firstSeq(tables, 'step', tables.entries.columns.step[entry]!);
    const turnOpened = turn !== seq && this.#turns.delete(turn);
    const stepOpened = step !== seq && this.#steps.delete(step);
    return turnOpened || stepOpened;
  }
}

/** NONE where there is no such group. */
function firstSeq(tables: TimelineTables | undefined, kind: GroupKind, index: number): number {
  const columns = kind === 'turn' ? tables?.turns.columns : tables?.steps.columns;
  return columns?.firstSeq[index] ?? NONE;
}
