/** What the list worker answers: session heads of one root. */
import type { Damage, Text } from '../core/index.ts';

/** One session for the tree; see api.md SessionSummary for the fields of the same names. */
export interface SessionItem {
  readonly path: string;
  readonly id: string | undefined;
  readonly version: number | undefined;
  readonly encoding: 'zstd' | 'none' | undefined;
  readonly cwd: string | undefined;
  readonly createdAt: number | undefined;
  readonly parentSession: string | undefined;
  readonly origin: string | undefined;
  readonly isSeeded: boolean;
  readonly agentPreset: string | undefined;
  readonly cut?: number; // inherited events of a fork, when the bounded read tells it
  readonly title: string | undefined; // latest title, else first human prompt; one bounded plain line
  readonly titleIsInherited: boolean; // of a fork: its parent's words, no name of its own
  readonly titleIsComplete: boolean; // false: the bounded read did not reach a title, a later `titles` call may
  readonly isChecked: boolean; // false: only the ends were read; a later `check` tells of damage between them
  readonly lastActivity: number | undefined; // last human or model activity, epoch ms
  readonly turns: number | undefined; // when the bounded read tells it
  readonly isCompacted?: boolean; // something was compacted or pruned; absent until every event was read
  readonly isEmpty: boolean; // no turn
  readonly size: number;
  readonly mtime: number;
  readonly olderCopies: readonly string[];
  readonly damage: readonly Damage[];
  readonly refusal: { readonly kind: 'newer-format' | 'unknown-event' | 'no-header'; readonly text: Text } | undefined;
}

export interface ListResult {
  readonly root: string;
  readonly exists: boolean;
  readonly items: readonly SessionItem[];
  readonly problems: readonly Text[]; // about the root itself, e.g. no permission
  readonly revision: number; // grows with every listing that differs
}

export interface ListMethods {
  list(args: { readonly root: string }): ListResult;
  /** Finish titles and turn counts the bounded read did not find; whole logs are read one at a time, cached. */
  complete(args: { readonly paths: readonly string[] }): { readonly items: readonly SessionItem[] };
  /** Reads every event of one log, in passing: damage inside, unknown events, the turns that can be read; cached. */
  check(args: { readonly path: string }): { readonly item: SessionItem | undefined };
  resolveRoot(args: { readonly configured: string }): { readonly root: string };
}
