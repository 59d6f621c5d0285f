/** New sessions made of an open log: what would be done, and the doing of it. */
import type { Text } from '../core/index.ts';

/** `fork`: a child of the session. `replay`: the same events in a session without lineage. format/fork-resume.md §2, §6. */
export type BranchKind = 'fork' | 'replay';

/** A place a new session may begin at. */
export interface BranchPoint {
  readonly seq: number; // inclusive
  readonly label: Text; // "End of turn 3"
  readonly closes: boolean; // the open turn is closed in the new session
}

/** What a new session would be, before anything is written. */
export type BranchPlan =
  | {
      readonly legal: true;
      readonly point: BranchPoint;
      readonly turns: number; // begun in the copied part
      readonly events: number; // copied
      readonly version: number;
      readonly encoding: 'zstd' | 'none';
      readonly directory: string; // absolute; the new session gets a directory of its own in it
      readonly agentPreset: string | undefined;
      readonly warnings: readonly Text[];
    }
  | {
      readonly legal: false;
      readonly seq: number | undefined; // as asked for
      readonly reason: Text;
      readonly nearest: readonly BranchPoint[]; // before, after, and in v4 the place itself, which `closes`
    };

/** A new session that lies on disk and was read back. */
export interface Branched {
  readonly id: string;
  readonly path: string;
  readonly cut: number; // events it inherits; 0 without lineage
}

export interface BranchMethods {
  /**
   * Without a seq: the session as a whole, which is its last ordinary boundary. `closes`: an open turn may be closed. `span`: the seq stands
   * for the turn, step or call that begins there, so its last event is meant (decisions.md "Fork target").
   */
  branchPlan(args: {
    readonly kind: BranchKind;
    readonly seq?: number;
    readonly span?: boolean;
    readonly closes: boolean;
  }): BranchPlan;
  /** Writes the new session. Fails, with nothing left behind, when anything is not as the plan said. */
  branch(args: { readonly kind: BranchKind; readonly seq: number; readonly closes: boolean }): Branched;
}
