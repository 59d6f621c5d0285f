/** Where an export may be written, and what its file is called. Knows no editor. */
import path from 'node:path';
import { realpath } from 'node:fs/promises';
import { plainLine } from '../../core/index.ts';
import { isSameOrBelow, type PathRules } from '../sessions/path-rules.ts';
import { isGenerationName } from '../sessions/session-key.ts';

/** Why a file must not be written: it would lie among dsh's own logs, or be taken for one. */
export type TargetProblem = 'in-root' | 'log-name';

/** Links are followed: a folder elsewhere may lead into the root. */
export async function targetProblem(
  file: string,
  roots: readonly string[],
  rules: PathRules,
): Promise<TargetProblem | undefined> {
  if (isGenerationName(path.basename(file).toLowerCase())) return 'log-name';
  const folders = [path.dirname(file), await resolved(path.dirname(file))];
  for (const root of roots) {
    for (const top of [root, await resolved(root)])
      if (folders.some((folder) => isSameOrBelow(folder, top, rules))) return 'in-root';
  }
  return undefined;
}

async function resolved(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    return path.resolve(folder); // not there yet: nothing to follow
  }
}

/** A name every file system takes, from content: letters, digits and a few marks; never a device of Windows. */
export function exportName(title: string, what: string, extension: string): string {
  const words = plainLine(title, 60)
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  return `${[words, what].filter((part) => part !== '').join('-')}.${extension}`;
}
