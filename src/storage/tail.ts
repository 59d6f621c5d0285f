import { watch, type FSWatcher } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isPackedRow, isSeq, packedCount, packedRowProblem } from '../core/index.ts';
import { readBounded } from './bounded-read.ts';
import { parseGenerationFilename, sortGenerations, type Encoding } from './generations.ts';
import { recordOf } from './line-facts.ts';
import { logEnds } from './log-ends.ts';
import { errorCode } from './root-scan.ts';
import { loadDecoder, type FrameDecoder } from './zstd/decode.ts';

/** What happened to a followed log. */
export interface LogChange {
  /**
   * `truncated`: what had been read is no longer all there, by cutting or by rewriting. `new-generation`: a newer generation lies beside the
   * log, which will not grow any more.
   */
  readonly kind: 'appended' | 'truncated' | 'new-generation' | 'deleted';
  /** The first seq that is new, or that has to be read again. Absent where the end of the file does not tell. */
  readonly from?: number;
  /** Events of the log now, unfinished last frame included. Absent where the end of the file does not tell. */
  readonly eventCount?: number;
}

export interface FollowOptions {
  /** How often the file is looked at, watched or not: network drives and WSL tell of nothing. */
  readonly pollMs?: number;
  /** False: poll only. */
  readonly watch?: boolean;
}

const POLL_MS = 1000;
/** Several notices of one write become one look. */
const SETTLE_MS = 40;
const PIECE_BYTES = 64 * 1024;
/** Bytes before the end of what was read that must still be there when a file grew. */
const MARK_BYTES = 16 * 1024;

/**
 * Follows a log file: tells of appended events, of cutting and rewriting, of a newer generation and of deletion. The file is only looked at
 * near its end. Reads nothing before the first change; `onChange` must not throw. format/on-disk.md §4.1.
 */
export function followSession(
  path: string,
  onChange: (change: LogChange) => void,
  options: FollowOptions = {},
): { dispose(): void } {
  const follower = new LogFollower(path, onChange);
  let settling: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  const look = (): void => {
    void follower.look();
  };
  const timer = setInterval(look, options.pollMs ?? POLL_MS);
  timer.unref();
  if (options.watch !== false) {
    try {
      watcher = watch(dirname(path), { persistent: false }, () => {
        // Not restarted by later notices: a writer that never pauses is looked at all the same.
        settling ??= setTimeout(() => {
          settling = undefined;
          look();
        }, SETTLE_MS);
        settling.unref();
      });
      // A watch that breaks later (folder gone, limits) leaves the polling.
      watcher.on('error', () => watcher?.close());
    } catch {
      watcher = undefined; // no watches on this file system or none left: polling alone
    }
  }
  look();
  return {
    dispose() {
      clearInterval(timer);
      clearTimeout(settling);
      watcher?.close();
      follower.dispose();
    },
  };
}

interface FileState {
  readonly size: number;
  readonly mtime: number;
  readonly inode: number;
  readonly eventCount: number | undefined;
  /** Bytes just before `size`. */
  readonly mark: Uint8Array;
}

/** The comparing part of {@link followSession}, one look at a time. */
export class LogFollower {
  readonly #path: string;
  readonly #encoding: Encoding;
  readonly #version: number;
  readonly #onChange: (change: LogChange) => void;
  #decoder: FrameDecoder | undefined;
  #state: FileState | 'deleted' | undefined;
  #newest: number;
  #looking: Promise<void> | undefined;
  #again = false;
  #disposed = false;

  constructor(path: string, onChange: (change: LogChange) => void) {
    const parsed = parseGenerationFilename(basename(path));
    this.#path = path;
    this.#encoding = parsed?.encoding ?? (path.endsWith('.zstd') ? 'zstd' : 'none');
    this.#version = parsed?.version ?? Infinity;
    this.#newest = this.#version;
    this.#onChange = onChange;
  }

  dispose(): void {
    this.#disposed = true;
  }

  /** Compares the file with the last look and tells the difference; looks asked for meanwhile become one more. The first look only remembers. */
  look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#run().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      const changes = await this.#compare();
      for (const change of changes) if (!this.#disposed) this.#onChange(change);
    } while (this.#again && !this.#disposed);
  }

  async #compare(): Promise<LogChange[]> {
    const changes: LogChange[] = [];
    const newer = await this.#newerGeneration();
    if (newer) changes.push({ kind: 'new-generation' });
    const before = this.#state;
    try {
      const { size, mtimeMs, ino } = await stat(this.#path);
      if (typeof before === 'object' && before.size === size && before.mtime === mtimeMs && before.inode === ino) return changes;
      const now = await this.#read(ino);
      this.#state = now;
      const change = before === undefined ? undefined : await this.#difference(before, now);
      if (change !== undefined) changes.unshift(change);
    } catch (error) {
      // Anything but a missing file may pass: the next look tries again.
      if (errorCode(error) !== 'ENOENT' || before === 'deleted') return changes;
      this.#state = 'deleted';
      if (before !== undefined) changes.unshift({ kind: 'deleted' });
    }
    return changes;
  }

  async #difference(before: FileState | 'deleted', now: FileState): Promise<LogChange | undefined> {
    const count = now.eventCount === undefined ? {} : { eventCount: now.eventCount };
    if (before === 'deleted') return { kind: 'truncated', from: 0, ...count };
    const isSame = before.inode === now.inode && now.size >= before.size && (await this.#still(before));
    if (isSame) {
      if (now.size === before.size) return undefined; // touched, not changed
      return { kind: 'appended', ...(before.eventCount === undefined ? {} : { from: before.eventCount }), ...count };
    }
    // How far back a rewriting went is not known; a mere cut leaves what is left of the events.
    const isCut = before.inode === now.inode && now.size < before.size;
    return { kind: 'truncated', ...(isCut && now.eventCount !== undefined ? { from: now.eventCount } : { from: 0 }), ...count };
  }

  /** Whether the last bytes of the earlier look are still where they were. */
  async #still({ mark, size }: FileState): Promise<boolean> {
    const file = await open(this.#path, 'r');
    try {
      const bytes = new Uint8Array(mark.length);
      await file.read(bytes, 0, mark.length, size - mark.length);
      return Buffer.from(bytes).equals(mark);
    } finally {
      await file.close();
    }
  }

  async #read(inode: number): Promise<FileState> {
    this.#decoder ??= await loadDecoder();
    const bytes = await readBounded(this.#path, { piece: PIECE_BYTES, whole: 0 });
    const fileVersion = Number.isFinite(this.#version) ? this.#version : undefined;
    const ends = logEnds(bytes, { encoding: this.#encoding, fileVersion, decoder: this.#decoder });
    return {
      size: bytes.size,
      mtime: bytes.mtime,
      inode,
      eventCount: eventCountOf(ends.tail) ?? (ends.isWhole ? 0 : undefined),
      mark: bytes.tail.slice(-MARK_BYTES),
    };
  }

  async #newerGeneration(): Promise<boolean> {
    let names: string[];
    try {
      names = await readdir(dirname(this.#path));
    } catch {
      return false; // a folder that is gone is the deletion, which the look at the file tells
    }
    const newest = sortGenerations(names)[0]?.version ?? 0;
    if (newest <= this.#newest) return false;
    this.#newest = newest;
    return true;
  }
}

/** Events up to the last line that can be read, since seqs are dense from 0. */
function eventCountOf(linesFromEnd: Iterable<string>): number | undefined {
  for (const line of linesFromEnd) {
    const record = recordOf(line);
    if (record === undefined) continue;
    if (isPackedRow(record) && packedRowProblem(record, 0) === undefined) return record.seq0 + packedCount(record);
    if (isSeq(record['seq'])) return record['seq'] + 1;
  }
  return undefined;
}
