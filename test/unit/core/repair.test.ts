import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/core/events.ts';
import { repairClosers } from '../../../src/core/repair.ts';

type Draft = readonly [type: string, data: object];

const log = (...drafts: Draft[]): SessionEvent[] =>
  drafts.map(([type, data], seq) => ({ type, seq, time: 50 + seq, data }) as unknown as SessionEvent);
const turn: Draft = ['turn/start', { turn: 3 }];
const step: Draft = ['step/start', { turn: 3, step: 2 }];
const stepEnd: Draft = ['step/end', { turn: 3, step: 2 }];
const answer = (...ids: string[]): Draft => {
  const content = ids.map((id) => ({ type: 'tool-call', id, name: 'n', arguments: '{}' }));
  return ['assistant/message', { turn: 3, step: 2, message: { id: 'a', role: 'assistant', content } }];
};
const call = (callId: string): Draft => ['tool/call', { turn: 3, step: 2, callId }];
const result = (callId: string): Draft => ['tool/result', { turn: 3, step: 2, message: { source: { kind: 'tool', callId } } }];
const shown = (events: readonly SessionEvent[], version = 4): string[] =>
  repairClosers(events, { version, cause: 'interrupted' }).map((event) => {
    const what =
      event.type === 'tool/result' ? ` ${event.data.message.source['callId'] as string} ${event.data.error?.code ?? ''}` : '';
    return `${String(event.seq)}@${String(event.time)} ${event.type}${what}`;
  });

describe('closers of an open tail', () => {
  it('are none without an open turn', () => {
    expect(shown([])).toEqual([]);
    expect(shown(log(['plan/mode', { active: true }]))).toEqual([]);
    expect(shown(log(turn, ['turn/end', { turn: 3 }], ['session/title', {}]))).toEqual([]);
  });

  it('end the turn, and the step if one is open', () => {
    expect(shown(log(turn))).toEqual(['1@50 turn/end']);
    expect(shown(log(turn, step))).toEqual(['2@51 step/end', '3@51 turn/end']);
    expect(shown(log(turn, step, stepEnd))).toEqual(['3@52 turn/end']);
    expect(repairClosers(log(turn, step), { version: 2, cause: 'interrupted' })).toEqual([
      { type: 'step/end', seq: 2, time: 51, data: { turn: 3, step: 2 } },
      { type: 'turn/end', seq: 3, time: 51, data: { turn: 3, reason: { kind: 'interrupted' } } },
    ]);
  });

  it('answer pending calls in the order of the message, started or not', () => {
    expect(shown(log(turn, step, answer('c1', 'c2', 'c3'), call('c2'), call('c3'), result('c3')))).toEqual([
      '6@55 tool/result c1 TOOL_NOT_STARTED',
      '7@55 tool/result c2 TOOL_OUTCOME_UNKNOWN',
      '8@55 step/end',
      '9@55 turn/end',
    ]);
  });

  it('leave calls of closed steps and turns alone', () => {
    expect(shown(log(turn, step, answer('c1'), stepEnd))).toEqual(['4@53 turn/end']);
    const next: Draft = ['turn/start', { turn: 4 }];
    expect(shown(log(turn, step, answer('c1'), ['turn/end', { turn: 3 }], next))).toEqual(['5@54 turn/end']);
  });

  it('ignore a call nobody advertised', () => {
    expect(shown(log(turn, step, call('c9')))).toEqual(['3@52 step/end', '4@52 turn/end']);
  });

  it.each([0, 1, 2, 3])('v%i: a result wrapped in one block', (version) => {
    const [closer] = repairClosers(log(turn, step, answer('c1')), { version, cause: 'interrupted' });
    expect(closer).toEqual({
      type: 'tool/result',
      seq: 3,
      time: 52,
      data: {
        turn: 3,
        step: 2,
        message: {
          id: 'interrupted-tool-result-c1-3',
          role: 'user',
          source: { kind: 'tool', callId: 'c1' },
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              isError: true,
              content: [
                {
                  type: 'text',
                  text: 'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.',
                },
              ],
            },
          ],
        },
        error: { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' },
      },
      surfaceOp: 'append',
    });
  });

  it('v4: a message of the tool role, citing the call that started', () => {
    const [closer] = repairClosers(log(turn, step, answer('c1'), call('c1')), { version: 4, cause: 'interrupted' });
    expect(closer).toMatchObject({
      data: {
        message: {
          id: 'interrupted-tool-result-c1-4',
          role: 'tool',
          toolCallId: 'c1',
          isError: true,
          source: { kind: 'tool', callId: 'c1' },
          content: [{ type: 'text' }],
        },
        error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
      },
      surfaceOp: 'append',
      sourceEventSeqs: [3],
    });
  });

  it('take payloads of any shape', () => {
    const odd = log(turn, ['step/start', [1]], ['assistant/message', { message: { content: [null, { type: 'tool-call' }] } }]);
    expect(shown(odd)).toEqual(['3@52 step/end', '4@52 turn/end']);
  });
});
