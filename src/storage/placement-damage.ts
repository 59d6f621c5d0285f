import { text, type Damage } from '../core/index.ts';
import { ACCEPTS, BREAKS_LIST, BREAKS_ROOT, makeDamage } from './damage-list.ts';

/** Damage of where a log lies, in the same words for a listing and for one opened session. format/on-disk.md §2, §3, §10. */

/** Units of a path that a sentence shows: an id of a hundred thousand letters names a directory just as long. */
const MAX_SHOWN = 600;

function shown(path: string): string {
  return path.length <= MAX_SHOWN ? path : `${path.slice(0, MAX_SHOWN)}…`;
}

/** Both arguments are project and session directory, joined. */
export function misplacedDamage(expected: string, actual: string): Damage {
  return makeDamage(
    'placement',
    text('The header names the directory {expected}, but the log lies in {actual}', {
      expected: shown(expected),
      actual: shown(actual),
    }),
    BREAKS_LIST,
  );
}

/** `isElsewhere`: told of a session beside that log. */
export function flatLogDamage(name: string, isElsewhere = false): Damage {
  const sentence = text('{name} lies directly in the project directory, a layout dsh no longer reads', { name });
  return { ...makeDamage('flat-log', sentence, BREAKS_ROOT), ...(isElsewhere ? { isElsewhere } : {}) };
}

/** `path` is the log of the other encoding, below the root; `isElsewhere`: in another directory than the session this is told of. */
export function mixedEncodingsDamage(path: string, isElsewhere = false): Damage {
  const sentence = text('{path} is stored in the other encoding; dsh wants one encoding for a whole root', { path });
  return { ...makeDamage('mixed-encodings', sentence, BREAKS_ROOT), ...(isElsewhere ? { isElsewhere } : {}) };
}

/** `path` is the other session's directory, below the root. */
export function duplicateIdDamage(path: string): Damage {
  return makeDamage('duplicate-id', text('The same session id exists in another project, as {path}', { path }), BREAKS_LIST);
}

export function nameCollisionDamage(name: string): Damage {
  return makeDamage(
    'name-collision',
    text('The directory {name} differs from this one in upper and lower case only; on many disks they are one', { name }),
    ACCEPTS,
  );
}
