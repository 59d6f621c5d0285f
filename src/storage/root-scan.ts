import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text, type Text } from '../core/text.ts';
import { isFlatLogName, sortGenerations, type Generation } from './generations.ts';

/** A session directory with at least one canonical log. */
export interface FoundSession {
  readonly directory: string;
  readonly project: string;
  /** The one to open first, then the others by falling version. */
  readonly generations: readonly [Generation, ...Generation[]];
}

export interface RootScan {
  readonly exists: boolean;
  readonly sessions: readonly FoundSession[];
  /** Log files lying directly in a project directory. */
  readonly flatLogs: readonly string[];
  /** What could not be looked into. */
  readonly problems: readonly Text[];
}

/**
 * The sessions of a root by directory entries alone: exactly root, project, session. Stray files and directories without a canonical log
 * are passed over. Throws only when the signal is aborted. format/on-disk.md §2.
 */
export async function scanRoot(root: string, signal?: AbortSignal): Promise<RootScan> {
  const sessions: FoundSession[] = [];
  const flatLogs: string[] = [];
  const problems: Text[] = [];
  const entriesOf = async (path: string): Promise<Dirent[] | undefined> => {
    signal?.throwIfAborted();
    try {
      return await readdir(path, { withFileTypes: true });
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT') problems.push(text('{path} cannot be read ({code})', { path, code }));
      return undefined;
    }
  };

  const projects = await entriesOf(root);
  for (const project of sorted(projects ?? [])) {
    const projectPath = join(root, project.name);
    if (!(await isDirectory(project, projectPath))) continue;
    for (const entry of sorted((await entriesOf(projectPath)) ?? [])) {
      const path = join(projectPath, entry.name);
      if (!(await isDirectory(entry, path))) {
        if (mayBeLog(entry) && isFlatLogName(entry.name)) flatLogs.push(path);
        continue;
      }
      const files = (await entriesOf(path)) ?? [];
      const [first, ...others] = sortGenerations(files.filter(mayBeLog).map((file) => file.name));
      if (first !== undefined) sessions.push({ directory: path, project: projectPath, generations: [first, ...others] });
    }
  }
  return { exists: projects !== undefined, sessions, flatLogs, problems };
}

/** The code of a file system error, or its name. */
export function errorCode(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return String(error);
}

/** Pipes, sockets and devices are no logs; where a link leads is told on opening. */
export function mayBeLog(entry: Dirent): boolean {
  return entry.isFile() || entry.isSymbolicLink();
}

async function isDirectory(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // a link to nowhere holds no session
  }
}

function sorted(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
