import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder of the calling test file's own, gone when its tests are. */
export function tempRoot(): { readonly path: string; fresh(): string } {
  let path = '';
  let made = 0;
  beforeAll(() => {
    path = mkdtempSync(join(tmpdir(), 'dsh-timeline-'));
  });
  afterAll(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    fresh: () => join(path, String(++made)),
  };
}
