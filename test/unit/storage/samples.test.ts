import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkSession, migrateSession, type SessionEvent } from '../../../src/core/index.ts';
import { listSessions, openSession } from '../../../src/storage/index.ts';
import { buildLargeLog } from '../../support/large-log.ts';
import { writeSampleSessions } from '../../support/samples.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();
const NOW = 1_796_000_000_000;

/** The samples with something wrong on purpose. */
const ODD: ReadonlyMap<string, string> = new Map([
  ['session-damaged-on-disk', 'corrupt-frame'],
  ['session-e7b8d1c2-8c3f-4d06-a2f5-0f6a7b8c9d50', 'torn-frame'],
]);

describe('sample sessions', () => {
  let root = '';
  let paths: string[] = [];
  beforeAll(async () => {
    root = temp.fresh();
    paths = await writeSampleSessions(root, '/work/orderly', NOW);
  });

  it('are whole logs that satisfy every rule, but for those with a fault on purpose', async () => {
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) {
      const session = await openSession(path);
      const name = basename(dirname(path));
      const odd = ODD.get(name);
      expect([name, ...session.damage.map((damage) => damage.kind)]).toEqual(odd === undefined ? [name] : [name, odd]);
      if (session.header === undefined || odd !== undefined) continue;
      expect([name, session.refusal?.kind]).toEqual([name, REFUSED.get(name)]);
      if (session.refusal !== undefined) continue;
      expect([name, checkSession(session.header, session.events())]).toEqual([name, []]);
      const migrated = migrateSession({ header: session.header, events: session.events() }, 4);
      expect(migrated.events.length).toBeGreaterThanOrEqual(session.version === 4 ? session.eventCount : 0);
      await session.close();
    }
  });

  const REFUSED: ReadonlyMap<string, string> = new Map([
    ['session-plugin-events', 'unknown-event'],
    ['session-from-a-newer-dsh', 'newer-format'],
  ]);

  it('cover the versions, lineages and states a list can show', async () => {
    const sessions = await listSessions(root);
    expect(new Set(sessions.map((session) => session.version))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(new Set(sessions.map((session) => session.cwd))).toContain('/work/orderly');
    expect(new Set(sessions.map((session) => session.cwd)).size).toBe(3);
    const byId = new Map(sessions.map((session) => [session.id, session]));
    const lineage = sessions.filter((session) => session.isSeeded).map((session) => byId.get(session.parentSession)?.title);
    expect(lineage).toContain('Fix the flaky retry test');
    expect(lineage).toContain('Fake timers instead of a client change');
    expect(sessions.filter((session) => session.origin === 'subagent')).toHaveLength(3);
    expect(sessions.filter((session) => session.isEmpty).map((session) => session.id)).toEqual(['session-blank-0001']);
    for (const session of sessions) expect(session.lastActivity ?? 0).toBeLessThanOrEqual(NOW);
    // Live: its last act was within the last minute.
    expect(Math.max(...sessions.map((session) => session.lastActivity ?? 0))).toBeGreaterThan(NOW - 60_000);
  });

  it('are the same bytes whenever they are written for the same moment', async () => {
    const bytes = paths.map((path) => readFileSync(path));
    const second = await writeSampleSessions(root, '/work/orderly', NOW);
    expect(second).toEqual(paths);
    expect(second.every((path, i) => bytes[i]?.equals(readFileSync(path)))).toBe(true);
  });

  it('show a context that grows, is condensed and grows again', async () => {
    const session = await openSession(paths.find((path) => path.includes('session-0d7c')) ?? '');
    const events = [...session.events()];
    const contexts = events
      .filter((event): event is SessionEvent<'assistant/message'> => event.type === 'assistant/message')
      .map(({ data }) => (data.usage?.inputTokens ?? 0) + (data.usage?.cacheReadTokens ?? 0));
    expect(Math.max(...contexts)).toBeGreaterThan(80_000);
    expect(Math.max(...contexts)).toBeLessThan(128_000);
    expect(events.filter((event) => event.type === 'compaction/summary')).toHaveLength(2);
    expect(events.filter((event) => event.type === 'compaction/prune')).toHaveLength(1);
  });
});

describe('buildLargeLog', () => {
  it.each([2, 3, 4] as const)('makes exactly the asked-for number of valid lines in v%i', async (version) => {
    const log = buildLargeLog(5000, { version });
    const path = await writeLog(temp.fresh(), log.header, log.events, { batch: 200 });
    const session = await openSession(path);
    expect(session.eventCount).toBe(4999);
    expect(session.damage).toEqual([]);
    expect(checkSession(log.header, log.events as SessionEvent[])).toEqual([]);
  });
});
