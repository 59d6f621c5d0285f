import { text, type Damage, type DshOutcome } from '../../../src/core/index.ts';
import { pathRulesOf } from '../../../src/host/sessions/path-rules.ts';
import { buildForest, type Forest, type ForestOptions } from '../../../src/host/sessions/session-forest.ts';
import type { SessionItem } from '../../../src/protocol/index.ts';

/** A healthy session of one turn; tests name only what they are about. */
export function sessionItem(id: string, fields: Partial<SessionItem> = {}): SessionItem {
  return {
    path: `/root/--p--/${id}/session.jsonl.zstd`,
    id,
    version: 0,
    encoding: 'zstd',
    cwd: '/work/p',
    createdAt: 1000,
    parentSession: undefined,
    origin: undefined,
    isSeeded: false,
    agentPreset: undefined,
    title: `Title of ${id}`,
    titleIsInherited: false,
    titleIsComplete: true,
    isChecked: true,
    lastActivity: 2000,
    turns: 1,
    isEmpty: false,
    size: 100,
    mtime: 2000,
    olderCopies: [],
    damage: [],
    refusal: undefined,
    ...fields,
  };
}

export function damage(list: DshOutcome, open: DshOutcome, fields: Partial<Damage> = {}): Damage {
  return { kind: 'corrupt-frame', message: 'Frame 3 is broken', text: text('Frame 3 is broken'), dsh: { list, open }, ...fields };
}

/** All of them as a reader without a workspace, filter, pins or hidden sessions sees them, but for what the options say. */
export function forest(items: readonly SessionItem[], options: Partial<ForestOptions> = {}): Forest {
  return buildForest(items, {
    workspaceFolders: [],
    pathRules: pathRulesOf('linux'),
    scope: 'all',
    filter: '',
    pinned: new Set(),
    hidden: new Set(),
    showHidden: false,
    ...options,
  });
}
