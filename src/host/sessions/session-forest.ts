/**
 * Sessions as the tree shows them: groups by header `cwd` with this workspace first, forks under their parents,
 * subagent children beside them (design.md §5). Every session given in comes out exactly once unless it is hidden or
 * filtered away: orphans, cycles and duplicate ids included.
 */
import type { SessionItem } from '../../protocol/index.ts';
import { comparablePath, isSameOrBelow, lastSegment, type PathRules } from './path-rules.ts';
import { sessionKey, sessionTime } from './session-key.ts';

export interface ForestOptions {
  readonly workspaceFolders: readonly { readonly name: string; readonly path: string }[];
  readonly pathRules: PathRules;
  readonly scope: 'workspace' | 'all';
  /** Words that must all occur in title, id, folder, parent or preset; case does not matter. */
  readonly filter: string;
  readonly pinned: ReadonlySet<string>; // session keys
  readonly hidden: ReadonlySet<string>; // session keys
  readonly showHidden: boolean;
}

export interface ForestSession {
  readonly item: SessionItem;
  readonly key: string;
  readonly isPinned: boolean;
  readonly isHidden: boolean;
  /** Another session claims the same id. */
  readonly isDuplicate: boolean;
  /** Another session of the root is called the same: the id tells them apart. */
  readonly isNamesake: boolean;
  /** Itself what the filter asks for, not only on the way to it. */
  readonly matches: boolean;
  /** The session it was forked or delegated from, wherever that is shown. */
  readonly origin: ForestSession | undefined;
  readonly parent: ForestSession | undefined; // the one it is nested under
  readonly group: ForestGroup;
  readonly forks: readonly ForestSession[];
  readonly subagents: readonly ForestSession[];
}

export interface ForestGroup {
  readonly key: string;
  readonly place: 'workspace' | 'project' | 'none';
  readonly name: string; // '' for place none
  readonly cwd: string | undefined;
  readonly roots: readonly ForestSession[];
  readonly count: number; // sessions in it, nested ones included
}

export interface Forest {
  readonly groups: readonly ForestGroup[];
  /** Of the sessions in scope and not hidden, how many the filter leaves. */
  readonly matching: number;
  readonly total: number; // in scope and not hidden
  readonly outOfScope: number;
  readonly hiddenCount: number; // hidden ones in scope, shown or not
}

interface Building extends ForestSession {
  matches: boolean;
  origin: Building | undefined;
  parent: Building | undefined;
  group: BuildingGroup;
  forks: Building[];
  subagents: Building[];
}
interface BuildingGroup extends ForestGroup {
  roots: Building[];
  count: number;
}

export function buildForest(items: readonly SessionItem[], options: ForestOptions): Forest {
  const nodes = describe(items, options);
  linkOrigins(nodes);
  cutCycles(nodes);
  const kept = nodes.filter((node) => options.showHidden || !hiddenWithOwner(node));
  nest(kept);
  moveToOwners(kept);
  const inScope = kept.filter((node) => options.scope === 'all' || node.group.place === 'workspace');
  const words = options.filter.toLowerCase().split(/\s+/).filter(Boolean);
  for (const node of inScope) node.matches = words.every((word) => haystack(node.item).includes(word));
  const shown = withAncestors(inScope.filter((node) => node.matches));
  return {
    groups: collect(shown, options.workspaceFolders.length),
    matching: inScope.reduce((n, node) => n + Number(node.matches), 0),
    total: inScope.length,
    outOfScope: kept.length - inScope.length,
    hiddenCount: nodes.filter(hiddenWithOwner).length,
  };
}

function describe(items: readonly SessionItem[], options: ForestOptions): Building[] {
  const groups = new Map<string, BuildingGroup>();
  const claims = countOf(items.map(({ id }) => id));
  const names = countOf(items.map(({ title }) => title));
  return items.map((item) => {
    const key = sessionKey(item.path);
    return {
      item,
      key,
      isPinned: options.pinned.has(key),
      isHidden: options.hidden.has(key),
      isDuplicate: item.id !== undefined && (claims.get(item.id) ?? 0) > 1,
      isNamesake: item.title !== undefined && (names.get(item.title) ?? 0) > 1,
      matches: false,
      origin: undefined,
      parent: undefined,
      group: groupOf(item.cwd, groups, options),
      forks: [],
      subagents: [],
    };
  });
}

function countOf(values: readonly (string | undefined)[]): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function groupOf(cwd: string | undefined, groups: Map<string, BuildingGroup>, options: ForestOptions): BuildingGroup {
  const make = (key: string, place: ForestGroup['place'], name: string, path: string | undefined): BuildingGroup => {
    const known = groups.get(key);
    if (known) return known;
    const group = { key, place, name, cwd: path, roots: [], count: 0 };
    groups.set(key, group);
    return group;
  };
  if (cwd === undefined) return make('none', 'none', '', undefined);
  let folder: { readonly index: number; readonly length: number } | undefined; // the innermost folder that holds it
  for (const [index, { path }] of options.workspaceFolders.entries()) {
    if (isSameOrBelow(cwd, path, options.pathRules) && path.length > (folder?.length ?? -1))
      folder = { index, length: path.length };
  }
  if (folder) {
    const { name, path } = options.workspaceFolders[folder.index]!; // an index of this array
    return make(`workspace:${folder.index}`, 'workspace', name, path);
  }
  return make(`project:${comparablePath(cwd, options.pathRules)}`, 'project', lastSegment(cwd), cwd);
}

/** By parent id; of several sessions with that id one of the same project, then the first. */
function linkOrigins(nodes: readonly Building[]): void {
  const byId = new Map<string, Building[]>();
  for (const node of nodes) {
    if (node.item.id === undefined) continue;
    const same = byId.get(node.item.id);
    if (same) same.push(node);
    else byId.set(node.item.id, [node]);
  }
  for (const node of nodes) {
    if (node.item.parentSession === undefined) continue;
    const candidates = (byId.get(node.item.parentSession) ?? []).filter((other) => other !== node);
    node.origin = candidates.find((other) => other.group === node.group) ?? candidates[0];
  }
}

/** Headers of other people's making may name each other as parents: the oldest of such a ring becomes its top. */
function cutCycles(nodes: readonly Building[]): void {
  const done = new Set<Building>();
  for (const start of nodes) {
    const path = new Set<Building>();
    let node: Building | undefined = start;
    while (node && !done.has(node) && !path.has(node)) {
      path.add(node);
      node = node.origin;
    }
    if (node && path.has(node)) {
      let oldest = node;
      for (let next = node.origin; next && next !== node; next = next.origin) if (isOlder(next, oldest)) oldest = next;
      oldest.origin = undefined;
    }
    for (const visited of path) done.add(visited);
  }
}

function isOlder(a: Building, b: Building): boolean {
  const [x, y] = [a.item.createdAt ?? Infinity, b.item.createdAt ?? Infinity];
  return x < y || (x === y && a.key < b.key);
}

const isSubagent = (node: Building): boolean => node.item.origin === 'subagent';

/** Hidden itself, or the subagent of somebody hidden. A fork of a hidden session is work of its own and stays. */
function hiddenWithOwner(node: Building): boolean {
  let at: Building | undefined = node;
  while (at) {
    if (at.isHidden) return true;
    at = isSubagent(at) ? at.origin : undefined;
  }
  return false;
}

/**
 * Subagents stay with their parent wherever it runs; a fork whose `cwd` is another project belongs to that project,
 * or this workspace would lose it.
 */
function nest(kept: readonly Building[]): void {
  const present = new Set(kept);
  for (const node of kept) {
    const origin = node.origin;
    if (origin && present.has(origin) && (isSubagent(node) || origin.group === node.group)) node.parent = origin;
  }
}

/** What is nested belongs to the group of the session it ends up under. Each way up is walked once. */
function moveToOwners(kept: readonly Building[]): void {
  const settled = new Set<Building>();
  for (const node of kept) {
    const way: Building[] = [];
    let at = node;
    while (at.parent && !settled.has(at)) {
      way.push(at);
      at = at.parent;
    }
    for (const below of way) {
      below.group = at.group;
      settled.add(below);
    }
  }
}

function withAncestors(matching: readonly Building[]): Set<Building> {
  const shown = new Set<Building>();
  for (const node of matching) for (let at: Building | undefined = node; at && !shown.has(at); at = at.parent) shown.add(at);
  return shown;
}

function collect(shown: ReadonlySet<Building>, folderCount: number): BuildingGroup[] {
  const latest = new Map<BuildingGroup, number>();
  for (const node of shown) {
    node.group.count++;
    latest.set(node.group, Math.max(latest.get(node.group) ?? -Infinity, sessionTime(node.item)));
    const siblings = node.parent ? (isSubagent(node) ? node.parent.subagents : node.parent.forks) : node.group.roots;
    siblings.push(node);
  }
  for (const node of shown) {
    node.forks.sort(byInterest);
    node.subagents.sort((a, b) => (a.item.createdAt ?? a.item.mtime) - (b.item.createdAt ?? b.item.mtime) || byInterest(a, b));
  }
  for (const group of latest.keys()) group.roots.sort(byInterest);
  const rank = (group: BuildingGroup): number => {
    if (group.place === 'workspace') return Number(group.key.slice('workspace:'.length));
    return group.place === 'project' ? folderCount : folderCount + 1;
  };
  return [...latest.keys()].sort((a, b) => rank(a) - rank(b) || latest.get(b)! - latest.get(a)! || (a.key < b.key ? -1 : 1));
}

function byInterest(a: Building, b: Building): number {
  return (
    Number(b.isPinned) - Number(a.isPinned) ||
    sessionTime(b.item) - sessionTime(a.item) ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  );
}

function haystack(item: SessionItem): string {
  return [item.title, item.id, item.cwd, item.parentSession, item.agentPreset, item.path].join('\n').toLowerCase();
}
