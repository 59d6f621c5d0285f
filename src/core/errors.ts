import { english, type Text } from './text.ts';

/** The log is intact but cannot be interpreted by this release. format/migrations.md §6.3. */
export class SessionFormatUnsupportedError extends Error {
  override readonly name = 'SessionFormatUnsupportedError';
}

export type SessionForkErrorCode =
  'SESSION_NOT_FOUND' | 'SESSION_NOT_LIVE' | 'SESSION_ALREADY_EXISTS' | 'INVALID_BOUNDARY' | 'OPEN_TURN';

/** A fork that the rules forbid. format/fork-resume.md §1. */
export class SessionForkError extends Error {
  override readonly name = 'SessionForkError';
  readonly code: SessionForkErrorCode;
  readonly text: Text;

  constructor(code: SessionForkErrorCode, sentence: Text) {
    super(english(sentence));
    this.code = code;
    this.text = sentence;
  }
}

/** A log that a migration edge refuses. format/migrations.md. */
export class SessionMigrationRefusedError extends Error {
  override readonly name = 'SessionMigrationRefusedError';
  /** The version the refusing edge starts from. */
  readonly from: number;
  /** The event it stumbled over, in the numbering of that version; absent for the header or the whole log. */
  readonly seq: number | undefined;
  readonly text: Text;

  constructor(from: number, seq: number | undefined, sentence: Text) {
    super(english(sentence));
    this.from = from;
    this.seq = seq;
    this.text = sentence;
  }
}
