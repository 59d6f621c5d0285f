import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumUsage } from '../../src/core/usage.ts';
import { openSession, projectDirectoryName, sessionDirectoryName, type OpenSession } from '../../src/storage/index.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';

/** The hand-made cases as far as reading one log is concerned; the words of each `case.json` are in the test's name. */

const open = (name: string, log: string): Promise<OpenSession> =>
  openSession(sharedPath('cases', name, 'sessions', ...log.split('/')));

const turnsOf = (session: OpenSession): number => [...session.events()].filter(({ type }) => type === 'turn/end').length;

const refusesOpen = (session: OpenSession): boolean =>
  session.refusal !== undefined || session.damage.some(({ dsh }) => dsh.open === 'refuses' || dsh.open === 'breaks-root');

const legal = (session: OpenSession): number[] =>
  [...session.events()].map(({ seq }) => seq).filter((seq) => session.forkBoundary(seq).legal);

interface Verdict {
  readonly path: string;
  readonly strict?: string;
  readonly inspect?: string;
  readonly physical?: string;
  readonly header?: string;
}

describe.runIf(hasSharedData)('the hand-made cases', () => {
  const verdicts = hasSharedData
    ? (JSON.parse(readFileSync(sharedPath('cases', 'VERDICTS.json'), 'utf8')) as { files: Verdict[] }).files
    : [];

  it.each(verdicts.map((verdict) => [verdict.path, verdict] as const))(
    'dsh and this reader agree on opening %s',
    async (path, verdict) => {
      const session = await openSession(sharedPath('cases', path));
      const answers = [verdict.physical, verdict.header, verdict.inspect ?? verdict.strict];
      const refused = answers.some((answer) => answer?.startsWith('refuses') === true);
      // The verdicts look at one file; where it lies and how its frames are cut is judged by other rules.
      const ofContent = session.damage.filter(
        ({ kind }) => !['placement', 'mixed-encodings', 'flat-log', 'first-frame'].includes(kind),
      );
      const own = session.refusal !== undefined || ofContent.some(({ dsh }) => dsh.open === 'refuses');
      const oneFrame = session.damage.some(
        ({ kind, dsh }) => kind === 'first-frame' && dsh.open === 'refuses' && verdict.inspect !== undefined,
      );
      expect(own || oneFrame).toBe(refused);
    },
  );

  it.each([0, 1, 2, 3, 4])('01: version %i has two turns', async (version) => {
    const session = await open('01-generation-names', `--work-demo--/sess-v${String(version)}`);
    expect(session.version).toBe(version);
    expect(turnsOf(session)).toBe(2);
  });

  it('04: an unknown required event is named, what lies before it derives and forks, what follows does not', async () => {
    const session = await open('04-unknown-required-event', '--work-demo--/sess-newer');
    const seq = session.refusal?.seq ?? -1;
    expect(session.refusal?.kind).toBe('unknown-event');
    expect(session.refusal?.message).toContain(session.eventAt(seq)?.type);
    expect(session.refusal?.message).toContain(String(seq));
    expect([...session.events()]).toHaveLength(session.eventCount);
    expect(session.eventCount).toBeGreaterThan(seq + 1);
    expect(session.deriveMessages(seq - 1).length).toBeGreaterThan(0);
    expect(() => session.deriveMessages(seq)).toThrow();
    expect(() => session.surfaceNodes()).toThrow();
    expect(legal(session).every((boundary) => boundary < seq)).toBe(true);
    expect(legal(session).length).toBeGreaterThan(0);
    expect(session.forkBoundary(seq)).toMatchObject({ legal: false, code: 'UNREADABLE' });
  });

  it('05: with the event at seq 0 nothing derives or forks', async () => {
    const session = await open('05-plugin-event-unmarked', '--work-demo--/sess-plugin');
    expect(session.refusal).toMatchObject({ kind: 'unknown-event', seq: 0 });
    expect(() => session.deriveMessages(0)).toThrow();
    expect(legal(session)).toEqual([]);
  });

  it('08: a seq given twice is named with line, expected and found; nothing at or after it forks', async () => {
    const session = await open('08-seq-collision-two-writers', '--work-demo--/sess-collide');
    const collision = session.damage.find(({ kind }) => kind === 'wrong-seq');
    const duplicated = session.eventCount - 1;
    expect(session.eventAt(duplicated)?.type).toBe('session/end-seed');
    expect(collision?.message).toContain(`line ${String(collision?.line)}`.replace('line', 'Line'));
    expect(collision?.message).toContain(`seq ${String(duplicated)}`);
    expect(collision?.message).toContain(String(session.eventCount));
    const rest = [...session.salvagedLines()];
    expect(rest.map(({ text }) => (JSON.parse(text) as { type: string }).type)).toContain('turn/end');
    expect(rest[0]?.line).toBe(collision?.line);
    expect(legal(session).every((boundary) => boundary < duplicated)).toBe(true);
    for (let seq = duplicated; seq < duplicated + 4; seq++) expect(session.forkBoundary(seq).legal).toBe(false);
    expect(refusesOpen(session)).toBe(true);
  });

  it('11: all 20 turns of a frame-per-event log', async () => {
    expect(turnsOf(await open('11-frame-per-event', '--work-demo--/sess-frames'))).toBe(20);
  });

  it.each(['blockhdr', 'desc', 'magic2', 'magic4', 'mid'])(
    '12: torn in %s, turns 1 and 2 stand and the tail is flagged',
    async (place) => {
      const log = `--work-demo--/sess-torn-${place}`;
      const session = await open('12-torn-last-frame', log);
      expect(turnsOf(session)).toBe(2);
      expect(session.damage.map(({ kind, dsh }) => [kind, dsh.open])).toEqual([['torn-frame', 'repairs']]);
      expect(session.damage[0]?.message).toMatch(/torn tail/i);
      const committed = session.eventCount - session.uncommittedEvents;
      expect([...session.events(committed)]).toHaveLength(session.uncommittedEvents);
    },
  );

  it('16: one frame for everything reads, and dsh refuses it', async () => {
    for (const log of ['sess-oneframe', 'sess-oneframe3']) {
      const session = await open('16-single-frame-reencoded', `--work-demo--/${log}`);
      expect(turnsOf(session)).toBe(2);
      expect(session.damage.map(({ kind }) => kind)).toEqual(['first-frame']);
      expect(refusesOpen(session)).toBe(true);
    }
  });

  it('18: a good session among bad neighbours opens; each bad one says why', async () => {
    const good = await open('18-bad-neighbours', '--work-demo--/sess-good');
    expect(turnsOf(good)).toBe(2);
    expect(good.damage.map(({ kind }) => kind)).toEqual(['flat-log']);
    expect(good.damage[0]?.message).toContain('old-flat.jsonl');
    for (const log of ['sess-badjson', 'sess-empty-file', 'sess-gzip', 'sess-nul', 'sess-random']) {
      const bad = await open('18-bad-neighbours', `--work-demo--/${log}`);
      expect(bad.refusal?.kind).toBe('no-header');
      expect(bad.eventCount).toBe(0);
    }
  });

  it('20: 2500 turns in 15,003 frames', async () => {
    const session = await open('20-many-frames', '--work-demo--/sess-manyframes');
    expect(turnsOf(session)).toBe(2500);
    expect(session.lineOf(session.eventCount - 1)).toEqual({ line: 15_003, frame: 15_002 });
  });

  it('22: 18 events on 11 lines, seqs 3 to 12 from 3 packed lines; one answer, one tool pair', async () => {
    const session = await open('22-packed-rows', '--work-demo--/sess-packed');
    expect(session.eventCount).toBe(18);
    expect(session.lineCount - 1).toBe(11);
    const lines = new Set([...Array(10).keys()].map((i) => session.lineOf(3 + i).line));
    expect(lines.size).toBe(3);
    const types = [...session.events()].map(({ type }) => type);
    for (const type of ['assistant/message', 'tool/call', 'tool/result'])
      expect(types.filter((one) => one === type)).toHaveLength(1);
    expect(types.slice(3, 13)).toEqual(Array(10).fill('assistant/chunk'));
  });

  it('24: the cut is seedLength, not the first end-seed; own usage is 120 in, 12 out over two turns', async () => {
    const session = await open('24-fork-seed-v0', '--work-demo--/sess-child');
    const cut = session.inheritedEventCount;
    expect(cut).toBe(session.header?.seedLength);
    const seed = [...session.events()].find(({ type }) => type === 'session/end-seed');
    expect(seed?.seq).toBeLessThan(cut);
    expect([...session.events(cut)].filter(({ type }) => type === 'turn/end')).toHaveLength(2);
    expect(sumUsage(session.attempts(), cut).own).toMatchObject({ inputTokens: 120, outputTokens: 12 });
  });

  it('28: ordinary boundaries and the explicit closing ones', async () => {
    const session = await open('28-fork-boundaries', '--work-demo--/sess-open');
    const events = [...session.events()];
    const ends = events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
    const between = events.filter(
      ({ type, seq }) => (type === 'session/title' || type === 'todo/write') && seq > (ends.at(-1) ?? 0),
    );
    const trailing = between.map(({ seq }) => seq).filter((seq) => seq <= (ends[1] ?? 0) + 2);
    for (const seq of [...ends, ...trailing]) expect(session.forkBoundary(seq)).toEqual({ legal: true, closes: false });
    const third = events.findLast(({ type }) => type === 'turn/start')?.seq ?? 0;
    for (let seq = third; seq < session.eventCount; seq++)
      expect(session.forkBoundary(seq)).toEqual({ legal: true, closes: true });
  });

  it('34: the history is the summary and what follows; before the summary it shows the originals', async () => {
    for (const [log, roles] of [
      ['sess-cmp-0', 3],
      ['sess-cmp-4', 4],
    ] as const) {
      const session = await open('34-replace-dialects', `--work-demo--/${log}`);
      const texts = session.deriveMessages().map(({ content }) => JSON.stringify(content));
      expect(texts).toHaveLength(roles);
      expect(texts.at(-2)).toContain('after compaction');
      expect(texts.at(-1)).toContain('answer after');
      const summary = [...session.events()].find(({ surfaceOp }) => surfaceOp !== undefined && surfaceOp !== 'append');
      const before = JSON.stringify(session.deriveMessages((summary?.seq ?? 0) - 1));
      expect(before).toContain('one');
      expect(before).toContain('two');
      expect(refusesOpen(session)).toBe(false);
    }
  });

  it('38: a message without id is flagged; forks end before it', async () => {
    const session = await open('38-message-without-id', '--work-demo--/sess-noid');
    const flagged = session.damage.find(({ kind }) => kind === 'message');
    const seq = flagged?.seq ?? -1;
    expect(session.eventAt(seq)).toBeDefined();
    expect((session.eventAt(seq)?.data as { id?: string }).id).toBeUndefined();
    expect(legal(session).length).toBeGreaterThan(0);
    expect(legal(session).every((boundary) => boundary < seq)).toBe(true);
    expect(session.forkBoundary(session.eventCount - 1)).toMatchObject({ code: 'UNREADABLE' });
    expect(session.deriveMessages().length).toBeGreaterThan(0);
  });

  it('43: directory names of odd ids, the mismatch flagged, the case collision said', async () => {
    const mismatch = await open('43-odd-session-ids', '--work-demo--/sess-idmismatch');
    expect(mismatch.damage.map(({ kind, dsh }) => [kind, dsh.list])).toEqual([['placement', 'breaks-root']]);
    for (const log of ['UPPER', 'upper']) {
      const session = await open('43-odd-session-ids', `--work-demo--/${log}`);
      expect(session.damage.map(({ kind, dsh }) => [kind, dsh.open])).toEqual([['name-collision', 'accepts']]);
    }
    for (const log of ['a~002Fb', 'tilde~007Eid', '~002E', '~002E~002E', '~7A7A~683C~0020id', '~D83D~DE00', 'con']) {
      const session = await open('43-odd-session-ids', `--work-demo--/${log}`);
      expect(sessionDirectoryName(session.header?.id ?? '')).toBe(log);
      expect(session.damage).toEqual([]);
    }
  });

  it.each(['--work-a-b--/s1', '--work-a-b--/s2', '--work-a-b--/s3', '--root--/s4', '_no-cwd/s5', '--root--/s6'])(
    '44: %s lies where its cwd puts it',
    async (log) => {
      const session = await open('44-cwd-collisions', log);
      expect(session.damage).toEqual([]);
      expect(projectDirectoryName(session.header?.cwd)).toBe(basename(dirname(dirname(session.path))));
    },
  );

  it('47: a moved session reads and is flagged; its neighbour is not', async () => {
    const moved = await open('47-moved-directory', '--work-new--/sess-moved');
    expect(moved.damage.map(({ kind, dsh }) => [kind, dsh.list, dsh.open])).toEqual([['placement', 'breaks-root', 'refuses']]);
    expect(legal(moved).length).toBeGreaterThan(0);
    expect((await open('47-moved-directory', '--work-new--/sess-right')).damage).toEqual([]);
  });

  it('48: a raw root', async () => {
    expect((await open('48-raw-root', '--work-demo--/raw-a')).encoding).toBe('none');
  });

  it('50: lines end at 0x0A only', async () => {
    for (const log of ['sep-raw', 'sep-zstd']) {
      const session = await open('50-line-separators', `--work-demo--/${log}`);
      expect(turnsOf(session)).toBe(1);
      expect(JSON.stringify(session.deriveMessages())).toMatch(/[\u2028\u2029\u0085]/);
      expect(session.damage.map(({ kind }) => kind)).toEqual(['mixed-encodings']);
    }
  });

  it('71: an empty session opens and says why it cannot fork; one end-seed is a legal boundary', async () => {
    const blank = await open('71-header-only', '--work-demo--/sess-blank');
    expect(blank.eventCount).toBe(0);
    expect(blank.deriveMessages()).toEqual([]);
    expect(blank.surfaceNodes()).toEqual([]);
    expect(blank.forkBoundary(0)).toMatchObject({ legal: false, code: 'INVALID_BOUNDARY' });
    const lifecycle = await open('71-header-only', '--work-demo--/sess-lifecycle-only');
    expect(lifecycle.forkBoundary(0)).toEqual({ legal: true, closes: false });
    expect(turnsOf(lifecycle)).toBe(0);
  });
});
