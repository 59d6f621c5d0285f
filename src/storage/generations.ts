/** How a log is stored: joined zstd frames, or plain lines. One root uses one of them. */
export type Encoding = 'zstd' | 'none';

/** A log file of a session directory, known by its name. */
export interface Generation {
  readonly name: string;
  readonly version: number;
  readonly encoding: Encoding;
}

/**
 * Version and encoding of a canonical log name, or undefined for anything else: `session.jsonl` is v0, `session.vN.jsonl` has N ≥ 1
 * without leading zeros; `.zstd` may follow. format/on-disk.md §3.
 */
export function parseGenerationFilename(name: string): { version: number; encoding: Encoding } | undefined {
  const match = /^session(?:\.v([1-9][0-9]*))?\.jsonl(\.zstd)?$/.exec(name);
  if (match === null) return undefined;
  const version = match[1] === undefined ? 0 : Number(match[1]);
  if (!Number.isSafeInteger(version)) return undefined;
  return { version, encoding: match[2] === undefined ? 'none' : 'zstd' };
}

/** The canonical name of a generation. */
export function generationFilename(version: number, encoding: Encoding): string {
  return `session${version === 0 ? '' : `.v${String(version)}`}.jsonl${encoding === 'zstd' ? '.zstd' : ''}`;
}

/**
 * The canonical logs among a directory's file names, the one that would be opened first: highest version, and zstd before plain lines
 * where one version lies in both. There is no fallback to a lower one. format/on-disk.md §3.
 */
export function sortGenerations(names: Iterable<string>): Generation[] {
  const found: Generation[] = [];
  for (const name of names) {
    const parsed = parseGenerationFilename(name);
    if (parsed !== undefined) found.push({ name, ...parsed });
  }
  return found.sort((a, b) => b.version - a.version || (a.encoding === b.encoding ? 0 : a.encoding === 'zstd' ? -1 : 1));
}

/** A log file lying directly in a project directory: the retired flat layout. format/on-disk.md §2. */
export function isFlatLogName(name: string): boolean {
  return name.endsWith('.jsonl') || name.endsWith('.jsonl.zstd');
}
