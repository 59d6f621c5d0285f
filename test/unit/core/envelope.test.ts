import { describe, expect, it } from 'vitest';
import { envelopeProblem, payloadProblem } from '../../../src/core/envelope.ts';
import type { StoredEvent } from '../../../src/core/events.ts';

/** What dsh looks at in one event alone. format/events.md §1, §2, §5; format/on-disk.md §6. */

const good = { type: 'todo/write', seq: 0, time: 1, data: {} };

describe('envelope', () => {
  it.each([
    good,
    { ...good, ignorable: true },
    { ...good, time: -5 },
    { ...good, data: null },
    { ...good, surfaceOp: 'append', sourceEventSeqs: [1] },
  ])('%j is one', (event) => {
    expect(envelopeProblem(event)).toBeUndefined();
  });

  it.each([
    { ...good, extra: 1 },
    { ...good, type: 1 },
    { ...good, time: 0.5 },
    { ...good, time: '1' },
    { type: 'todo/write', seq: 0, time: 1 },
    { ...good, ignorable: false },
    { ...good, ignorable: 'true' },
  ])('%j is none', (event) => {
    expect(envelopeProblem(event)?.args['seq']).toBe(0);
  });
});

const user = { id: 'u', role: 'user', content: [], source: { kind: 'user' } };
const model = { kind: 'model', provider: 'p', model: 'm' };
const answer = { id: 'a', role: 'assistant', content: [], source: model };
const wrapped = {
  id: 't',
  role: 'user',
  source: { kind: 'tool', callId: 'c' },
  content: [{ type: 'tool-result', toolCallId: 'c', content: [] }],
};
const direct = { id: 't', role: 'tool', toolCallId: 'c', source: { kind: 'tool', callId: 'c' }, content: [] };
const event = (type: string, data: unknown): StoredEvent => ({ type, seq: 7, time: 1, data });
const refusedBy = (type: string, data: unknown, versions: readonly number[]): number[] =>
  versions.filter((version) => payloadProblem(event(type, data), version)?.refuses === true);
const flaggedBy = (type: string, data: unknown): number[] =>
  [0, 1, 2, 3, 4].filter((version) => payloadProblem(event(type, data), version) !== undefined);
const ALL = [0, 1, 2, 3, 4];

describe('messages', () => {
  it('good ones', () => {
    expect(flaggedBy('user/message', user)).toEqual([]);
    expect(flaggedBy('assistant/message', { turn: 1, step: 1, message: answer, stream: [] })).toEqual([]);
    expect(flaggedBy('tool/result', { message: wrapped })).toEqual([4]);
    expect(flaggedBy('tool/result', { message: direct })).toEqual([0, 1, 2, 3]);
    expect(flaggedBy('system/message', { message: { ...user, role: 'system' } })).toEqual([]);
    expect(flaggedBy('developer/message', { message: { ...user, role: 'developer' } })).toEqual([]);
  });

  it.each([
    ['no id', { ...user, id: undefined }],
    ['an empty id', { ...user, id: '' }],
    ['another role', { ...user, role: 'assistant' }],
    ['no source', { ...user, source: undefined }],
    ['a source without kind', { ...user, source: { kind: '' } }],
  ])('%s is flagged everywhere, and refused up to v2', (_, message) => {
    expect(flaggedBy('user/message', message)).toEqual(ALL);
    expect(refusedBy('user/message', message, ALL)).toEqual([0, 1, 2]);
  });

  it.each([
    ['no message at all', 'x'],
    ['content that is no list', { ...user, content: 'x' }],
  ])('%s is refused everywhere', (_, message) => {
    expect(refusedBy('user/message', message, ALL)).toEqual(ALL);
  });

  it('an answer names provider and model', () => {
    const anonymous = { message: { ...answer, source: { kind: 'model', provider: 'p' } }, stream: [] };
    expect(refusedBy('assistant/message', anonymous, ALL)).toEqual([0, 1, 2]);
  });

  it('a tool-result block is refused anywhere in v4', () => {
    const nested = {
      ...user,
      content: [{ type: 'plugin:box', content: [{ type: 'tool-result', toolCallId: 'c', content: [] }] }],
    };
    expect(refusedBy('user/message', nested, ALL)).toEqual([4]);
    expect(refusedBy('tool/result', { message: { ...direct, content: wrapped.content } }, [4])).toEqual([4]);
  });

  it('a plugin source ended with v3', () => {
    expect(flaggedBy('user/message', { ...user, source: { kind: 'plugin', plugin: 'x' } })).toEqual([4]);
  });

  it.each([
    ['two wrappers', { ...wrapped, content: [...wrapped.content, ...wrapped.content] }],
    ['no wrapper', { ...wrapped, content: [{ type: 'text', text: 'x' }] }],
    ['two call ids', { ...wrapped, source: { kind: 'tool', callId: 'd' } }],
    ['no call id', { ...wrapped, source: { kind: 'tool' } }],
    ['another kind of source', { ...wrapped, source: { kind: 'user' } }],
  ])('a tool result with %s is refused up to v3', (_, message) => {
    expect(refusedBy('tool/result', { message }, [0, 1, 2, 3])).toEqual([0, 1, 2, 3]);
  });

  it('an error needs isError, from v3 on', () => {
    const error = { name: 'E', code: 'X' };
    expect(flaggedBy('tool/result', { message: wrapped, error })).toEqual([3, 4]);
    expect(flaggedBy('tool/result', { message: { ...direct, isError: true }, error })).not.toContain(4);
    expect(flaggedBy('tool/result', { message: direct, error })).toContain(4);
  });

  it('an answer and an attempt carry a stream from v2 on', () => {
    expect(refusedBy('assistant/message', { message: answer }, ALL)).toEqual([2, 3, 4]);
    expect(refusedBy('assistant/attempt', { turn: 1, step: 1, stream: [{ type: 'x' }] }, ALL)).toEqual([2, 3, 4]);
    expect(flaggedBy('assistant/attempt', { turn: 1, step: 1, stream: [] })).toEqual([]);
  });
});

describe('request headers', () => {
  const config = { provider: 'p', model: 'm' };
  const header = (value: object, reason = 'initial'): unknown => ({ header: value, reason });

  it.each([
    ['the retired reason', header({ config }, 'fallback'), ALL],
    ['no provider', header({ config: { model: 'm' } }), ALL],
    ['an empty effort', header({ config: { ...config, reasoningEffort: '' } }), ALL],
    ['a default that is not true', header({ config: { ...config, maxTokens: 1 }, adapterDefaults: { maxTokens: 1 } }), ALL],
    ['a default of nothing', header({ config, adapterDefaults: { maxTokens: true } }), ALL],
    ['an unknown default', header({ config, adapterDefaults: { other: true } }), ALL],
    ['empty tools', header({ config, tools: [] }), [3, 4]],
    ['empty defaults', header({ config, adapterDefaults: {} }), [3, 4]],
    ['a system prompt', header({ config, system: 's' }), [3, 4]],
    ['nothing wrong', header({ config: { ...config, maxTokens: 1 }, adapterDefaults: { maxTokens: true } }), []],
  ])('with %s', (_, data, versions) => {
    expect(refusedBy('request/header', data, ALL)).toEqual(versions);
  });
});

describe('turn ends of v0', () => {
  it.each([
    [{ turn: 1, reason: { kind: 'completed' } }, []],
    [{ turn: 0, reason: { kind: 'completed' } }, [0]],
    [{ turn: 1 }, [0]],
    [true, []],
    [{ turn: 1, reason: { kind: 'completed', more: 1 } }, [0]],
    [{ turn: 1, reason: { kind: 'aborted', reason: { kind: 'user' } } }, []],
    [{ turn: 1, reason: {} }, [0]],
    [{ turn: 1, reason: { kind: 'completed' }, x: 1 }, [0]],
  ])('%j', (data, versions) => {
    expect(refusedBy('turn/end', data, ALL)).toEqual(versions);
  });
});

describe('retired types', () => {
  it('header deltas in every version, modes up to v1', () => {
    expect(refusedBy('request/header-delta', {}, ALL)).toEqual(ALL);
    expect(refusedBy('mode/set', {}, ALL)).toEqual([0, 1]);
  });
});
