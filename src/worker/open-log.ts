import type { Damage, Message, NodeState, PackedChunkRow, StoredEvent } from '../core/index.ts';
import type { ForkSource } from '../storage/index.ts';

/** One readable line while a log is being opened, in log order. */
export interface PassingLine {
  readonly seq0: number;
  readonly count: number;
  readonly version: number;
  readonly record: StoredEvent | PackedChunkRow;
}

/** What the worker needs of an open log: the part of storage's `OpenSession` it uses (api.md). */
export interface OpenLog extends ForkSource {
  readonly inheritedEventCount: number;
  readonly damage: readonly Damage[];
  readonly lineCount: number;
  /** The stored header line, where there is one. */
  readonly firstLine: string | undefined;
  readonly uncommittedEvents: number;
  /** File names in the same directory. */
  readonly olderCopies: readonly string[];
  rawLineOf(seq: number): string;
  lineOf(seq: number): { readonly line: number; readonly frame?: number | undefined };
  salvagedLines(): Iterable<{ readonly frame: number; readonly line: number; readonly text: string }>;
  surfaceNodes(atSeq?: number): number[];
  nodeState(seq: number, atSeq?: number): NodeState;
  deriveMessages(atSeq?: number): Message[];
  close(): Promise<void>;
}

export type LogOpener = (
  path: string,
  options: {
    readonly visit: (line: PassingLine) => void;
    readonly pause?: () => Promise<void>;
    readonly signal?: AbortSignal;
  },
) => Promise<OpenLog>;
