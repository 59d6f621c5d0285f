import type { FileHandle } from 'node:fs/promises';
import { openRegular } from './regular-file.ts';

/** The bytes of a file as they stood at one moment, as far as that can be had beside a writer. */
export interface FileSnapshot {
  readonly bytes: Uint8Array;
  /** Epoch milliseconds. */
  readonly mtime: number;
  /** The file kept changing: these are its first bytes as of the earlier look. */
  readonly changedWhileReading: boolean;
}

interface Identity {
  readonly size: number;
  readonly key: string;
  readonly mtime: number;
}

/** Bytes asked for in one read call; one call may not take 2 GiB. */
const READ_BYTES = 2 ** 26;

/**
 * Reads a whole file between two equal stats. A change in between is retried once; then the first bytes of the earlier stat are taken,
 * since a log only grows. format/on-disk.md §4.1.
 */
export async function readFileSnapshot(path: string, signal?: AbortSignal): Promise<FileSnapshot> {
  const file = await openRegular(path);
  try {
    for (let attempt = 0; ; attempt++) {
      const before = await identify(file);
      const bytes = await readBytes(file, before.size, signal);
      const after = await identify(file);
      const changed = before.key !== after.key || bytes.length !== before.size;
      if (!changed || attempt === 1) return { bytes, mtime: before.mtime, changedWhileReading: changed };
    }
  } finally {
    await file.close();
  }
}

async function identify(file: FileHandle): Promise<Identity> {
  const stat = await file.stat({ bigint: true });
  const key = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
  return { size: Number(stat.size), key, mtime: Number(stat.mtimeMs) };
}

async function readBytes(file: FileHandle, size: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, length, Math.min(READ_BYTES, size - length), length);
    if (bytesRead === 0) return bytes.slice(0, length);
    length += bytesRead;
  }
  return bytes;
}
