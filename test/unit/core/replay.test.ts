import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/core/events.ts';
import type { AssistantStreamRecord, Message, StreamChunk } from '../../../src/core/messages.ts';
import {
  replay,
  verifyInPieces,
  verifyReplay,
  type ReplayClock,
  type ReplayFrame,
  type ReplayReport,
} from '../../../src/core/replay.ts';

/** A clock that only moves when somebody waits or `pass` is called. */
class TestClock implements ReplayClock {
  time = 0;
  readonly waits: number[] = [];

  now(): number {
    return this.time;
  }

  wait(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds);
    this.time += milliseconds;
    return Promise.resolve();
  }
}

const model = { kind: 'model', provider: 'p', model: 'm' };
const address = { turn: 1, step: 1 };
const event = (seq: number, time: number, type: string, data: unknown, more: object = {}): SessionEvent =>
  ({ type, seq, time, data, ...more }) as SessionEvent;
const answer = (id: string, text: string): Message => ({
  id,
  role: 'assistant',
  content: [{ type: 'text', text }],
  source: model,
});
const prompt: Message = { id: 'u', role: 'user', content: [{ type: 'text', text: 'hi' }], source: { kind: 'user' } };
const append = { surfaceOp: 'append' } as const;

/** v2: the stream `He`@120 `llo`@140 is stored at seq 5, a title was logged at 130 while it ran. */
const stream: AssistantStreamRecord[] = [
  { type: 'chunk', time: 110, chunk: { type: 'block-start', index: 0, blockType: 'text' } },
  { type: 'text-chunks', time0: 120, index: 0, dt: [20], texts: ['He', 'llo'] },
  { type: 'chunk', time: 145, chunk: { type: 'finish', reason: { kind: 'stop' } } },
];
const v2: SessionEvent[] = [
  event(0, 100, 'turn/start', { turn: 1 }),
  event(1, 100, 'step/start', address),
  event(2, 101, 'user/message', prompt, append),
  event(3, 110, 'request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'initial' }),
  event(4, 130, 'session/title', { title: 'T', messageSeqs: [], source: { kind: 'fallback' } }),
  event(5, 150, 'assistant/message', { ...address, message: answer('a', 'Hello'), stream }, append),
  event(6, 151, 'step/end', address),
  event(7, 400, 'turn/end', { turn: 1, reason: { kind: 'completed' } }),
];

const chunkEvent = (seq: number, time: number, chunk: StreamChunk): SessionEvent =>
  event(seq, time, 'assistant/chunk', { ...address, chunk });
const v0: SessionEvent[] = [
  event(0, 100, 'turn/start', { turn: 1 }),
  event(1, 100, 'step/start', address),
  event(2, 101, 'user/message', prompt, append),
  chunkEvent(3, 110, { type: 'text-delta', index: 0, text: 'lost' }),
  chunkEvent(4, 111, { type: 'finish', reason: { kind: 'error' } }),
  chunkEvent(5, 120, { type: 'text-delta', index: 0, text: 'He' }),
  chunkEvent(6, 140, { type: 'text-delta', index: 0, text: 'llo' }),
  event(7, 150, 'assistant/message', { ...address, message: answer('a', 'Hello') }, { sourceEventSeqs: [5, 6], ...append }),
];

interface Shown {
  readonly frames: ReplayFrame[];
  readonly report: ReplayReport;
  readonly clock: TestClock;
}

async function show(events: readonly SessionEvent[], options: object = {}): Promise<Shown> {
  const clock = new TestClock();
  const frames: ReplayFrame[] = [];
  const running = replay(events, { clock, version: 2, ...options });
  for (;;) {
    const next = await running.next();
    if (next.done === true) return { frames, report: next.value, clock };
    frames.push(next.value);
  }
}

const named = (frames: readonly ReplayFrame[]): string[] =>
  frames.map((frame) => {
    if (frame.kind === 'event') return `${String(frame.at)} ${frame.event.type}`;
    const text = frame.chunk.type === 'text-delta' ? ` ${frame.chunk.text}` : '';
    return `${String(frame.at)} ${frame.chunk.type}${text} (${String(frame.seq)})`;
  });

describe('order', () => {
  it('puts embedded chunks between the request and the answer, among what was logged meanwhile', async () => {
    const { frames } = await show(v2);
    expect(named(frames)).toEqual([
      '100 turn/start',
      '100 step/start',
      '101 user/message',
      '110 request/header',
      '110 block-start (5)',
      '120 text-delta He (5)',
      '130 session/title',
      '140 text-delta llo (5)',
      '145 finish (5)',
      '150 assistant/message',
      '151 step/end',
      '400 turn/end',
    ]);
  });

  it('of v0 is that of the log', async () => {
    const { frames } = await show(v0, { version: 0 });
    expect(named(frames).slice(3)).toEqual([
      '110 text-delta lost (3)',
      '111 finish (4)',
      '120 text-delta He (5)',
      '140 text-delta llo (6)',
      '150 assistant/message',
    ]);
  });

  it('starts after a seq and ends at one, also while a stream runs', async () => {
    expect(named((await show(v2, { after: 3, until: 5 })).frames)).toEqual([
      '110 block-start (5)',
      '120 text-delta He (5)',
      '130 session/title',
      '140 text-delta llo (5)',
      '145 finish (5)',
      '150 assistant/message',
    ]);
    // What is not reached is not shown: its chunks belong to seq 5.
    expect(named((await show(v2, { after: 3, until: 4 })).frames)).toEqual(['130 session/title']);
    expect((await show(v2, { after: 7 })).frames).toEqual([]);
  });

  it('holds times back where the recording clock ran backwards', async () => {
    const events = [
      event(0, 100, 'turn/start', { turn: 1 }),
      event(1, 60, 'step/start', address),
      event(2, 130, 'step/end', address),
    ];
    const { frames, clock } = await show(events);
    expect(named(frames)).toEqual(['100 turn/start', '100 step/start', '130 step/end']);
    expect(clock.waits).toEqual([30]);
  });

  it('shows two attempts of a step one after the other, and a retry between them', async () => {
    const events = [
      event(0, 100, 'step/start', address),
      event(1, 130, 'assistant/attempt', {
        ...address,
        stream: [{ type: 'text-chunks', time0: 110, index: 0, dt: [], texts: ['x'] }],
      }),
      event(2, 131, 'llm/retry', { ...address, retry: 1 }),
      event(3, 160, 'assistant/message', {
        ...address,
        message: answer('a', 'y'),
        stream: [{ type: 'text-chunks', time0: 125, index: 0, dt: [], texts: ['y'] }],
      }),
    ].map((each) => (each.type === 'assistant/message' ? { ...each, ...append } : each)) as SessionEvent[];
    const { frames, report } = await show(events);
    expect(named(frames)).toEqual([
      '100 step/start',
      '110 text-delta x (1)',
      '130 assistant/attempt',
      '131 llm/retry',
      // Recorded at 125, but the second attempt cannot have begun before the retry.
      '131 text-delta y (3)',
      '160 assistant/message',
    ]);
    expect(report).toEqual({ answers: 1, disagreeing: [], historyAgrees: true });
  });
});

describe('time', () => {
  it('waits the recorded pauses by the given clock', async () => {
    expect((await show(v2)).clock.waits).toEqual([1, 9, 10, 10, 10, 5, 5, 1, 249]);
  });

  it('goes faster, and cuts long pauses', async () => {
    expect((await show(v2, { speed: 2 })).clock.waits).toEqual([0.5, 4.5, 5, 5, 5, 2.5, 2.5, 0.5, 124.5]);
    expect((await show(v2, { longestPause: 10 })).clock.waits).toEqual([1, 9, 10, 10, 10, 5, 5, 1, 10]);
  });

  it('counts from the state it starts at', async () => {
    expect((await show(v2, { after: 6 })).clock.waits).toEqual([249]);
    expect((await show(v2, { after: 6, longestPause: 0 })).clock.waits).toEqual([]);
  });

  it('is paused by not taking frames: no rush afterwards', async () => {
    const clock = new TestClock();
    const running = replay(v2, { clock, version: 2 });
    for (let i = 0; i < 5; i++) await running.next();
    clock.time += 60_000;
    clock.waits.length = 0;
    for (let i = 0; i < 3; i++) await running.next();
    expect(clock.waits).toEqual([10, 10]);
  });

  it('ends when the signal aborts', async () => {
    const stop = new AbortController();
    const running = replay(v2, { clock: new TestClock(), version: 2, signal: stop.signal });
    await running.next();
    stop.abort(new Error('enough'));
    await expect(running.next()).rejects.toThrow('enough');
  });
});

describe('content', () => {
  it('grows block by block and settles into the stored answer', async () => {
    const { frames } = await show(v2);
    const blocks = frames.flatMap((frame) => (frame.kind === 'chunk' ? [frame.blocks] : []));
    expect(blocks).toEqual([
      [{ type: 'text', text: '' }],
      [{ type: 'text', text: 'He' }],
      [{ type: 'text', text: 'Hello' }],
      [{ type: 'text', text: 'Hello' }],
    ]);
    const settled = frames.find((frame) => frame.kind === 'event' && frame.event.type === 'assistant/message');
    expect(settled).toMatchObject({ agrees: true });
    const others = frames.filter((frame) => frame.kind === 'event' && frame.event.type !== 'assistant/message');
    expect(others.every((frame) => !('agrees' in frame))).toBe(true);
  });

  it('knows the model history at every event', async () => {
    const { frames } = await show(v2);
    const lengths = frames.flatMap((frame) => (frame.kind === 'event' ? [frame.history().length] : []));
    expect(lengths).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
  });

  it('begins anew after a finish, so that a failed v0 attempt is not part of the next', async () => {
    const { frames, report } = await show(v0, { version: 0 });
    const last = frames.findLast((frame) => frame.kind === 'chunk');
    expect(last).toMatchObject({ blocks: [{ type: 'text', text: 'Hello' }] });
    expect(report).toEqual({ answers: 1, disagreeing: [], historyAgrees: true });
  });

  it('started within a v0 attempt has its earlier chunks', async () => {
    const { frames, report } = await show(v0, { version: 0, after: 5 });
    expect(named(frames)).toEqual(['140 text-delta llo (6)', '150 assistant/message']);
    expect(frames[0]).toMatchObject({ blocks: [{ type: 'text', text: 'Hello' }] });
    expect(report).toEqual({ answers: 1, disagreeing: [], historyAgrees: true });
  });
});

describe('the report', () => {
  it('names answers that differ from their chunks; the stored one stays the authority', async () => {
    const wrong = v2.map((each) =>
      each.type === 'assistant/message' ? { ...each, data: { ...each.data, message: answer('a', 'Hello!') } } : each,
    );
    const { frames, report } = await show(wrong);
    expect(report).toEqual({ answers: 1, disagreeing: [5], historyAgrees: true });
    expect(frames.some((frame) => frame.kind === 'event' && frame.agrees === false)).toBe(true);
    const last = frames.at(-1);
    expect(last?.kind === 'event' && last.history()[1]?.content).toEqual([{ type: 'text', text: 'Hello!' }]);
    expect(verifyReplay(wrong, 2)).toEqual(report);
  });

  it('does not count answers without a stream, nor what came before the start', async () => {
    const silent = v2.map((each) => (each.type === 'assistant/message' ? { ...each, data: { ...each.data, stream: [] } } : each));
    expect(verifyReplay(silent as SessionEvent[], 2)).toEqual({ answers: 0, disagreeing: [], historyAgrees: true });
    expect((await show(v2, { after: 5 })).report.answers).toBe(0);
    expect((await show(v0, { version: 0, after: 7 })).report.answers).toBe(0);
  });

  it('refuses a log that breaks the surface rules', () => {
    const broken = [event(0, 1, 'user/message', prompt, { surfaceOp: { op: 'replace', start: 0, end: 0 } })];
    expect(() => verifyReplay(broken, 2)).toThrow('surfaceOp');
  });
});

describe('a proof in pieces', () => {
  /** Runs to the end and says in how many pieces. */
  const run = (events: readonly SessionEvent[], direct: readonly Message[]): { pieces: number; report: object } => {
    const pieces = verifyInPieces(events, 2, () => direct);
    let count = 0;
    for (let step = pieces.next(); ; step = pieces.next()) {
      if (step.done === true) return { pieces: count, report: step.value };
      count++;
    }
  };
  const whole = [prompt, answer('a', 'Hello')];

  it('says what the proof at once says, one chunk or event a piece', () => {
    // Four chunks and eight events.
    expect(run(v2, whole)).toEqual({
      pieces: 12,
      report: { answers: 1, disagreeing: [], historyAgrees: true, refused: [], history: whole, differing: [] },
    });
  });

  it('compares with the history it is given', () => {
    expect(run(v2, [prompt]).report).toMatchObject({ historyAgrees: false, history: whole, differing: [1] });
    const other = [answer('a', 'Hello'), answer('a', 'Hello'), prompt];
    expect(run(v2, other).report).toMatchObject({ historyAgrees: false, differing: [0, 2] });
  });

  it('names an event the surface refuses, which has no effect', () => {
    const odd = [...v2, event(8, 500, 'user/message', prompt, { surfaceOp: { op: 'replace', start: 90, end: 91 } })];
    expect(run(odd, whole).report).toMatchObject({ answers: 1, disagreeing: [], historyAgrees: true, refused: [8] });
    expect(() => verifyReplay(odd, 2)).toThrow();
  });
});

describe('what a log may hold where a chunk belongs', () => {
  const odd: unknown[] = [
    null,
    5,
    'x',
    [],
    {},
    { type: 'text-delta' },
    { type: 'text-delta', index: { valueOf: 0 }, text: 'a' },
    { type: 'text-delta', index: 0, text: { toString: 0 } },
    { type: 'block-start', index: 0, blockType: 1 },
    { type: 'tool-call-delta', index: 1, id: [], name: {}, argumentsDelta: null },
    { type: 'plugin-chunk' },
  ];

  it.each(odd)('v0: %j stops nothing', (chunk) => {
    const log = [
      event(0, 1, 'turn/start', { turn: 1 }),
      event(1, 2, 'step/start', address),
      event(2, 3, 'assistant/chunk', { ...address, chunk }),
      event(3, 4, 'assistant/chunk', { ...address, chunk: { type: 'text-delta', index: 0, text: 'hi' } }),
      event(4, 5, 'assistant/message', { ...address, message: answer('a', 'hi') }, { ...append, sourceEventSeqs: [2, 3] }),
      event(5, 6, 'assistant/chunk', chunk),
    ];
    expect(verifyReplay(log, 0).historyAgrees).toBe(true);
  });

  it.each([undefined, null, 5, {}, { ...address }, { ...address, message: null }, { ...address, message: { content: 5 } }])(
    'an answer that is %j stops nothing',
    (data) => {
      const log = [
        event(0, 1, 'turn/start', { turn: 1 }),
        event(1, 2, 'step/start', address),
        event(2, 3, 'assistant/chunk', { ...address, chunk: { type: 'text-delta', index: 0, text: 'hi' } }),
        event(3, 4, 'assistant/message', data, { ...append, sourceEventSeqs: [2] }),
      ];
      expect(verifyReplay(log, 0).historyAgrees).toBe(true);
    },
  );

  it.each(odd)('v2: %j stops nothing, in a record of the stream or in place of it', (chunk) => {
    const log = (recorded: unknown): SessionEvent[] => [
      event(0, 1, 'turn/start', { turn: 1 }),
      event(1, 2, 'step/start', address),
      event(2, 3, 'assistant/message', { ...address, message: answer('a', 'hi'), stream: recorded }, append),
    ];
    for (const recorded of [[{ type: 'chunk', time: 3, chunk }], [chunk], chunk])
      expect(verifyReplay(log(recorded), 2).historyAgrees).toBe(true);
  });
});
