import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathRulesOf } from '../../../src/host/sessions/path-rules.ts';
import type { Forest, ForestSession } from '../../../src/host/sessions/session-forest.ts';
import { sessionKey } from '../../../src/host/sessions/session-key.ts';
import type { SessionItem } from '../../../src/protocol/index.ts';
import { forest, sessionItem } from './session-items.ts';

/** The forest as indented ids: `>` a fork, `*` a subagent. */
function drawn({ groups }: Forest): string[] {
  const lines: string[] = [];
  for (const group of groups) {
    lines.push(`${group.place} ${group.name} (${group.count})`.replace('  ', ' '));
    const pending = group.roots.map((session) => ({ session, depth: 1, sign: '' }));
    for (let at = pending.shift(); at; at = pending.shift()) {
      const { session, depth, sign } = at;
      lines.push(`${'  '.repeat(depth)}${sign}${session.item.id ?? '?'}`);
      pending.unshift(
        ...session.forks.map((fork) => ({ session: fork, depth: depth + 1, sign: '>' })),
        ...session.subagents.map((child) => ({ session: child, depth: depth + 1, sign: '*' })),
      );
    }
  }
  return lines;
}

const folder = (path: string, name = path.slice(path.lastIndexOf('/') + 1)) => ({ name, path });

describe('grouping', () => {
  it('puts this workspace first, then projects by latest activity, sessions without a folder last', () => {
    const items = [
      sessionItem('none', { cwd: undefined, lastActivity: 99 }),
      sessionItem('old', { cwd: '/w/old', lastActivity: 10 }),
      sessionItem('new', { cwd: '/w/new', lastActivity: 50 }),
      sessionItem('mine', { cwd: '/w/mine', lastActivity: 1 }),
      sessionItem('deep', { cwd: '/w/mine/pkg/a', lastActivity: 2 }),
      sessionItem('near', { cwd: '/w/mine-too', lastActivity: 5 }),
    ];
    expect(drawn(forest(items, { workspaceFolders: [folder('/w/mine')] }))).toEqual([
      'workspace mine (2)',
      '  deep',
      '  mine',
      'project new (1)',
      '  new',
      'project old (1)',
      '  old',
      'project mine-too (1)',
      '  near',
      'none (1)',
      '  none',
    ]);
  });

  it('groups by the header’s folder, never by the directory name, which several folders share', () => {
    const at = (id: string, cwd: string): SessionItem =>
      sessionItem(id, { cwd, path: `/root/--work-a-b--/${id}/session.jsonl.zstd` });
    const { groups } = forest([at('s1', '/work/a/b'), at('s2', '/work/a-b'), at('s3', '/work-a/b')]);
    expect(groups.map((group) => group.cwd).sort()).toEqual(['/work-a/b', '/work/a-b', '/work/a/b']);
  });

  it('gives a session to the innermost of nested workspace folders', () => {
    const folders = [folder('/w'), folder('/w/inner')];
    expect(
      drawn(forest([sessionItem('a', { cwd: '/w/inner/x' }), sessionItem('b', { cwd: '/w/y' })], { workspaceFolders: folders })),
    ).toEqual(['workspace w (1)', '  b', 'workspace inner (1)', '  a']);
  });

  it('spells one folder in one way: trailing and doubled separators, case where the disk ignores it', () => {
    const items = ['/W/App', '/w/app/', '/w//app'].map((cwd, i) => sessionItem(`s${i}`, { cwd }));
    expect(forest(items, { pathRules: pathRulesOf('darwin') }).groups).toHaveLength(1);
    expect(forest(items).groups).toHaveLength(2);
  });

  it('shows only this workspace when asked, and says how many it leaves out', () => {
    const items = [sessionItem('a', { cwd: '/w/a' }), sessionItem('b', { cwd: '/w/b' }), sessionItem('c', { cwd: undefined })];
    const result = forest(items, { scope: 'workspace', workspaceFolders: [folder('/w/a')] });
    expect(drawn(result)).toEqual(['workspace a (1)', '  a']);
    expect(result).toMatchObject({ total: 1, outOfScope: 2 });
  });
});

describe('lineage', () => {
  it('nests forks and subagents, forks by activity, subagents as they were started', () => {
    const items = [
      sessionItem('root', { createdAt: 1, lastActivity: 10 }),
      sessionItem('quiet', { parentSession: 'root', lastActivity: 20 }),
      sessionItem('busy', { parentSession: 'root', lastActivity: 30 }),
      sessionItem('grandchild', { parentSession: 'busy', lastActivity: 5 }),
      sessionItem('second', { parentSession: 'root', origin: 'subagent', createdAt: 7, lastActivity: 99 }),
      sessionItem('first', { parentSession: 'root', origin: 'subagent', createdAt: 6, lastActivity: 1 }),
    ];
    expect(drawn(forest(items))).toEqual([
      'project p (6)',
      '  root',
      '    >busy',
      '      >grandchild',
      '    >quiet',
      '    *first',
      '    *second',
    ]);
  });

  it('keeps orphans at the top', () => {
    expect(drawn(forest([sessionItem('a', { parentSession: 'gone' })]))).toEqual(['project p (1)', '  a']);
  });

  it('opens a ring at its oldest session; a session that names itself is no child', () => {
    const ring = [
      sessionItem('a', { parentSession: 'c', createdAt: 3 }),
      sessionItem('b', { parentSession: 'a', createdAt: 2 }),
      sessionItem('c', { parentSession: 'b', createdAt: 4 }),
      sessionItem('self', { parentSession: 'self', lastActivity: 1 }),
    ];
    expect(drawn(forest(ring))).toEqual(['project p (4)', '  b', '    >c', '      >a', '  self']);
  });

  it('shows both logs that claim one id, and gives their children to the one of the same project', () => {
    const items = [
      sessionItem('twin', { path: '/root/--x--/twin/session.jsonl.zstd', cwd: '/x', lastActivity: 9 }),
      sessionItem('twin', { path: '/root/--y--/twin/session.jsonl.zstd', cwd: '/y', lastActivity: 8 }),
      sessionItem('child', { parentSession: 'twin', cwd: '/y' }),
    ];
    const result = forest(items);
    expect(drawn(result)).toEqual(['project y (2)', '  twin', '    >child', 'project x (1)', '  twin']);
    expect(result.groups.flatMap((g) => g.roots).every((s) => s.isDuplicate)).toBe(true);
  });

  it('knows which sessions are called alike', () => {
    const items = [
      sessionItem('a', { title: 'Same' }),
      sessionItem('b', { title: 'Same', cwd: '/x' }),
      sessionItem('c'),
      sessionItem('d', { title: undefined }),
      sessionItem('e', { title: undefined }),
    ];
    const alike = forest(items).groups.flatMap((g) => g.roots.filter((s) => s.isNamesake).map((s) => s.item.id));
    expect(alike.sort()).toEqual(['a', 'b']);
  });

  it('leaves a fork in the project it runs in, but a subagent with its parent', () => {
    const items = [
      sessionItem('parent', { cwd: '/w/a' }),
      sessionItem('elsewhere', { cwd: '/w/b', parentSession: 'parent' }),
      sessionItem('helper', { cwd: '/w/c', parentSession: 'parent', origin: 'subagent' }),
    ];
    const result = forest(items, { workspaceFolders: [folder('/w/b')] });
    expect(drawn(result)).toEqual(['workspace b (1)', '  elsewhere', 'project a (2)', '  parent', '    *helper']);
    expect(result.groups[0]?.roots[0]?.origin?.item.id).toBe('parent');
  });
});

describe('pinning, hiding, filtering', () => {
  const key = (id: string): string => `/root/--p--/${id}`;

  it('puts pinned sessions first among their siblings', () => {
    const items = [sessionItem('new', { lastActivity: 9 }), sessionItem('old', { lastActivity: 1 })];
    expect(drawn(forest(items, { pinned: new Set([key('old')]) }))).toEqual(['project p (2)', '  old', '  new']);
  });

  it('hides a session with its subagents; its forks move up', () => {
    const items = [
      sessionItem('hidden'),
      sessionItem('helper', { parentSession: 'hidden', origin: 'subagent' }),
      sessionItem('helper2', { parentSession: 'helper', origin: 'subagent' }),
      sessionItem('fork', { parentSession: 'hidden' }),
    ];
    const hidden = new Set([key('hidden')]);
    const result = forest(items, { hidden });
    expect(drawn(result)).toEqual(['project p (1)', '  fork']);
    expect(result).toMatchObject({ total: 1, hiddenCount: 3 });
    expect(drawn(forest(items, { hidden, showHidden: true }))).toHaveLength(5);
  });

  it('wants every word somewhere in title, id or folder and keeps the way to what it finds', () => {
    const items = [
      sessionItem('a', { title: 'Fix the flaky login test' }),
      sessionItem('b', { title: 'Try a fake clock', parentSession: 'a' }),
      sessionItem('c', { title: 'Unrelated', cwd: '/w/clock' }),
    ];
    const result = forest(items, { filter: '  FAKE clock ' });
    expect(drawn(result)).toEqual(['project p (2)', '  a', '    >b']);
    expect(result).toMatchObject({ matching: 1, total: 3 });
    expect(result.groups[0]?.roots[0]?.matches).toBe(false);
    expect(drawn(forest(items, { filter: 'clock' }))).toHaveLength(5);
    expect(drawn(forest(items, { filter: 'nowhere' }))).toEqual([]);
  });
});

describe('any set of headers', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const items = fc
    .array(
      fc.record({
        id: ids,
        parentSession: fc.option(ids, { nil: undefined }),
        origin: fc.constantFrom(undefined, 'subagent'),
        cwd: fc.constantFrom(undefined, '/w/a', '/w/b'),
        createdAt: fc.option(fc.nat(5), { nil: undefined }),
      }),
      { maxLength: 30 },
    )
    .map((records) =>
      records.map((fields, i) => sessionItem(fields.id, { ...fields, path: `/root/--p--/dir${i}/session.jsonl` })),
    );

  it('comes out complete, each session once, parents consistent', () => {
    fc.assert(
      fc.property(items, (all) => {
        const result = forest(all, { workspaceFolders: [folder('/w/a')] });
        const seen: string[] = [];
        const pending: ForestSession[] = result.groups.flatMap((group) => group.roots);
        for (const root of pending) expect(root.parent).toBeUndefined();
        for (let at = pending.pop(); at; at = pending.pop()) {
          seen.push(at.item.path);
          for (const child of [...at.forks, ...at.subagents]) {
            expect(child.parent).toBe(at);
            expect(child.group).toBe(at.group);
            pending.push(child);
          }
        }
        expect(seen.sort()).toEqual(all.map((item) => item.path).sort());
        expect(result.groups.reduce((n, group) => n + group.count, 0)).toBe(all.length);
      }),
    );
  });

  it('is the same whatever order the list came in', () => {
    fc.assert(
      fc.property(items, fc.array(fc.nat(), { minLength: 30 }), (all, keys) => {
        const unique = [...new Map(all.map((item) => [item.id, item])).values()];
        const shuffled = unique.map((item, i) => ({ item, at: keys[i] ?? 0 })).sort((a, b) => a.at - b.at);
        expect(drawn(forest(shuffled.map(({ item }) => item)))).toEqual(drawn(forest(unique)));
      }),
    );
  });

  it('survives a chain of 20,000 forks', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) =>
      sessionItem(`n${i}`, { createdAt: i, parentSession: i === 0 ? undefined : `n${i - 1}` }),
    );
    expect(forest(chain).groups[0]).toMatchObject({ count: 20_000, roots: { length: 1 } });
  });
});

describe('session keys', () => {
  it.each([
    ['/root/--p--/s1/session.jsonl.zstd', '/root/--p--/s1'],
    ['/root/--p--/s1/session.v4.jsonl', '/root/--p--/s1'],
    ['C:\\r\\--p--\\s1\\session.v2.jsonl.zstd', 'C:\\r\\--p--\\s1'],
    ['/root/--p--/stray.jsonl', '/root/--p--/stray.jsonl'],
    ['/root/--p--/s1/session.v01.jsonl', '/root/--p--/s1/session.v01.jsonl'],
  ])('%s is %s', (path, key) => {
    expect(sessionKey(path)).toBe(key);
  });
});
