/**
 * Directory names of projects and sessions. Both work on UTF-16 code units of the stored string: no realpath, no case folding, no
 * normalising, so that a name equals the harness's own to the byte.
 */

/** The project directory of a session without a working directory. */
const NO_CWD_DIRECTORY = '_no-cwd';

/** Longest body of a project directory name; with its four dashes it fills the 255 bytes most file systems allow. */
const PROJECT_BODY_UNITS = 251;

/**
 * The project directory for a header's `cwd`, exactly as stored. Lossy: several directories may share a name, so never decode it.
 * Throws on an empty string. format/on-disk.md §2.1.
 */
export function projectDirectoryName(cwd: string | undefined): string {
  if (cwd === undefined) return NO_CWD_DIRECTORY;
  if (cwd === '') throw new Error('An empty working directory has no project directory');
  let body = '';
  let inRun = false;
  for (let i = 0; i < cwd.length; i++) {
    const unit = cwd.charAt(i);
    const isSeparator = unit === '/' || unit === '\\' || unit === ':';
    if (!isSeparator) body += escapeUnit(unit);
    else if (!inRun) body += '-';
    inRun = isSeparator;
  }
  const stripped = body.replace(/^-+/, '');
  return `--${(stripped === '' ? 'root' : stripped).slice(0, PROJECT_BODY_UNITS)}--`;
}

/**
 * The directory of a session id: injective, and safe against `.`, `..` and separators. Throws on an empty id. format/on-disk.md §2.2.
 */
export function sessionDirectoryName(id: string): string {
  if (id === '') throw new Error('An empty session id has no directory');
  if (id === '.' || id === '..') return '~002E'.repeat(id.length);
  let name = '';
  for (let i = 0; i < id.length; i++) name += escapeUnit(id.charAt(i));
  return name;
}

function escapeUnit(unit: string): string {
  if (/^[A-Za-z0-9._-]$/.test(unit)) return unit;
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
