import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent, SessionHeader, StoredEvent } from '../../src/core/events.ts';
import type { Encoding } from '../../src/storage/generations.ts';
import { logPathOf } from '../../src/storage/log-writer.ts';
import { batchText } from '../../src/storage/stored-lines.ts';
import { encodeFrame } from '../../src/storage/zstd/encode.ts';

export interface WriteOptions {
  /** zstd when absent. */
  readonly encoding?: Encoding;
  /** Events of one append batch, which is one frame; absent: as batches fall in a live session; `one`: all in one frame. */
  readonly batch?: number | 'one';
  /** v0, v1: whether runs of chunks are packed; true when absent. */
  readonly pack?: boolean;
}

/** A log's stored lines without line ends: the header, then each batch. */
export interface StoredLog {
  readonly header: string;
  readonly batches: readonly (readonly string[])[];
}

export function storedLog(header: SessionHeader, events: readonly StoredEvent[], options: WriteOptions = {}): StoredLog {
  const batches = batchesOf(events, options.batch).map((batch) =>
    batchText(batch as readonly SessionEvent[], header.version, options.pack ?? true)
      .split('\n')
      .slice(0, -1),
  );
  return { header: JSON.stringify(header), batches };
}

/** The bytes of a log file. */
export async function logBytes(
  header: SessionHeader,
  events: readonly StoredEvent[],
  options: WriteOptions = {},
): Promise<Buffer> {
  const stored = storedLog(header, events, options);
  const pieces = [[stored.header], ...stored.batches].map((lines) => Buffer.from(`${lines.join('\n')}\n`));
  if (options.encoding === 'none') return Buffer.concat(pieces);
  const frames: Uint8Array[] = [];
  for (const piece of pieces) frames.push(await encodeFrame(piece));
  return Buffer.concat(frames);
}

/** Where the harness would keep a log, by its header. */
export function logPath(root: string, header: SessionHeader, encoding: Encoding = 'zstd'): string {
  return logPathOf(root, header, encoding);
}

/** Writes a log at its place below `root` and gives its path. */
export async function writeLog(
  root: string,
  header: SessionHeader,
  events: readonly StoredEvent[],
  options: WriteOptions = {},
): Promise<string> {
  const path = logPath(root, header, options.encoding);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(path, await logBytes(header, events, options), { mode: 0o600 });
  return path;
}

/** How long the harness gathers events before it appends them. */
const BATCH_WINDOW_MS = 200;

/** The append batches events fall into. */
export function batchesOf(events: readonly StoredEvent[], size?: WriteOptions['batch']): StoredEvent[][] {
  if (size === 'one') return events.length === 0 ? [] : [[...events]];
  const batches: StoredEvent[][] = [];
  let current: StoredEvent[] = [];
  for (const event of events) {
    const first = current[0];
    const full = size === undefined ? first !== undefined && event.time - first.time > BATCH_WINDOW_MS : current.length >= size;
    if (full) {
      batches.push(current);
      current = [];
    }
    current.push(event);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
