import { describe, expect, it } from 'vitest';
import { childFactsOf } from '../../../src/core/migrations/catalog.ts';
import { Log, dataAt, text, typesOf } from './migrations-log.ts';

const call = (id = 'c'): unknown => ({ type: 'tool-call', id, name: 'n', arguments: '{}' });

/** A v3 log whose call `c` is answered by the given message. */
function answered(message: Record<string, unknown>, rest: Record<string, unknown> = {}): Log {
  const log = new Log(3)
    .open()
    .system()
    .user('u')
    .requestHeader()
    .answer('a', { content: [call()] });
  log.add('tool/call', { turn: 1, step: 1, callId: 'c', name: 'n', arguments: '{}' });
  return log.add('tool/result', { turn: 1, step: 1, message, ...rest }, { sourceEventSeqs: [6], surfaceOp: 'append' }).close();
}

const wrapper = (extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'tool-result',
  toolCallId: 'c',
  content: [text('out')],
  ...extra,
});

const wrapped = (block: unknown = wrapper({ isError: false }), extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  source: { kind: 'tool', callId: 'c' },
  content: [block],
  role: 'user',
  id: 'r',
  ...extra,
});

describe('v3 → v4: tool results', () => {
  it('become messages of their own role', () => {
    const migrated = answered(wrapped(), { meta: { lines: 2 } }).migrate(4);
    expect(JSON.stringify(dataAt(migrated, 7))).toBe(
      JSON.stringify({
        turn: 1,
        step: 1,
        message: {
          role: 'tool',
          source: { kind: 'tool', callId: 'c' },
          toolCallId: 'c',
          content: [text('out')],
          isError: false,
          id: 'r',
        },
        meta: { lines: 2 },
      }),
    );
  });

  it('keep members nobody knows under names of their own, and leave an absent error mark absent', () => {
    const migrated = answered(wrapped(wrapper({ took: 5 }), { note: 'n' })).migrate(4);
    expect(dataAt(migrated, 7)).toMatchObject({
      message: { id: 'r', role: 'tool', 'plugin:result:took': 5, 'plugin:message:note': 'n' },
    });
    expect(JSON.stringify(dataAt(migrated, 7))).not.toContain('isError');
  });

  it.each([
    ['no wrapper', wrapped(text('bare'))],
    ['two wrappers', { ...wrapped(), content: [wrapper(), wrapper()] }],
    ['two call ids', wrapped(wrapper({ toolCallId: 'd' }))],
    ['a source that is no tool', wrapped(undefined, { source: { kind: 'user', callId: 'c' } })],
  ])('are refused with %s', (_name, message) => {
    expect(answered(message).refusal(4)).toMatchObject({ from: 3, seq: 7 });
  });
});

describe('v3 → v4: sources', () => {
  it.each([
    ['compact', 'compact-checkpoint'],
    ['tools-code-mode', 'ptc-mode'],
    ['tools-ptc', 'ptc-mode'],
    ['dsh-compaction-basic', 'compact-basic'],
    ['@deepseek-ai/dsh-system-prompt', 'runtime-context'],
    ['agent-instructions', 'agent-instructions'],
    ['session-reference', 'session-reference'],
    ['team-message', 'team-message'],
    ['goal', 'goal'],
    ['skill-invocation', 'skill-invocation'],
    ['skill-catalog', 'skill-catalog'],
    ['coordinator', 'coordinator'],
    ['subagent-report', 'subagent-report'],
    ['subagent-settled', 'subagent-settled'],
    ['webhook', 'webhook'],
    ['agent-message', 'agent-message'],
    ['model-selection', 'model-selection'],
    ['plan-mode', 'plan-mode'],
    ['time-context', 'time-context'],
    ['tmux-context', 'tmux-context'],
    ['user-approval', 'user-approval'],
    ['repeat-tool-reminder', 'repeat-tool-reminder'],
    ['tool-cordis', 'tool-cordis'],
    ['cordis-host-runner', 'cordis-host-runner'],
    ['tool-goal', 'tool-goal'],
    ['tool-jobs', 'tool-jobs'],
    ['hooks-codex', 'hooks-codex'],
    ['hooks-claude-code', 'hooks-claude-code'],
    ['schedule', 'schedule'],
    ['dsh-session-title-llm', 'dsh-session-title-llm'],
    ['acme', 'plugin:acme'],
  ])('the plugin %s becomes the kind %s', (plugin, kind) => {
    const migrated = new Log(3)
      .open()
      .system()
      .user('u', 'u', { kind: 'plugin', plugin, form: 'notice', summary: 's' })
      .migrate(4);
    expect(JSON.stringify(dataAt(migrated, 3))).toContain(`"source":{"kind":"${kind}","form":"notice","summary":"s"}`);
  });

  it('are rewritten where messages stand, and nowhere else', () => {
    const source = { kind: 'plugin', plugin: 'acme' };
    const message = { id: 'i', role: 'user', content: [], source };
    const log = new Log(3)
      .add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [message] })
      .open()
      .system();
    log.add('session/title-llm-request', {
      titleProvider: 'x',
      messageSeqs: [],
      route: { provider: 'p', model: 'm' },
      system: '',
      messages: [{ ...message, source: { kind: 'plugin', plugin: 'dsh-session-title-llm' } }],
      maxTokens: 9,
    });
    log.add('feedback/record', { text: 'x', source }).user('u', 'u', { kind: 'webhook' });
    const migrated = log.migrate(4);
    expect(dataAt(migrated, 0)).toMatchObject({ inserted: [{ source: { kind: 'plugin:acme' } }] });
    expect(dataAt(migrated, 3)).toMatchObject({ message: { source: { kind: 'system-prompt' } } });
    expect(dataAt(migrated, 4)).toMatchObject({ messages: [{ source: { kind: 'dsh-session-title-llm' } }] });
    expect(dataAt(migrated, 5)).toEqual({ text: 'x', source });
    expect(dataAt(migrated, 6)).toMatchObject({ source: { kind: 'webhook' } });
  });
});

describe('v3 → v4: blocks and types nobody knows', () => {
  it('get a plugin name, streams included', () => {
    const stream = [
      { type: 'chunk', time: 1, chunk: { type: 'block-start', index: 0, blockType: 'chart' } },
      { type: 'text-chunks', time0: 1, index: 1, dt: [], texts: ['x'] },
      { type: 'chunk', time: 2, chunk: { type: 'block-end', index: 0, block: { type: 'chart', data: 1 } } },
      { type: 'chunk', time: 3, chunk: { type: 'block-start', index: 1, blockType: 'text' } },
    ];
    const log = new Log(3)
      .open()
      .system()
      .user('u')
      .requestHeader()
      .answer('a', { content: [{ type: 'chart', data: 1 }, text('x')], stream });
    log.add('assistant/attempt', { turn: 1, step: 1, stream });
    const migrated = log.migrate(4);
    const moved = [
      { type: 'chunk', time: 1, chunk: { type: 'block-start', index: 0, blockType: 'plugin:chart' } },
      stream[1],
      { type: 'chunk', time: 2, chunk: { type: 'block-end', index: 0, block: { type: 'plugin:chart', data: 1 } } },
      stream[3],
    ];
    expect(dataAt(migrated, 5)).toMatchObject({
      message: { content: [{ type: 'plugin:chart', data: 1 }, text('x')] },
      stream: moved,
    });
    expect(dataAt(migrated, 6)).toEqual({ turn: 1, step: 1, stream: moved });
  });

  it('an ignorable event keeps its payload under a plugin type', () => {
    const log = new Log(3).add('acme/state', ['anything', { source: { kind: 'plugin', plugin: 'x' } }], { ignorable: true });
    expect(log.migrate(4).events).toEqual([{ ...log.events[0], type: 'plugin:acme/state' }]);
  });

  it('an ignorable event keeps whatever it refers to', () => {
    const log = new Log(3).add('acme/state', {}, { ignorable: true, sourceEventSeqs: [7], surfaceOp: 'append' });
    expect(log.migrate(4).events).toEqual([{ ...log.events[0], type: 'plugin:acme/state' }]);
  });

  it('a required event is refused', () => {
    expect(new Log(3).add('acme/state', {}).refusal(4)).toMatchObject({ from: 3, seq: 0 });
    expect(new Log(3).add('developer/message', {}).refusal(4)).toMatchObject({ from: 3, seq: 0 });
  });
});

describe('v3 → v4: turns a crash left open', () => {
  it('are ended before the next start, and every reference moves', () => {
    const inserted = [{ id: 'q', role: 'user', content: [], source: { kind: 'user' } }];
    const log = new Log(3).open().system().user('u').add('step/end', { turn: 1, step: 1 });
    log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted }).open(2);
    log.user('v').add('session/title', { title: 't', messageSeqs: [8], source: { kind: 'fallback' } });
    log.add(
      'user/message',
      { id: 'w', role: 'user', content: [], source: { kind: 'user' } },
      {
        sourceEventSeqs: [3, 8],
        surfaceOp: { op: 'replace', startSeq: 3, endSeq: 8 },
      },
    );
    const migrated = log.migrate(4);
    expect(migrated.events[6]).toEqual({
      type: 'turn/end',
      seq: 6,
      time: 1600,
      data: { turn: 1, reason: { kind: 'interrupted' } },
    });
    expect(dataAt(migrated, 10)).toMatchObject({ messageSeqs: [9] });
    expect(migrated.events[11]).toMatchObject({ sourceEventSeqs: [3, 9], surfaceOp: { op: 'replace', startSeq: 3, endSeq: 9 } });
    expect([5, 6, 8].map(migrated.seqMap)).toEqual([5, 7, 9]);
  });

  it('moves the targets of image offloads', () => {
    const inserted = [{ id: 'q', role: 'user', content: [], source: { kind: 'user' } }];
    const image = { type: 'image', attachment: { attachmentId: 'x', mediaType: 'image/png', width: 1, height: 1, bytes: 1 } };
    const log = new Log(3).open().system().add('step/end', { turn: 1, step: 1 });
    log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted }).open(2);
    log.add('user/message', { id: 'v', role: 'user', content: [image], source: { kind: 'user' } }, { surfaceOp: 'append' });
    log.add('image/offload', { targets: [{ seq: 7, imageIndexes: [0] }] });
    expect(dataAt(log.migrate(4), 9)).toEqual({ targets: [{ seq: 8, imageIndexes: [0] }] });
  });
});

describe('v3 → v4: the catalog of subagents', () => {
  const row = (childId: string, childCreatedAt = 5): unknown => ({
    version: 0,
    childId,
    childCreatedAt,
    mode: 'one-shot',
    label: 'l',
  });
  const base = (): Log =>
    new Log(3, { isSeeded: true, parentSession: 'p' })
      .add('subagent/catalog', row('old'))
      .add('session/end-seed', { inherited: true });

  it('gains the children not yet recorded after the cut, by creation time, then id', () => {
    const log = base().add('subagent/catalog', row('known'));
    const migrated = log.migrate(4, [
      { id: 'b', createdAt: 20, mode: 'continuable', label: 'B' },
      { id: 'known', createdAt: 5, mode: 'one-shot', label: 'l' },
      { id: 'old', createdAt: 20 },
      { id: 'a', createdAt: 20, mode: 'one-shot' },
      { id: 'z', createdAt: 10 },
    ]);
    expect(migrated.events.slice(3)).toEqual([
      { type: 'subagent/catalog', seq: 3, time: 1200, data: { version: 1, childId: 'z', childCreatedAt: 10, mode: 'unknown' } },
      { type: 'subagent/catalog', seq: 4, time: 1200, data: { version: 0, childId: 'a', childCreatedAt: 20, mode: 'one-shot' } },
      {
        type: 'subagent/catalog',
        seq: 5,
        time: 1200,
        data: { version: 0, childId: 'b', childCreatedAt: 20, mode: 'continuable', label: 'B' },
      },
      { type: 'subagent/catalog', seq: 6, time: 1200, data: { version: 1, childId: 'old', childCreatedAt: 20, mode: 'unknown' } },
    ]);
    expect(migrated.inheritedEventCount).toBe(1);
  });

  it('is refused when it repeats itself or contradicts a child', () => {
    expect(base().add('subagent/catalog', row('k')).add('subagent/catalog', row('k')).refusal(4)).toMatchObject({
      from: 3,
      seq: 3,
    });
    expect(
      base()
        .add('subagent/catalog', row('k'))
        .refusal(4, [{ id: 'k', createdAt: 6 }]),
    ).toMatchObject({ from: 3, seq: 2 });
  });
});

describe('childFactsOf', () => {
  const descriptor = (label?: string, mode = 'one-shot'): unknown => ({
    mode,
    version: 3,
    provider: 'p',
    ...(label === undefined ? {} : { label }),
  });
  const factsOf = (log: Log): unknown => childFactsOf(log.header, log.source.events);

  it('are id and creation time, and what the descriptor says', () => {
    expect(factsOf(new Log(4))).toEqual({ id: 's1', createdAt: 900 });
    expect(factsOf(new Log(4).add('subagent/descriptor', descriptor()))).toEqual({ id: 's1', createdAt: 900, mode: 'one-shot' });
    expect(factsOf(new Log(4).add('subagent/descriptor', descriptor('l', 'continuable')))).toEqual({
      id: 's1',
      createdAt: 900,
      mode: 'continuable',
      label: 'l',
    });
    expect(factsOf(new Log(4).add('subagent/descriptor', descriptor('l', 'else')))).toEqual({ id: 's1', createdAt: 900 });
  });

  it('leave an inherited descriptor to the parent', () => {
    const seeded = (): Log =>
      new Log(4, { isSeeded: true })
        .add('subagent/descriptor', descriptor('parent'))
        .add('session/end-seed', { inherited: true });
    expect(factsOf(seeded())).toEqual({ id: 's1', createdAt: 900 });
    expect(factsOf(seeded().add('subagent/descriptor', descriptor('own')))).toMatchObject({ label: 'own' });
    expect(factsOf(new Log(0, { seedLength: 1 }).add('subagent/descriptor', descriptor('parent')))).toEqual({
      id: 's1',
      createdAt: 900,
    });
  });
});

describe('v3 → v4: refusals', () => {
  const tool = { name: 't', description: 'd', parameters: {}, deferLoading: true };

  it.each([
    [
      'a tool that defers its loading',
      new Log(3)
        .open()
        .system()
        .user('u')
        .requestHeader({ tools: [tool] }),
      4,
      /deferLoading/,
    ],
    [
      'a delivery that claims format 4',
      new Log(3).add('session-log-deepseek/delivery-accepted', { sessionId: 's1', throughSeq: 0, sessionFormatVersion: 4 }),
      0,
      /format 4/,
    ],
    [
      'a tool-result block of a user',
      new Log(3)
        .open()
        .system()
        .add('user/message', { id: 'u', role: 'user', content: [wrapper()], source: { kind: 'user' } }, { surfaceOp: 'append' }),
      3,
      /tool-result block/,
    ],
    ['a tool-result block in a tool result', answered(wrapped(wrapper({ content: [wrapper()] }))), 7, /tool-result block/],
    [
      'a tool-result block in a stream',
      new Log(3)
        .open()
        .system()
        .user('u')
        .answer('a', {
          stream: [{ type: 'chunk', time: 1, chunk: { type: 'block-start', index: 0, blockType: 'tool-result' } }],
        }),
      4,
      /tool-result block/,
    ],
    [
      'a tool-result block in a sub-call',
      new Log(3).add('tool/ptc-dispatch', {
        rootCallId: 'r',
        parentCallId: 'r',
        subCallId: 's',
        name: 'n',
        arguments: {},
        isError: false,
        content: [wrapper()],
      }),
      0,
      /tool-result block/,
    ],
    ['a system message after a headless surface', new Log(3).open().user('u').system(), 3, /did not begin with one/],
    [
      'an order that v4 refuses',
      new Log(3).open().system().user('u').add('tool/call', { turn: 1, step: 1, callId: 'c', name: 'n', arguments: '{}' }),
      4,
      /no answer of its step/,
    ],
    [
      'a title that names no prompt',
      new Log(3).add('session/title', { title: 't', messageSeqs: [0], source: { kind: 'fallback' } }),
      0,
      /refers to #0/,
    ],
    ['a repair in other words', repairedWith('It was cut.'), 5, /never started/],
  ])('refuses %s', (_name, log, seq, about) => {
    expect(log.refusal(4)).toEqual({ from: 3, seq, message: expect.stringMatching(about) as unknown });
  });

  it('takes a message without an id, as the real restorer does', () => {
    const log = new Log(3)
      .open()
      .system()
      .add('user/message', { role: 'user', content: [], source: { kind: 'user' } }, { surfaceOp: 'append' });
    expect(log.refusal(4)).toBe('accepted');
  });

  it('takes the exact repair', () => {
    const words = 'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.';
    expect(repairedWith(words).refusal(4)).toBe('accepted');
  });
});

function repairedWith(words: string): Log {
  const content = [{ type: 'tool-result', toolCallId: 'c', content: [text(words)], isError: true }];
  const message = { id: 'interrupted-tool-result-c-5', role: 'user', source: { kind: 'tool', callId: 'c' }, content };
  const error = { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' };
  const log = new Log(3)
    .open()
    .system()
    .user('u')
    .answer('a', { content: [call()] });
  return log.add('tool/result', { turn: 1, step: 1, message, error }, { surfaceOp: 'append' }).close();
}

describe('every edge in one go', () => {
  it('maps seqs over all of them', () => {
    const log = new Log(0)
      .open()
      .user('u')
      .requestHeader({ system: 'S' })
      .chunk('x')
      .answer('a', { sources: [4] })
      .close();
    const migrated = log.migrate(4);
    expect(typesOf(migrated)).toEqual([
      'turn/start',
      'step/start',
      'system/message',
      'user/message',
      'system/message',
      'request/header',
      'assistant/message',
      'step/end',
      'turn/end',
    ]);
    expect([0, 2, 3, 4, 5, 7].map(migrated.seqMap)).toEqual([0, 3, 5, undefined, 6, 8]);
    for (const via of [1, 2, 3]) {
      const first = log.migrate(via);
      const rest = new Log(0);
      const again = Object.assign(rest, { header: first.header, events: first.events }).migrate(4);
      expect(again.events).toEqual(migrated.events);
    }
  });
});
