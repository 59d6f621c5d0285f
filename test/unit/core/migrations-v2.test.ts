import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Log, dataAt, text, typesOf } from './migrations-log.ts';

/** The id the format derives for an inserted system message. */
const systemId = (seq: number, type: string): string =>
  `v2-to-v3-system-${createHash('sha256')
    .update(JSON.stringify(['session-format-v2-to-v3', 's1', seq, type]))
    .digest('hex')}`;

const system = (seq: number, type: string, words?: string): unknown => ({
  turn: 1,
  step: 1,
  message: {
    id: systemId(seq, type),
    role: 'system',
    source: { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' },
    content: words === undefined ? [] : [text(words)],
  },
});

describe('v2 → v3: the system prompt', () => {
  it('becomes a node: the worked example', () => {
    const log = new Log(2).open().user('u').requestHeader({ system: 'SYS', tools: [] }).answer('a').close();
    const migrated = log.migrate(3);
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
    expect(migrated.events[2]).toEqual({
      type: 'system/message',
      seq: 2,
      time: 1100,
      data: system(1, 'step/start'),
      surfaceOp: 'append',
    });
    expect(migrated.events[4]).toEqual({
      type: 'system/message',
      seq: 4,
      time: 1300,
      data: system(3, 'request/header', 'SYS'),
      surfaceOp: { op: 'replace', startSeq: 2, endSeq: 2 },
      sourceEventSeqs: [2],
    });
    expect(dataAt(migrated, 5)).toEqual({ header: { config: { provider: 'p', model: 'm' } }, reason: 'initial' });
    expect([0, 1, 2, 3, 4, 5, 6].map(migrated.seqMap)).toEqual([0, 1, 3, 5, 6, 7, 8]);
  });

  it('is replaced only when it changes; absent means empty', () => {
    const log = new Log(2).open().user('u').requestHeader({ system: 'A' }).requestHeader({ system: 'A' }, 'resume');
    log.requestHeader({}, 'change').requestHeader({ system: '' }, 'change');
    const migrated = log.migrate(3);
    expect(typesOf(migrated).slice(4)).toEqual([
      'system/message',
      'request/header',
      'request/header',
      'system/message',
      'request/header',
      'request/header',
    ]);
    expect(migrated.events[7]).toMatchObject({
      data: system(5, 'request/header'),
      surfaceOp: { op: 'replace', startSeq: 4, endSeq: 4 },
      sourceEventSeqs: [4],
    });
  });

  it('is not touched when no header carries one', () => {
    const log = new Log(2)
      .open()
      .user('u')
      .requestHeader({ adapterDefaults: {}, tools: [{ name: 't', description: '', parameters: {} }] });
    const migrated = log.migrate(3);
    expect(typesOf(migrated).filter((type) => type === 'system/message')).toHaveLength(1);
    expect(dataAt(migrated, 4)).toEqual({
      header: { config: { provider: 'p', model: 'm' }, tools: [{ name: 't', description: '', parameters: {} }] },
      reason: 'initial',
    });
  });

  it('shifts the cut', () => {
    const log = new Log(2, { isSeeded: true, parentSession: 'p' })
      .open()
      .user('u')
      .close()
      .add('session/end-seed', { inherited: true });
    expect(log.migrate(3).inheritedEventCount).toBe(6);
  });
});

describe('v2 → v3: spellings', () => {
  it('renames ranges, code dispatches, the code plugin and the preset', () => {
    const log = new Log(2, { agentPreset: 'code' }).add('agent-preset/selected', { agentPreset: 'code' }).open();
    const source = { kind: 'plugin', plugin: 'tools-code-mode' };
    log.add('agent/inbox/spliced', { target: 'next-step', start: 0, inserted: [{ id: 'i', role: 'user', content: [], source }] });
    log.user('u', 'u', source);
    log.add(
      'user/message',
      { id: 'v', role: 'user', content: [], source: { kind: 'user' } },
      {
        sourceEventSeqs: [4],
        surfaceOp: { op: 'replace', start: 4, end: 4 },
      },
    );
    const call = { rootCallId: 'r', parentCallId: 'r', subCallId: 's', name: 'n', arguments: {} };
    log.add('tool/code-dispatch-start', call).add('tool/code-dispatch', { ...call, isError: false, content: [] });
    const migrated = log.migrate(3);
    expect(migrated.header.agentPreset).toBe('ptc');
    expect(dataAt(migrated, 0)).toEqual({ agentPreset: 'ptc' });
    expect(dataAt(migrated, 4)).toMatchObject({ inserted: [{ source: { kind: 'plugin', plugin: 'tools-ptc' } }] });
    expect(dataAt(migrated, 5)).toMatchObject({ source: { kind: 'plugin', plugin: 'tools-ptc' } });
    expect(migrated.events[6]).toMatchObject({ sourceEventSeqs: [5], surfaceOp: { op: 'replace', startSeq: 5, endSeq: 5 } });
    expect(Object.keys(migrated.events[6]?.surfaceOp ?? {})).toHaveLength(3);
    expect(typesOf(migrated).slice(7)).toEqual(['tool/ptc-dispatch-start', 'tool/ptc-dispatch']);
  });

  it('leaves other plugins alone, in every message it looks at', () => {
    const source = { kind: 'plugin', plugin: 'acme' };
    const log = new Log(2).open().user('u', 'u', source).user('v', 'v', { kind: 'webhook', plugin: 'tools-code-mode' });
    const migrated = log.migrate(3);
    expect([dataAt(migrated, 3), dataAt(migrated, 4)]).toMatchObject([{ source }, { source: { plugin: 'tools-code-mode' } }]);
  });

  it('renames the code plugin in results and title requests', () => {
    const source = { kind: 'plugin', plugin: 'tools-code-mode' };
    const log = new Log(2).add('session/title-llm-request', {
      titleProvider: 'x',
      messageSeqs: [],
      route: { provider: 'p', model: 'm' },
      system: '',
      messages: [{ id: 'i', role: 'user', content: [], source }],
      maxTokens: 9,
    });
    expect(dataAt(log.migrate(3), 0)).toMatchObject({ messages: [{ source: { kind: 'plugin', plugin: 'tools-ptc' } }] });
  });

  it('leaves other presets alone', () => {
    const log = new Log(2, { agentPreset: 'plain' }).add('agent-preset/selected', { agentPreset: 'plain' });
    expect([log.migrate(3).header.agentPreset, dataAt(log.migrate(3), 0)]).toEqual(['plain', { agentPreset: 'plain' }]);
  });
});

describe('v2 → v3: refusals', () => {
  const repaired = (id: string): Log => {
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    const log = new Log(2)
      .open()
      .user('u')
      .answer('a', { content: [call] });
    const content = [{ type: 'tool-result', toolCallId: 'c', content: [], isError: true }];
    const message = { id, role: 'user', source: { kind: 'tool', callId: 'c' }, content };
    const error = { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' };
    return log.add('tool/result', { turn: 1, step: 1, message, error }, { surfaceOp: 'append' });
  };

  it.each([
    ['a surface event before the first step', new Log(2).add('turn/start', { turn: 1 }).user('u'), 1, /before the first step/],
    ['a prompt that changes outside a step', new Log(2).open().close().requestHeader({ system: 'A' }), 4, /outside a step/],
    [
      'a prompt before the first step',
      new Log(2).add('turn/start', { turn: 1 }).requestHeader({ system: 'A' }),
      1,
      /outside a step/,
    ],
    ['an unclassified type', new Log(2).add('x/y', {}, { ignorable: true }), 0, /x\/y/],
    ['an unclassified source', new Log(2).open().user('u', 'u', { kind: 'acme' }), 2, /"source\.kind"/],
    [
      'an unclassified block',
      new Log(2)
        .open()
        .add(
          'user/message',
          { id: 'u', role: 'user', content: [{ type: 'chart' }], source: { kind: 'user' } },
          { surfaceOp: 'append' },
        ),
      2,
      /"content\[0\]\.type"/,
    ],
    [
      'an answer that still cites sources',
      new Log(2)
        .open()
        .user('u')
        .answer('a', { sources: [2] }),
      3,
      /still cites sources/,
    ],
    ['a repair with an id of another making', repaired('repair-1'), 4, /no repair makes/],
    ['a repair with a padded number', repaired('interrupted-tool-result-c-04'), 4, /no repair makes/],
    ['a message with the id of a made prompt', new Log(2).open().user(systemId(1, 'step/start')), 2, /the migration makes/],
    [
      'such a message before its prompt is made',
      new Log(2).open().user(systemId(3, 'request/header')).requestHeader({ system: 'A' }),
      2,
      /the migration makes/,
    ],
    [
      'a malformed stream',
      new Log(2)
        .open()
        .user('u')
        .answer('a', { stream: [{ type: 'x' }] }),
      3,
      /"stream"/,
    ],
  ])('refuses %s', (_name, log, seq, about) => {
    expect(log.refusal(3)).toEqual({ from: 2, seq, message: expect.stringMatching(about) as unknown });
    expect(log.refusal(4)).toMatchObject({ from: 2, seq });
  });

  it('takes a canonical repair', () => {
    expect(repaired('interrupted-tool-result-c-4').refusal(3)).toBe('accepted');
  });

  it.each([
    [{ isSeeded: true }, /no inherited end-seed/],
    [{ isSeeded: 'no' }, /"isSeeded"/],
    [{ seedLength: 0 }, /"seedLength"/],
  ])('refuses the header with %j', (members, about) => {
    expect(new Log(2, members).refusal(3)).toEqual({ from: 2, seq: undefined, message: expect.stringMatching(about) as unknown });
  });
});
