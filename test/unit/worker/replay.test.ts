import { afterAll, describe, expect, it } from 'vitest';
import { POINT, sessionChecks, documentRefOf } from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { NONE } from '../../../src/timeline/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';
import { openService, writeBuilt, type Call } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

async function started(log: LogBuilder): Promise<Call> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  return service.call;
}

function chat(version: Version): LogBuilder {
  const log = new LogBuilder({ version, id: `chat-${version}`, createdAt: 1_700_000_000_000, cwd: '/home/dev/chat' });
  log.setUp();
  log.prompt('List the files, please.');
  log.title('Files listed');
  log.reply('Two files, and a third one.');
  log.prompt('Thanks.');
  log.reply('You are welcome.');
  return log;
}

interface Points {
  readonly total: number;
  readonly seq: Uint32Array;
  readonly landed: Uint32Array;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
}

async function points(call: Call, from = 0, to = 10_000): Promise<Points> {
  const { generation } = await call('overview', {});
  const { total, seq, landed, time, kind } = await call('replayPoints', { generation, from, to });
  return {
    total,
    seq: new Uint32Array(seq),
    landed: new Uint32Array(landed),
    time: new Float64Array(time),
    kind: new Uint8Array(kind),
  };
}

describe.each([0, 1, 2, 3, 4] as const)('a log of format %i', (version) => {
  it('gives every event once and in order, its chunks before what was made of them', async () => {
    const log = chat(version);
    const call = await started(log);
    const { total, seq, landed, kind, time } = await points(call);
    expect(seq.length).toBe(total);
    const events = Array.from(seq).filter((_, i) => (kind[i]! & POINT.chunk) === 0 || version < 2);
    expect(events).toEqual(log.events.map(({ seq: own }) => own));
    const answer = log.events.findIndex(({ type }) => type === 'assistant/message');
    const own = Array.from(seq.keys()).filter((i) => (kind[i]! & POINT.chunk) !== 0 && seq[i]! <= answer);
    expect(own.length).toBeGreaterThan(4);
    expect(Math.max(...own)).toBeLessThan(seq.lastIndexOf(answer));
    // An answer stored with its stream is not in the log while that streams; a chunk event is.
    for (const i of own) expect(landed[i]! === seq[i]).toBe(version < 2);
    expect(Array.from(time.keys()).every((i) => i === 0 || time[i]! >= time[i - 1]!)).toBe(true);
    expect(Array.from(landed).every((at, i) => i === 0 || at >= landed[i - 1]!)).toBe(true);
    const steps = Array.from(kind.keys()).filter((i) => (kind[i]! & POINT.step) !== 0);
    expect(steps.map((i) => log.events[seq[i]!]!.type)).toEqual(['step/start', 'step/start']);
  });

  it('hands the points out in ranges', async () => {
    const call = await started(chat(version));
    const whole = await points(call);
    const part = await points(call, 3, 8);
    expect(Array.from(part.seq)).toEqual(Array.from(whole.seq.subarray(3, 8)));
    expect(Array.from(part.time)).toEqual(Array.from(whole.time.subarray(3, 8)));
    expect(part.total).toBe(whole.total);
    expect((await points(call, whole.total, whole.total + 5)).seq.length).toBe(0);
  });

  it('says what has been streamed at a point, and what the stored answer says at its own', async () => {
    const log = chat(version);
    const call = await started(log);
    const { seq, kind } = await points(call);
    const answer = log.events.findIndex(({ type }) => type === 'assistant/message');
    const first = Array.from(seq.keys()).find((i) => (kind[i]! & POINT.chunk) !== 0)!;
    const end = seq.lastIndexOf(answer);
    const said: string[] = [];
    for (let point = first; point <= end; point++) {
      const { blocks } = await call('replayMoment', { generation: 1, point });
      said.push(blocks.map(({ text }) => text).join('|'));
    }
    for (let i = 1; i < said.length; i++) expect(said[i]!.startsWith(said[i - 1]!)).toBe(true);
    expect(new Set(said).size).toBeGreaterThan(3);
    expect(said[0]).toBe('');
    expect(said.at(-1)).toBe('Two files, and a third one.');
  });

  it('shows of an answer under way only what has streamed, in its row and its card', async () => {
    const log = chat(version);
    const call = await started(log);
    const { seq, kind } = await points(call);
    const answer = log.events.findIndex(({ type }) => type === 'assistant/message');
    const end = seq.lastIndexOf(answer);
    const said: string[] = [];
    for (let point = 0; point <= end; point++) {
      const { streaming } = await call('replayMoment', { generation: 1, point });
      const isChunk = (kind[point]! & POINT.chunk) !== 0;
      expect(streaming !== undefined, `point ${point}`).toBe(isChunk);
      if (!streaming) continue;
      // Chunks that are events share the row of the first of them; others are shown in the row of their answer.
      expect(streaming.seq).toBe(version < 2 ? log.events.find(({ type }) => type === 'assistant/chunk')!.seq : answer);
      const { detail } = streaming.row;
      const words = typeof detail === 'string' ? detail : detail.template;
      const card = streaming.pretty.map((section) => (section.kind === 'text' ? section.text : '')).join('');
      expect(card.trim()).toBe(words);
      said.push(words);
    }
    const whole = 'Two files, and a third one.';
    expect(said[0]).toBe('');
    expect(said.at(-1)).toBe(whole);
    for (const words of said) expect(whole.startsWith(words), words).toBe(true);
    expect(said.map(({ length }) => length)).toEqual(said.map(({ length }) => length).sort((a, b) => a - b));
    expect(new Set(said).size).toBeGreaterThan(3);
  });

  it('proves that the log comes out as stored', async () => {
    const log = chat(version);
    const call = await started(log);
    expect(await call('verifyReplay', {})).toEqual({
      answers: 2,
      disagreeing: [],
      disagreeingCount: 0,
      historyAgrees: true,
      differing: [],
      refused: [],
      events: log.events.length,
      stopsAt: undefined,
    });
  });
});

describe('the state at a point', () => {
  it('has the todo list of that point, not of the end', async () => {
    const log = new LogBuilder({ version: 4, id: 'todo', createdAt: 1_700_000_000_000 });
    log.setUp();
    log.prompt('Go.');
    log.push('todo/write', {
      todos: [
        { content: 'one', status: 'completed' },
        { content: 'two', status: 'in_progress' },
      ],
    });
    log.title('In between');
    log.push('todo/write', { todos: [{ content: 'three', status: 'odd' }] });
    log.reply('Done.');
    const call = await started(log);
    const { seq } = await points(call);
    const at = (type: string, n: number): number =>
      seq.indexOf(log.events.filter((event) => event.type === type).map((event) => event.seq)[n]!);
    const moment = (point: number): ReturnType<typeof call<'replayMoment'>> => call('replayMoment', { generation: 1, point });
    expect(await moment(0)).toMatchObject({ todos: [], todoCount: 0 });
    expect(await moment(at('todo/write', 0))).toMatchObject({
      todos: [
        { text: 'one', state: 'completed' },
        { text: 'two', state: 'in_progress' },
      ],
      todoCount: 2,
      doneCount: 1,
    });
    expect(await moment(at('session/title', 0))).toMatchObject({ todoCount: 2 });
    expect(await moment(at('todo/write', 1))).toMatchObject({ todos: [{ text: 'three', state: 'pending' }], doneCount: 0 });
  });

  it('says of a point there is none that there is none', async () => {
    const call = await started(chat(4));
    await call('overview', {});
    await expect(call('replayMoment', { generation: 1, point: 99_999 })).rejects.toThrow(/no point 99999/);
  });
});

describe('an answer that is not what was streamed', () => {
  it('is named, and both sides of it are documents', async () => {
    const log = chat(4);
    const index = log.events.findIndex(({ type }) => type === 'assistant/message');
    const event = log.events[index] as { data: { message: { content: unknown[] } } };
    event.data.message.content = [{ type: 'text', text: 'Three files.' }];
    const call = await started(log);
    expect(await call('verifyReplay', {})).toMatchObject({ answers: 2, disagreeing: [index], disagreeingCount: 1 });
    const stored = await call('document', { ref: { kind: 'answer', seq: index, side: 'stored' } });
    const made = await call('document', { ref: { kind: 'answer', seq: index, side: 'chunks' } });
    expect(stored.text).toContain('Three files.');
    expect(made.text).toContain('Two files, and a third one.');
    expect(stored.text.split('\n')[0]).toBe(made.text.split('\n')[0]);
    await expect(call('document', { ref: { kind: 'answer', seq: 0, side: 'stored' } })).rejects.toThrow(/no answer at #0/);
  });
});

describe('a history that comes out otherwise', () => {
  it('is named by the messages, and both histories are documents', async () => {
    const log = chat(4);
    const path = await writeBuilt(root.fresh(), log);
    // A derivation that forgets the last message and changes the first.
    const service = openService(path, {
      open: async (file, how) => {
        const opened = await openSession(file, { ...how, placement: false });
        const right = opened.deriveMessages.bind(opened);
        opened.deriveMessages = (atSeq?: number) => {
          const [first, ...rest] = right(atSeq);
          return [{ ...first!, content: [{ type: 'text', text: 'Another beginning.' }] }, ...rest.slice(0, -1)];
        };
        return opened;
      },
    });
    open.push(service);
    const proof = await service.call('verifyReplay', {});
    const nodes = log.events.filter((event) => event.surfaceOp === 'append').map(({ seq }) => seq);
    expect(proof).toMatchObject({ answers: 2, disagreeing: [], historyAgrees: false });
    // Where the derivation has one message fewer, it cannot be told which node it left out: the replay's own names it.
    expect(proof.differing).toEqual([nodes[0], nodes.at(-1)]);
    const seq = proof.events - 1;
    const replayed = await service.call('document', { ref: { kind: 'replayed', seq } });
    const direct = await service.call('document', { ref: { kind: 'history', seq } });
    expect(direct.text).toContain('Another beginning.');
    expect(replayed.text).not.toContain('Another beginning.');
    expect(replayed.text).toContain('You are welcome.');
    expect(direct.text).not.toContain('You are welcome.');
  });

  it('is the same document where it does not', async () => {
    const log = chat(1);
    const call = await started(log);
    const seq = log.events.length - 1;
    for (const at of [seq, 5]) {
      const { text } = await call('document', { ref: { kind: 'history', seq: at } });
      expect((await call('document', { ref: { kind: 'replayed', seq: at } })).text).toBe(text);
    }
    const digest = await call('digest', { ref: { kind: 'replayed', seq } });
    expect(digest).toEqual(await call('digest', { ref: { kind: 'history', seq } }));
    await expect(call('document', { ref: { kind: 'replayed', seq: seq + 1 } })).rejects.toThrow(/no readable event/);
  });
});

describe('a log of a newer format', () => {
  it('has no points, and a proof of nothing', async () => {
    const log = chat(4);
    const service = openService(await writeLog(root.fresh(), { ...log.header, version: 5 }, log.events));
    open.push(service);
    expect((await points(service.call)).total).toBe(0);
    expect(await service.call('verifyReplay', {})).toMatchObject({ answers: 0, events: 0 });
    await expect(service.call('replayMoment', { generation: 1, point: 0 })).rejects.toThrow(/no point 0/);
  });
});

describe('a log with an event nobody here knows', () => {
  it('plays up to it', async () => {
    const log = chat(4);
    const stop = log.events.findLastIndex(({ type }) => type === 'turn/start');
    log.events[stop] = { ...log.events[stop]!, type: 'core/from-the-future' };
    const service = openService(await writeLog(root.fresh(), log.header, log.events));
    open.push(service);
    const { seq } = await points(service.call);
    expect(seq.at(-1)).toBe(stop - 1);
    expect(await service.call('verifyReplay', {})).toMatchObject({
      answers: 1,
      events: stop,
      stopsAt: stop,
      historyAgrees: true,
    });
  });
});

describe('arguments', () => {
  it('are taken only in their own shape', () => {
    expect(sessionChecks.replayPoints({ generation: 1, from: 0, to: 5, more: 1 })).toEqual({ generation: 1, from: 0, to: 5 });
    expect(sessionChecks.replayPoints({ generation: 1, from: 5, to: 0 })).toBeUndefined();
    expect(sessionChecks.replayMoment({ generation: 1, point: 7 })).toEqual({ generation: 1, point: 7 });
    expect(sessionChecks.replayMoment({ generation: 1, point: -1 })).toBeUndefined();
    expect(sessionChecks.replayMoment({ generation: 1, point: NONE + 0.5 })).toBeUndefined();
    expect(documentRefOf({ kind: 'answer', seq: 3, side: 'chunks', x: 1 })).toEqual({ kind: 'answer', seq: 3, side: 'chunks' });
    expect(documentRefOf({ kind: 'answer', seq: 3, side: 'other' })).toBeUndefined();
  });
});
