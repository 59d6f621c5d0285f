import { describe, expect, it } from 'vitest';
import type { SessionEvent, SurfaceOp } from '../../../src/core/events.ts';
import type { Block, MessageSource } from '../../../src/core/messages.ts';
import { SurfaceFold, deriveMessages, foldSurface } from '../../../src/core/surface.ts';

/** The worked examples of format/surface.md §4, with their values, and the rules of §3 and §6 they leave out. */

const USER: MessageSource = { kind: 'user' };
const MODEL: MessageSource = { kind: 'model', provider: 'p', model: 'm' };
const text = (value: string): Block[] => [{ type: 'text', text: value }];

interface Marks {
  readonly surfaceOp?: SurfaceOp;
  readonly sourceEventSeqs?: readonly number[];
}

const append: Marks = { surfaceOp: 'append' };
const replace = (start: number, end: number, sources?: readonly number[]): Marks => ({
  surfaceOp: { op: 'replace', start, end },
  ...(sources === undefined ? {} : { sourceEventSeqs: sources }),
});
const replaceSeqs = (startSeq: number, endSeq: number, sources: readonly number[]): Marks => ({
  surfaceOp: { op: 'replace', startSeq, endSeq },
  sourceEventSeqs: sources,
});

const user = (seq: number, marks = append, content = text(`u${String(seq)}`)): SessionEvent => ({
  type: 'user/message',
  seq,
  time: 0,
  data: { id: `u${String(seq)}`, role: 'user', content, source: USER },
  ...marks,
});

const answer = (seq: number, marks = append, content: Block[] = text(`a${String(seq)}`)): SessionEvent => ({
  type: 'assistant/message',
  seq,
  time: 0,
  data: { turn: 1, step: 1, message: { id: `a${String(seq)}`, role: 'assistant', content, source: MODEL } },
  ...marks,
});

const result = (seq: number, callId: string, output: string, marks = append, extra: object = {}): SessionEvent => ({
  type: 'tool/result',
  seq,
  time: 0,
  data: {
    turn: 1,
    step: 1,
    message: {
      id: `t-${callId}`,
      role: 'user',
      source: { kind: 'tool', callId },
      content: [{ type: 'tool-result', toolCallId: callId, content: text(output) }],
    },
    ...extra,
  },
  ...marks,
});

const system = (seq: number, content: Block[], marks = append): SessionEvent => ({
  type: 'system/message',
  seq,
  time: 0,
  data: { turn: 1, step: 1, message: { id: `s${String(seq)}`, role: 'system', content, source: { kind: 'system-prompt' } } },
  ...marks,
});

const other = (seq: number, type = 'todo/write', extra: object = {}): SessionEvent =>
  ({ type, seq, time: 0, data: { todos: [] }, ...extra }) as unknown as SessionEvent;

const nodes = (events: SessionEvent[], version = 0): number[] => foldSurface(events, { version }).nodes;
const refused = (events: SessionEvent[], version = 0): void => {
  expect(() => nodes(events.slice(0, -1), version)).not.toThrow();
  expect(() => nodes(events, version)).toThrow();
};

describe('worked examples (v0)', () => {
  it('u0 a1 u2 a3', () => {
    expect(nodes([user(0), answer(1), user(2), answer(3)])).toEqual([0, 1, 2, 3]);
  });

  it('a checkpoint takes the position of the range it removes', () => {
    const log = [user(0), answer(1), user(2), answer(3), user(4, replace(0, 2, [0, 1, 2]))];
    expect(nodes(log)).toEqual([4, 3]);
    expect(foldSurface(log, { version: 0 }).replacements).toEqual([{ seq: 4, start: 0, end: 2, shadowedSeqs: [0, 1, 2] }]);
  });

  it('a range is positions: its start may be the larger seq', () => {
    const log = [
      user(0),
      answer(1),
      user(2),
      answer(3),
      user(4, replace(0, 1, [0, 1])),
      answer(5),
      user(6, replace(4, 3, [4, 2, 3])),
    ];
    expect(nodes(log)).toEqual([6, 5]);
    expect(nodes(log.slice(0, 6))).toEqual([4, 2, 3, 5]);
  });

  it('a range against the surface order is refused', () => {
    refused([user(0), answer(1), user(2), user(3, replace(0, 0, [0])), user(4, replace(1, 3, [1, 3]))]);
  });

  it('every removed node is cited', () => {
    refused([user(0), answer(1), user(2, replace(0, 1, [0]))]);
    refused([user(0), answer(1), user(2, replace(0, 1))]);
  });

  it('a removed node cannot be removed again', () => {
    refused([user(0), answer(1), user(2, replace(0, 1, [0, 1])), user(3, replace(0, 2, [0, 2]))]);
  });

  it('pruning rewrites one tool result in place', () => {
    const call: Block[] = [{ type: 'tool-call', id: 'c', name: 'bash', arguments: '{}' }];
    const log = [user(0), answer(1, append, call), result(2, 'c', 'long'), result(3, 'c', 'short', replace(2, 2, [2]))];
    expect(nodes(log)).toEqual([0, 1, 3]);
  });

  it('a tool result replaces no other call, no second node, nothing but content', () => {
    refused([result(0, 'c', 'x'), result(1, 'd', 'x', replace(0, 0, [0]))]);
    refused([result(0, 'c', 'x'), result(1, 'd', 'x'), result(2, 'c', 'y', replace(0, 1, [0, 1]))]);
    refused([user(0), result(1, 'c', 'y', replace(0, 0, [0]))]);
    refused([result(0, 'c', 'x', append, { meta: { a: 1 } }), result(1, 'c', 'y', replace(0, 0, [0]))]);
    expect(
      nodes([
        result(0, 'c', 'x', append, { meta: { a: 1, b: 2 } }),
        result(1, 'c', 'y', replace(0, 0, [0]), { meta: { b: 2, a: 1 } }),
      ]),
    ).toEqual([1]);
  });

  it('extra sources are fine', () => {
    expect(nodes([user(0), answer(1), user(2), user(3, replace(0, 1, [0, 1, 2]))])).toEqual([3, 2]);
  });
});

describe('worked example (v3, v4): the protected head', () => {
  const start = [other(0), other(1), system(2, []), user(3), system(4, text('SYS'), replaceSeqs(2, 2, [2]))];

  it.each([3, 4])('a system message replaces the head, v%i', (version) => {
    expect(nodes(start, version)).toEqual([4, 3]);
    expect(nodes([...start, user(5, replaceSeqs(3, 3, [3]))], version)).toEqual([4, 5]);
    refused([...start, user(5, replaceSeqs(3, 3, [3])), user(6, replaceSeqs(4, 5, [4, 5]))], version);
  });

  it('nothing but a system message replaces it, and only it', () => {
    refused([...start, user(5, replaceSeqs(4, 4, [4]))], 4);
    refused([...start, system(5, text('x'), replaceSeqs(4, 3, [4, 3]))], 4);
  });

  it('a later system node is not protected', () => {
    const log = [...start, system(5, text('more')), user(6, replaceSeqs(3, 5, [3, 5]))];
    expect(nodes(log, 4)).toEqual([4, 6]);
  });

  it('a system message cannot come after a surface that did not begin with one', () => {
    refused([user(0), system(1, text('late'))], 3);
  });
});

describe('validation of one event', () => {
  it('a surface type needs its marker, every other known type must not have one', () => {
    refused([user(0, {})]);
    refused([other(0, 'todo/write', { surfaceOp: 'append' })]);
    refused([user(0), other(1, 'todo/write', { sourceEventSeqs: [0] })]);
  });

  it('an unknown type that may be ignored may carry anything, from v3 on', () => {
    const opaque = other(0, 'x/y', { ignorable: true, surfaceOp: { what: 1 }, sourceEventSeqs: 'no' });
    expect(nodes([opaque], 3)).toEqual([]);
    refused([opaque], 0);
    refused([other(0, 'todo/write', { ignorable: true, surfaceOp: 'append' })], 4);
  });

  it.each([0, 1, 2])('v%i spells a range start and end, and refuses the other spelling', (version) => {
    expect(nodes([user(0), user(1, replace(0, 0, [0]))], version)).toEqual([1]);
    refused([user(0), user(1, replaceSeqs(0, 0, [0]))], version);
  });

  it.each([3, 4])('v%i spells it startSeq and endSeq, and refuses the other spelling', (version) => {
    expect(nodes([user(0), user(1, replaceSeqs(0, 0, [0]))], version)).toEqual([1]);
    refused([user(0), user(1, replace(0, 0, [0]))], version);
  });

  it.each([
    ['null', null],
    ['another word', 'replace'],
    ['a fourth key', { op: 'replace', start: 0, end: 0, x: 1 }],
    ['a missing key', { op: 'replace', start: 0 }],
    ['another op', { op: 'remove', start: 0, end: 0 }],
    ['a negative seq', { op: 'replace', start: -1, end: 0 }],
    ['a fraction', { op: 'replace', start: 0, end: 0.5 }],
    ['its own seq', { op: 'replace', start: 0, end: 1 }],
    ['a list', ['replace', 0, 0]],
  ])('a marker that is %s is refused', (_, op) => {
    refused([user(0), user(1, { surfaceOp: op as SurfaceOp, sourceEventSeqs: [0] })]);
  });

  it.each([
    ['later', [1]],
    ['repeated', [0, 0]],
    ['negative', [-1]],
    ['no seq', ['0']],
    ['empty', []],
    ['no list', 0],
  ])('sources that are %s are refused', (_, sources) => {
    refused([user(0), user(1, { surfaceOp: 'append', sourceEventSeqs: sources as number[] })]);
  });

  it('an answer may cite nothing up to v2 and must not cite at all from v3 on', () => {
    for (const version of [0, 1, 2])
      expect(nodes([answer(0, { surfaceOp: 'append', sourceEventSeqs: [] })], version)).toEqual([0]);
    for (const version of [3, 4]) refused([answer(0, { surfaceOp: 'append', sourceEventSeqs: [] })], version);
    for (const version of [3, 4]) refused([user(0), answer(1, replaceSeqs(0, 0, [0]))], version);
  });

  it('cited ranges count as the seqs they hold', () => {
    const log = [user(0), user(1), user(2), user(3, { ...replace(0, 2), sourceEventSeqs: [[0, 2]] as unknown as number[] })];
    expect(nodes(log)).toEqual([3]);
  });

  it('a wrong seq is refused', () => {
    refused([user(0), user(2)]);
  });

  it('system and developer messages are surface types of their versions only', () => {
    const events = [system(0, text('s'))];
    expect(nodes(events, 3)).toEqual([0]);
    refused(events, 2);
    const developer = { ...system(0, text('d')), type: 'developer/message' } as SessionEvent;
    expect(nodes([developer], 4)).toEqual([0]);
    refused([developer], 3);
  });
});

describe('developer messages (v4)', () => {
  const tool = { name: 'grep', description: 'finds', parameters: { type: 'object' } };
  const header = (tools: unknown[]): SessionEvent =>
    other(0, 'request/header', { data: { header: { config: {}, tools }, reason: 'change' } });
  const developer = (seq: number, headerSeq: number | undefined, name = 'grep'): SessionEvent => ({
    type: 'developer/message',
    seq,
    time: 0,
    data: {
      turn: 1,
      step: 1,
      message: {
        id: 'd',
        role: 'developer',
        content: [{ type: 'tool-addition', toolName: name }],
        source: { kind: 'tool-registry' },
      },
      ...(headerSeq === undefined ? {} : { headerSeq }),
    },
    surfaceOp: 'append',
  });

  it('name an earlier request header that defines each added tool once', () => {
    expect(nodes([header([tool]), developer(1, 0)], 4)).toEqual([1]);
    expect(nodes([header([]), developer(1, undefined)], 4)).toEqual([1]);
    refused([header([tool]), developer(1, 1)], 4);
    refused([header([tool]), developer(1, 0, 'other')], 4);
    refused([header([tool, tool]), developer(1, 0)], 4);
    refused([header([{ ...tool, description: 1 }]), developer(1, 0)], 4);
    refused([other(0), developer(1, 0)], 4);
  });
});

describe('derived history', () => {
  it('is verbatim; an empty answer is a node without a message', () => {
    const log = [user(0), answer(1, append, []), answer(2, append, [{ type: 'reasoning', text: 'r' }])];
    expect(nodes(log)).toEqual([0, 1, 2]);
    expect(deriveMessages(log, { version: 0 }).map(({ id }) => id)).toEqual(['u0', 'a2']);
  });

  it('an empty tool result and an empty prompt stay, an empty system message goes', () => {
    const log = [system(0, []), user(1, append, []), result(2, 'c', '')];
    expect(deriveMessages(log, { version: 3 }).map(({ id }) => id)).toEqual(['u1', 't-c']);
  });

  it('nothing at all', () => {
    expect(foldSurface([], { version: 4 })).toEqual({ nodes: [], replacements: [], projectedMessages: new Map() });
  });
});

describe('image/offload (v3, v4)', () => {
  const image = (name: string): Block => ({
    type: 'image',
    attachment: { attachmentId: name, mediaType: 'image/png', width: 1, height: 1, bytes: 1 },
  });
  const prompt = user(0, append, [image('a'), ...text('between'), image('b')]);
  const wrapped = result(1, 'c', '', append);
  const withImages = {
    ...wrapped,
    data: {
      ...wrapped.data,
      message: {
        id: 't',
        role: 'user',
        source: { kind: 'tool', callId: 'c' },
        content: [{ type: 'tool-result', toolCallId: 'c', content: [...text('x'), image('c'), image('d')] }],
      },
    },
  } as unknown as SessionEvent;
  const offload = (seq: number, targets: unknown): SessionEvent => other(seq, 'image/offload', { data: { targets } });
  const log = [prompt, withImages];

  it('marks the chosen images, nested ones counted depth first, and leaves the nodes alone', () => {
    const events = [
      ...log,
      offload(2, [
        { seq: 0, imageIndexes: [1] },
        { seq: 1, imageIndexes: [0] },
      ]),
    ];
    const fold = foldSurface(events, { version: 3 });
    expect(fold.nodes).toEqual([0, 1]);
    expect([...fold.projectedMessages.keys()]).toEqual([0, 1]);
    const [first, second] = deriveMessages(events, { version: 3 });
    expect(first?.content).toEqual([image('a'), ...text('between'), { ...image('b'), offloaded: true }]);
    expect(Object.keys(first?.content[2] ?? {}).at(-1)).toBe('offloaded');
    expect(second?.content).toEqual([
      { type: 'tool-result', toolCallId: 'c', content: [...text('x'), { ...image('c'), offloaded: true }, image('d')] },
    ]);
    expect(prompt.data).not.toHaveProperty(['content', 2, 'offloaded']);
  });

  it('adds up over several events, and not before they happen', () => {
    const events = [...log, offload(2, [{ seq: 0, imageIndexes: [0] }]), offload(3, [{ seq: 0, imageIndexes: [1] }])];
    const fold = new SurfaceFold(3, (seq) => events[seq]);
    for (const event of events) expect(fold.apply(event)).toBeUndefined();
    const marked = (atSeq: number): number => JSON.stringify(fold.messagesAt(atSeq)[0]).split('"offloaded":true').length - 1;
    expect([1, 2, 3].map(marked)).toEqual([0, 1, 2]);
    expect([fold.replaceGeneration, fold.contentGeneration]).toEqual([0, 2]);
  });

  it.each([
    ['no targets', []],
    ['an answer', [{ seq: 5, imageIndexes: [0] }]],
    [
      'a seq twice',
      [
        { seq: 0, imageIndexes: [0] },
        { seq: 0, imageIndexes: [1] },
      ],
    ],
    ['indexes out of order', [{ seq: 0, imageIndexes: [1, 0] }]],
    ['no indexes', [{ seq: 0, imageIndexes: [] }]],
    ['an image that is not there', [{ seq: 0, imageIndexes: [2] }]],
    ['another key', [{ seq: 0, imageIndexes: [0], why: 1 }]],
  ])('is refused with %s', (_, targets) => {
    refused([...log, offload(2, targets)], 3);
  });

  it('is refused for a node that is gone, and is no projection before v3', () => {
    refused([...log, user(2, replaceSeqs(0, 0, [0])), offload(3, [{ seq: 0, imageIndexes: [0] }])], 3);
    expect(foldSurface([...log, offload(2, [])], { version: 0 }).projectedMessages.size).toBe(0);
  });
});

describe('state at any seq', () => {
  const log = [
    user(0),
    answer(1),
    user(2),
    answer(3),
    user(4, replace(0, 1, [0, 1])),
    answer(5),
    user(6, replace(4, 3, [4, 2, 3])),
  ];
  const fold = new SurfaceFold(0, (seq) => log[seq]);
  for (const event of log) fold.apply(event);

  it.each([
    [0, [0]],
    [3, [0, 1, 2, 3]],
    [4, [4, 2, 3]],
    [5, [4, 2, 3, 5]],
    [6, [6, 5]],
  ])('the nodes after event %i', (seq, expected) => {
    expect(fold.nodesAt(seq)).toEqual(expected);
  });

  it('node states', () => {
    expect(fold.nodeState(0)).toEqual({ shadowedBy: 4 });
    expect(fold.nodeState(0, 3)).toBe('current');
    expect(fold.nodeState(4, 5)).toBe('current');
    expect(fold.nodeState(4, 6)).toEqual({ shadowedBy: 6 });
    expect(fold.nodeState(4, 3)).toBe('log-only');
    expect(fold.nodeState(99)).toBe('log-only');
    expect(fold.shadowedBy(3)).toBe(6);
    expect(fold.shadowedBy(6)).toBeUndefined();
  });

  it('an invalid event changes nothing', () => {
    const own = new SurfaceFold(0, (seq) => log[seq]);
    own.apply(user(0));
    expect(own.apply(user(1, replace(7, 7, [0])))).toBeDefined();
    expect([...own.nodes]).toEqual([0]);
    expect(own.nodeState(1)).toBe('log-only');
  });
});
