import * as nodeFs from 'node:fs/promises';
import { text, type Disposable, type Session, type SessionEvent, type SessionStore } from '../core/index.ts';
import type { Encoding } from './generations.ts';
import { createSessionLog, failureText, LogWriteError, type WriterFs } from './log-writer.ts';
import { errorCode } from './root-scan.ts';
import { batchText } from './stored-lines.ts';
import { encodeFrame } from './zstd/encode.ts';

export interface PersistenceOptions {
  readonly root: string;
  /** zstd when absent. A root has one encoding. */
  readonly encoding?: Encoding;
  /** v0, v1: whether runs of chunks are packed; true when absent. */
  readonly packChunks?: boolean;
  /** How long events are gathered into one batch, from the first of them on; 200 ms when absent. */
  readonly batchDelayMs?: number;
  /** Told of a batch that could not be written in the background; it stays and is tried again with the next one, or at a flush. */
  readonly onError?: (error: unknown, session: Session) => void;
  readonly fs?: WriterFs;
}

const BATCH_DELAY_MS = 200;

/**
 * Writes the sessions of a store to disk behind its back. Nothing exists before the first event; then the header and the first batch are
 * published together as a new log, and every later batch is appended as one frame (or as plain lines) and made durable. A flush waits until
 * everything is stored and rejects with a {@link LogWriteError} where it could not be. A failed write is undone to the last good byte and
 * its events are kept for the next try. For sessions of our own store only: never point it at a log another program may write.
 * format/on-disk.md §4, §10.
 */
export class JsonlPersistence {
  readonly #options: PersistenceOptions;
  readonly #logs = new Map<Session, SessionLog>();
  readonly #subscriptions: Disposable[];

  constructor(store: SessionStore, options: PersistenceOptions) {
    this.#options = options;
    this.#subscriptions = [
      store.onEvent((session) => {
        this.#logOf(session).writeSoon(options.batchDelayMs ?? BATCH_DELAY_MS);
      }),
      store.onFlush((session) => this.#logOf(session).flush()),
      store.onDetach((session) => {
        this.#logs
          .get(session)
          ?.finish()
          .then(() => this.#logs.delete(session))
          // Kept, so that dispose tries again and tells its caller.
          .catch((error: unknown) => options.onError?.(error, session));
      }),
    ];
  }

  /** Stops listening and stores what is left. Rejects with an AggregateError of what could not be stored. */
  async dispose(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    const results = await Promise.allSettled(Array.from(this.#logs.values(), (log) => log.finish()));
    const failures = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
  }

  #logOf(session: Session): SessionLog {
    let log = this.#logs.get(session);
    if (log === undefined) {
      log = new SessionLog(session, this.#options);
      this.#logs.set(session, log);
    }
    return log;
  }
}

/** The stored side of one session. Writes follow one another; each takes all events that are not stored yet. */
class SessionLog {
  readonly #session: Session;
  readonly #options: PersistenceOptions;
  readonly #fs: WriterFs;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #path: string | undefined;
  /** Events on disk. */
  #stored = 0;
  /** Bytes up to the end of the last batch that is durable. */
  #goodBytes = 0;
  /** What a failed write left behind could not be cut off. */
  #hasRemains = false;

  constructor(session: Session, options: PersistenceOptions) {
    this.#session = session;
    this.#options = options;
    this.#fs = options.fs ?? nodeFs;
  }

  /** Starts the window of a batch, unless one is open. */
  writeSoon(delay: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write(false).catch((error: unknown) => {
        this.#options.onError?.(error, this.#session);
      });
    }, delay);
  }

  /** Stores everything now; also a session without events, whose log is then its header. */
  flush(): Promise<void> {
    return this.#write(true);
  }

  /** Stores what is left of a session that will not go on. */
  finish(): Promise<void> {
    return this.#write(false);
  }

  #write(evenEmpty: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A failed write has told its own caller; the next one starts from the last good byte.
    const next = this.#last.catch(() => undefined).then(() => this.#writePending(evenEmpty));
    this.#last = next;
    return next;
  }

  async #writePending(evenEmpty: boolean): Promise<void> {
    const until = this.#session.seq;
    const isNew = this.#path === undefined;
    if (until === this.#stored && !(isNew && evenEmpty)) return;
    const events: SessionEvent[] = [];
    for (let seq = this.#stored; seq < until; seq++) {
      const event = this.#session.eventAt(seq);
      if (event !== undefined) events.push(event);
    }
    const { header } = this.#session;
    const batch = batchText(events, header.version, this.#options.packChunks ?? true);
    if (isNew) await this.#create(`${JSON.stringify(header)}\n`, batch);
    else await this.#append(batch);
    this.#stored = until;
  }

  async #create(headerLine: string, batch: string): Promise<void> {
    const encoding = this.#options.encoding ?? 'zstd';
    const pieces = [await this.#encoded(headerLine)];
    if (batch !== '') pieces.push(await this.#encoded(batch));
    const bytes = Buffer.concat(pieces);
    const log = { root: this.#options.root, header: this.#session.header, encoding, bytes };
    this.#path = await createSessionLog(log, { fs: this.#fs });
    this.#goodBytes = bytes.length;
  }

  async #append(batch: string): Promise<void> {
    const path = this.#path ?? '';
    const bytes = await this.#encoded(batch);
    try {
      await this.#appendBytes(path, bytes);
    } catch (error) {
      if (error instanceof LogWriteError) throw error;
      const code = errorCode(error);
      throw new LogWriteError(failureText(path, code), path, code, { cause: error });
    }
    this.#goodBytes += bytes.length;
  }

  async #appendBytes(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.#fs.open(path, 'r+');
    try {
      const { size } = await file.stat();
      if (size !== this.#goodBytes) {
        if (!this.#hasRemains || size < this.#goodBytes) {
          const sentence = text('The log at {path} was changed by another program; nothing was written to it', { path });
          throw new LogWriteError(sentence, path, 'ECHANGED');
        }
        await file.truncate(this.#goodBytes);
      }
      this.#hasRemains = true;
      try {
        for (let done = 0; done < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, done, bytes.length - done, this.#goodBytes + done);
          done += bytesWritten;
        }
        await file.datasync();
      } catch (error) {
        await file.truncate(this.#goodBytes).then(
          () => {
            this.#hasRemains = false;
          },
          // The remains stay marked, and the next write cuts them off first.
          () => undefined,
        );
        throw error;
      }
      this.#hasRemains = false;
    } finally {
      await file.close();
    }
  }

  async #encoded(lines: string): Promise<Uint8Array> {
    const plain = Buffer.from(lines);
    return this.#options.encoding === 'none' ? plain : encodeFrame(plain);
  }
}
