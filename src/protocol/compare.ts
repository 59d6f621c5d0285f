/** What the comparing of two documents needs of a log, and what a compared document carries in its address. */
import type { Text } from '../core/index.ts';
import type { DocumentRef } from './session.ts';

/** The parts of a document's text that can be told apart, each by a hash of what is shown of it. */
export interface DocumentDigest {
  readonly messages: readonly DigestMessage[];
  readonly tokens: number | undefined; // context size the latest answered request before it recorded, unless messages were replaced since
  /** Of a request only. */
  readonly request:
    | {
        readonly system: string;
        readonly settings: string;
        readonly tools: readonly { readonly name: string; readonly hash: string }[];
      }
    | undefined;
}
export interface DigestMessage {
  readonly seq: number | undefined;
  readonly id: string; // '' where the message has none
  readonly hash: string; // of role, source and content as shown
  readonly idHash: string; // of its id; of what is shown where it has none
}

/** Digits of a hash by which a heading names its message: few enough to read over. */
export const HEADING_DIGITS = 8;

/**
 * How a compared document names its messages in their heading lines, so that equal messages have equal headings on both
 * sides and the editor's line diff can hold on to them: `seq` within one log; `seq-content` adds a few digits of the content's
 * hash, for two logs that share their beginning, whose later messages have equal seqs by chance; `content` leaves the seq
 * out, for logs that number differently; `id` takes digits of the message's id instead, for a log and its migration, which
 * keeps the ids and may change seq and content.
 */
export type HeadingStyle = 'seq' | 'seq-content' | 'content' | 'id';

/** What two compared documents say of each other in their first lines: the same on both sides. */
export interface Comparison {
  readonly subject: string; // what of the two is compared, e.g. "derived history"; '' for two of different kinds
  readonly heading: HeadingStyle;
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  readonly same: number; // messages on both sides
  readonly changed: number; // same id, other content
  readonly onlyLeft: number;
  readonly onlyRight: number;
  /** The first message, counted from 1, that is not the same on both sides; where a side has one there, its name in the headings. */
  readonly first: { readonly message: number; readonly left?: string; readonly right?: string } | undefined;
  /** Of requests only. */
  readonly request:
    | {
        readonly systemChanged: boolean;
        readonly settingsChanged: boolean;
        readonly toolsAdded: readonly string[];
        readonly toolsRemoved: readonly string[];
        readonly toolsChanged: readonly string[];
      }
    | undefined;
}
/** How one side of a comparison is called; each part is one bounded line in the reader's language. */
export interface SideName {
  readonly session: string; // its title where the two are of different sessions, else ''
  readonly role: string; // what it is to the other, e.g. "fork"; '' where it is nothing
  readonly point: string; // "#120", "1.2", "migrated"
}
export interface ComparedSide extends SideName {
  readonly messages: number;
  readonly tokens: number | undefined;
}

/** One replacement on the surface with the events around it. */
export interface ReplacementInfo {
  readonly seq: number; // the replacing event
  readonly kind: number; // REPLACEMENT
  readonly messages: number; // nodes it removed
  readonly firstSeq: number; // smallest removed
  readonly lastSeq: number; // largest removed
  readonly tokensBefore: number | undefined;
}

export interface RemovedMessage {
  readonly seq: number;
  readonly title: Text;
  readonly words: Text | string; // its own words, one bounded line, or as a Text what else its row says, such as the calls of an answer
  readonly characters: number;
}

export interface CompareMethods {
  /** Of a history, a request or a migrated history. Not found where nothing can be derived. */
  digest(args: { readonly ref: DocumentRef }): DocumentDigest;
  /** The request after one, in the same step or the next; undefined when it is the last. */
  nextRequest(args: { readonly turn: number; readonly step: number; readonly attempt: number }): {
    readonly next: { readonly turn: number; readonly step: number; readonly attempt: number } | undefined;
  };
  /** Of all attempts of a step the last; 1 for a step without any. Not found where there is no such step. */
  lastAttempt(args: { readonly turn: number; readonly step: number }): { readonly attempt: number };
  /** The event that stands for the turn, step or call that begins at a seq: its last one; of anything else, the last of its row. */
  spanEnd(args: { readonly seq: number }): { readonly seq: number };
  /** All replacements, the latest 1,000; with a seq, the one that event belongs to or was removed by. */
  replacements(args: { readonly seq?: number }): { readonly replacements: readonly ReplacementInfo[] };
  /** The messages a replacement took out of the context, at most 2,000. */
  removed(args: { readonly seq: number }): { readonly total: number; readonly messages: readonly RemovedMessage[] };
  /** What the newest dsh does with this log and the subagent sessions it started. */
  migration(args: Record<never, never>): {
    readonly outcome: 'current' | 'accepted' | 'refused';
    readonly from: number;
    readonly to: number;
    readonly text: Text;
    readonly reason: Text | undefined;
  };
}
