import { describe, expect, it, vi } from 'vitest';
import * as derive from '../../../src/core/derive.ts';
import type { SessionEvent, SessionEventMap, SurfaceOp } from '../../../src/core/events.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import type { Message } from '../../../src/core/messages.ts';
import { Session } from '../../../src/core/session.ts';
import { SessionFormatUnsupportedError } from '../../../src/core/errors.ts';

vi.mock('../../../src/core/derive.ts', { spy: true });

declare module '../../../src/core/events.ts' {
  interface SessionEventMap {
    'example/counted': { readonly count: number };
  }
}

const NOW = 5_000;
const clock = { now: (): number => NOW };

const blank = (version: number): Session => Session.create('s', undefined, { version }, clock);
const prompt = (id: string): Message => ({
  id,
  role: 'user',
  content: [{ type: 'text', text: `text of ${id}` }],
  source: { kind: 'user' },
});
const appended = { surfaceOp: 'append' } as const;
const ids = (session: Session): string[] => session.deriveMessages().map((message) => message.id);
/** An append the types would not let through. */
const raw = (session: Session, type: string, data: unknown, opts?: unknown): SessionEvent =>
  session.append(type as keyof SessionEventMap, data as never, opts as never);

describe('append', () => {
  it('numbers from the length of the log and stamps the clock', () => {
    const session = blank(4);
    expect(session.append('turn/start', { turn: 1 })).toEqual({ type: 'turn/start', seq: 0, time: NOW, data: { turn: 1 } });
    expect(session.append('step/start', { turn: 1, step: 1 }).seq).toBe(1);
    expect(session.seq).toBe(2);
    expect(session.eventAt(1)).toBe(session.events[1]);
    expect(session.eventAt(2)).toBeUndefined();
  });

  it('takes types a plugin declares, and types nobody knows', () => {
    const session = blank(4);
    expect(session.append('example/counted', { count: 3 }).data.count).toBe(3);
    expect(raw(session, 'nobody/knows', [1]).seq).toBe(1);
  });

  it('writes sources before the operation', () => {
    const session = blank(0);
    session.append('user/message', prompt('a'), appended);
    const event = session.append('user/message', prompt('b'), {
      surfaceOp: { op: 'replace', start: 0, end: 0 },
      sourceEventSeqs: [0],
    });
    expect(Object.keys(event)).toEqual(['type', 'seq', 'time', 'data', 'sourceEventSeqs', 'surfaceOp']);
  });

  it('copies the data and freezes the event all the way down', () => {
    const session = blank(4);
    const data = { todos: [{ content: 'write', status: 'pending' as const }] };
    const event = session.append('todo/write', data);
    data.todos[0]!.content = 'changed later';
    expect(event.data.todos[0]!.content).toBe('write');
    expect(() => {
      (event.data.todos[0] as { content: string }).content = 'x';
    }).toThrow(TypeError);
    expect(Object.isFrozen(event) && Object.isFrozen(event.data) && Object.isFrozen(event.data.todos)).toBe(true);
  });

  it('reads every property once', () => {
    let reads = 0;
    const data = {
      get turn(): number {
        reads++;
        return reads;
      },
    };
    expect(blank(4).append('turn/start', data).data.turn).toBe(1);
    expect(reads).toBe(1);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  // eslint-disable-next-line no-sparse-arrays -- the hole is the case
  const holey = [1, , 2];
  it.each([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['NaN', { a: NaN }],
    ['infinity', [Infinity]],
    ['negative zero', { a: -0 }],
    ['a hole', holey],
    ['a cycle', cyclic],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['a bigint', 1n],
    ['a symbol key', { [Symbol('k')]: 1 }],
    ['a class instance', new (class Point {})()],
  ])('refuses %s and leaves the log as it was', (_, data) => {
    const session = blank(4);
    session.append('turn/start', { turn: 1 });
    const before = session.events;
    expect(() => raw(session, 'x/any', data)).toThrow('x/any');
    expect(session.events).toBe(before);
    expect(session.append('turn/end', { turn: 1, reason: { kind: 'completed' } }).seq).toBe(1);
  });

  it('goes a hundred thousand levels deep', () => {
    let deep: JsonValue = 'bottom';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const event = raw(blank(4), 'x/deep', deep);
    let levels = 0;
    for (let at: unknown = event.data; Array.isArray(at); at = at[0]) {
      if (!Object.isFrozen(at)) expect.fail(`level ${String(levels)} is not frozen`);
      levels++;
    }
    expect(levels).toBe(100_000);
  });

  it.each([
    ['request/header-delta', {}],
    ['request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' }],
  ])('refuses the retired %s', (type, data) => {
    const session = blank(4);
    expect(() => raw(session, type, data)).toThrow('retired');
    expect(session.seq).toBe(0);
  });

  it.each([
    ['a surface type without a mark', 4, 'user/message', undefined],
    ['a mark on another type', 4, 'turn/start', appended],
    ['sources on another type', 4, 'turn/start', { sourceEventSeqs: [0] }],
    ['a range that is stored form', 0, 'user/message', { surfaceOp: 'append', sourceEventSeqs: [[0, 1]] }],
    ['a later source', 4, 'user/message', { surfaceOp: 'append', sourceEventSeqs: [2] }],
    ['marks that are not JSON', 4, 'user/message', { surfaceOp: 'append', sourceEventSeqs: [NaN] }],
    ['the spelling of later formats', 2, 'user/message', { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 } }],
    ['the spelling of earlier formats', 3, 'user/message', { surfaceOp: { op: 'replace', start: 0, end: 0 } }],
  ])('refuses %s', (_, version, type, opts) => {
    const session = blank(version);
    session.append('user/message', prompt('a'), appended);
    session.append('user/message', prompt('b'), appended);
    expect(() => raw(session, type, type === 'turn/start' ? { turn: 1 } : prompt('c'), opts)).toThrow();
    expect(session.seq).toBe(2);
    expect(session.surface.nodes).toEqual([0, 1]);
  });

  it('refuses a replacement that leaves out a node between the ends of its range', () => {
    const session = blank(4);
    for (const id of ['a', 'b', 'c']) session.append('user/message', prompt(id), appended);
    const surfaceOp: SurfaceOp = { op: 'replace', startSeq: 0, endSeq: 2 };
    expect(() => session.append('user/message', prompt('d'), { surfaceOp, sourceEventSeqs: [0, 2] })).toThrow('1');
    expect(session.append('user/message', prompt('d'), { surfaceOp, sourceEventSeqs: [2, 1, 0] }).seq).toBe(3);
    expect(session.surface.nodes).toEqual([3]);
  });

  it('refuses a clock that gives no whole milliseconds', () => {
    let time = 0.5;
    const session = Session.create('s', undefined, { createdAt: 1 }, { now: () => time });
    expect(() => session.append('turn/start', { turn: 1 })).toThrow('clock');
    time = 7;
    expect(session.append('turn/start', { turn: 1 }).seq).toBe(0);
  });

  it('does not look at message ids', () => {
    expect(raw(blank(0), 'user/message', { role: 'user', content: [] }, appended).seq).toBe(0);
  });
});

describe('the lists a session hands out', () => {
  it('do not grow afterwards, and cannot be changed', () => {
    const session = blank(4);
    session.append('user/message', prompt('a'), appended);
    const { events, surface } = session;
    const messages = session.deriveMessages();
    session.append('user/message', prompt('b'), appended);
    expect([events.length, surface.nodes.length, messages.length]).toEqual([1, 1, 1]);
    expect([session.events.length, session.surface.nodes.length]).toEqual([2, 2]);
    expect(() => (session.events as SessionEvent[]).pop()).toThrow(TypeError);
    expect(() => (session.surface.nodes as number[]).pop()).toThrow(TypeError);
  });
});

describe('deriveMessages', () => {
  const op = (start: number, end: number): SurfaceOp => ({ op: 'replace', startSeq: start, endSeq: end });

  it('costs the new nodes only while the surface grows', () => {
    const session = blank(4);
    for (let i = 0; i < 50; i++) session.append('user/message', prompt(`m${String(i)}`), appended);
    const first = session.deriveMessages();
    const projected = vi.mocked(derive.messageOf);
    projected.mockClear();
    session.append('user/message', prompt('next'), appended);
    session.append('turn/start', { turn: 1 });
    const second = session.deriveMessages();
    expect(projected).toHaveBeenCalledTimes(1);
    session.deriveMessages();
    expect(projected).toHaveBeenCalledTimes(1);
    expect(second.length).toBe(51);
    expect(second).not.toBe(first);
    first.forEach((message, i) => {
      expect(second[i]).toBe(message);
    });
  });

  it('gives the caller a list of its own with frozen messages', () => {
    const session = blank(4);
    session.append('user/message', prompt('a'), appended);
    session.deriveMessages().length = 0;
    const [message] = session.deriveMessages();
    expect(message?.id).toBe('a');
    expect(Object.isFrozen(message) && Object.isFrozen(message?.content)).toBe(true);
  });

  it('is rebuilt after a replacement', () => {
    const session = blank(4);
    session.append('user/message', prompt('a'), appended);
    session.append('user/message', prompt('b'), appended);
    expect(ids(session)).toEqual(['a', 'b']);
    expect(session.surface.replaceGeneration).toBe(0);
    session.append('user/message', prompt('c'), { surfaceOp: op(0, 0), sourceEventSeqs: [0] });
    expect(session.surface.replaceGeneration).toBe(1);
    expect(ids(session)).toEqual(['c', 'b']);
    session.append('user/message', prompt('d'), appended);
    expect(ids(session)).toEqual(['c', 'b', 'd']);
    expect(session.surface.nodes).toEqual([2, 1, 3]);
  });

  it('shows an offloaded image, also of a node that was derived before', () => {
    const session = blank(4);
    const image = { attachmentId: 'sha256:0', mediaType: 'image/png', width: 1, height: 1, bytes: 1 };
    session.append('user/message', { ...prompt('a'), content: [{ type: 'image', attachment: image }] }, appended);
    session.append('user/message', prompt('b'), appended);
    const before = session.deriveMessages();
    session.append('image/offload', { targets: [{ seq: 0, imageIndexes: [0] }] });
    const after = session.deriveMessages();
    expect(after[0]?.content[0]).toEqual({ type: 'image', attachment: image, offloaded: true });
    expect(before[0]?.content[0]).toEqual({ type: 'image', attachment: image });
    expect(Object.isFrozen(after[0]) && Object.isFrozen(after[0]?.content[0])).toBe(true);
    expect(session.surface.replaceGeneration).toBe(0);
    session.append('user/message', prompt('c'), appended);
    expect(ids(session)).toEqual(['a', 'b', 'c']);
  });

  it('counts the images of a message with those that are gone already, nested ones included', () => {
    const session = blank(4);
    const image = (name: string): Message['content'][number] => ({
      type: 'image',
      attachment: { attachmentId: name, mediaType: 'image/png', width: 1, height: 1, bytes: 1 },
    });
    const nested = { type: 'tool-result', toolCallId: 'c', content: [image('b')] } as const;
    session.append('user/message', { ...prompt('a'), content: [image('a'), nested, image('c')] }, appended);
    session.append('image/offload', { targets: [{ seq: 0, imageIndexes: [0] }] });
    session.append('image/offload', { targets: [{ seq: 0, imageIndexes: [2] }] });
    expect(session.deriveMessages()[0]?.content).toEqual([
      { ...image('a'), offloaded: true },
      nested,
      { ...image('c'), offloaded: true },
    ]);
    expect(() => session.append('image/offload', { targets: [{ seq: 0, imageIndexes: [3] }] })).toThrow('image');
    // A stored block that says so itself counts as well.
    const stored = { ...image('d'), offloaded: true } as Message['content'][number];
    session.append('user/message', { ...prompt('e'), content: [stored, image('f')] }, appended);
    expect(session.append('image/offload', { targets: [{ seq: 3, imageIndexes: [1] }] }).seq).toBe(4);
  });

  it('leaves out an empty answer, whose node stays', () => {
    const session = blank(4);
    const message = { ...prompt('e'), role: 'assistant' as const, content: [], source: { kind: 'model' } };
    session.append('assistant/message', { turn: 1, step: 1, message, stream: [] }, appended);
    session.append('user/message', prompt('a'), appended);
    expect(session.surface.nodes).toEqual([0, 1]);
    expect(ids(session)).toEqual(['a']);
    expect(session.deriveEventMessage(session.events[0]!)).toBeNull();
    expect(session.deriveEventMessage(session.events[1]!)?.id).toBe('a');
  });
});

describe('request header and route', () => {
  const config = { provider: 'p', model: 'm' };

  it('are the latest, frozen, empty members left out', () => {
    const session = blank(2);
    expect(session.requestHeader()).toBeUndefined();
    expect(session.requestContext()).toBeUndefined();
    session.append('request/header', { header: { config, system: 'one' }, reason: 'initial' });
    session.append('request/context', { provider: 'p', model: 'm', contextWindow: 10 });
    expect(session.requestHeader()).toEqual({ config, system: 'one' });
    const header = { config: { ...config, model: 'n' }, tools: [], system: '', adapterDefaults: {} };
    session.append('request/header', { header, reason: 'change' });
    expect(session.requestHeader()).toEqual({ config: { provider: 'p', model: 'n' } });
    expect(session.requestHeader()).toBe(session.requestHeader());
    expect(Object.isFrozen(session.requestHeader())).toBe(true);
    expect(session.requestContext()).toEqual({ provider: 'p', model: 'm', contextWindow: 10 });
    expect(Object.isFrozen(session.requestContext())).toBe(true);
  });
});

describe('header', () => {
  it('is completed and in written order', () => {
    const meta = { agentPreset: 'x', origin: 'subagent', parentSession: 'p', cwd: '/w', version: 3 } as const;
    const { header } = Session.create('s', undefined, meta, clock);
    expect(JSON.stringify(header)).toBe(
      '{"type":"session","version":3,"id":"s","createdAt":5000,"cwd":"/w","parentSession":"p","isSeeded":false,"origin":"subagent","delegationDepth":0,"agentPreset":"x"}',
    );
    expect(Object.isFrozen(header)).toBe(true);
    const old = Session.create('s', [], { version: 0, seedLength: 0, createdAt: 1, delegationDepth: 2 }, clock).header;
    expect(JSON.stringify(old)).toBe('{"type":"session","version":0,"id":"s","createdAt":1,"seedLength":0,"delegationDepth":2}');
  });

  it('defaults to the newest format', () => {
    expect(Session.create('s').header.version).toBe(4);
  });

  it.each([
    ['an unknown member', { extra: 1 }],
    ['another id', { id: 't' }],
    ['another type', { type: 'log' }],
    ['a fractional createdAt', { createdAt: 1.5 }],
    ['a negative createdAt', { createdAt: -1 }],
    ['an empty cwd', { cwd: '' }],
    ['a relative cwd', { cwd: 'a/b' }],
    ['an origin of its own', { origin: 'fork' }],
    ['a delegationDepth that is no count', { delegationDepth: '1' }],
    ['a preset that is no text', { agentPreset: 1 }],
    ['a parent that is no text', { parentSession: 1 }],
    ['seedLength after format 1', { version: 2, seedLength: 0 }],
    ['isSeeded before format 2', { version: 1, isSeeded: false }],
    ['isSeeded that is no boolean', { version: 4, isSeeded: 1 }],
    ['a seedLength that is no count', { version: 0, seedLength: '5' }],
    ['a member that is not JSON', { cwd: NaN }],
  ])('refuses %s', (_, meta) => {
    expect(() => Session.create('s', undefined, meta as never, clock)).toThrow(/header/);
  });

  it.each(['/home/u', 'C:\\Users\\u', 'c:/u', '\\\\server\\share'])('accepts the directory %s', (cwd) => {
    expect(Session.create('s', undefined, { cwd }).header.cwd).toBe(cwd);
  });

  it('refuses an empty id', () => {
    expect(() => Session.create('')).toThrow('id');
  });

  it.each([5, -1, 1.5])('refuses format %s', (version) => {
    expect(() => Session.create('s', undefined, { version })).toThrow(SessionFormatUnsupportedError);
  });
});

describe('a seed', () => {
  const start: SessionEvent = { type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } };

  it.each([
    ['a gap', [{ ...start, seq: 1 }], 'index 0'],
    ['an unknown envelope key', [{ ...start, extra: 1 }], 'index 0'],
    ['a fractional time', [{ ...start, time: 0.5 }], 'index 0'],
    ['no data', [{ type: 'turn/start', seq: 0, time: 1 }], 'index 0'],
    ['ignorable that is not true', [{ ...start, ignorable: false }], 'index 0'],
    ['a list', [[]], 'index 0'],
    ['data that is not JSON', [{ ...start, data: { turn: NaN } }], 'index 0'],
    [
      'a prompt without an id',
      [{ type: 'user/message', seq: 0, time: 1, data: { role: 'user' }, surfaceOp: 'append' }],
      'index 0',
    ],
    ['a prompt without a mark', [start, { type: 'user/message', seq: 1, time: 1, data: prompt('a') }], 'at #1'],
    [
      'stored ranges',
      [start, { type: 'user/message', seq: 1, time: 1, data: prompt('a'), surfaceOp: 'append', sourceEventSeqs: [[0, 0]] }],
      'index 1',
    ],
  ])('refuses %s', (_, seed, where) => {
    expect(() => Session.create('s', seed as never, { version: 0 }, clock)).toThrow(where);
  });

  it('is copied, and frozen apart from the original', () => {
    const source = structuredClone(start);
    const session = Session.create('s', [source], { version: 4 }, clock);
    expect(session.events[0]).not.toBe(source);
    expect(Object.isFrozen(source)).toBe(false);
    expect(Object.isFrozen(session.events[0]?.data)).toBe(true);
  });
});
