import type { Text } from './text.ts';

/** What dsh itself does with a file on one of its operations. `repairs`: after dropping or completing the tail. */
export type DshOutcome = 'accepts' | 'repairs' | 'skips' | 'refuses' | 'breaks-root';

export type DamageKind =
  // the container
  | 'empty-file'
  | 'torn-frame'
  | 'foreign-bytes'
  | 'corrupt-frame'
  | 'first-frame'
  | 'torn-record'
  | 'torn-line'
  | 'frame-limit'
  | 'misnamed'
  | 'unreadable'
  // lines
  | 'bad-line'
  | 'bad-packed-line'
  | 'wrong-seq'
  | 'uncommitted-tail'
  | 'invalid-utf8'
  // header
  | 'header'
  | 'generation'
  | 'wrong-cut'
  // events
  | 'envelope'
  | 'unknown-event'
  | 'retired-event'
  | 'message'
  | 'surface'
  | 'projection'
  | 'order'
  // placement
  | 'placement'
  | 'mixed-encodings'
  | 'flat-log'
  | 'duplicate-id'
  | 'name-collision'
  | 'changed-while-reading';

/**
 * One departure of a file from its format. `byte`: start of the frame or of the foreign bytes where reading stops;
 * `frame` counts from 0; `line` counts stored lines from 1, the header being line 1.
 */
export interface Damage {
  readonly kind: DamageKind;
  /** English, for logs and other programs; `text` is the same sentence for translation. */
  readonly message: string;
  readonly text: Text;
  readonly byte?: number;
  readonly frame?: number;
  readonly line?: number;
  readonly seq?: number;
  readonly dsh: { readonly list: DshOutcome; readonly open: DshOutcome };
  /** Another file of the root is at fault: this log itself is as it should be. */
  readonly isElsewhere?: true;
}

/** Why nothing can be derived from an event on (or at all). format/migrations.md §6. */
export interface Refusal {
  readonly kind: 'newer-format' | 'unknown-event' | 'no-header';
  readonly message: string;
  readonly text: Text;
  readonly seq?: number;
}

/** One broken relation of a log. format/events.md §7. */
export interface Finding {
  readonly rule: string;
  readonly seq: number;
  readonly message: string;
  readonly text: Text;
  readonly dsh: 'accepts' | 'refuses' | 'refuses-on-migration';
}
