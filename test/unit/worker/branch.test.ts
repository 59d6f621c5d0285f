import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { english } from '../../../src/core/text.ts';
import type { BranchPlan } from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { pictureOf } from '../../support/fork-files.ts';
import { forkLog } from '../../support/fork-log.ts';
import { LogBuilder, type LogOptions, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog, type WriteOptions } from '../../support/write-log.ts';
import { openService, writeBuilt, type Call } from './session-harness.ts';

const temp = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

function talk(version: Version, options: Partial<LogOptions> = {}): LogBuilder {
  const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000, ...options });
  log.prompt('one');
  log.reply('first');
  log.title('a talk');
  log.prompt('two');
  log.reply('second');
  return log;
}

async function started(log: LogBuilder, options: WriteOptions = {}): Promise<{ root: string; call: Call }> {
  const root = temp.fresh();
  const service = openService(await writeLog(root, log.header, log.events, options), { open: openSession });
  open.push(service);
  return { root, call: service.call };
}

const said = (plan: BranchPlan): unknown =>
  plan.legal
    ? { ...plan, point: { ...plan.point, label: english(plan.point.label) }, warnings: plan.warnings.map(english) }
    : {
        ...plan,
        reason: english(plan.reason),
        nearest: plan.nearest.map((p) => `${english(p.label)} #${p.seq}${p.closes ? '!' : ''}`),
      };

const seqsOf = (log: LogBuilder, type: string): number[] =>
  log.events.filter((event) => event.type === type).map(({ seq }) => seq);

describe('planning a fork', () => {
  it('of a log whose header names no project folder a session may have, says so before anything is asked', async () => {
    for (const cwd of [null, 7, '', 'relative/path']) {
      const log = talk(4);
      const root = temp.fresh();
      const path = join(root, '--work-demo--', 'parent', 'session.v4.jsonl');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${[{ ...log.header, cwd }, ...log.events].map((line) => JSON.stringify(line)).join('\n')}\n`);
      const service = openService(path, { open: openSession });
      open.push(service);
      const plan = said(await service.call('branchPlan', { kind: 'fork', closes: false }));
      expect(plan).toMatchObject({
        legal: false,
        reason: 'The project folder that the header names is none a new session may have',
      });
    }
  });

  it('says what would be copied and where it would lie', async () => {
    const log = talk(4);
    const { root, call } = await started(log);
    const [first = -1, second = -1] = seqsOf(log, 'turn/end');
    expect(said(await call('branchPlan', { kind: 'fork', seq: first, closes: false }))).toEqual({
      legal: true,
      point: { seq: first, label: 'End of turn 1', closes: false },
      turns: 1,
      events: first + 1,
      version: 4,
      encoding: 'zstd',
      directory: join(root, '--work-demo--'),
      agentPreset: undefined,
      warnings: [],
    });
    // A session as a whole means its last ordinary boundary.
    expect(await call('branchPlan', { kind: 'fork', closes: false })).toMatchObject({
      legal: true,
      point: { seq: second },
      turns: 2,
    });
  });

  it('of a session as a whole says what its end holds that the fork will not, and why', async () => {
    const log = talk(4);
    log.prompt('three'); // never answered: turn 3 stays open; the queued message before it belongs to no turn and is copied
    const openTail = await started(log);
    const inTurn = seqsOf(log, 'turn/start').at(-1) ?? -1;
    expect(said(await openTail.call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
      point: { seq: inTurn - 1 },
      warnings: [`The turn that is still open there is left out: #${inTurn} – #${log.events.length - 1}`],
    });
    // Asked for that very place nothing is left out that was meant.
    expect(await openTail.call('branchPlan', { kind: 'fork', seq: inTurn - 1, closes: false })).toMatchObject({ warnings: [] });

    const strange = talk(4);
    const unknown = strange.push('future/thing', {});
    strange.prompt('three');
    strange.reply('third');
    const stopped = await started(strange);
    expect(said(await stopped.call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
      point: { seq: unknown - 1 },
      warnings: [
        expect.stringMatching(
          new RegExp(`^Only what lies before #${unknown} can be forked: #${unknown} has the type "future/thing"`),
        ),
      ],
    });
  });

  it('takes the head of a span for the span', async () => {
    const log = new LogBuilder({ version: 4, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
    log.prompt('one');
    log.work({ text: 'I look.', calls: [{ name: 'bash', args: {}, result: 'ok' }] });
    log.reply('first');
    const { call } = await started(log);
    const at = async (type: string): Promise<unknown> => {
      const [seq = -1] = seqsOf(log, type);
      const plan = await call('branchPlan', { kind: 'fork', seq, span: true, closes: true });
      return plan.legal ? log.events[plan.point.seq]?.type : plan;
    };
    expect(await at('turn/start')).toBe('turn/end');
    expect(await at('step/start')).toBe('step/end');
    expect(await at('tool/call')).toBe('tool/result');
    expect(await at('user/message')).toBe('user/message');
    const [seq = -1] = seqsOf(log, 'turn/start');
    expect(await call('branchPlan', { kind: 'fork', seq, closes: true })).toMatchObject({ legal: true, point: { seq } });
  });

  it('names the nearest places where it is refused', async () => {
    for (const version of [3, 4] as const) {
      const log = talk(version);
      const { root, call } = await started(log);
      const [, start = -1] = seqsOf(log, 'turn/start');
      const [, end = -1] = seqsOf(log, 'turn/end');
      const before = pictureOf(root);
      const plan = await call('branchPlan', { kind: 'fork', seq: end - 1, closes: false });
      const here = `Here, closing the open turn 2 as dsh does #${end - 1}!`;
      const around = [`After turn 1 #${start - 1}`, `End of turn 2 #${end}`];
      expect(said(plan)).toEqual({
        legal: false,
        seq: end - 1,
        reason:
          version === 4
            ? `#${end - 1} lies inside turn 2, which is still open there`
            : `#${end - 1} lies inside an open turn, and sessions of format 3 cannot be forked there`,
        nearest: version === 4 ? [...around, here] : around,
      });
      await expect(call('branch', { kind: 'fork', seq: end - 1, closes: false })).rejects.toThrow('open');
      if (version === 4) {
        expect(await call('branchPlan', { kind: 'fork', seq: end - 1, closes: true })).toMatchObject({
          legal: true,
          point: { closes: true },
        });
      }
      expect(pictureOf(root)).toEqual(before);
    }
  });

  it('refuses what the root or the place of the log does not allow', async () => {
    const log = talk(4);
    const { root, call } = await started(log);
    await writeLog(root, { ...log.header, id: 'other' }, log.events, { encoding: 'none' });
    expect(said(await call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
      legal: false,
      reason: expect.stringContaining('other encoding') as string,
      nearest: [],
    });
    const loose = openService(await writeBuilt(temp.fresh(), log));
    open.push(loose);
    expect(said(await loose.call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
      legal: false,
      reason: expect.stringContaining('sessions root') as string,
    });
    await expect(loose.call('branch', { kind: 'fork', seq: 0, closes: false })).rejects.toThrow('sessions root');
    const blank = await started(new LogBuilder({ version: 4, id: 'blank', createdAt: 1, cwd: '/w' }));
    expect(said(await blank.call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
      legal: false,
      reason: expect.stringContaining('empty') as string,
    });
    const newer = await started(Object.assign(talk(4), { header: { ...log.header, version: 5 } }));
    expect(said(await newer.call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({ legal: false, nearest: [] });
  });

  it('says what stands in the way of what lies behind it', async () => {
    const log = talk(4);
    const unknown = log.push('some/plugin', {});
    log.todos();
    const { call } = await started(log);
    expect(said(await call('branchPlan', { kind: 'fork', seq: unknown + 1, closes: false }))).toMatchObject({
      reason: expect.stringMatching(new RegExp(`^Only what lies before #${unknown} can be forked: .*some/plugin`)) as string,
      nearest: [`End of turn 2 #${unknown - 1}`],
    });
    const nameless = talk(3);
    const bad = nameless.emit('user/message', { role: 'user', source: { kind: 'user' }, content: [] } as never, {
      surfaceOp: 'append',
    });
    const other = await started(nameless);
    const plan = await other.call('branchPlan', { kind: 'fork', seq: bad, closes: false });
    expect(said(plan)).toMatchObject({
      reason: expect.stringMatching(new RegExp(`before #${bad} can be forked: .*id`)) as string,
    });
  });

  it('warns of what a reader may not expect', async () => {
    const log = new LogBuilder({ version: 2, id: 'parent', cwd: '/w', createdAt: 1, agentPreset: 'code' });
    log.endSeed();
    const { call } = await started(log);
    expect(said(await call('branchPlan', { kind: 'fork', seq: 0, closes: false }))).toMatchObject({
      turns: 0,
      agentPreset: 'code',
      warnings: ['The copied part has no turn', 'Newer releases of dsh call the preset “code” “ptc”'],
    });
  });
});

describe('branching', () => {
  it('does not offer a replay that could not hold what it copies', async () => {
    const log = talk(4);
    const last = log.events.length - 1;
    log.push('session-log-deepseek/delivery-accepted', { sessionId: log.header.id, throughSeq: last, sessionFormatVersion: 4 });
    const { call } = await started(log);
    const reason = `#${last + 1} acknowledges an upload of this session, which a session without a parent may not hold`;
    const nearest = [`End of turn 2 #${last}`];
    expect(said(await call('branchPlan', { kind: 'replay', closes: false }))).toMatchObject({ legal: false, reason, nearest });
    expect(await call('branchPlan', { kind: 'replay', seq: last, closes: false })).toMatchObject({ legal: true });
    expect(await call('branchPlan', { kind: 'fork', seq: last + 1, closes: false })).toMatchObject({ legal: true });
  });

  it('offers the places before what a replay may not hold, or says that there is none', async () => {
    const marked = (version: Version, before: (log: LogBuilder) => void): LogBuilder => {
      const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
      before(log);
      const sessionFormatVersion = version;
      log.push('session-log-deepseek/delivery-accepted', { sessionId: 'parent', throughSeq: 0, sessionFormatVersion });
      return log;
    };
    const plan = async (log: LogBuilder): Promise<{ reason: string; nearest: string[] }> => {
      const { call } = await started(log);
      return said(await call('branchPlan', { kind: 'replay', closes: false })) as { reason: string; nearest: string[] };
    };
    // In the middle of the first turn: nothing ended before, and only format 4 can be cut there.
    const inTurn = (log: LogBuilder): void => void log.startTurn().startStep();
    const open4 = await plan(marked(4, inTurn));
    expect(open4.nearest).toEqual(['Here, closing the open turn 1 as dsh does #1!']);
    const open3 = await plan(marked(3, inTurn));
    expect(open3.nearest).toEqual([]);
    expect(open3.reason).toMatch(/^#2 acknowledges an upload .* No turn ends before it, so there is no other point to offer/);
    const first = await plan(marked(4, () => undefined));
    expect(first.nearest).toEqual([]);
    expect(first.reason).toMatch(/^#0 acknowledges an upload .* No turn ends before it/);
    // What is offered is taken.
    const { call } = await started(marked(4, inTurn));
    expect(await call('branchPlan', { kind: 'replay', seq: 1, closes: true })).toMatchObject({ legal: true });
    await call('branch', { kind: 'replay', seq: 1, closes: true });
  });

  it.each([3, 4] as const)(
    'offers a replay of the inherited part of a fork of format %i, which has no mark yet',
    async (version) => {
      const parent = talk(version);
      const [end = -1] = seqsOf(parent, 'turn/end');
      const child = forkLog(parent, end, { id: 'child', createdAt: 1_790_000_100_000, cwd: '/work/demo' });
      child.prompt('own');
      child.reply('own too');
      const { call } = await started(child);
      expect(said(await call('branchPlan', { kind: 'replay', closes: false }))).toMatchObject({
        legal: false,
        reason: `This session is a fork itself: #${end + 1} marks what it inherited, which a session without a parent may not hold`,
        nearest: [`End of turn 1 #${end}`],
      });
      // Also of a place inside a later turn, which has boundaries around it that a replay could not end at either.
      const [, inTurn = -1] = seqsOf(child, 'step/start');
      expect(said(await call('branchPlan', { kind: 'replay', seq: inTurn, closes: false }))).toMatchObject({
        legal: false,
        nearest: [`End of turn 1 #${end}`],
      });
      await call('branch', { kind: 'replay', seq: end, closes: false });
    },
  );

  it('of a session whose only turn is open offers to close it, in format 4', async () => {
    for (const version of [3, 4] as const) {
      const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
      log.startTurn().startStep();
      const { call } = await started(log);
      expect(said(await call('branchPlan', { kind: 'fork', closes: false }))).toMatchObject({
        legal: false,
        reason: 'The first turn of this session is still open, and nothing lies before it',
        nearest: version === 4 ? ['Here, closing the open turn 1 as dsh does #1!'] : [],
      });
    }
  });

  it('writes a fork, also one that closes the open turn, and a replay', async () => {
    const log = talk(4);
    log.prompt('three');
    const { call } = await started(log);
    const last = log.events.length - 1;
    const [, second = -1] = seqsOf(log, 'turn/end');
    const fork = await call('branch', { kind: 'fork', seq: second, closes: false });
    expect(fork).toMatchObject({ cut: second + 1, id: expect.stringMatching(/^session-/) as string });
    const closed = await call('branch', { kind: 'fork', seq: last, closes: true });
    expect((await openSession(closed.path)).eventCount).toBe(last + 4);
    const replay = await call('branchPlan', { kind: 'replay', closes: false });
    expect(said(replay)).toMatchObject({
      legal: true,
      point: { seq: last, label: 'The whole log, its open turn closed as interrupted', closes: true },
    });
    const again = await call('branch', { kind: 'replay', seq: last, closes: true });
    const opened = await openSession(again.path);
    expect(again.cut).toBe(0);
    expect(opened.header?.parentSession).toBeUndefined();
    expect(opened.damage).toEqual([]);
  });

  it('stops when it is cancelled', async () => {
    const log = talk(4);
    const { root, call } = await started(log);
    const before = pictureOf(root);
    const controller = new AbortController();
    const making = call('branch', { kind: 'fork', seq: 0, closes: false }, controller.signal);
    controller.abort();
    await expect(making).rejects.toMatchObject({ code: 'cancelled' });
    expect(pictureOf(root)).toEqual(before);
  });

  it('gives the reason in the reader’s language', async () => {
    const log = talk(3);
    const service = openService(await writeLog(temp.fresh(), log.header, log.events), { t: ({ template }) => `<${template}>` });
    open.push(service);
    const seq = seqsOf(log, 'turn/end')[0] ?? 0;
    await expect(service.call('branch', { kind: 'fork', seq: seq - 1, closes: true })).rejects.toThrow(
      '<#{seq} lies inside an open',
    );
  });
});
