import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The conformance data: `../shared` beside the repository, or `DSH_SHARED`. It is read where it lies and never copied. */
const ROOT = resolve(process.env['DSH_SHARED'] ?? fileURLToPath(new URL('../../../shared', import.meta.url)));

export const hasSharedData = existsSync(join(ROOT, 'corpus', 'INDEX.json'));

export function sharedPath(...parts: string[]): string {
  return join(ROOT, ...parts);
}

/** Every log file below a folder of the conformance data, sorted. */
export function sharedLogs(...parts: string[]): string[] {
  const folder = sharedPath(...parts);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl(\.zstd)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
