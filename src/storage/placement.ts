import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Damage } from '../core/damage.ts';
import type { SessionHeader } from '../core/events.ts';
import { text } from '../core/text.ts';
import { damageOf } from './damage-of.ts';
import type { Encoding } from './generations.ts';
import { projectDirectoryName, sessionDirectoryName } from './names.ts';

/** Damage of where a log lies. dsh checks all of it for a whole root: one misplaced log breaks every list. format/on-disk.md §2, §3, §10. */

/** The log does not lie where its header's id and cwd put it: `path` is the log file. Says nothing where the header has no usable id. */
export function misplacedDamage(path: string, header: SessionHeader): Damage[] {
  const sessionDirectory = dirname(path);
  const projectDirectory = dirname(sessionDirectory);
  const expected = expectedDirectory(dirname(projectDirectory), header);
  if (expected === undefined || expected === sessionDirectory || isSamePlace(expected, sessionDirectory)) return [];
  const actual = `${basename(projectDirectory)}/${basename(sessionDirectory)}`;
  const wanted = `${basename(dirname(expected))}/${basename(expected)}`;
  const sentence = text(
    'The log lies in {actual}, but its header belongs in {wanted}; dsh refuses it, and its list of the whole root fails',
    {
      actual,
      wanted,
    },
  );
  return [damageOf('placement', sentence, 'breaks-root', 'breaks-root')];
}

function expectedDirectory(root: string, header: SessionHeader): string | undefined {
  const { id, cwd } = header as { id: unknown; cwd?: unknown };
  if (typeof id !== 'string' || id === '' || cwd === '' || (cwd !== undefined && typeof cwd !== 'string')) return undefined;
  return join(root, projectDirectoryName(cwd), sessionDirectoryName(id));
}

/** dsh also takes directories that are the same one after links are resolved. */
function isSamePlace(a: string, b: string): boolean {
  try {
    return realpathSync.native(a) === realpathSync.native(b);
  } catch {
    return false; // the expected directory does not exist, so it is another place
  }
}

/** Another log of the other encoding lies at `other` (in the same directory, or anywhere in the root). */
export function mixedEncodingsDamage(other: string, otherEncoding: Encoding): Damage {
  const sentence =
    otherEncoding === 'zstd'
      ? text('A zstd log lies in the same root ({other}); a root has one encoding, and dsh refuses all of it', { other })
      : text('A plain log lies in the same root ({other}); a root has one encoding, and dsh refuses all of it', { other });
  return damageOf('mixed-encodings', sentence, 'breaks-root', 'breaks-root');
}

/** A log file lies directly in a project directory. */
export function flatLogDamage(flat: string): Damage {
  const sentence = text('{flat} lies directly in a project directory, the retired flat layout; dsh refuses the whole root', {
    flat,
  });
  return damageOf('flat-log', sentence, 'breaks-root', 'breaks-root');
}

/** The session's id also names the session at `other`. */
export function duplicateIdDamage(id: string, other: string): Damage {
  const sentence = text('The session id {id} is also used by {other}; dsh refuses the whole root', { id, other });
  return damageOf('duplicate-id', sentence, 'breaks-root', 'breaks-root');
}

/** The session directory differs from another one's only by case. Harmless where the file system tells them apart. */
export function nameCollisionDamage(other: string): Damage {
  const sentence = text('The directory differs from {other} only by case; the two are one on a disk that ignores case', {
    other,
  });
  return damageOf('name-collision', sentence, 'accepts', 'accepts');
}
