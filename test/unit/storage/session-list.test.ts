import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionLister, listSessions, type SessionSummary } from '../../../src/storage/session-list.ts';
import { forkLog } from '../../support/fork-log.ts';
import type { LogBuilder, LogOptions, Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath, writeLog } from '../../support/write-log.ts';
import { builder, kinds, only, START, write } from './listing.ts';

const temp = tempRoot();

/** One turn of a question and an answer. */
function chat(id: string, options: Partial<LogOptions> = {}, question = 'Why does the build fail?'): LogBuilder {
  const log = builder(id, options);
  log.prompt(question);
  log.reply('Because a semicolon is missing.');
  return log;
}

it.each([0, 1, 2, 3, 4] as const)('tells where a fork of format %i was cut, also after it went on', async (version) => {
  const root = temp.fresh();
  const parent = chat('parent', { version });
  parent.title('Semicolons');
  const boundary = parent.events.length - 1;
  const fresh = forkLog(parent, boundary, { id: 'fresh', createdAt: START, cwd: '/work/demo' });
  const driven = forkLog(parent, boundary, { id: 'driven', createdAt: START, cwd: '/work/demo' });
  driven.prompt('And now?');
  driven.reply('It builds.');
  for (const log of [parent, fresh, driven]) await write(root, log);
  expect((await listSessions(root)).map(({ id, cut }) => [id, cut])).toEqual([
    ['driven', boundary + 1],
    ['fresh', boundary + 1],
    ['parent', undefined],
  ]);
});

it.each([0, 1, 2, 3, 4] as const)('tells which words of a fork of format %i are its own', async (version) => {
  const root = temp.fresh();
  const parent = builder('parent', { version });
  parent.endSeed();
  const empty = parent.events.length - 1;
  parent.prompt('Why?');
  parent.reply('So.');
  const untitled = parent.events.length - 1;
  parent.title('Reasons');
  const titled = parent.events.length - 1;
  parent.prompt('And then?');
  parent.reply('Then this.');
  const fork = (id: string, boundary: number): LogBuilder =>
    forkLog(parent, boundary, { id, createdAt: START, cwd: '/work/demo' });
  const asked = fork('asked', empty);
  asked.prompt('My own question');
  asked.reply('Yours.');
  const named = fork('named', titled);
  named.title('My own title');
  const logs = [parent, fork('empty', empty), asked, fork('untitled', untitled), fork('titled', titled), named];
  for (const log of logs) await write(root, log);
  const names = (sessions: readonly SessionSummary[]): unknown[] =>
    sessions.map(({ id, title, titleIsInherited }) => [id, title, titleIsInherited]).sort();
  const expected = [
    ['asked', 'My own question', false],
    ['empty', undefined, false],
    ['named', 'My own title', false],
    ['parent', 'Reasons', false],
    ['titled', 'Reasons', true],
    ['untitled', 'Why?', true],
  ];
  const lister = createSessionLister();
  const { sessions } = await lister.list(root);
  expect(names(sessions)).toEqual(expected);
  // The same when every event was read.
  const checked = await Promise.all(sessions.map(({ path }) => lister.check(path)));
  expect(names(checked.flatMap((session) => session ?? []))).toEqual(expected);
});

describe('listSessions', () => {
  it.each([0, 1, 2, 3, 4] as Version[])('summarises a v%i log in both encodings', async (version) => {
    for (const encoding of ['zstd', 'none'] as const) {
      const root = temp.fresh();
      const log = chat('s1', { version, agentPreset: 'code' });
      log.title('Missing semicolon');
      const path = await write(root, log, { encoding });
      const last = log.events.filter((event) => event.type === 'assistant/message').at(-1);
      expect(await only(root)).toEqual({
        path,
        id: 's1',
        version,
        encoding,
        cwd: '/work/demo',
        createdAt: START,
        isSeeded: false,
        agentPreset: 'code',
        title: 'Missing semicolon',
        titleIsInherited: false,
        titleIsComplete: true,
        isChecked: true,
        lastActivity: last?.time,
        turnCount: 1,
        isCompacted: false,
        isEmpty: false,
        size: statSync(path).size,
        mtime: statSync(path).mtimeMs,
        olderGenerations: [],
        damage: [],
        refusal: undefined,
      });
    }
  });

  it.each([0, 1, 2, 3, 4] as const)('tells whether something left the context of a v%i session', async (version) => {
    const root = temp.fresh();
    const compacted = chat('compacted', { version });
    compacted.compact('It is the semicolon.');
    const pruned = builder('pruned', { version });
    pruned.prompt('List.');
    pruned.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt b.txt' }] });
    pruned.prune(pruned.nodes.at(-1) ?? -1, 'cut');
    // A new system prompt stands in the place of the old one, and nothing has left.
    const instructed = chat('instructed', { version });
    instructed.system('Be brief.');
    for (const log of [compacted, pruned, instructed, chat('plain', { version })]) await write(root, log);
    const told = (await listSessions(root)).map(({ id, isCompacted }) => [id, isCompacted]);
    expect(told.sort()).toEqual([
      ['compacted', true],
      ['instructed', false],
      ['plain', false],
      ['pruned', true],
    ]);
  });

  it('takes the latest title, and the first human prompt where there is none', async () => {
    const root = temp.fresh();
    const titled = chat('a', {}, 'first question');
    titled.title('One');
    titled.title('Two', 'user');
    titled.title('', 'user');
    await write(root, titled);
    const injected = builder('b');
    injected.startTurn().startStep().system('You help.');
    injected.inject('AGENTS.md says hello', 'agent-instructions', { form: 'instructions', changes: [] });
    injected.emit(
      'user/message',
      injected.message('user', [{ type: 'text', text: ' the human\n\nquestion ' }], { kind: 'user' }),
      {
        surfaceOp: 'append',
      },
    );
    await write(root, injected);
    await write(root, builder('c'), { encoding: 'zstd' });
    expect((await listSessions(root)).map((session) => session.title)).toEqual(['Two', 'the human question', undefined]);
  });

  it('bounds titles to one plain line', async () => {
    const root = temp.fresh();
    const log = chat('a');
    log.title(`<b>x</b>\u202e\r\n${'y'.repeat(5000)}`, 'user');
    await write(root, log);
    const title = (await only(root)).title ?? '';
    expect(title).toMatch(/^<b>x<\/b> y+…$/);
    expect(title.length).toBeLessThanOrEqual(200);
  });

  it('does not count an end-seed, a title or injected context as activity', async () => {
    const root = temp.fresh();
    const log = chat('a');
    const answered = log.events.findLast((event) => event.type === 'assistant/message')?.time;
    log.wait(3_600_000).inject('The time is late.', 'time-context');
    log.wait(3_600_000).title('Later');
    log.wait(3_600_000).endSeed();
    await write(root, log);
    expect((await only(root)).lastActivity).toBe(answered);
  });

  it('counts turns, and calls a log without one empty', async () => {
    const root = temp.fresh();
    const three = builder('a');
    for (let i = 0; i < 3; i++) {
      three.prompt(`question ${String(i)}`);
      three.reply('answer');
    }
    await write(root, three);
    const settings = builder('b');
    settings.setUp().endSeed();
    await write(root, settings);
    await write(root, builder('c'));
    expect((await listSessions(root)).map(({ turnCount, isEmpty }) => [turnCount, isEmpty])).toEqual([
      [3, false],
      [0, true],
      [0, true],
    ]);
  });

  it('tells forks and subagents by their headers', async () => {
    const root = temp.fresh();
    for (const version of [1, 4] as Version[]) {
      const parent = chat(`parent${String(version)}`, { version });
      await write(root, parent);
      await write(
        root,
        forkLog(parent, parent.events.length - 1, { id: `fork${String(version)}`, cwd: '/work/demo', createdAt: START + 1 }),
      );
    }
    const child = builder('child', { parentSession: 'parent4', origin: 'subagent', delegationDepth: 1 });
    child.endSeed();
    child.emit('subagent/descriptor', { mode: 'one-shot', version: 3, provider: 'spawn', label: 'Count files' });
    await write(root, child);
    const facts = (await listSessions(root)).map(({ id, parentSession, origin, isSeeded, label }) => [
      id,
      parentSession,
      origin,
      isSeeded,
      label,
    ]);
    expect(facts).toEqual([
      ['child', 'parent4', 'subagent', false, 'Count files'],
      ['fork1', 'parent1', undefined, true, undefined],
      ['fork4', 'parent4', undefined, true, undefined],
      ['parent1', undefined, undefined, false, undefined],
      ['parent4', undefined, undefined, false, undefined],
    ]);
  });

  it('shows the highest generation and names the older ones', async () => {
    const root = temp.fresh();
    const [v0, v4] = [chat('a', { version: 0 }, 'old'), chat('a', { version: 4 }, 'new')];
    const older = await write(root, v0);
    const newest = await write(root, v4);
    writeFileSync(join(dirname(newest), 'session.v01.jsonl.zstd'), 'ignored');
    const session = await only(root);
    expect(session).toMatchObject({ path: newest, version: 4, title: 'new', damage: [] });
    expect(session.olderGenerations).toEqual([{ path: older, version: 0, encoding: 'zstd' }]);
  });

  it('never falls back to an older generation', async () => {
    const root = temp.fresh();
    const good = await write(root, chat('a', { version: 3 }));
    writeFileSync(join(dirname(good), 'session.v4.jsonl.zstd'), 'not a frame');
    expect(await only(root)).toMatchObject({ version: 4, refusal: { kind: 'no-header' } });
  });

  it('keeps a newer format apart from damage, with what its header tells', async () => {
    const root = temp.fresh();
    const log = chat('a');
    const header = { ...log.header, version: 5, novelty: true };
    const path = logPath(root, header);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await logBytes(header, log.events));
    const session = await only(root);
    expect(session).toMatchObject({
      id: 'a',
      version: 5,
      cwd: '/work/demo',
      createdAt: START,
      refusal: { kind: 'newer-format' },
      damage: [],
    });
    expect(session.title).toBeUndefined();
  });
});

describe('a root with faults', () => {
  it('lists nothing for a root that is not there, and says so', async () => {
    expect(await listSessions(join(temp.path, 'nowhere'))).toEqual([]);
    expect(await createSessionLister().list(join(temp.path, 'nowhere'))).toEqual({ exists: false, sessions: [], problems: [] });
  });

  it('passes over stray files, empty directories and foreign names', async () => {
    const root = temp.fresh();
    const path = await write(root, chat('a'));
    writeFileSync(join(root, 'stray.jsonl'), '{}\n');
    writeFileSync(join(dirname(dirname(path)), 'notes.txt'), 'x');
    mkdirSync(join(dirname(dirname(path)), 'empty'));
    mkdirSync(join(root, '--empty-project--'));
    mkdirSync(join(dirname(path), 'session.v5.jsonl'));
    writeFileSync(join(dirname(path), 'session.lock'), '');
    writeFileSync(join(dirname(path), 'session.v4.jsonl.zstd.0123456789ab.tmp'), 'x');
    expect(await only(root)).toMatchObject({ path, damage: [] });
  });

  it('isolates every unreadable log and gives its reason', async () => {
    const root = temp.fresh();
    const good = await write(root, chat('good'));
    const whole = readFileSync(good);
    const bad: Record<string, Buffer> = {
      'b-empty': Buffer.alloc(0),
      'c-gzip': Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
      'd-torn': whole.subarray(0, 20),
      'e-flipped': Buffer.from(whole.map((byte, i) => (i === 40 ? byte ^ 0xff : byte))),
    };
    for (const [id, bytes] of Object.entries(bad)) {
      const path = join(root, '--work-demo--', id, 'session.v4.jsonl.zstd');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
    const sessions = await listSessions(root);
    expect(sessions.map((session) => [session.path.split('/').at(-2), session.refusal?.kind, ...kinds(session)])).toEqual([
      ['b-empty', 'no-header', 'empty-file skips/refuses'],
      ['c-gzip', 'no-header', 'foreign-bytes skips/refuses'],
      ['d-torn', 'no-header', 'torn-frame skips/refuses'],
      ['e-flipped', 'no-header', 'corrupt-frame skips/refuses'],
      ['good', undefined],
    ]);
    for (const { damage } of sessions) for (const { message } of damage) expect(message.length).toBeGreaterThan(10);
  });

  it('flags the log that lies in the wrong place', async () => {
    const root = temp.fresh();
    const path = await write(root, chat('a'));
    await write(root, chat('b'));
    renameSync(dirname(path), join(root, '--work-demo--', 'elsewhere'));
    const [b, moved] = await listSessions(root);
    expect(kinds(b)).toEqual([]);
    expect(kinds(moved)).toEqual(['placement breaks-root/refuses']);
  });

  it.skipIf(process.platform === 'win32')('accepts a link to the right place', async () => {
    const root = temp.fresh();
    const path = await write(root, chat('a'));
    symlinkSync(join(root, '--work-demo--'), join(root, '--linked--'));
    const sessions = await listSessions(root);
    expect(sessions.map((session) => session.path)).toEqual([join(root, '--linked--', 'a', 'session.v4.jsonl.zstd'), path]);
    expect(kinds(sessions[0])).not.toContain('placement breaks-root/refuses');
  });

  it('flags the minority encoding, also within one directory', async () => {
    const root = temp.fresh();
    for (const id of ['a', 'b']) await write(root, chat(id));
    await write(root, chat('c'), { encoding: 'none' });
    await write(root, chat('b'), { encoding: 'none' });
    await write(root, chat('d'));
    const sessions = await listSessions(root);
    expect(sessions.map((session) => [session.id, session.encoding, ...kinds(session)])).toEqual([
      ['a', 'zstd'],
      ['b', 'zstd', 'mixed-encodings breaks-root/breaks-root'],
      ['c', 'none', 'mixed-encodings breaks-root/breaks-root'],
      ['d', 'zstd'],
    ]);
    expect(sessions[1]?.damage[0]?.message).toContain('session.v4.jsonl');
  });

  it('finds nothing wrong with a root of plain logs', async () => {
    const root = temp.fresh();
    await write(root, chat('a'), { encoding: 'none' });
    expect(kinds(await only(root))).toEqual([]);
  });

  it('flags one id in two projects, and names that differ by case', async () => {
    const root = temp.fresh();
    await write(root, chat('same'));
    await write(root, chat('same', { cwd: '/work/other' }));
    await write(root, chat('Case'));
    await write(root, chat('case'));
    const sessions = await listSessions(root);
    expect(sessions.map((session) => [session.id, ...kinds(session)])).toEqual([
      ['Case', 'name-collision accepts/accepts'],
      ['case', 'name-collision accepts/accepts'],
      ['same', 'duplicate-id breaks-root/refuses'],
      ['same', 'duplicate-id breaks-root/refuses'],
    ]);
  });

  it('lists a flat log as one record of its own', async () => {
    const root = temp.fresh();
    await write(root, chat('a'));
    writeFileSync(join(root, '--work-demo--', 'old.jsonl'), `${JSON.stringify(chat('old').header)}\n`);
    const sessions = await listSessions(root);
    expect(sessions.map((session) => [session.id, ...kinds(session)])).toEqual([
      ['a'],
      ['old', 'flat-log breaks-root/breaks-root'],
    ]);
  });

  it.skipIf(process.platform === 'win32')('says what it cannot read, with the code', async () => {
    const root = temp.fresh();
    const path = await write(root, chat('a'));
    rmSync(path);
    symlinkSync(path, path);
    expect(kinds(await only(root))).toEqual(['unreadable refuses/refuses']);
    const listing = await createSessionLister().list(join(root, '--work-demo--', 'a', 'session.v4.jsonl.zstd'));
    expect(listing.sessions).toEqual([]);
    expect(listing.problems.map((problem) => problem.args['code'])).toEqual(['ELOOP']);
  });

  it('rejects when it is aborted, with the reason', async () => {
    const root = temp.fresh();
    await write(root, chat('a'));
    await expect(listSessions(root, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

describe('tails', () => {
  it('counts the turns that can be read, not those behind a line that cannot', async () => {
    const root = temp.fresh();
    const log = builder('a');
    for (const words of ['One.', 'Two.', 'Three.']) {
      log.prompt(words);
      log.reply('Yes.');
    }
    const third = log.events.findIndex((event) => event.type === 'turn/start' && (event.data as { turn: number }).turn === 3);
    await writeLog(
      root,
      log.header,
      log.events.map((event, i) => (i === third ? { ...event, seq: 0 } : event)),
    );
    expect(await only(root)).toMatchObject({ turnCount: 2, isChecked: true });
    expect(kinds(await only(root))).toEqual(['wrong-seq accepts/refuses']);
  });

  it('keeps what an unfinished last frame holds, as not yet committed', async () => {
    const root = temp.fresh();
    const log = chat('a');
    const path = await write(root, log);
    writeFileSync(path, readFileSync(path).subarray(0, -2));
    expect(await only(root)).toMatchObject({ turnCount: 1, title: 'Why does the build fail?' });
    expect(kinds(await only(root))).toEqual(['torn-frame accepts/repairs']);
  });

  it('reports a plain log that ends inside a line, and bytes behind the frames', async () => {
    const root = temp.fresh();
    const plain = await write(root, chat('a'), { encoding: 'none' });
    writeFileSync(plain, readFileSync(plain).subarray(0, -5));
    expect(kinds(await only(root))).toEqual(['torn-line accepts/repairs']);
    const other = temp.fresh();
    const framed = await write(other, chat('b'));
    writeFileSync(framed, Buffer.concat([readFileSync(framed), Buffer.alloc(64)]));
    expect(kinds(await only(other))).toEqual(['foreign-bytes accepts/refuses']);
  });
});

describe('the cache', () => {
  it('reads a file again only when its size or time changed', async () => {
    const root = temp.fresh();
    const lister = createSessionLister();
    const titled = (title: string): LogBuilder => {
      const log = chat('a');
      log.title(title);
      return log;
    };
    const path = await write(root, titled('First'), { encoding: 'none' });
    const time = new Date(START);
    utimesSync(path, time, time);
    const title = async (): Promise<string | undefined> => (await lister.list(root)).sessions[0]?.title;
    expect(await title()).toBe('First');
    await write(root, titled('Other'), { encoding: 'none' });
    utimesSync(path, time, time);
    expect(await title()).toBe('First');
    utimesSync(path, time, new Date(START + 1000));
    expect(await title()).toBe('Other');
  });
});
