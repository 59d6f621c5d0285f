/** Images a log refers to. format/on-disk.md §9. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text, type Text } from '../core/index.ts';
import { rootOfLog } from './fork-session.ts';

/** Largest image read, in bytes. */
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

/** The exact stored bytes and the type they begin as, or why there is nothing to show. */
type StoredImage = { readonly mediaType: ImageType; readonly bytes: Uint8Array } | { readonly problem: Text };

/**
 * Reads `<home>/attachments/v1/objects/<2 hex>/<64 hex>`, home being the folder that holds the log's root; never any other file: an id of
 * another shape, and a link on the way, are refused. Only bytes that hash to the id are given, so that a file exchanged
 * while it is read tells nothing. Never throws.
 */
export async function readImage(logPath: string, id: string): Promise<StoredImage> {
  const hash = /^sha256:([0-9a-f]{64})$/.exec(id)?.[1];
  if (hash === undefined) return no(text('This image has no valid attachment id.'));
  const root = rootOfLog(logPath);
  if (root === undefined) {
    return no(text('This log does not lie in a sessions folder, so the place of its images is not known.'));
  }
  try {
    const home = await realpath(dirname(root));
    const path = join(home, 'attachments', 'v1', 'objects', hash.slice(0, 2), hash);
    if ((await realpath(path)) !== path) {
      return no(text('This image is not read: its place in the attachment store leads elsewhere.'));
    }
    return await readObject(path, hash);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return no(text('This image is no longer in the attachment store.'));
    return no(text('This image could not be read: {reason}', { reason: code || String(error) }));
  }
}

async function readObject(path: string, hash: string): Promise<StoredImage> {
  // Not waiting for the other end of a pipe, nor following a link put there since.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return no(text('This image is not read: its place in the attachment store holds no file.'));
    if (stat.size > MAX_IMAGE_BYTES) {
      return no(
        text('This image is too large to be shown: {size} bytes, at most {limit}.', { size: stat.size, limit: MAX_IMAGE_BYTES }),
      );
    }
    const bytes = new Uint8Array(stat.size);
    let got = 0;
    while (got < bytes.length) {
      const { bytesRead } = await file.read(bytes, got, bytes.length - got, got);
      if (bytesRead === 0) break; // shorter by now; the hash tells
      got += bytesRead;
    }
    if (createHash('sha256').update(bytes).digest('hex') !== hash) {
      return no(text('This image is not shown: the stored bytes are not the ones its id names.'));
    }
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) return no(text('This image is not shown: the stored bytes are no PNG, JPEG, WebP or GIF.'));
    return { mediaType, bytes };
  } finally {
    await file.close();
  }
}

const no = (problem: Text): StoredImage => ({ problem });

/** By the first bytes: what a log or a name says does not count. */
function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return undefined;
}
