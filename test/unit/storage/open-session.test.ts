import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionHeader, StoredEvent } from '../../../src/core/index.ts';
import { openSession, type OpenSession, type StoredLine } from '../../../src/storage/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logPath, writeLog, type WriteOptions } from '../../support/write-log.ts';

/** What an opened session answers, with all fine print of api.md. */

const temp = tempRoot();

function chat(version: Version, id = 's'): LogBuilder {
  const builder = new LogBuilder({ version, id, createdAt: 1000, cwd: '/work' });
  builder.prompt('one');
  builder.reply('first answer');
  builder.prompt('two');
  builder.work({ text: 'let me look', calls: [{ name: 'bash', args: {}, result: 'output' }] });
  builder.reply('second answer');
  return builder;
}

const write = (builder: LogBuilder, options: WriteOptions = {}): Promise<string> =>
  writeLog(temp.fresh(), builder.header, builder.events, options);

async function openWith(
  builder: LogBuilder,
  change: (events: StoredEvent[]) => unknown[],
  header: SessionHeader = builder.header,
): Promise<OpenSession> {
  const path = logPath(temp.fresh(), header, 'none');
  await mkdir(dirname(path), { recursive: true });
  const lines = [header, ...change([...builder.events])].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(path, `${lines.join('\n')}\n`);
  return openSession(path);
}

const versions: Version[] = [0, 1, 2, 3, 4];

describe.each(versions)('a healthy log of version %i', (version) => {
  it('answers by seq, by range, by line', async () => {
    const builder = chat(version);
    const session = await openSession(await write(builder));
    expect(session.damage).toEqual([]);
    expect(session.eventCount).toBe(builder.events.length);
    expect([...session.events()]).toEqual(builder.events);
    for (const event of builder.events) {
      expect(session.eventAt(event.seq)).toEqual(event);
      const line = JSON.parse(session.rawLineOf(event.seq)) as { seq?: number; seq0?: number };
      expect(line.seq ?? line.seq0).toBeLessThanOrEqual(event.seq);
    }
    expect([...session.events(3, 6)]).toEqual(builder.events.slice(3, 6));
    expect([...session.events(-5, 2)]).toEqual(builder.events.slice(0, 2));
    expect([...session.events(6, 3)]).toEqual([]);
    expect([...session.events(session.eventCount - 1, 1e9)]).toEqual(builder.events.slice(-1));
    for (const seq of [-1, 0.5, session.eventCount, Number.NaN]) expect(session.eventAt(seq)).toBeUndefined();
    expect(() => session.rawLineOf(session.eventCount)).toThrow(RangeError);
    expect(session.surfaceNodes()).toEqual(builder.nodes);
    expect(session.surfaceNodes(-1)).toEqual([]);
    const again = session.events();
    expect([[...again].length, [...again].length]).toEqual([builder.events.length, builder.events.length]);
    await session.close();
  });

  it('visits every line once, in order, packed ones whole', async () => {
    const builder = chat(version);
    const lines: StoredLine[] = [];
    const session = await openSession(await write(builder), { visit: (line) => lines.push(line) });
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, i) => i + 2));
    expect(lines).toHaveLength(session.lineCount - 1);
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(session.eventCount);
    let seq = 0;
    for (const line of lines) {
      expect(line.seq0).toBe(seq);
      expect(line.committed).toBe(true);
      expect(session.lineOf(seq)).toEqual({ line: line.line, frame: line.frame });
      expect(JSON.parse(session.rawLineOf(seq))).toEqual(line.record);
      seq += line.count;
    }
    if (version < 2) expect(lines.some(({ count }) => count > 2)).toBe(true);
  });

  it('derives nothing beyond an unknown event, and forks only before it', async () => {
    const builder = chat(version);
    const unknownAt = builder.events.findIndex(({ type }) => type === 'turn/end') + 1;
    builder.push('x/unknown', { any: 1 });
    const session = await openWith(builder, (events) => {
      const moved = [...events.slice(0, unknownAt), events.at(-1), ...events.slice(unknownAt, -1)] as StoredEvent[];
      return moved.map((event, seq) => ({ ...event, seq }));
    });
    expect(session.refusal).toMatchObject({ kind: 'unknown-event', seq: unknownAt });
    expect(session.refusal?.message).toMatch(/x\/unknown/);
    expect(session.eventCount).toBe(builder.events.length);
    expect(session.deriveMessages(unknownAt - 1).length).toBeGreaterThan(1);
    for (const call of [() => session.deriveMessages(unknownAt), () => session.deriveMessages(), () => session.surfaceNodes()])
      expect(call).toThrow();
    expect(session.forkBoundary(unknownAt - 1)).toEqual({ legal: true, closes: false });
    for (const seq of [unknownAt, unknownAt + 1, session.eventCount - 1]) {
      expect(session.forkBoundary(seq)).toMatchObject({ legal: false, code: 'UNREADABLE', before: unknownAt - 1 });
    }
  });

  it('an unknown event that may be ignored has no effect', async () => {
    const builder = chat(version);
    builder.push('x/unknown', 'a string', { ignorable: true });
    const session = await openSession(await write(builder));
    expect(session.refusal).toBeUndefined();
    expect(session.damage).toEqual([]);
    expect(session.surfaceNodes()).toEqual(builder.nodes);
    expect(session.forkBoundary(session.eventCount - 1)).toEqual({ legal: true, closes: false });
  });

  it.each([
    ['an unknown key', { extra: 1 }],
    ['a fraction of a time', { time: 0.5 }],
    ['an ignorable mark that is not true', { ignorable: false }],
    ['no data', { data: undefined }],
  ])('%s in an envelope is damage that dsh refuses, and ends neither count nor derivation', async (_, change) => {
    const builder = chat(version);
    const at = builder.events.length - 1;
    const session = await openWith(builder, (events) =>
      events.map((event) => (event.seq === at ? { ...event, ...change } : event)),
    );
    expect(session.eventCount).toBe(builder.events.length);
    const envelope = session.damage.find(({ kind }) => kind === 'envelope');
    expect(envelope).toMatchObject({ seq: at, line: at + 2, dsh: { list: 'accepts', open: 'refuses' } });
    expect(session.surfaceNodes()).toEqual(builder.nodes);
    expect(session.forkBoundary(at)).toMatchObject({ code: 'UNREADABLE' });
  });

  it('an invalid surface event has no effect on the surface, and deriving goes on past it', async () => {
    const builder = chat(version);
    const second = builder.events.filter(({ type }) => type === 'user/message')[1]?.seq ?? 0;
    const session = await openWith(builder, (events) =>
      events.map((event) => (event.seq === second ? { ...event, surfaceOp: builder.replaceOp(second - 1, second - 1) } : event)),
    );
    expect(session.damage.filter(({ kind }) => kind === 'surface')).toMatchObject([{ seq: second, dsh: { open: 'refuses' } }]);
    expect(session.surfaceNodes()).toEqual(builder.nodes.filter((seq) => seq !== second));
    expect(session.nodeState(second)).toBe('log-only');
    expect(session.deriveMessages()).toHaveLength(builder.nodes.length - 1);
    expect(session.forkBoundary(second - 1).legal || version < 4).toBe(true);
    expect(session.forkBoundary(session.eventCount - 1)).toMatchObject({ code: 'UNREADABLE' });
  });
});

describe('the cut', () => {
  const seeded = (version: Version, header: Partial<SessionHeader>, marker: object | undefined): Promise<OpenSession> => {
    const builder = chat(version);
    if (marker !== undefined) builder.push('session/end-seed', marker);
    builder.prompt('own');
    builder.reply('own answer');
    return openWith(builder, (events) => events, { ...builder.header, ...header });
  };

  it.each([0, 1] as Version[])('v%i: seedLength', async (version) => {
    const session = await seeded(version, { seedLength: 7 }, {});
    expect([session.inheritedEventCount, session.damage]).toEqual([7, []]);
  });

  it.each([2, 3, 4] as Version[])('v%i: the last tagged end-seed', async (version) => {
    const session = await seeded(version, { isSeeded: true }, { inherited: true });
    expect(session.eventAt(session.inheritedEventCount)?.data).toEqual({ inherited: true });
    expect(session.damage).toEqual([]);
  });

  it.each([
    ['a marker in a session that is not seeded', { isSeeded: false }, { inherited: true }],
    ['a seeded session without a marker', { isSeeded: true }, {}],
    ['a seeded session without any end-seed', { isSeeded: true }, undefined],
  ])('%s is a wrong cut: dsh refuses, and no fork is legal', async (_, header, marker) => {
    for (const version of [2, 3, 4] as Version[]) {
      const session = await seeded(version, header, marker);
      expect(session.damage.map(({ kind, dsh }) => [kind, dsh.open])).toEqual([['wrong-cut', 'refuses']]);
      for (let seq = 0; seq < session.eventCount; seq++)
        expect(session.forkBoundary(seq)).toMatchObject({ legal: false, code: 'UNREADABLE' });
      expect(session.deriveMessages().length).toBeGreaterThan(0);
    }
  });

  it.each([[{ inherited: false }], [{ inherited: true, x: 1 }], [{ x: 1 }], [null]])(
    'an end-seed may not carry %j from v2 on',
    async (payload) => {
      const builder = chat(3);
      builder.push('session/end-seed', payload);
      const session = await openWith(builder, (events) => events);
      expect(session.damage.map(({ kind, dsh }) => [kind, dsh.open])).toContainEqual(['message', 'refuses']);
    },
  );
});

describe('damage that does not matter for a fork', () => {
  it('physical damage, header extras and placement', async () => {
    const builder = chat(0);
    const last = builder.events.length - 1;
    const session = await openWith(builder, (events) => [...events, 'nonsense', { ...events[0], seq: last + 2 }], {
      ...builder.header,
      strange: 1,
    } as unknown as SessionHeader);
    expect(session.eventCount).toBe(last + 1);
    expect(session.forkBoundary(last)).toEqual({ legal: true, closes: false });
    expect(session.forkBoundary(last + 1)).toMatchObject({ legal: false, code: 'UNREADABLE', before: last });
  });
});

describe('without events to interpret', () => {
  it('a newer format shows its header and its lines, and nothing else', async () => {
    const builder = chat(4);
    const session = await openWith(builder, (events) => events, { ...builder.header, version: 5 });
    expect(session.refusal?.kind).toBe('newer-format');
    expect(session.version).toBe(5);
    expect([session.eventCount, session.inheritedEventCount]).toEqual([0, 0]);
    expect([...session.salvagedLines()].map(({ line }) => line)).toEqual(
      [...Array(builder.events.length + 1).keys()].map((i) => i + 1),
    );
    expect(() => session.deriveMessages()).toThrow();
    expect(session.forkBoundary(0)).toMatchObject({ code: 'UNREADABLE' });
    expect(session.damage).toEqual([]);
  });

  it('without a header every readable line is salvage', async () => {
    const builder = chat(4);
    const session = await openWith(builder, (events) => [...events, 'nonsense'], {
      ...builder.header,
      type: 'other',
    } as unknown as SessionHeader);
    expect(session.refusal?.kind).toBe('no-header');
    expect([...session.salvagedLines()]).toHaveLength(builder.events.length + 1);
    expect(session.header).toBeUndefined();
    expect(session.version).toBe(4);
  });
});

describe('fork boundaries', () => {
  it('v0 to v3 refuse an open turn and name the boundaries around it', async () => {
    for (const version of [0, 1, 2, 3] as Version[]) {
      const builder = chat(version);
      const session = await openSession(await write(builder));
      const ends = builder.events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
      const starts = builder.events.filter(({ type }) => type === 'turn/start').map(({ seq }) => seq);
      const inside = (starts[1] ?? 0) + 2;
      expect(session.forkBoundary(inside)).toMatchObject({
        legal: false,
        code: 'OPEN_TURN',
        before: (starts[1] ?? 0) - 1,
        after: ends[1],
      });
      expect(session.forkBoundary(starts[0] ?? 0)).toMatchObject({ code: 'OPEN_TURN', after: ends[0] });
      for (const seq of ends) expect(session.forkBoundary(seq)).toEqual({ legal: true, closes: false });
    }
  });

  it('v4 closes it', async () => {
    const builder = chat(4);
    const session = await openSession(await write(builder));
    const start = builder.events.findLast(({ type }) => type === 'turn/start')?.seq ?? 0;
    expect(session.forkBoundary(start)).toEqual({ legal: true, closes: true });
    expect(session.forkBoundary(start - 1)).toEqual({ legal: true, closes: false });
  });
});

describe('a v4 log is checked for order on every open', () => {
  it('a step that skips a number is refused by dsh, in v3 only on migration', async () => {
    for (const version of [3, 4] as Version[]) {
      const builder = chat(version);
      const at = builder.events.findLast(({ type }) => type === 'step/start')?.seq ?? 0;
      const session = await openWith(builder, (events) =>
        events.map((event) => (event.seq === at ? { ...event, data: { ...(event.data as object), step: 9 } } : event)),
      );
      const order = session.damage.filter(({ kind }) => kind === 'order');
      if (version === 3) expect(order).toEqual([]);
      else {
        expect(order[0]).toMatchObject({ seq: at, dsh: { list: 'accepts', open: 'refuses' } });
        expect(session.forkBoundary(session.eventCount - 1)).toMatchObject({ code: 'UNREADABLE' });
      }
      expect(session.eventCount).toBe(builder.events.length);
    }
  });
});

describe('legacy v0 payloads', () => {
  const legacy = (seq: number, type: string, data: unknown, surfaceOp?: unknown): unknown => ({
    type,
    seq,
    time: 1,
    data,
    ...(surfaceOp === undefined ? {} : { surfaceOp, ...(surfaceOp === 'append' ? {} : { sourceEventSeqs: [4] }) }),
  });
  const content = [{ type: 'text', text: 'x' }];

  it.each([
    ['turn/end', { turn: 1, reason: { kind: 'disposed', more: 1 } }],
    ['turn/end', { turn: 1, reason: { kind: 'aborted', more: 1 } }],
    ['turn/end', { turn: 1, reason: { kind: 'error' } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', message: 'm' } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', step: 1, failure: { message: 'm' } } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', step: 1, failure: { message: 'm', code: 'c', more: 1 } } }],
    ['turn/end', { turn: 1, reason: { kind: 'error', step: 1, message: 'm', code: 5 } }],
    ['turn/start', { turn: 1, trigger: { kind: 'user' }, more: 1 }],
    ['steering/message', { turn: 1, content, source: { kind: 'user' }, more: 1 }],
    ['steering/message', { content, source: { kind: 'user' } }],
  ])('that hold more or less than they may are refused: %s %j', async (type, data) => {
    const event = legacy(0, type, data, type === 'steering/message' ? 'append' : undefined);
    const session = await openWith(chat(0), () => [event]);
    expect(session.viewAt(0)).toEqual(event);
    expect(session.damage.map(({ seq, dsh }) => [seq, dsh.open])).toContainEqual([0, 'refuses']);
    expect(session.forkBoundary(0)).toMatchObject({ legal: false, code: 'UNREADABLE' });
  });

  it('of types that are read no more are named as retired, not as newer', async () => {
    for (const type of ['mode/set', 'request/header-delta']) {
      const session = await openWith(chat(0), () => [legacy(0, type, {})]);
      expect(session.refusal).toMatchObject({ kind: 'unknown-event', seq: 0 });
      expect(session.refusal?.message).toContain(`retired type "${type}"`);
      expect(session.refusal?.message).not.toContain('newer');
    }
  });

  it('derive as the later releases write them; the stored events stay', async () => {
    const builder = chat(0, 'old');
    const lines = [
      legacy(0, 'turn/start', { turn: 1, trigger: { kind: 'user' } }),
      legacy(1, 'user/message', { content, source: { kind: 'user' } }, 'append'),
      legacy(2, 'steering/message', { turn: 1, content, source: { kind: 'user' } }, 'append'),
      legacy(3, 'assistant/message', { turn: 1, step: 1, content, provenance: { provider: 'p', model: 'm' } }, 'append'),
      legacy(4, 'tool/result', { turn: 1, step: 1, callId: 'c', content, isError: false }, 'append'),
      legacy(
        5,
        'tool/result',
        { turn: 1, step: 1, callId: 'c', content: [], isError: false },
        { op: 'replace', start: 4, end: 4 },
      ),
      legacy(6, 'compact/start', { turn: null }),
      legacy(7, 'turn/end', { turn: 1, reason: { kind: 'disposed' } }),
    ];
    const session = await openWith(builder, () => lines);
    expect(session.damage).toEqual([]);
    expect(session.refusal).toBeUndefined();
    expect([...session.events()]).toEqual(lines);
    expect(session.deriveMessages()).toEqual([
      { content, source: { kind: 'user' }, id: 'legacy-message:old:1', role: 'user' },
      { content, source: { kind: 'user' }, id: 'legacy-message:old:2', role: 'user' },
      { id: 'legacy-message:old:3', role: 'assistant', content, source: { provider: 'p', model: 'm', kind: 'model' } },
      {
        id: 'legacy-message:old:4',
        role: 'user',
        content: [{ type: 'tool-result', toolCallId: 'c', content: [], isError: false }],
        source: { kind: 'tool', callId: 'c' },
      },
    ]);
    expect(session.viewAt(0)?.data).toEqual({ turn: 1 });
    expect(session.viewAt(6)?.type).toBe('compaction/start');
    expect(session.viewAt(7)?.data).toEqual({ turn: 1, reason: { kind: 'aborted', reason: { kind: 'disposed' } } });
  });

  it.each(['request/header-delta', 'mode/set'])('%s is retired: dsh refuses it even where it may be ignored', async (type) => {
    const builder = chat(0);
    const marked = await openWith(builder, () => [{ ...(legacy(0, type, {}) as object), ignorable: true }]);
    expect(marked.refusal).toBeUndefined();
    expect(marked.damage).toMatchObject([{ kind: 'retired-event', seq: 0, dsh: { open: 'refuses' } }]);
    const unmarked = await openWith(builder, () => [legacy(0, type, {})]);
    expect(unmarked.refusal).toMatchObject({ kind: 'unknown-event', seq: 0 });
  });

  it('a request header with the retired reason', async () => {
    const session = await openWith(chat(0), () => [
      legacy(0, 'request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' }),
    ]);
    expect(session.damage).toMatchObject([{ kind: 'retired-event', dsh: { open: 'refuses' } }]);
  });
});

describe('a log with endless findings', () => {
  it('lists a thousand and counts the rest', async () => {
    const session = await openWith(chat(4), () =>
      [...Array(1500).keys()].map((seq) => ({ type: 'todo/write', seq, time: 0.5, data: { todos: [] } })),
    );
    expect(session.damage).toHaveLength(1001);
    expect(session.damage.at(-1)?.message).toContain('500');
    expect(session.eventCount).toBe(1500);
  });
});

describe('hostile shapes', () => {
  it('nesting without end, in a payload and where a seq should be', async () => {
    const depth = 50_000;
    const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    const lines = [
      `{"type":"todo/write","seq":0,"time":1,"data":{"todos":${deep}}}`,
      `{"type":"user/message","seq":1,"time":1,"data":{"id":"u","role":"user","content":${deep},"source":{"kind":"user"}},"surfaceOp":"append"}`,
      `{"type":"todo/write","seq":${deep},"time":1,"data":{}}`,
    ];
    const session = await openWith(chat(4), () => lines);
    expect(session.eventCount).toBe(2);
    expect(session.deriveMessages()).toHaveLength(1);
    expect(session.rawLineOf(0)).toBe(lines[0]);
    expect(session.damage.at(-1)?.message).toBe(
      'From line 4 to its end the log is an uncommitted tail, which dsh drops: that line cannot be read',
    );
  });

  it('a type or key of any length makes a bounded sentence', async () => {
    const long = 'x'.repeat(100_000);
    const session = await openWith(chat(4), () => [{ type: long, seq: 0, time: 1, data: {}, [long]: 1 }]);
    expect(session.refusal?.message.length).toBeLessThan(500);
    for (const { message } of session.damage) expect(message.length).toBeLessThan(500);
  });

  it('keys that JavaScript treats specially stay keys', async () => {
    const line = '{"type":"todo/write","seq":0,"time":1,"data":{"__proto__":{"polluted":1},"constructor":1,"todos":[]}}';
    const session = await openWith(chat(4), () => [line]);
    expect(JSON.stringify(session.eventAt(0))).toBe(line);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

it('an aborted opening rejects', async () => {
  const controller = new AbortController();
  controller.abort();
  await expect(openSession(await write(chat(4)), { signal: controller.signal })).rejects.toThrow();
});

it.each([3, 2] as const)(
  'beyond a thousand findings the rest is counted, and refused only where dsh refuses it: v%i',
  async (version) => {
    const message = { role: 'user', content: [], source: { kind: 'user' } };
    const event = (seq: number): object => ({ type: 'user/message', seq, time: 1, data: message, surfaceOp: 'append' });
    const session = await openWith(chat(version), () => Array.from({ length: 1005 }, (_, seq) => event(seq)));
    expect(session.damage).toHaveLength(1001);
    expect(session.damage.at(-1)?.message).toContain('5 more');
    // A v3 dsh lets messages without an id pass. format/open-questions.md, item 20.
    expect(new Set(session.damage.map(({ dsh }) => dsh.open))).toEqual(new Set([version === 3 ? 'accepts' : 'refuses']));
  },
);
