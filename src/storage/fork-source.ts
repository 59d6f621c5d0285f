import { stat } from 'node:fs/promises';
import { text } from '../core/index.ts';
import { ForkSessionError } from './fork-error.ts';
import { openSession, type OpenSession } from './open-session.ts';
import { errorCode } from './root-scan.ts';

/** What a fork needs of the log it starts from. */
export type ForkSource = Pick<
  OpenSession,
  | 'path'
  | 'version'
  | 'encoding'
  | 'header'
  | 'eventCount'
  | 'size'
  | 'mtime'
  | 'refusal'
  | 'eventAt'
  | 'viewAt'
  | 'events'
  | 'storedLines'
  | 'forkBoundary'
  | 'forkableCount'
  | 'effectivePreset'
  | 'turnEdges'
>;

/**
 * Looks whether a log on disk still begins with what is being copied from its reading. It may grow meanwhile, as a live log does; any other
 * change stops the fork.
 */
export class SourceWatch {
  readonly #source: ForkSource;
  readonly #last: number;
  /** Size and mtime of the file whose beginning is known to be right. */
  #known: string;

  /** `last`: the last seq that is copied. */
  constructor(source: ForkSource, last: number) {
    this.#source = source;
    this.#last = last;
    this.#known = `${source.size}:${source.mtime}`;
  }

  /** Throws a {@link ForkSessionError} when the beginning of the log is not what it was. */
  async confirm(signal?: AbortSignal): Promise<void> {
    const { path } = this.#source;
    try {
      const found = await stat(path, { bigint: true });
      const now = `${found.size}:${found.mtimeMs}`;
      if (now === this.#known) return;
      const fresh = await openSession(path, { placement: false, ...(signal === undefined ? {} : { signal }) });
      const differs = this.#firstDifference(fresh);
      await fresh.close();
      if (differs !== undefined) {
        throw new ForkSessionError(
          'SOURCE_CHANGED',
          text('The session changed on disk meanwhile: #{seq} is not what it was. Nothing was written', { seq: differs }),
        );
      }
      this.#known = now;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ForkSessionError) throw error;
      const sentence = text('The session can no longer be read at {path} ({code}). Nothing was written', {
        path,
        code: errorCode(error),
      });
      throw new ForkSessionError('SOURCE_CHANGED', sentence, { cause: error });
    }
  }

  /** Seq of the first copied line that differs, or undefined. A header that differs counts as seq 0. */
  #firstDifference(fresh: OpenSession): number | undefined {
    if (JSON.stringify(fresh.header) !== JSON.stringify(this.#source.header)) return 0;
    if (fresh.eventCount <= this.#last) return fresh.eventCount;
    const now = fresh.storedLines(this.#last)[Symbol.iterator]();
    for (const { seq0, bytes } of this.#source.storedLines(this.#last)) {
      const line = now.next();
      if (line.done === true || line.value.seq0 !== seq0 || Buffer.compare(line.value.bytes, bytes) !== 0) return seq0;
    }
    return undefined;
  }
}
