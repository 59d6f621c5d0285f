/** Writes what a reader exports into a file, piece by piece, beside it first: a file is there whole or as it was before. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ExportPart } from '../../protocol/index.ts';
import type { SessionLease } from '../workers/session-pool.ts';

export interface ExportProgress {
  readonly signal: AbortSignal;
  /** Told how much is done, 0 to 1. */
  onShare(share: number): void;
}

/** Gives the number of bytes written. Rejects with the signal's reason when aborted; nothing is left then, nor after a failure. */
export async function exportToFile(
  lease: SessionLease,
  part: ExportPart,
  file: string,
  progress: ExportProgress,
): Promise<number> {
  const { signal } = progress;
  const { id } = await lease.call('exportStart', { part }, signal);
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.part`);
  let isWritten = false;
  try {
    const handle = await open(beside, 'wx', 0o600);
    let size = 0;
    try {
      for (;;) {
        signal.throwIfAborted();
        const { bytes, share, done } = await lease.call('exportNext', { id }, signal);
        if (done) break;
        await handle.writeFile(new Uint8Array(bytes));
        size += bytes.byteLength;
        progress.onShare(share);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    await rename(beside, file);
    isWritten = true;
    return size;
  } finally {
    if (!isWritten) {
      await rm(beside, { force: true });
      await lease.call('exportStop', { id }).catch(() => undefined); // a reader that is gone holds nothing
    }
  }
}
