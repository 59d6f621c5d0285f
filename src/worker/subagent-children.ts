import { childFactsOf, SESSION_FORMAT_VERSION, type ChildFacts } from '../core/index.ts';
import { listSessions, openSession, rootOfLog } from '../storage/index.ts';
import type { OpenLog } from './open-log.ts';

/**
 * What a migration to format 4 wants to know of the subagent sessions that this log started: those of the same root that name it as their
 * parent and can be read. None for a log that needs no migration or lies in no root. format/migrations.md §4.
 */
export async function subagentChildren(log: OpenLog, signal: AbortSignal): Promise<readonly ChildFacts[]> {
  const root = rootOfLog(log.path);
  const id: unknown = log.header?.id; // a stored header may hold anything
  if (root === undefined || typeof id !== 'string' || (log.version ?? 0) >= SESSION_FORMAT_VERSION) return [];
  const children: ChildFacts[] = [];
  for (const { path, origin, parentSession, refusal } of await listSessions(root, { signal })) {
    if (origin !== 'subagent' || parentSession !== id || refusal !== undefined) continue;
    const child = await openSession(path, { placement: false, signal });
    try {
      if (child.header !== undefined) children.push(childFactsOf(child.header, child.events()));
    } finally {
      await child.close();
    }
  }
  return children;
}
