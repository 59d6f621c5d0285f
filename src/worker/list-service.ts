import { listChecks, type ListMethods, type ListResult, type Service, type SessionItem } from '../protocol/index.ts';
import {
  createSessionLister,
  expandHome,
  resolveSessionsRoot,
  type SessionLister,
  type SessionSummary,
} from '../storage/index.ts';

/** Serves the heads of all sessions of a root. Usable without a worker. */
export function createListService(lister: SessionLister = createSessionLister()): Service<ListMethods> {
  let revision = 0;
  let last = '';
  return {
    list: {
      check: listChecks.list,
      run: async ({ root }, signal): Promise<ListResult> => {
        const { exists, sessions, problems } = await lister.list(root, { signal });
        const items = sessions.map(itemOf);
        const state = JSON.stringify([root, exists, items, problems]);
        if (state !== last) revision++;
        last = state;
        return { root, exists, items, problems, revision };
      },
    },
    complete: {
      check: listChecks.complete,
      run: async ({ paths }, signal) => {
        const items: SessionItem[] = [];
        for (const path of paths) {
          const summary = await lister.complete(path, { signal });
          if (summary) items.push(itemOf(summary));
        }
        return { items };
      },
    },
    check: {
      check: listChecks.check,
      run: async ({ path }, signal) => {
        const summary = await lister.check(path, { signal });
        return { item: summary && itemOf(summary) };
      },
    },
    resolveRoot: {
      check: listChecks.resolveRoot,
      run: ({ configured }) => ({ root: configured.trim() === '' ? resolveSessionsRoot() : expandHome(configured.trim()) }),
    },
  };
}

function itemOf(summary: SessionSummary): SessionItem {
  return {
    path: summary.path,
    id: summary.id,
    version: summary.version,
    encoding: summary.encoding,
    cwd: summary.cwd,
    createdAt: summary.createdAt,
    parentSession: summary.parentSession,
    origin: summary.origin,
    isSeeded: summary.isSeeded ?? false,
    agentPreset: summary.agentPreset,
    ...(summary.cut === undefined ? {} : { cut: summary.cut }),
    title: summary.title ?? summary.label,
    titleIsInherited: summary.titleIsInherited,
    titleIsComplete: summary.titleIsComplete,
    isChecked: summary.isChecked,
    lastActivity: summary.lastActivity,
    turns: summary.turnCount,
    ...(summary.isCompacted === undefined ? {} : { isCompacted: summary.isCompacted }),
    isEmpty: summary.isEmpty,
    size: summary.size,
    mtime: summary.mtime,
    olderCopies: summary.olderGenerations.map(({ path }) => path),
    damage: summary.damage,
    refusal: summary.refusal && { kind: summary.refusal.kind, text: summary.refusal.text },
  };
}
