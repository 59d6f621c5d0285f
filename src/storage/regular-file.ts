import { open, stat, type FileHandle } from 'node:fs/promises';

/** A path that is no file one can read to its end. `code` stands where the file system's own codes stand. */
class NotAFileError extends Error {
  readonly code = 'ENOTSUP';
}

/**
 * Opens a regular file for reading. Throws what the file system throws, and for anything that is no file: opening a pipe would wait for
 * somebody to write to it, and a device may never end.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw new NotAFileError(`${path} is not a regular file`);
  return open(path, 'r');
}
