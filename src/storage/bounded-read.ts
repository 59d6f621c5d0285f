import { openRegular } from './regular-file.ts';

/** The head and the tail of a file, read in at most two pieces; a small file is read whole. */
export interface BoundedBytes {
  readonly size: number;
  /** Epoch milliseconds. */
  readonly mtime: number;
  readonly head: Uint8Array;
  /** Where `tail` begins; 0 when the head is the whole file and `tail` is the same bytes. */
  readonly tailAt: number;
  readonly tail: Uint8Array;
}

/**
 * Reads up to `piece` bytes from either end of a file, or all of it when it is no larger than `whole`. Throws what the file system throws.
 */
export async function readBounded(
  path: string,
  limits: { readonly piece: number; readonly whole: number },
): Promise<BoundedBytes> {
  const file = await openRegular(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const readAt = async (position: number, length: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(length);
      let got = 0;
      while (got < length) {
        const { bytesRead } = await file.read(bytes, got, length - got, position + got);
        if (bytesRead === 0) break; // the file shrank since it was measured
        got += bytesRead;
      }
      return got === length ? bytes : bytes.subarray(0, got);
    };
    if (size <= Math.max(limits.whole, 2 * limits.piece)) {
      const all = await readAt(0, size);
      return { size, mtime: mtimeMs, head: all, tailAt: 0, tail: all };
    }
    const tailAt = size - limits.piece;
    return { size, mtime: mtimeMs, head: await readAt(0, limits.piece), tailAt, tail: await readAt(tailAt, limits.piece) };
  } finally {
    await file.close();
  }
}
