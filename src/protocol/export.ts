/** Parts of a log as files, whole: unlike documents, nothing in them is left out for its length. */

/** What is exported. `jsonl`: every stored line, decoded. `history`: what the model saw after an event, inclusive. */
export type ExportPart =
  | { readonly kind: 'jsonl' }
  | { readonly kind: 'transcript' } // Markdown
  | { readonly kind: 'history'; readonly seq: number; readonly as: 'markdown' | 'text' };

/** The next bytes of the file, UTF-8, at most 1 MB. `share`: how much of it is done, 0 to 1. */
export interface ExportPiece {
  readonly bytes: ArrayBuffer;
  readonly share: number;
  readonly done: boolean;
}

export interface ExportMethods {
  /** Begins an export of the current reading; a log that grows meanwhile does not change it. At most four at a time. */
  exportStart(args: { readonly part: ExportPart }): { readonly id: number };
  exportNext(args: { readonly id: number }): ExportPiece;
  /** Forgets an export that is not wanted any more; one that ended or is not known is none. */
  exportStop(args: { readonly id: number }): Record<never, never>;
}
