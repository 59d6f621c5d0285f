/** What a new listing changed in the tree. */
import type { Forest, ForestSession } from '../sessions/session-forest.ts';

/**
 * The sessions whose rows say something else than before, where every row is still in its place; undefined where rows came, went or moved,
 * or there are none.
 */
export function changedSessions(before: Forest, after: Forest): readonly ForestSession[] | undefined {
  if (after.groups.length === 0 || after.groups.length !== before.groups.length) return undefined;
  const changed: ForestSession[] = [];
  const pending: [readonly ForestSession[], readonly ForestSession[]][] = [];
  for (const [i, group] of after.groups.entries()) {
    const old = before.groups[i]!;
    const { key, place, name, cwd, count } = old;
    if (group.key !== key || group.place !== place || group.name !== name || group.cwd !== cwd || group.count !== count)
      return undefined;
    pending.push([old.roots, group.roots]);
  }
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [olds, sessions] = pair;
    if (olds.length !== sessions.length) return undefined;
    for (const [i, session] of sessions.entries()) {
      const old = olds[i]!;
      if (session.key !== old.key) return undefined;
      if (rowFacts(session) !== rowFacts(old)) changed.push(session);
      pending.push([old.forks, session.forks], [old.subagents, session.subagents]);
    }
  }
  return changed;
}

/** All that a session's row is made of, but for the time and for whether the log is live, which its size tells. */
function rowFacts(session: ForestSession): string {
  const { item, isPinned, isHidden, isDuplicate, isNamesake, matches, origin } = session;
  return JSON.stringify([item, isPinned, isHidden, isDuplicate, isNamesake, matches, origin?.item.title]);
}
