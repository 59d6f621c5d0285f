import { afterAll, describe, expect, it } from 'vitest';
import { english, type StoredEvent, type Text } from '../../../src/core/index.ts';
import { compareDigests, type ComparedNames } from '../../../src/host/documents/compare-digests.ts';
import type { DigestMessage, DocumentDigest, HeadingStyle } from '../../../src/protocol/index.ts';
import { forkLog } from '../../support/fork-log.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';
import { openService, writeBuilt, type Call } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

async function callOf(log: LogBuilder): Promise<Call> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  return service.call;
}

const builder = (version: Version = 4, id = 'cmp'): LogBuilder =>
  new LogBuilder({
    version,
    id,
    createdAt: 1_700_000_000_000,
    cwd: '/home/dev/d',
    system: 'Be brief.',
    tools: [{ name: 'bash', description: 'Runs.', parameters: { type: 'object' } }],
  });

const namesOf = (left = '#1', right = '#2'): ComparedNames => ({
  subject: 'derived history',
  left: { session: '', role: '', point: left },
  right: { session: '', role: '', point: right },
});

const headings = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('==='));
const ids = (messages: readonly DigestMessage[]): string[] => messages.map(({ id }) => id);

describe('two points of one session', () => {
  it('say in their first lines what differs, word for word the same on both sides', async () => {
    const log = builder();
    log.prompt('One.');
    log.reply('First.');
    const before = log.events.length - 1;
    const asked = log.prompt('Two.');
    log.reply('Second.');
    const after = log.events.length - 1;
    const call = await callOf(log);
    const [left, right] = [{ kind: 'history', seq: before } as const, { kind: 'history', seq: after } as const];
    const [a, b] = [await call('digest', { ref: left }), await call('digest', { ref: right })];
    const compared = compareDigests(a, b, namesOf(`#${before}`, `#${after}`), 'seq');
    const [one, other] = [
      (await call('document', { ref: { ...left, compared } })).text,
      (await call('document', { ref: { ...right, compared } })).text,
    ];
    const head = (text: string): string[] => text.slice(0, text.indexOf('===')).split('\n');
    expect(head(one)).toEqual(head(other));
    expect(head(one).filter((line) => !line.startsWith('tokens'))).toEqual([
      `Compared: #${before} | #${after} · derived history`,
      'messages: 3 | 5', // system, question, answer; two more each turn
      'on both sides: 3 · changed: 0',
      'left only: 0 · right only: 2',
      `first difference: message 4, – | #${asked}`,
      '',
      '',
    ]);
    expect(headings(other).slice(0, 3)).toEqual(headings(one));
  });
});

describe('two sessions', () => {
  it('that share a beginning name equal messages alike and others not, though their seqs are the same', async () => {
    const parent = builder(4, 'parent');
    parent.prompt('One.');
    parent.reply('First.');
    const cut = parent.events.length - 1;
    const child = forkLog(parent, cut, { id: 'child', createdAt: 1_700_000_100_000 });
    parent.endSeed(); // stands where the child has its marker, so that the next seqs agree
    parent.prompt('Two.');
    child.prompt('Another.');
    const text = async (log: LogBuilder): Promise<string[]> => {
      const call = await callOf(log);
      const ref = { kind: 'history', seq: log.events.length - 1 } as const;
      const digest = await call('digest', { ref });
      const compared = compareDigests(digest, digest, namesOf(), 'seq-content');
      return headings((await call('document', { ref: { ...ref, compared } })).text);
    };
    const [a, b] = [await text(parent), await text(child)];
    expect(a.slice(0, 3)).toEqual(b.slice(0, 3));
    expect(a[3]?.slice(0, a[3].lastIndexOf('·'))).toBe(b[3]?.slice(0, b[3].lastIndexOf('·')));
    expect(a[3]).not.toBe(b[3]);
  });

  it('that have nothing but words in common have equal headings where the words are', async () => {
    const lines = async (id: string, extra: boolean): Promise<string[]> => {
      const log = builder(4, id);
      if (extra) log.title('Moves the seqs');
      log.prompt('The same question.');
      const call = await callOf(log);
      const ref = { kind: 'history', seq: log.events.length - 1 } as const;
      const digest = await call('digest', { ref });
      const compared = compareDigests(digest, digest, namesOf(), 'content');
      return headings((await call('document', { ref: { ...ref, compared } })).text);
    };
    expect(await lines('one', false)).toEqual(await lines('two', true));
  });
});

describe('requests', () => {
  it('follow each other by attempt, step and turn', async () => {
    const log = builder();
    log.prompt('List.');
    log.failedAttempt({ text: 'Ha', finish: { kind: 'error', failure: { message: 'broke', code: 'X' } } });
    log.retry(1, 10, { message: 'broke', code: 'X' }, 'r');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('One file.');
    log.prompt('Wait.');
    const call = await callOf(log);
    const next = async (turn: number, step: number, attempt: number): Promise<string> => {
      const { next: after } = await call('nextRequest', { turn, step, attempt });
      return after ? `${after.turn}.${after.step}.${after.attempt}` : 'none';
    };
    expect([await next(1, 1, 1), await next(1, 1, 2), await next(1, 2, 1), await next(2, 1, 1)]).toEqual([
      '1.1.2',
      '1.2.1',
      '2.1.1', // not answered yet
      'none',
    ]);
    await expect(call('nextRequest', { turn: 9, step: 1, attempt: 1 })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('digest system prompt, settings and tools apart from the messages', async () => {
    const log = builder(2);
    log.prompt('List.');
    log.reply('Done.');
    log.selectModel('deepseek-v5');
    log.prompt('Again.');
    log.reply('Done again.');
    const call = await callOf(log);
    const of = (turn: number): Promise<DocumentDigest> => call('digest', { ref: { kind: 'request', turn, step: 1, attempt: 1 } });
    const { request, onlyRight, same } = compareDigests(await of(1), await of(2), namesOf(), 'seq');
    expect({ request, same, onlyRight }).toEqual({
      request: { systemChanged: false, settingsChanged: true, toolsAdded: [], toolsRemoved: [], toolsChanged: [] },
      same: 1,
      onlyRight: 2,
    });
  });
});

describe('a compaction', () => {
  const log = builder();
  const first = log.prompt('One, which is long.');
  log.reply('First.');
  log.prompt('Two.');
  log.reply('Second.');
  const removed = log.nodes.slice(1); // all but the system prompt
  const checkpoint = log.compact('Folded into this.');
  const start = log.events.find(({ type }) => type === 'compaction/start')?.seq ?? -1;
  const end = log.events.findLast(({ type }) => type === 'compaction/end')?.seq ?? -1;

  it('is found from every event of it and from what it removed, and from nothing else', async () => {
    const call = await callOf(log);
    const find = async (seq: number): Promise<number[]> =>
      (await call('replacements', { seq })).replacements.map((found) => found.seq);
    for (const seq of [start, checkpoint - 1, checkpoint, end, first]) expect(await find(seq)).toEqual([checkpoint]);
    expect(await find(0)).toEqual([]);
    const { replacements } = await call('replacements', {});
    expect(replacements).toMatchObject([{ seq: checkpoint, kind: 0, messages: 4, firstSeq: first, lastSeq: removed.at(-1) }]);
  });

  it('leaves no size of the context that was measured before it and tells nothing of what it left', async () => {
    const call = await callOf(log);
    const tokensAt = async (seq: number): Promise<number | undefined> =>
      (await call('digest', { ref: { kind: 'history', seq } })).tokens;
    expect(await tokensAt(checkpoint - 1)).toBeGreaterThan(0);
    expect(await tokensAt(checkpoint)).toBeUndefined();
    const later = builder(4, 'later');
    later.prompt('One.');
    later.reply('First.');
    later.compact('Folded.');
    later.prompt('Two.');
    later.reply('Second.');
    const answered = await callOf(later);
    const ref = { kind: 'history', seq: later.events.length - 1 } as const;
    expect((await answered('digest', { ref })).tokens).toBeGreaterThan(0); // measured anew
  });

  it('lists what it removed with the length of each message', async () => {
    const call = await callOf(log);
    const { total, messages } = await call('removed', { seq: checkpoint });
    expect(total).toBe(4);
    expect(messages.map(({ seq, characters }) => [seq, characters])).toEqual([
      [removed[0], 'One, which is long.'.length],
      [removed[1], 'First.'.length],
      [removed[2], 'Two.'.length],
      [removed[3], 'Second.'.length],
    ]);
    expect(messages.map(({ words }) => words)).toEqual(['One, which is long.', 'First.', 'Two.', 'Second.']);
    const other = builder(4, 'calls');
    other.prompt('List.');
    other.work({ calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    other.reply('Done.');
    const folded = other.compact('Folded.');
    const called = (await (await callOf(other))('removed', { seq: folded })).messages[1];
    expect(called && english(called.words as Text)).toBe('calls bash'); // an answer without words of its own
    expect((await call('removed', { seq: first })).total).toBe(0);
  });

  it('has documents of the messages it removed and of what stands in their place', async () => {
    const call = await callOf(log);
    const { text } = await call('document', { ref: { kind: 'removed', seq: checkpoint } });
    const head = (document: string): string[] => document.slice(0, document.indexOf('===')).trimEnd().split('\n');
    const tokens = head(text).pop();
    expect(tokens).toMatch(/^tokens: \d/);
    expect(head(text).slice(0, -1)).toEqual([
      `What #${checkpoint} removed from the context`,
      'session: cmp',
      'messages: 4',
      'characters: 36', // 19 + 6 + 4 + 7
    ]);
    expect(headings(text).map((line) => /#(\d+)/.exec(line)?.[1])).toEqual(removed.map(String));
    const summary = await call('document', { ref: { kind: 'message', seq: checkpoint } });
    expect(head(summary.text)[0]).toBe(`What #${checkpoint} put in its place`);
    expect(head(summary.text)).toHaveLength(head(text).length);
    expect(summary.text).toContain('Folded into this.');
    await expect(call('document', { ref: { kind: 'removed', seq: first } })).rejects.toMatchObject({ code: 'not-found' });
    await expect(call('document', { ref: { kind: 'message', seq: start } })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a compaction after another one that left messages standing', () => {
  it('removed its messages in the order the model had them, the older checkpoint first', async () => {
    const log = builder();
    log.prompt('One.');
    log.reply('First.');
    const asked = log.prompt('Two.');
    log.reply('Second.');
    const answered = log.events.findLast(({ type }) => type === 'assistant/message')?.seq ?? -1;
    const older = log.compact('Folded once.', { keep: 2 });
    const newer = log.compact('Folded twice.');
    const call = await callOf(log);
    const order = [older, asked, answered]; // the checkpoint took the first place, though its seq is the highest
    expect((await call('removed', { seq: newer })).messages.map(({ seq }) => seq)).toEqual(order);
    const { text } = await call('document', { ref: { kind: 'removed', seq: newer } });
    expect(headings(text).map((line) => /#(\d+)/.exec(line)?.[1])).toEqual(order.map(String));
  });
});

describe('the event that stands for a span', () => {
  it('is the last one of a turn, step or call, and any other event itself; a fork is asked for there', async () => {
    const log = builder();
    log.prompt('List.');
    log.work({ calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('One file.');
    const call = await callOf(log);
    const seqOf = (type: string): number => log.events.find((event) => event.type === type)?.seq ?? -1;
    const { generation } = await call('overview', {});
    for (const [head, end] of [
      ['turn/start', 'turn/end'],
      ['step/start', 'step/end'],
      ['tool/call', 'tool/result'],
      ['user/message', 'user/message'],
    ] as const) {
      expect(await call('spanEnd', { seq: seqOf(head) }), head).toEqual({ seq: seqOf(end) });
      expect((await call('detail', { generation, seq: seqOf(head) })).forkSeq, head).toBe(seqOf(end));
    }
    // After the whole turn nothing is open, inside it something is.
    expect((await call('detail', { generation, seq: seqOf('turn/start') })).fork).toMatchObject({ legal: true, closes: false });
    expect((await call('detail', { generation, seq: seqOf('step/start') })).fork).toMatchObject({ legal: true, closes: true });
  });
});

describe('a prune', () => {
  it('is found from its record, its result and the result it shortened, and counts one message', async () => {
    const log = builder();
    log.prompt('List.');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt b.txt' }] });
    const result = log.nodes.at(-1) ?? -1;
    const shorter = log.prune(result, 'cut');
    const call = await callOf(log);
    for (const seq of [result, shorter - 1, shorter])
      expect((await call('replacements', { seq })).replacements).toMatchObject([
        { seq: shorter, kind: 1, messages: 1, firstSeq: result, lastSeq: result },
      ]);
    expect((await call('removed', { seq: shorter })).messages.map((it) => [it.seq, it.characters])).toEqual([[result, 11]]);
    const before = await call('digest', { ref: { kind: 'history', seq: shorter - 1 } });
    const after = await call('digest', { ref: { kind: 'history', seq: shorter } });
    // The message keeps its id, so it is the same message with other content.
    const { same, changed, onlyLeft, onlyRight, first } = compareDigests(before, after, namesOf(), 'seq');
    expect({ same, changed, onlyLeft, onlyRight, first }).toEqual({
      same: 3,
      changed: 1,
      onlyLeft: 0,
      onlyRight: 0,
      first: { message: 4, left: `#${result}`, right: `#${shorter}` },
    });
  });
});

describe('a migration', () => {
  it.each([0, 1, 2, 3] as const)('of a v%i log keeps the messages by their ids', async (version) => {
    const log = builder(version);
    log.prompt('List.');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('One file.');
    const call = await callOf(log);
    const migration = await call('migration', {});
    expect(migration).toMatchObject({ outcome: 'accepted', from: version, to: 4 });
    const before = await call('digest', { ref: { kind: 'history', seq: log.events.length - 1 } });
    const after = await call('digest', { ref: { kind: 'migrated' } });
    const kept = ids(after.messages).filter((id) => ids(before.messages).includes(id));
    expect(kept).toEqual(ids(before.messages));
    // The system prompt becomes a message with version 3.
    expect(after.messages).toHaveLength(before.messages.length + (version < 3 ? 1 : 0));
    const heading: HeadingStyle = 'id';
    const compared = compareDigests(before, after, namesOf(), heading);
    const left = await call('document', { ref: { kind: 'history', seq: log.events.length - 1, compared } });
    const right = await call('document', { ref: { kind: 'migrated', compared } });
    const head = (text: string): string => text.slice(0, text.indexOf('==='));
    expect(head(right.text)).toBe(head(left.text));
    expect(head(right.text)).toContain('migrated in memory to format 4; nothing written');
    // Where the two part is said by what the headings there end in.
    const { message, ...names } = compared.first ?? { message: 0 };
    const tagAt = (text: string): string | undefined => /([0-9a-f]{8}) ===$/.exec(headings(text)[message - 1] ?? '')?.[1];
    if (version < 3) expect(compared.first).toBeDefined();
    expect(names).toEqual({ left: tagAt(left.text), right: tagAt(right.text) });
    expect((await call('document', { ref: { kind: 'migrated' } })).text).toContain(
      'after migration to format 4, in memory only; nothing is written',
    );
    // What is neither a tool's nor a system's message is the same on both sides, heading and all.
    const shared = (text: string): string[] => headings(text).filter((line) => /user · human|assistant/.test(line));
    expect(shared(right.text)).toEqual(shared(left.text));
    expect(shared(left.text)).toHaveLength(3);
  });

  it('that dsh refuses is told in its sentence, with the reason', async () => {
    const log = builder(3);
    log.prompt('List.');
    log.push('session/title', { title: 'x', messageSeqs: [1], source: { kind: 'user' } });
    log.reply('Done.');
    const call = await callOf(log);
    const { outcome, text, reason } = await call('migration', {});
    expect(outcome).toBe('refused');
    expect(english(text)).toMatch(/^A dsh of format 4 refuses this log/);
    const shown = (await call('document', { ref: { kind: 'migrated' } })).text.trimEnd().split('\n');
    expect(shown).toEqual([english(text), ...(reason ? [english(reason)] : [])]);
    expect(reason).toBeDefined();
    await expect(call('digest', { ref: { kind: 'migrated' } })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('of a log that dsh cannot read to its end is refused for that, however good its beginning', async () => {
    const log = builder(3);
    log.prompt('List.');
    log.reply('Done.');
    log.adopt({ ...(log.events.at(-1) as StoredEvent), seq: 1 });
    const call = await callOf(log);
    const { outcome, reason } = await call('migration', {});
    expect(outcome).toBe('refused');
    expect(reason && english(reason)).toMatch(/has the seq 1 where \d+ is due/);
    await expect(call('digest', { ref: { kind: 'migrated' } })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('of a log of the newest format changes nothing', async () => {
    const log = builder(4);
    log.prompt('List.');
    const call = await callOf(log);
    expect((await call('migration', {})).outcome).toBe('current');
    const shown = await call('document', { ref: { kind: 'migrated' } });
    expect(shown.text).toContain('This log is already in format 4; nothing is migrated');
    expect(headings(shown.text)).toEqual(
      headings((await call('document', { ref: { kind: 'history', seq: log.events.length - 1 } })).text),
    );
  });

  it('of a log of the newest format with an event the surface refuses shows the history that has it without effect', async () => {
    const log = builder(4);
    log.prompt('List.');
    log.reply('Done.');
    const whole = log.events.length;
    const last = log.events.findLast(({ type }) => type === 'assistant/message') as StoredEvent;
    const surfaceOp = { op: 'replace', startSeq: 900, endSeq: 901 };
    log.events.push({ ...last, seq: whole, surfaceOp, sourceEventSeqs: [900] } as StoredEvent);
    const call = await callOf(log);
    const before = await call('digest', { ref: { kind: 'history', seq: whole - 1 } });
    expect((await call('digest', { ref: { kind: 'migrated' } })).messages).toEqual(before.messages);
    expect((await call('document', { ref: { kind: 'migrated' } })).complete).toBe(true);
  });

  it('up to a seq is that of the log as it was then', async () => {
    const log = builder(2);
    log.prompt('List.');
    log.reply('Done.');
    const then = log.events.length - 1;
    const short = await callOf(log);
    const before = (await short('document', { ref: { kind: 'migrated' } })).text;
    log.prompt('More?');
    log.reply('No.');
    const call = await callOf(log);
    expect((await call('document', { ref: { kind: 'migrated', seq: then } })).text).toBe(before);
    expect((await call('document', { ref: { kind: 'migrated' } })).text).toContain('More?');
    expect((await call('digest', { ref: { kind: 'migrated', seq: then } })).messages).toEqual(
      (await short('digest', { ref: { kind: 'migrated' } })).messages,
    );
  });

  it.each([0, 2] as const)(
    'up to a seq within what a fork of format %i inherited is that of its parent as it was then',
    async (version) => {
      const log = builder(version);
      log.prompt('List.');
      log.reply('Done.');
      const then = log.events.length - 1;
      const parent = await callOf(log);
      log.prompt('More?');
      log.reply('No.');
      const child = await callOf(forkLog(log, log.events.length - 1, { id: 'child', createdAt: 1_800_000_000_000 }));
      const ref = { kind: 'migrated' as const };
      const wanted = (await parent('digest', { ref })).messages;
      const found = (await child('digest', { ref: { ...ref, seq: then } })).messages;
      expect(wanted.length).toBeGreaterThan(1);
      // The prompts that a migration puts in get ids made of the session's own.
      expect(found.map(({ seq, hash }) => ({ seq, hash }))).toEqual(wanted.map(({ seq, hash }) => ({ seq, hash })));
      expect((await child('digest', { ref })).messages.slice(0, wanted.length)).toEqual(found);
    },
  );

  it('takes up the subagent sessions of the same root, as dsh does', async () => {
    const folder = root.fresh();
    const parent = builder(3, 'parent');
    parent.prompt('Hand it on.');
    parent.reply('Done.');
    const path = await writeLog(folder, parent.header, parent.events);
    const child = (id: string, origin?: 'subagent'): LogBuilder => {
      const cwd = '/home/dev/d';
      const log = new LogBuilder({
        version: 4,
        id,
        createdAt: 1_700_000_100_000,
        cwd,
        parentSession: 'parent',
        ...(origin ? { origin } : {}),
      });
      log.emit('subagent/descriptor', { version: 3, mode: 'one-shot', label: 'errors', provider: 'spawn' });
      return log;
    };
    // Only the first is one: the others are a fork, and the child of another session.
    const other = new LogBuilder({ version: 4, id: 'c', createdAt: 1, cwd: '/x', parentSession: 'else', origin: 'subagent' });
    for (const log of [child('a', 'subagent'), child('b'), other]) await writeLog(folder, log.header, log.events);
    const service = openService(path);
    open.push(service);
    const { outcome, text } = await service.call('migration', {});
    expect({ outcome, count: text.args['count'] }).toEqual({ outcome: 'accepted', count: parent.events.length + 1 });
    const alone = await callOf(parent);
    expect((await alone('migration', {})).text.args['count']).toBe(parent.events.length);
    expect((await service.call('digest', { ref: { kind: 'migrated' } })).messages).toEqual(
      (await alone('digest', { ref: { kind: 'migrated' } })).messages,
    );
  });
});
