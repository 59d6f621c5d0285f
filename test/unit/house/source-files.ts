import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const repoRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly file: string;
  readonly content: string;
}

const skipped = new Set(['node_modules', 'dist', '.out']);

/** Every file below the given folders whose name ends in one of the extensions, in a stable order. */
export function sourceFiles(folders: readonly string[], extensions: readonly string[]): SourceFile[] {
  const found: SourceFile[] = [];
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listFolder(folder)) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) pending.push(file);
      } else if (extensions.some((extension) => entry.name.endsWith(extension))) {
        found.push({ file, content: readFileSync(path.join(repoRoot, file), 'utf8') });
      }
    }
  }
  return found.sort((a, b) => (a.file < b.file ? -1 : 1));
}

function listFolder(folder: string): ReturnType<typeof readFolder> {
  try {
    return readFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const readFolder = (folder: string) => readdirSync(path.join(repoRoot, folder), { withFileTypes: true });

export function parse(source: SourceFile): ts.SourceFile {
  return ts.createSourceFile(source.file, source.content, ts.ScriptTarget.ES2022, true);
}

/** From 1. */
export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** All nodes of a file, parents first. An explicit stack: test data may be nested deeply. */
export function* nodesOf(tree: ts.SourceFile): Iterable<ts.Node> {
  const pending: ts.Node[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    for (let i = children.length - 1; i >= 0; i--) pending.push(children[i]!);
  }
}
