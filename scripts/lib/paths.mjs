import { homedir } from 'node:os';
import path from 'node:path';
import { repoRoot } from './run.mjs';

export const vsixPath = path.join(repoRoot, 'dsh-session-timeline.vsix');
export const extensionId = 'dsh-session-timeline.dsh-session-timeline';

/** Everything heavy lives outside the repository, where neither `npm ci` nor a fresh clone wipes it. */
export const cacheDir = process.env['DSH_TIMELINE_CACHE'] ?? path.join(homedir(), '.cache', 'dsh-session-timeline');

/** The conformance data, read where it lies. */
export const sharedDir = process.env['DSH_SHARED'] ?? path.resolve(repoRoot, '..', 'shared');
