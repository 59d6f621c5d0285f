import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One red pixel, as PNG. */
export const redPixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Where a home keeps the object of a hash. format/on-disk.md §9. */
export const objectPath = (home: string, hash: string): string =>
  join(home, 'attachments', 'v1', 'objects', hash.slice(0, 2), hash);

/** Stores bytes as the object of a hash, their own unless another is named, and gives the attachment id. */
export function storeObject(home: string, bytes: Uint8Array, hash = sha256(bytes)): string {
  mkdirSync(join(objectPath(home, hash), '..'), { recursive: true });
  writeFileSync(objectPath(home, hash), bytes);
  return `sha256:${hash}`;
}
