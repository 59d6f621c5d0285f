import type {
  Damage,
  ForkBoundary,
  Message,
  NodeState,
  PackedChunkRow,
  Refusal,
  SessionHeader,
  StoredEvent,
} from '../core/index.ts';

/** One readable line while a log is being opened, in log order. */
export interface PassingLine {
  readonly seq0: number;
  readonly count: number;
  readonly version: number;
  readonly record: StoredEvent | PackedChunkRow;
}

/** What the worker needs of an open log: the part of storage's `OpenSession` it uses (api.md). */
export interface OpenLog {
  readonly path: string;
  readonly version: number | undefined;
  readonly encoding: 'zstd' | 'none';
  readonly header: SessionHeader | undefined;
  /** As stored. */
  readonly firstLine: string | undefined;
  readonly eventCount: number;
  readonly inheritedEventCount: number;
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
  readonly lineCount: number;
  readonly uncommittedEvents: number;
  readonly size: number;
  readonly mtime: number;
  /** File names in the same directory. */
  readonly olderCopies: readonly string[];
  /** In today's shape of its version. */
  viewAt(seq: number): StoredEvent | undefined;
  events(from?: number, toExclusive?: number): Iterable<StoredEvent>;
  rawLineOf(seq: number): string;
  lineOf(seq: number): { readonly line: number; readonly frame?: number | undefined };
  salvagedLines(): Iterable<{ readonly frame: number; readonly line: number; readonly text: string }>;
  surfaceNodes(atSeq?: number): number[];
  nodeState(seq: number, atSeq?: number): NodeState;
  deriveMessages(atSeq?: number): Message[];
  forkBoundary(seq: number): ForkBoundary;
  close(): Promise<void>;
}

export type LogOpener = (
  path: string,
  options: { readonly visit: (line: PassingLine) => void; readonly signal?: AbortSignal },
) => Promise<OpenLog>;
