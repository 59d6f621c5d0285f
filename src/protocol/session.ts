/**
 * What one open log answers. The worker serves these methods; the host calls them for tree and documents and relays the
 * webview's calls. Bodies travel only when asked for by seq or row (design.md §3).
 */
import type { Damage, ForkBoundary, SessionHeader, Text } from '../core/index.ts';
import type { TableName, TimelineStrings } from '../timeline/index.ts';
import type { CompareMethods, Comparison } from './compare.ts';
import type { ExportMethods } from './export.ts';
import type { BranchMethods } from './fork.ts';
import type { ReplayMethods } from './replay.ts';

/** Totals of one side of the cut. Tokens: one figure per attempt, failed attempts included (decisions.md "Usage"). */
export interface UsageTotals {
  readonly input: number; // uncached
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number; // includes reasoning
  readonly reasoning: number;
  readonly attempts: number; // attempts with a usage figure
}

/** Complete snapshot of an open log's facts. `generation` changes with every re-read; all later calls name it. */
export interface SessionOverview {
  readonly generation: number;
  readonly path: string;
  readonly size: number; // bytes
  readonly mtime: number; // epoch ms
  readonly encoding: 'zstd' | 'none';
  readonly version: number | undefined;
  readonly header: SessionHeader | undefined;
  readonly title: string; // latest title, else first human prompt, else id, else file name; one bounded line
  readonly eventCount: number;
  readonly lineCount: number; // stored lines, header included
  readonly inheritedEventCount: number;
  readonly uncommittedEvents: number; // recovered from a torn tail
  readonly salvagedLines: number;
  readonly olderCopies: readonly string[]; // paths of older generations beside it
  readonly refusal:
    { readonly kind: 'newer-format' | 'unknown-event' | 'no-header'; readonly text: Text; readonly seq?: number } | undefined;
  readonly damage: readonly Damage[]; // at most 500; see damageCount
  readonly damageCount: number;
  readonly counts: { readonly turns: number; readonly steps: number; readonly calls: number };
  readonly callLanes: number; // calls that ran at once, at most: room for them is there before they are
  readonly usage: { readonly own: UsageTotals; readonly inherited: UsageTotals };
  readonly contextWindow: number | undefined; // latest recorded, tokens
  readonly contextTokens: number | undefined; // of the latest answered request
  readonly time: { readonly first: number; readonly last: number } | undefined; // smallest and largest event time
  readonly tables: Readonly<Record<TableName, number>>; // lengths
  readonly strings: TimelineStrings;
  readonly lastActivity: number | undefined; // last human or model activity; an end-seed is none
  /** Rows at the start of every table that are as they were in an earlier generation: who has those need not ask again. */
  readonly since?: { readonly generation: number; readonly rows: Readonly<Record<TableName, number>> };
}

/** One range of one table: every column's bytes, exact size, in schema order of names. */
export interface TableChunk {
  readonly generation: number;
  readonly table: TableName;
  readonly from: number;
  readonly to: number; // exclusive
  readonly columns: Readonly<Record<string, ArrayBuffer>>;
}

/** One bounded line of a row: what it is, and its own words (content, at most 240 characters, one line). */
export interface RowText {
  readonly title: Text;
  readonly detail: Text | string;
  readonly note?: Text; // right side, e.g. "exit 1", "rejected", "3 of 5 done"
}

export interface RowTexts {
  readonly turns: readonly RowText[];
  readonly steps: readonly RowText[];
  readonly entries: readonly RowText[];
}

/** Reference to an event, drawn as a link. */
export interface EventRef {
  readonly seq: number;
  readonly title: Text;
}

/** Display model of one event; the view lays it out, nothing in it is markup. */
export type Section =
  | {
      readonly kind: 'text';
      readonly heading?: Text;
      readonly text: string;
      readonly cut: number;
      readonly markdown?: boolean;
      readonly folded?: boolean;
    }
  | {
      readonly kind: 'code';
      readonly heading?: Text;
      readonly text: string;
      readonly cut: number;
      readonly language?: string;
      readonly tone?: 'error';
    }
  | {
      readonly kind: 'diff';
      readonly heading?: Text;
      readonly path?: string;
      readonly before: string;
      readonly after: string;
      readonly cut: number;
    }
  | {
      readonly kind: 'facts';
      readonly heading?: Text;
      readonly facts: readonly {
        readonly name: Text;
        readonly value: Text | string;
        readonly seq?: number; // an event to jump to
        readonly session?: string; // the id of a session to open
      }[];
    }
  | {
      readonly kind: 'checklist';
      readonly heading?: Text;
      readonly items: readonly { readonly text: string; readonly state: 'pending' | 'in_progress' | 'completed' }[];
    }
  | {
      readonly kind: 'image';
      readonly heading?: Text;
      readonly attachmentId: string;
      readonly mediaType: string;
      readonly width: number;
      readonly height: number;
      readonly name?: string;
      readonly offloaded: boolean;
    }
  | {
      readonly kind: 'links';
      readonly heading?: Text;
      readonly links: readonly (EventRef & { readonly note?: Text | string })[];
      readonly more: number;
    }
  | { readonly kind: 'note'; readonly text: Text; readonly tone: 'info' | 'warning' | 'error' };
// `cut`: characters left out at the end of text, before and after together; 0 = whole

/** Everything the inspector shows of one event. */
export interface EventDetail {
  readonly generation: number;
  readonly seq: number;
  readonly type: string;
  readonly time: number;
  readonly turn: number | undefined; // numbers, as shown
  readonly step: number | undefined;
  readonly attempt: number | undefined; // of the event that settles one
  readonly callId: string | undefined;
  readonly line: number; // 1-based stored line
  readonly frame: number | undefined;
  readonly row: RowText;
  readonly pretty: readonly Section[];
  readonly raw: { readonly text: string; readonly cut: number }; // stored text of its line
  readonly model: {
    readonly state: 'current' | 'shadowed' | 'log-only' | 'refused';
    readonly shadowedBy: number | undefined;
    readonly sections: readonly Section[]; // the derived message, or a note saying why there is none
    readonly requests: readonly {
      readonly turn: number;
      readonly step: number;
      readonly attempt: number;
      readonly seq: number;
    }[]; // requests that contained it, at most 50
    readonly requestCount: number;
  };
  readonly sources: readonly Section[]; // cited, citing, paired, shadowed, shadowing
  readonly fork: ForkBoundary; // at `forkSeq`
  readonly forkSeq: number; // where "Fork from Here" forks: of a turn, step or call its last event
  readonly damage: readonly Damage[]; // naming this event or its line
}

/** An outline level for the tree; paged. */
export interface OutlineTurn {
  readonly index: number;
  readonly number: number;
  readonly seq: number;
  readonly lastSeq: number; // fork target: its turn/end
  readonly row: RowText;
  readonly outcome: number; // OUTCOME
  readonly start: number;
  readonly end: number;
  readonly steps: number;
}
export interface OutlineStep {
  readonly index: number;
  readonly number: number;
  readonly seq: number;
  readonly lastSeq: number;
  readonly row: RowText;
  readonly outcome: number;
  readonly start: number;
  readonly end: number;
  readonly calls: readonly OutlineCall[]; // at most 200; callCount says how many there are
  readonly callCount: number;
}
export interface OutlineCall {
  readonly seq: number;
  readonly lastSeq: number; // its last event
  readonly row: RowText;
  readonly outcome: number;
}

/** A read-only text document over a log (design.md §5). The kind and its place are the whole state of its URI. */
export type DocumentRef =
  | { readonly kind: 'history'; readonly seq: number; readonly compared?: Comparison } // derived history, inclusive
  | { readonly kind: 'replayed'; readonly seq: number; readonly compared?: Comparison } // the same as a replay makes it
  | {
      readonly kind: 'request';
      readonly turn: number;
      readonly step: number;
      readonly attempt: number;
      readonly compared?: Comparison;
    }
  // Derived history after migration of all events to the newest format; with a seq, of those up to it.
  | { readonly kind: 'migrated'; readonly seq?: number; readonly compared?: Comparison }
  | { readonly kind: 'removed'; readonly seq: number } // the messages a replacement took out
  | { readonly kind: 'message'; readonly seq: number } // one event's message
  | { readonly kind: 'event'; readonly seq: number } // stored line, pretty printed only if that loses nothing
  | { readonly kind: 'answer'; readonly seq: number; readonly side: 'stored' | 'chunks' } // as stored, or as its chunks make it
  | { readonly kind: 'jsonl' }
  | { readonly kind: 'transcript' }
  | { readonly kind: 'damage' };

/** Text of a document; `complete` false when the 8 MB cap cut it (decisions.md "Documents"). */
export interface DocumentText {
  readonly text: string;
  readonly complete: boolean;
}

/** An image of the attachment store: its exact bytes, or why there are none to show. */
export type ImageAnswer =
  | { readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'; readonly bytes: ArrayBuffer }
  | { readonly problem: Text };

export interface SearchResult {
  readonly entries: Uint32Array; // entry indexes, ascending, at most `limit`
  readonly total: number; // all matches
}

export interface SessionMethods extends BranchMethods, CompareMethods, ExportMethods, ReplayMethods {
  /**
   * Whether anybody looks: without, a changed log is read again only when something is asked of it. On at the start.
   */
  follow(args: { readonly on: boolean }): Record<never, never>;
  /** Opens on first use; later the current snapshot. */
  overview(args: Record<never, never>): SessionOverview;
  /** Range of a table, clipped to its length; the caller asks for about 1 MB at a time. */
  table(args: { readonly generation: number; readonly table: TableName; readonly from: number; readonly to: number }): TableChunk;
  /** One-line texts of rows, by index; at most 400 rows a call. */
  rows(args: {
    readonly generation: number;
    readonly turns: readonly number[];
    readonly steps: readonly number[];
    readonly entries: readonly number[];
  }): RowTexts;
  /** `until`: as it was known before the event at that seq; of what came later nothing is told. */
  detail(args: { readonly generation: number; readonly seq: number; readonly until?: number }): EventDetail;
  turns(args: { readonly from: number; readonly to: number }): { readonly total: number; readonly turns: readonly OutlineTurn[] };
  steps(args: { readonly turn: number; readonly from: number; readonly to: number }): {
    readonly total: number;
    readonly steps: readonly OutlineStep[];
  };
  document(args: { readonly ref: DocumentRef }): DocumentText;
  /** Case-insensitive text search over stored lines and row texts. */
  search(args: { readonly generation: number; readonly query: string; readonly limit: number }): SearchResult;
  forkBoundary(args: { readonly seq: number }): ForkBoundary;
  /** An image this log's store holds, by attachment id. */
  attachment(args: { readonly id: string }): ImageAnswer;
  /** Salvaged stored lines after the damage, bounded. */
  salvaged(args: { readonly from: number; readonly to: number }): {
    readonly total: number;
    readonly lines: readonly { readonly frame: number; readonly line: number; readonly text: string }[];
  };
}

/** What an open log says unasked. */
export interface SessionEvents {
  /** The file changed and was re-read: a new generation; everything is to be asked again. */
  changed: { readonly generation: number; readonly cause: 'appended' | 'truncated' | 'new-generation' };
  /** The file changed and could not be read again; the last snapshot stays usable. */
  unreadable: { readonly message: string };
  /** The file is gone; the last snapshot stays usable. */
  deleted: Record<never, never>;
}
