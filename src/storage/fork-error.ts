import { english, type Text } from '../core/index.ts';

/** Why a new session could not be made of a log, beside what a boundary and the file system refuse. */
export type ForkFailure =
  /** The source can be read and forked only before this point, or nowhere. */
  | 'UNREADABLE'
  /** The header lacks what a new session needs of it. */
  | 'HEADER'
  /** The log does not lie in a root, so there is no place beside it. */
  | 'NO_ROOT'
  | 'OTHER_ENCODING'
  | 'DUPLICATE_IDS'
  | 'ROOT_UNREADABLE'
  | 'SOURCE_CHANGED'
  /** A session without lineage may not hold the mark of an inherited part. */
  | 'INHERITED_PART'
  /** Nor an acknowledgement that another session was uploaded. */
  | 'ACKNOWLEDGED_UPLOAD'
  /** What was written reads back otherwise, or dsh would not take it. */
  | 'NOT_VERIFIED';

/** A fork or replay that was refused or stopped; nothing of it is left on disk. */
export class ForkSessionError extends Error {
  override readonly name = 'ForkSessionError';
  readonly code: ForkFailure;
  readonly text: Text;
  /** The event that stands in the way, where everything before it would do. */
  readonly seq: number | undefined;

  constructor(code: ForkFailure, sentence: Text, options: ErrorOptions & { readonly seq?: number } = {}) {
    super(english(sentence), options);
    this.code = code;
    this.text = sentence;
    this.seq = options.seq;
  }
}
