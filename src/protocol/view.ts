/** The webview's side of the contract: what it may ask of the host beyond the log itself, and what the host tells it. */
import type { ReplayMethods } from './replay.ts';
import type { DocumentRef, SessionEvents, SessionMethods } from './session.ts';

/** First answer to the view: everything it needs to draw before data arrives. */
export interface ViewBoot {
  readonly locale: string; // BCP 47
  readonly bundle: Readonly<Record<string, string>>; // translations, template -> text; empty for English
  readonly reveal: number | undefined; // seq to select at start
  readonly replay?: number; // seq to replay from at start
  readonly parentTitle?: string; // what the list calls the session this one was forked or started from
  readonly reducedMotion: boolean;
  readonly isTrusted: boolean; // workspace trust; nothing in the view depends on it but the sentence saying so
}

export interface ViewMethods extends Pick<
  SessionMethods,
  'overview' | 'table' | 'rows' | 'detail' | 'search' | 'salvaged' | 'attachment' | keyof ReplayMethods
> {
  ready(args: { readonly protocol: number }): ViewBoot;
  openDocument(args: { readonly ref: DocumentRef }): Record<never, never>;
  /** A diff of two documents of this log in the editor's own diff view. */
  compare(args: { readonly left: DocumentRef; readonly right: DocumentRef }): Record<never, never>;
  copy(args: { readonly text: string }): Record<never, never>;
  /** The selection moved: the host keeps it for palette commands. */
  selected(args: { readonly seq: number }): Record<never, never>;
  openSession(args: { readonly id: string }): Record<never, never>; // parent or child by id, from the list the host holds
  revealInTree(args: { readonly seq: number }): Record<never, never>;
  /** Runs the command of that name on the selected event, as its menu would. */
  act(args: { readonly name: ViewAct; readonly seq: number }): Record<never, never>;
}

export const VIEW_ACTS = [
  'forkHere',
  'replayHere',
  'showHistory',
  'compareCompaction',
  'whatWasRemoved',
  'compareNextRequest',
] as const;
export type ViewAct = (typeof VIEW_ACTS)[number];

export interface ViewEvents extends SessionEvents {
  /** Select and show this seq (deep link, tree). */
  reveal: { readonly seq: number };
  /** Open the replay bar at this seq. */
  replay: { readonly seq: number };
  /** The list knows the parent's title by now, or by another one, or no longer. */
  parent: { readonly title?: string };
  /** Run a view action asked for by a command or menu. */
  command: { readonly name: 'find' | 'expandAll' | 'collapseAll' | 'toggleAxis' | 'toggleIdle' | 'back' | 'forward' };
}

/** Merged JSON the workbench hands to `webview/context` commands. */
export interface ViewMenuContext {
  readonly webviewSection: 'event' | 'turn' | 'step' | 'call';
  readonly seq: number; // fork target and history seq (decisions.md "Fork target")
  readonly from?: number; // first seq of a turn or step, where its replay begins
  readonly turn?: number; // numbers
  readonly step?: number;
  readonly attempt?: number;
  readonly replaces?: true; // an event of a compaction or prune that took something out of the context
  readonly isChild?: true; // the session has a parent
  readonly preventDefaultContextMenuItems: true;
}

export const VIEW_PROTOCOL = 1;
