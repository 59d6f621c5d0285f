import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The root that holds all sessions: `<home>/sessions`, where home is `DSH_HOME` unless that is blank, else `.dsh` under the OS home. A
 * leading `~`, `~/` or `~\` of `DSH_HOME` is the OS home. Always absolute. format/on-disk.md §1.
 */
export function resolveSessionsRoot(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): string {
  const configured = env['DSH_HOME']?.trim() ?? '';
  return join(configured === '' ? resolve(home, '.dsh') : expandHome(configured, home), 'sessions');
}

/** A configured path with `~` expanded, made absolute. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return resolve(home);
  if (path.startsWith('~/') || path.startsWith('~\\')) return resolve(join(home, path.slice(2)));
  return resolve(path);
}
