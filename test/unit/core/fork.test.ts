import { describe, expect, it } from 'vitest';
import { SessionForkError } from '../../../src/core/errors.ts';
import type { SessionEvent } from '../../../src/core/events.ts';
import { buildForkSeed, forkBoundary } from '../../../src/core/fork.ts';
import { productForkBoundary } from '../../../src/core/fork-default.ts';
import type { Message } from '../../../src/core/messages.ts';
import { Session } from '../../../src/core/session.ts';
import { SessionStore } from '../../../src/core/store.ts';

/** Clock of the forking process; the events of a log below are at 100 + seq. */
const NOW = 9_000;

type Draft = Pick<SessionEvent, 'type' | 'data'> & Partial<Pick<SessionEvent, 'surfaceOp'>>;

const log = (...drafts: Draft[]): SessionEvent[] =>
  drafts.map(({ type, data, ...rest }, seq) => ({ type, seq, time: 100 + seq, data, ...rest }) as SessionEvent);
const turnStart = (turn: number): Draft => ({ type: 'turn/start', data: { turn } });
const turnEnd = (turn: number): Draft => ({ type: 'turn/end', data: { turn, reason: { kind: 'completed' } } });
const stepStart: Draft = { type: 'step/start', data: { turn: 1, step: 1 } };
const title: Draft = {
  type: 'session/title',
  data: { title: 'T', messageSeqs: [], source: { kind: 'user' } },
};

const message = (role: Message['role'], id: string, content: Message['content'] = []): Message => ({
  id,
  role,
  content,
  source: { kind: role === 'user' ? 'user' : role === 'system' ? 'system-prompt' : 'model' },
});

/** Turn 1 at 0–1, a title at 2, turn 2 at 3–4, turn 3 open from 5. */
const threeTurns = log(turnStart(1), turnEnd(1), title, turnStart(2), turnEnd(2), turnStart(3));

function seedOf(events: readonly SessionEvent[], boundary: number, version: number): SessionEvent[] {
  const { events: seed, cut } = buildForkSeed(events, boundary, { version, now: NOW });
  expect(cut).toBe(boundary + 1);
  expect(seed.slice(0, cut)).toEqual(events.slice(0, cut));
  return seed.slice(cut);
}

function refusal(events: readonly SessionEvent[], boundary: number, version: number): string {
  try {
    buildForkSeed(events, boundary, { version, now: NOW });
  } catch (error) {
    if (error instanceof SessionForkError) return error.code;
    throw error;
  }
  return 'none';
}

function fork(events: readonly SessionEvent[], boundary: number | undefined, version: number): Session {
  const store = new SessionStore({ version, now: () => NOW });
  const source = store.create('parent');
  // Appended, not seeded: a seed would bring a marker of its own.
  for (const { type, data, surfaceOp } of events) {
    source.append(type, data, surfaceOp === undefined ? undefined : { surfaceOp });
  }
  return store.fork(source, boundary, 'child');
}

describe('boundary inside an open turn', () => {
  it.each([0, 1, 2, 3])('v%i refuses it and names the neighbours', (version) => {
    expect(refusal(threeTurns, 3, version)).toBe('OPEN_TURN');
    expect(forkBoundary(threeTurns, 3, version)).toMatchObject({ legal: false, code: 'OPEN_TURN', before: 2, after: 4 });
    expect(forkBoundary(threeTurns, 0, version)).toMatchObject({ code: 'OPEN_TURN', after: 1 });
    expect(forkBoundary(threeTurns, 0, version)).not.toHaveProperty('before');
    expect(forkBoundary(threeTurns, 5, version)).toMatchObject({ code: 'OPEN_TURN', before: 4 });
    expect(forkBoundary(threeTurns, 5, version)).not.toHaveProperty('after');
  });

  it('v4 allows it and closes the turn with the reason forked', () => {
    expect(forkBoundary(threeTurns, 3, 4)).toEqual({ legal: true, closes: true });
    expect(seedOf(threeTurns, 3, 4)).toEqual([
      { type: 'session/end-seed', seq: 4, time: 103, data: { inherited: true } },
      { type: 'turn/end', seq: 5, time: 103, data: { turn: 2, reason: { kind: 'forked' } } },
    ]);
  });
});

describe('boundary between turns', () => {
  it.each([0, 1, 2, 3, 4])('v%i: at a turn/end and at what follows it', (version) => {
    for (const boundary of [1, 2, 4]) expect(forkBoundary(threeTurns, boundary, version)).toEqual({ legal: true, closes: false });
    expect(seedOf(threeTurns, 1, version).length).toBe(1);
    expect(seedOf(threeTurns, 2, version).length).toBe(1);
  });

  it.each([0, 4])('v%i: the version defaults to the newest only for forkBoundary', (version) => {
    expect(forkBoundary(threeTurns, 0).legal).toBe(true);
    expect(forkBoundary(threeTurns, 0, version).legal).toBe(version === 4);
  });
});

describe('boundaries that are none', () => {
  it.each([0, 1, 2, 3, 4])('v%i: INVALID_BOUNDARY', (version) => {
    for (const boundary of [-1, 6, 0.5, NaN, -0, Infinity]) {
      expect(forkBoundary(threeTurns, boundary, version)).toMatchObject({ legal: false, code: 'INVALID_BOUNDARY' });
      expect(refusal(threeTurns, boundary, version)).toBe('INVALID_BOUNDARY');
    }
    expect(refusal([], 0, version)).toBe('INVALID_BOUNDARY');
    const gap = [threeTurns[0]!, { ...threeTurns[1]!, seq: 2 }];
    expect(refusal(gap, 0, version)).toBe('INVALID_BOUNDARY');
  });
});

describe('how the cut is recorded', () => {
  it.each([0, 1])('v%i: seedLength in the header, an untagged marker at the time of the fork', (version) => {
    const child = fork(threeTurns.slice(0, 5), 2, version);
    expect(child.header.seedLength).toBe(3);
    expect(child.header).not.toHaveProperty('isSeeded');
    expect(child.events.slice(3)).toEqual([{ type: 'session/end-seed', seq: 3, time: NOW, data: {} }]);
    expect([child.firstLiveSeq, child.inheritedEventCount]).toEqual([3, 3]);
  });

  it.each([2, 3])('v%i: isSeeded, and a tagged marker at the time of the fork', (version) => {
    const child = fork(threeTurns.slice(0, 5), 2, version);
    expect(child.header.isSeeded).toBe(true);
    expect(child.header).not.toHaveProperty('seedLength');
    expect(child.events.slice(3)).toEqual([{ type: 'session/end-seed', seq: 3, time: NOW, data: { inherited: true } }]);
    expect([child.firstLiveSeq, child.inheritedEventCount]).toEqual([3, 3]);
  });

  it('v4: isSeeded, and a tagged marker at the time of the boundary; marker and closers belong to the seed', () => {
    const store = new SessionStore({ version: 4, now: () => NOW });
    const source = Session.create('parent', threeTurns, { version: 4 }, { now: () => NOW });
    store.create('parent', { seed: source.events });
    const child = store.fork('parent', 2, 'child');
    expect(child.header.isSeeded).toBe(true);
    expect(child.events.slice(3)).toEqual([{ type: 'session/end-seed', seq: 3, time: 102, data: { inherited: true } }]);
    expect([child.firstLiveSeq, child.inheritedEventCount]).toEqual([4, 3]);
    const open = store.fork('parent', 3, 'open');
    expect(open.events.slice(4).map((event) => event.type)).toEqual(['session/end-seed', 'turn/end']);
    expect([open.firstLiveSeq, open.inheritedEventCount]).toEqual([6, 4]);
  });

  it('subscribers that start at firstLiveSeq see neither seed nor marker before v4 writes on', () => {
    for (const version of [0, 1, 2, 3, 4]) {
      const store = new SessionStore({ version, now: () => NOW });
      const heard: SessionEvent[] = [];
      store.onEvent((_, event) => heard.push(event));
      store.create('parent', { seed: threeTurns.slice(0, 5) });
      const child = store.fork('parent', 4, 'child');
      expect(heard).toEqual([]);
      const own = child.append('turn/start', { turn: 3 });
      expect(heard).toEqual([own]);
      expect(own.seq).toBeGreaterThanOrEqual(child.firstLiveSeq);
    }
  });
});

describe('marker after a prefix that ends in one', () => {
  const ended = log(turnStart(1), turnEnd(1), { type: 'session/end-seed', data: {} });

  it.each([0, 1])('v%i: none is added', (version) => {
    expect(seedOf(ended, 2, version)).toEqual([]);
    const child = fork(ended, 2, version);
    expect(child.seq).toBe(3);
    expect(child.header.seedLength).toBe(3);
    expect(child.firstLiveSeq).toBe(3);
  });

  it.each([2, 3])('v%i: a tagged one is always added', (version) => {
    expect(seedOf(ended, 2, version)).toEqual([{ type: 'session/end-seed', seq: 3, time: NOW, data: { inherited: true } }]);
    expect(fork(ended, 2, version).seq).toBe(4);
  });

  it('v4: a tagged one is always added, also after a tagged one', () => {
    expect(seedOf(ended, 2, 4)).toEqual([{ type: 'session/end-seed', seq: 3, time: 102, data: { inherited: true } }]);
    const nested = log(turnStart(1), turnEnd(1), { type: 'session/end-seed', data: { inherited: true } });
    expect(seedOf(nested, 2, 4)).toEqual([{ type: 'session/end-seed', seq: 3, time: 102, data: { inherited: true } }]);
  });
});

describe('the default boundary of the store', () => {
  it.each([0, 1, 2, 3, 4])('v%i: the last event', (version) => {
    const child = fork(threeTurns.slice(0, 5), undefined, version);
    expect(child.inheritedEventCount).toBe(5);
    expect(child.seq).toBe(6);
  });
});

describe('where the product forks', () => {
  const prompted: Draft = { type: 'user/message', data: { ...message('user', 'u') }, surfaceOp: 'append' };
  const queued: Draft = {
    type: 'agent/inbox/spliced',
    data: { target: 'next-turn', start: 0, inserted: [message('user', 'q')] },
  };
  const checkpoint = {
    type: 'user/message',
    data: message('user', 'c'),
    surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 },
  } as Draft;
  /** Turn 1 at 0–1, a title at 2, a checkpoint at 3, a queued prompt at 4, turn 2 at 5–6, a title at 7, turn 3 open from 8. */
  const events = log(turnStart(1), turnEnd(1), title, checkpoint, queued, turnStart(2), turnEnd(2), title, turnStart(3), title);

  it.each([0, 1])('v%i: at the last turn/end', (version) => {
    expect(productForkBoundary(events, { version })).toBe(6);
  });

  it.each([2, 3])('v%i: at the last turn/end and what follows it up to the next turn/start', (version) => {
    expect(productForkBoundary(events, { version })).toBe(7);
    expect(productForkBoundary(log(turnStart(1), turnEnd(1), title, queued, title), { version })).toBe(4);
  });

  it('v4: at the last turn/end and what follows it, until something is said or queued for the next turn', () => {
    expect(productForkBoundary(events)).toBe(7);
    expect(productForkBoundary(log(turnStart(1), turnEnd(1), title, checkpoint, queued, title))).toBe(3);
    expect(productForkBoundary(log(turnStart(1), turnEnd(1), title, prompted, title))).toBe(2);
  });

  it.each([0, 1])('v%i: an anchor means the end of its turn', (version) => {
    expect(productForkBoundary(events, { version, anchor: 0 })).toBe(1);
    expect(productForkBoundary(events, { version, anchor: 1 })).toBe(1);
    expect(productForkBoundary(events, { version, anchor: 2 })).toBe(6);
    expect(productForkBoundary(events, { version, anchor: 8 })).toBeUndefined();
  });

  it.each([2, 3])('v%i: an anchor means the end of its turn, and what follows it', (version) => {
    expect(productForkBoundary(events, { version, anchor: 0 })).toBe(4);
    expect(productForkBoundary(events, { version, anchor: 5 })).toBe(7);
    expect(productForkBoundary(events, { version, anchor: 9 })).toBeUndefined();
  });

  it('v4: an anchor is the boundary', () => {
    for (const anchor of [0, 4, 8, 9]) expect(productForkBoundary(events, { anchor })).toBe(anchor);
    expect(productForkBoundary(events, { anchor: 10 })).toBeUndefined();
    expect(productForkBoundary(events, { anchor: -1 })).toBeUndefined();
  });

  it('nowhere without a completed turn', () => {
    for (const version of [0, 2, 4]) expect(productForkBoundary(log(title, turnStart(1)), { version })).toBeUndefined();
  });
});

describe('nested forks', () => {
  it.each([0, 1, 2, 3, 4])('v%i: the cut counts everything copied, older markers included', (version) => {
    const store = new SessionStore({ version, now: () => NOW });
    store.create('a', { seed: threeTurns.slice(0, 2) });
    const b = store.fork('a', 1, 'b');
    b.append('turn/start', { turn: 2 });
    b.append('turn/end', { turn: 2, reason: { kind: 'completed' } });
    const c = store.fork(b, undefined, 'c');
    expect(b.inheritedEventCount).toBe(2);
    expect(c.inheritedEventCount).toBe(5);
    expect(c.header.parentSession).toBe('b');
    expect(c.events.map((event) => event.type)).toEqual([
      'turn/start',
      'turn/end',
      'session/end-seed',
      'turn/start',
      'turn/end',
      'session/end-seed',
    ]);
    expect(c.events[2]?.data).toEqual(version < 2 ? {} : { inherited: true });
  });
});

describe('v0 as it was run (fork-resume.md §2)', () => {
  const filler: Draft = { type: 'plan/mode', data: { active: false } };
  const ten = log(turnStart(1), filler, filler, filler, filler, filler, filler, filler, turnEnd(1), turnStart(2));

  it('answers and the child', () => {
    expect(refusal(ten, 9, 0)).toBe('OPEN_TURN');
    expect(refusal(ten, 99, 0)).toBe('INVALID_BOUNDARY');
    expect(refusal(ten, 1, 0)).toBe('OPEN_TURN');
    const child = fork(ten, 8, 0);
    expect(child.header.seedLength).toBe(9);
    expect(child.seq).toBe(10);
    expect(child.events[9]).toEqual({ type: 'session/end-seed', seq: 9, time: NOW, data: {} });
    expect(child.firstLiveSeq).toBe(9);
  });
});

describe('the worked example of v4 (fork-resume.md §2.1)', () => {
  const call = (id: string): Message['content'][number] => ({ type: 'tool-call', id, name: 'n', arguments: '{}' });
  const parent = log(
    turnStart(1),
    stepStart,
    {
      type: 'system/message',
      data: { turn: 1, step: 1, message: message('system', 's', [{ type: 'text', text: 'S' }]) },
      surfaceOp: 'append',
    },
    { type: 'user/message', data: message('user', 'u'), surfaceOp: 'append' },
    {
      type: 'assistant/message',
      data: { turn: 1, step: 1, message: message('assistant', 'a', [call('c1'), call('c2')]), stream: [] },
      surfaceOp: 'append',
    },
    { type: 'tool/call', data: { turn: 1, step: 1, callId: 'c1', name: 'n', arguments: '{}' } },
  );

  it('fork at 5', () => {
    const added = seedOf(parent, 5, 4);
    const result = (seq: number, callId: string, name: string, code: string): unknown => ({
      type: 'tool/result',
      seq,
      time: 105,
      data: {
        turn: 1,
        step: 1,
        message: {
          id: `forked-tool-result-${callId}-${String(seq)}`,
          role: 'tool',
          toolCallId: callId,
          isError: true,
          source: { kind: 'tool', callId },
          content: [{ type: 'text', text: expect.any(String) as string }],
        },
        error: { name, code },
      },
      surfaceOp: 'append',
      ...(callId === 'c1' ? { sourceEventSeqs: [5] } : {}),
    });
    expect(added).toEqual([
      { type: 'session/end-seed', seq: 6, time: 105, data: { inherited: true } },
      result(7, 'c1', 'ToolOutcomeUnknownError', 'TOOL_OUTCOME_UNKNOWN'),
      result(8, 'c2', 'ToolNotStartedError', 'TOOL_NOT_STARTED'),
      { type: 'step/end', seq: 9, time: 105, data: { turn: 1, step: 1 } },
      { type: 'turn/end', seq: 10, time: 105, data: { turn: 1, reason: { kind: 'forked' } } },
    ]);
    expect(added[2]).not.toHaveProperty('sourceEventSeqs');
    // Closers put the operation before the sources, unlike ordinary events.
    expect(Object.keys(added[1]!)).toEqual(['type', 'seq', 'time', 'data', 'surfaceOp', 'sourceEventSeqs']);
  });

  it('forks at 1 and at 0', () => {
    expect(seedOf(parent, 1, 4).map((event) => `${event.type} ${String(event.seq)}`)).toEqual([
      'session/end-seed 2',
      'step/end 3',
      'turn/end 4',
    ]);
    expect(seedOf(parent, 0, 4).map((event) => `${event.type} ${String(event.seq)}`)).toEqual([
      'session/end-seed 1',
      'turn/end 2',
    ]);
  });

  it('such a seed is a valid session, and goes on as an ordinary one', () => {
    const { events, cut } = buildForkSeed(parent, 5, { version: 4, now: NOW });
    const child = Session.create('child', events, { parentSession: 'p' }, { inheritedEventCount: cut, now: () => NOW });
    expect(child.seq).toBe(11);
    expect(child.surface.nodes).toEqual([2, 3, 4, 7, 8]);
    expect(child.append('turn/start', { turn: 2 }).seq).toBe(11);
  });
});

describe('markers of restored and replayed sessions (fork-resume.md §3)', () => {
  const closed = threeTurns.slice(0, 2);
  const marker = (seq: number, data: object): unknown => ({ type: 'session/end-seed', seq, time: NOW, data });
  const restore = (events: readonly SessionEvent[], version: number, meta: object = {}): Session =>
    Session.create('s', events, { version, ...meta }, { now: () => NOW });

  it.each([0, 1, 2, 3, 4])('v%i: an untagged marker, once', (version) => {
    const first = restore(closed, version);
    expect(first.events.slice(2)).toEqual([marker(2, {})]);
    expect([first.firstLiveSeq, first.inheritedEventCount]).toEqual([2, 0]);
    const again = restore(first.events, version, first.header);
    expect(again.seq).toBe(3);
    expect(again.firstLiveSeq).toBe(3);
  });

  it.each([0, 1, 2, 3, 4])('v%i: an empty seed gets one at 0, no seed gets none', (version) => {
    expect(restore([], version).events).toEqual([marker(0, {})]);
    expect(Session.create('s', undefined, { version }).seq).toBe(0);
  });

  it.each([2, 3, 4])('v%i: a fork that is restored keeps its cut; a tagged marker at the end counts as one', (version) => {
    const child = Session.create('c', closed, { version }, { inheritedEventCount: 2, now: () => NOW });
    expect(child.events[2]?.data).toEqual({ inherited: true });
    const untouched = restore(child.events, version, { isSeeded: true });
    expect(untouched.seq).toBe(3);
    expect([untouched.firstLiveSeq, untouched.inheritedEventCount]).toEqual([3, 2]);
    child.append('turn/start', { turn: 2 });
    const resumed = restore(child.events, version, { isSeeded: true });
    expect(resumed.events[4]).toEqual(marker(4, {}));
    expect([resumed.firstLiveSeq, resumed.inheritedEventCount]).toEqual([4, 2]);
  });

  it('v4: the closers of a fork are restored with the count given or not', () => {
    const { events, cut } = buildForkSeed(threeTurns, 3, { version: 4, now: NOW });
    const fresh = Session.create('c', events, { version: 4 }, { inheritedEventCount: cut, now: () => NOW });
    expect(fresh.seq).toBe(6);
    const restored = restore(events, 4, { isSeeded: true });
    expect(restored.events[6]).toEqual(marker(6, {}));
    expect(restored.inheritedEventCount).toBe(4);
    const driven = [...fresh.events, { ...threeTurns[5]!, seq: 6 }] as SessionEvent[];
    const counted = Session.create('c', driven, { version: 4, isSeeded: true }, { inheritedEventCount: cut, now: () => NOW });
    expect(counted.events[7]).toEqual(marker(7, {}));
  });

  it.each([2, 3, 4])('v%i: marker and isSeeded must agree', (version) => {
    const tagged = log(turnStart(1), turnEnd(1), { type: 'session/end-seed', data: { inherited: true } });
    expect(() => restore(tagged, version, { isSeeded: false })).toThrow('isSeeded');
    expect(() => restore(closed, version, { isSeeded: true })).toThrow('isSeeded');
    expect(restore(tagged, version).header.isSeeded).toBe(true);
    const create = (count: number, meta: object = {}): Session =>
      Session.create('s', tagged, { version, ...meta }, { inheritedEventCount: count });
    expect(() => create(1)).toThrow('cut');
    expect(() => create(4)).toThrow('inheritedEventCount');
    expect(() => create(-1)).toThrow('inheritedEventCount');
    expect(() => create(2, { isSeeded: false })).toThrow('isSeeded');
    expect(create(2).seq).toBe(3);
  });

  it.each([2, 3, 4])('v%i: an end-seed that says inherited: false is refused', (version) => {
    const odd = log(turnStart(1), { type: 'session/end-seed', data: { inherited: false } as never });
    expect(() => restore(odd, version)).toThrow('index 1');
  });

  it.each([0, 1])('v%i: seedLength stays what it was', (version) => {
    const child = Session.create('c', closed, { version }, { inheritedEventCount: 2, now: () => NOW });
    expect(child.header.seedLength).toBe(2);
    child.append('turn/start', { turn: 2 });
    const resumed = restore(child.events, version, { seedLength: 2 });
    expect([resumed.inheritedEventCount, resumed.firstLiveSeq, resumed.seq]).toEqual([2, 4, 5]);
    expect(() => Session.create('c', closed, { version, seedLength: 1 }, { inheritedEventCount: 2 })).toThrow('differ');
  });

  it('replay of a whole log as a new session of its own: same events, untagged marker, not seeded', () => {
    const replayed = restore(threeTurns.slice(0, 5), 4);
    expect(replayed.header.isSeeded).toBe(false);
    expect(replayed.events.slice(0, 5)).toEqual(threeTurns.slice(0, 5));
    expect(replayed.events[5]).toEqual(marker(5, {}));
  });
});
