/** How paths of this machine compare. Headers keep `cwd` as it was typed, so equal folders may be spelled differently. */
export interface PathRules {
  readonly caseInsensitive: boolean;
  /** Backslashes separate too. */
  readonly windows: boolean;
}

/** macOS and Windows disks ignore case unless someone formatted them otherwise; Linux disks do not. */
export function pathRulesOf(platform: string): PathRules {
  return { caseInsensitive: platform === 'win32' || platform === 'darwin', windows: platform === 'win32' };
}

/** A spelling under which equal folders are equal strings: one separator at a time, none at the end, case by the rules. */
export function comparablePath(path: string, rules: PathRules): string {
  const slashed = rules.windows ? path.replaceAll('\\', '/') : path;
  const lead = rules.windows && slashed.startsWith('//') ? '/' : ''; // \\server\share is not /server/share
  const joined = lead + slashed.replace(/\/{2,}/g, '/');
  const trimmed = joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined;
  return rules.caseInsensitive ? trimmed.toLowerCase() : trimmed;
}

/** Whether a path is the folder or lies below it. No `..` is resolved and no link followed: dsh does neither. */
export function isSameOrBelow(path: string, folder: string, rules: PathRules): boolean {
  const inner = comparablePath(path, rules);
  const outer = comparablePath(folder, rules);
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

/** Last part of a path of either platform (logs travel between machines); the whole path if it has none. */
export function lastSegment(path: string): string {
  return path.split(/[/\\]+/).findLast((part) => part !== '') ?? path;
}

/** The home folder's part of a path as `~`. */
export function withTilde(path: string, home: string, rules: PathRules): string {
  if (home === '' || !isSameOrBelow(path, home, rules)) return path;
  const rest = path.slice(home.replace(/[/\\]+$/, '').length);
  return `~${rest}`;
}
