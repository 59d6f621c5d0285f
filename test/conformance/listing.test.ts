import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSessions, type SessionSummary } from '../../src/storage/session-list.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';

const listCase = (name: string): Promise<SessionSummary[]> => listSessions(sharedPath('cases', name, 'sessions'));
const kinds = (session: SessionSummary): string[] => session.damage.map((damage) => damage.kind);
const directory = (session: SessionSummary): string => basename(dirname(session.path));

/** What the case files expect of a listing, one test each. */
describe.runIf(hasSharedData)('cases', () => {
  it('01: five generations, two turns each', async () => {
    const sessions = await listCase('01-generation-names');
    expect(sessions.map(({ version, turnCount, isEmpty, damage }) => [version, turnCount, isEmpty, damage.length])).toEqual(
      [0, 1, 2, 3, 4].map((version) => [version, 2, false, 0]),
    );
  });

  it('08, 11, 22, 38: readable sessions are listed, those with damage inside the log marked with it', async () => {
    for (const [name, turns, damage] of [
      ['08-seq-collision-two-writers', 2, ['wrong-seq']], // a third begins behind the collision, which nothing can be read past
      ['11-frame-per-event', 20, []],
      ['22-packed-rows', 1, []],
      ['38-message-without-id', 2, ['message']],
    ] as const) {
      const [session, ...others] = await listCase(name);
      expect(others).toEqual([]);
      expect([name, session?.turnCount, session?.damage.map(({ kind }) => kind)]).toEqual([name, turns, damage]);
    }
  });

  it('04, 05: an event that is not known is named, and the session keeps its title', async () => {
    for (const name of ['04-unknown-required-event', '05-plugin-event-unmarked']) {
      const [session] = await listCase(name);
      expect(session?.refusal?.kind).toBe('unknown-event');
      expect(session?.title).toBeDefined();
    }
  });

  it('12: torn tails are said, with both turns', async () => {
    const sessions = await listCase('12-torn-last-frame');
    expect(sessions).toHaveLength(5);
    for (const session of sessions) {
      expect(session.turnCount).toBe(2);
      expect(session.damage.map(({ kind, dsh }) => [kind, dsh.list, dsh.open])).toEqual([['torn-frame', 'accepts', 'repairs']]);
    }
  });

  it('16: a first frame that is not exactly the header is readable and flagged', async () => {
    const sessions = await listCase('16-single-frame-reencoded');
    expect(sessions.map(({ turnCount, damage }) => [turnCount, damage.map(({ kind, dsh }) => [kind, dsh.open])])).toEqual([
      [2, [['first-frame', 'refuses']]],
      [2, [['first-frame', 'refuses']]],
    ]);
  });

  it('18: bad neighbours hide nothing', async () => {
    const sessions = await listCase('18-bad-neighbours');
    expect(
      sessions.map((session) => [basename(session.path).startsWith('old') ? 'flat' : directory(session), kinds(session)]),
    ).toEqual([
      ['sess-badjson', ['header']],
      ['sess-empty-file', ['empty-file']],
      ['sess-good', []],
      ['sess-gzip', ['foreign-bytes']],
      ['sess-nul', ['foreign-bytes']],
      ['sess-random', ['foreign-bytes']],
      ['flat', ['flat-log']],
    ]);
  });

  it('20: 2500 turns are told from the end of the file', async () => {
    const [session] = await listCase('20-many-frames');
    expect(session).toMatchObject({ turnCount: 2500, title: 'question 1', damage: [] });
  });

  it('24: a fork is known by its seed, its parent by name', async () => {
    const sessions = await listCase('24-fork-seed-v0');
    expect(sessions.map(({ id, parentSession, isSeeded }) => [id, parentSession, isSeeded])).toEqual([
      ['sess-child', 'sess-parent', true],
      ['sess-parent', undefined, false],
    ]);
  });

  it('32: titles', async () => {
    const titles = new Map((await listCase('32-titles')).map((session) => [session.id, session.title ?? '']));
    expect(titles.get('sess-latest')).toBe('Better title');
    expect(titles.get('sess-notitle')).toBe('question 1');
    expect(titles.get('sess-injected-first')).toBe('the real human question');
    expect(titles.get('sess-renamed')).toBe('用户改的标题 🚀');
    for (const title of titles.values()) {
      expect(title.length).toBeLessThanOrEqual(200);
      // eslint-disable-next-line no-control-regex -- control characters are what must not be there
      expect(title).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  it('43: odd ids are shown from the header, and their places are judged', async () => {
    const sessions = await listCase('43-odd-session-ids');
    expect(sessions).toHaveLength(12);
    const flagged = sessions.filter((session) => session.damage.length > 0);
    expect(flagged.map((session) => [directory(session), kinds(session)])).toEqual([
      ['UPPER', ['name-collision']],
      ['sess-idmismatch', ['placement']],
      ['upper', ['name-collision']],
    ]);
    expect(sessions.map((session) => session.id)).toEqual(
      expect.arrayContaining(['.', '..', 'a/b', '空格 id', '😀', 'tilde~id']),
    );
  });

  it('44: the header says the folder, not the directory', async () => {
    const sessions = await listCase('44-cwd-collisions');
    expect(new Set(sessions.map((session) => session.cwd)).size).toBe(6);
    expect(sessions.flatMap(kinds)).toEqual([]);
  });

  it('47: a moved session breaks the list of dsh', async () => {
    const sessions = await listCase('47-moved-directory');
    expect(sessions.map((session) => [session.id, session.damage.map(({ dsh }) => dsh.list)])).toEqual([
      ['sess-moved', ['breaks-root']],
      ['sess-right', []],
    ]);
  });

  it('48, 50: one encoding for a root', async () => {
    expect((await listCase('48-raw-root')).flatMap(kinds)).toEqual([]);
    expect((await listCase('50-line-separators')).map((session) => [session.encoding, kinds(session)])).toEqual([
      ['none', ['mixed-encodings']],
      ['zstd', []],
    ]);
  });

  it('55, 71: presets are told, sessions without a turn are empty', async () => {
    expect((await listCase('55-retired-preset'))[0]?.agentPreset).toBeTypeOf('string');
    expect((await listCase('71-header-only')).map(({ id, isEmpty, lastActivity }) => [id, isEmpty, lastActivity])).toEqual([
      ['sess-blank', true, undefined],
      ['sess-lifecycle-only', true, undefined],
    ]);
  });
});

interface Oracle {
  readonly reads?: {
    readonly list?: { readonly error?: unknown; readonly count?: number };
    readonly inspect?: { readonly error?: { readonly class: string } };
  };
}

describe.runIf(hasSharedData)('corpus', () => {
  const index = hasSharedData
    ? (JSON.parse(readFileSync(sharedPath('corpus', 'INDEX.json'), 'utf8')) as { path: string; oracle: string; fault?: string }[])
    : [];

  // A v0 dsh knows no generations, so it lists past a newer neighbour that is broken.
  const otherRule = new Set(['dir-v1-sibling']);

  it.each(
    index.flatMap((record) => (record.fault === undefined || otherRule.has(record.fault) ? [] : [[record.fault, record.oracle]])),
  )('fault %s: what dsh does on list', async (fault, oraclePath) => {
    const { reads } = JSON.parse(readFileSync(sharedPath('corpus', oraclePath), 'utf8')) as Oracle;
    // There the release decides, not the file.
    if (reads?.inspect?.error?.class === 'SessionFormatUnsupportedError') return;
    const outcomes = (await listSessions(sharedPath('corpus', 'faults', fault))).flatMap(({ damage }) =>
      damage.map(({ dsh }) => dsh.list),
    );
    const wanted = reads?.list?.error !== undefined ? 'breaks-root' : reads?.list?.count === 0 ? 'skips' : 'accepts';
    expect(
      outcomes.find((outcome) => outcome === 'breaks-root') ?? outcomes.find((outcome) => outcome === 'skips') ?? 'accepts',
    ).toBe(wanted);
  });

  it('lists every healthy log with its header, and finds no damage', async () => {
    for (const root of ['v0/zstd', 'v0/none', 'v0/zstd-nopack', 'v0/crash-before', 'native/v3', 'native/v4']) {
      const sessions = await listSessions(sharedPath('corpus', root));
      expect(sessions.length).toBeGreaterThan(0);
      for (const session of sessions) {
        // The corpus' own list of what dsh refuses: a message without id, and types it does not know.
        const isRefused = session.id === 'core-surface';
        expect([session.path, session.damage.length > 0, session.refusal?.kind, session.titleIsComplete]).toEqual([
          session.path,
          isRefused,
          isRefused ? 'unknown-event' : undefined,
          true,
        ]);
        expect(session.turnCount).toBeGreaterThan(0);
      }
    }
  });
});
