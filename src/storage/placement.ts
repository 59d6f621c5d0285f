import { readdir, realpath } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SESSION_FORMAT_VERSION, type Damage, type SessionHeader } from '../core/index.ts';
import { isFlatLogName, parseGenerationFilename, type Encoding } from './generations.ts';
import { projectDirectoryName, sessionDirectoryName } from './names.ts';
import {
  duplicateIdDamage,
  flatLogDamage,
  misplacedDamage,
  mixedEncodingsDamage,
  nameCollisionDamage,
} from './placement-damage.ts';

/** Directories read at once while a root is looked over. */
const PARALLEL = 16;

export interface PlacedLog {
  /** Absolute path of the log file. */
  readonly path: string;
  readonly encoding: Encoding;
  /** Version by the header, else by the name; undefined when neither tells. */
  readonly version: number | undefined;
  readonly header: SessionHeader | undefined;
}

/**
 * What is wrong with where a log lies: its directory's name, the other encoding in its directory or root, a flat log beside it, its id in
 * another project. What cannot be read is left out: it is no fault of this log. format/on-disk.md §2, §3, §10.
 */
export async function placementDamage(log: PlacedLog, signal?: AbortSignal): Promise<Damage[]> {
  const session = dirname(log.path);
  const project = dirname(session);
  const root = dirname(project);
  const name = basename(log.path);
  // A log directly in a project directory has no directory of its own that could be wrong, and no root where one is looked for.
  if (isFlatLogName(name) && isProjectName(basename(session)) && !isProjectName(basename(project))) return [flatLogDamage(name)];
  // Any other file that was opened by hand lies wherever it likes.
  if (parseGenerationFilename(name) === undefined) return [];
  const damage = await nameDamage(log, session, project, root);
  const flat = (await entries(project)).find((entry) => entry.isFile() && isFlatLogName(entry.name));
  if (flat !== undefined) {
    damage.push(flatLogDamage(flat.name, true));
  }
  damage.push(...(await rootDamage(log, { session, project, root }, signal)));
  return damage;
}

async function nameDamage(log: PlacedLog, session: string, project: string, root: string): Promise<Damage[]> {
  const { header } = log;
  // The header of a newer format is not interpreted. format/migrations.md §6.1.
  if (header === undefined || header.version > SESSION_FORMAT_VERSION) return [];
  if (typeof header.id !== 'string' || header.id === '') return [];
  if (header.cwd !== undefined && (typeof header.cwd !== 'string' || header.cwd === '')) return [];
  const expectedProject = projectDirectoryName(header.cwd);
  const expectedSession = sessionDirectoryName(header.id);
  if (basename(session) === expectedSession && basename(project) === expectedProject) return [];
  if (await isSameFile(log.path, join(root, expectedProject, expectedSession, basename(log.path)))) return [];
  return [misplacedDamage(join(expectedProject, expectedSession), join(basename(project), basename(session)))];
}

/** Whether a directory is named like the project directories dsh makes. format/on-disk.md §2.1. */
function isProjectName(name: string): boolean {
  return name === '_no-cwd' || /^--.+--$/.test(name);
}

/** A link or a case alias may spell the same place differently. */
async function isSameFile(path: string, expected: string): Promise<boolean> {
  const real = await Promise.allSettled([realpath(path), realpath(expected)]);
  const [a, b] = real;
  return a.status === 'fulfilled' && b.status === 'fulfilled' && a.value === b.value;
}

interface Levels {
  readonly session: string;
  readonly project: string;
  readonly root: string;
}

async function rootDamage(log: PlacedLog, levels: Levels, signal: AbortSignal | undefined): Promise<Damage[]> {
  const ownName = basename(levels.session);
  let mixed: string | undefined;
  let duplicate: string | undefined;
  let alias: string | undefined;
  for (const project of directories(await entries(levels.root))) {
    signal?.throwIfAborted();
    const directory = join(levels.root, project);
    const isOwnProject = directory === levels.project;
    const sessions = directories(await entries(directory));
    for (let at = 0; at < sessions.length; at += PARALLEL) {
      const batch = sessions.slice(at, at + PARALLEL);
      const listings = await Promise.all(batch.map((name) => entries(join(directory, name))));
      listings.forEach((files, i) => {
        const name = batch[i] ?? '';
        const other = files.find((file) => file.isFile() && isOtherEncoding(file.name, log));
        if (other !== undefined && (mixed === undefined || (isOwnProject && name === ownName)))
          mixed = join(project, name, other.name);
        const holdsLog = files.some((file) => file.isFile() && parseGenerationFilename(file.name) !== undefined);
        if (!holdsLog) return;
        if (!isOwnProject && name === ownName) duplicate ??= join(project, name);
        if (isOwnProject && name !== ownName && name.toLowerCase() === ownName.toLowerCase()) alias ??= name;
      });
    }
  }
  const damage: Damage[] = [];
  if (mixed !== undefined) damage.push(mixedEncodingsDamage(mixed, join(levels.root, dirname(mixed)) !== levels.session));
  if (duplicate !== undefined) damage.push(duplicateIdDamage(duplicate));
  if (alias !== undefined) damage.push(nameCollisionDamage(alias));
  return damage;
}

/** v0 knows one file name per encoding; later releases look at every generation's. */
function isOtherEncoding(name: string, log: PlacedLog): boolean {
  const generation = parseGenerationFilename(name);
  if (generation === undefined || generation.encoding === log.encoding) return false;
  return log.version !== 0 || generation.version === 0;
}

async function entries(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    // Not there, not ours to read, or gone meanwhile: nothing can be said about it.
    return [];
  }
}

function directories(list: readonly Dirent[]): string[] {
  return list.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
