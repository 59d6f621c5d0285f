import type { SessionItem } from '../../protocol/index.ts';

const generation = /^session(?:\.v[1-9]\d*)?\.jsonl(?:\.zstd)?$/;

/** Whether a file name is that of a log in a session directory, any generation and encoding (format/on-disk.md §3). */
export function isGenerationName(name: string): boolean {
  return generation.test(name);
}

/**
 * What a session is remembered by (pins, expansion, selection): its directory, which stays when a newer generation is
 * written; a stray flat log by its own path. Not the id: two directories may claim the same one.
 */
export function sessionKey(path: string): string {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return isGenerationName(path.slice(cut + 1)) ? path.slice(0, Math.max(cut, 0)) : path;
}

/** When a session was last of interest, epoch ms: what somebody or the model did in it, else when it began. */
export function sessionTime(item: SessionItem): number {
  return item.lastActivity ?? item.createdAt ?? item.mtime;
}
