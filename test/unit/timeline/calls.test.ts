import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG, NONE, OUTCOME } from '../../../src/timeline/index.ts';
import { answer, build, Lines, rowsOf, toolMessage } from './event-lines.ts';

const append = { surfaceOp: 'append' } as const;
const at = { turn: 1, step: 1 };

function advertised(...calls: readonly (readonly [string, string])[]): Lines {
  const log = new Lines();
  log.add('turn/start', { turn: 1 }); // 0
  log.add('step/start', at); // 1
  log.add('assistant/message', { ...at, message: answer('go', calls), stream: [] }, append); // 2 @1030
  return log;
}

describe('calls', () => {
  it('run in parallel on lanes of their own and reuse a lane that is free', () => {
    const log = advertised(['a', 'read'], ['b', 'bash'], ['c', 'read']);
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 3 @1040
    log.add('tool/call', { ...at, callId: 'b', name: 'bash', arguments: '{}' }); // 4 @1050
    log.add('tool/result', { ...at, message: toolMessage('a') }, append); // 5 @1060
    log.add('tool/call', { ...at, callId: 'c', name: 'read', arguments: '{}' }); // 6 @1070
    log.add('tool/result', { ...at, message: toolMessage('b', 'no', true), error: { name: 'E', code: 'X' } }, append); // 7
    log.add('tool/result', { ...at, message: toolMessage('c') }, append); // 8
    const { tables, strings } = build(log.records);
    expect(strings.names).toEqual(['read', 'bash']);
    expect(rowsOf(tables.calls, 'seq', 'result', 'name', 'start', 'end', 'lane', 'outcome', 'step')).toEqual([
      { seq: 3, result: 5, name: 0, start: 1040, end: 1060, lane: 0, outcome: OUTCOME.completed, step: 0 },
      { seq: 4, result: 7, name: 1, start: 1050, end: 1080, lane: 1, outcome: OUTCOME.error, step: 0 },
      { seq: 6, result: 8, name: 0, start: 1070, end: 1090, lane: 0, outcome: OUTCOME.completed, step: 0 },
    ]);
    expect([...tables.turns.columns.calls]).toEqual([3]);
    expect(tables.entries.columns.pair[3]).toBe(5);
    expect(tables.entries.columns.pair[5]).toBe(3);
    expect((tables.entries.columns.flags[7] ?? 0) & ENTRY_FLAG.error).toBe(ENTRY_FLAG.error);
  });

  it('that were advertised and never started stand at their refusing result', () => {
    const log = advertised(['a', 'read']);
    log.add(
      'tool/result',
      { ...at, message: toolMessage('a', 'not started', true), error: { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' } },
      append,
    ); // 3 @1040
    expect(rowsOf(build(log.records).tables.calls, 'seq', 'result', 'start', 'end', 'outcome', 'entry')).toEqual([
      { seq: 2, result: 3, start: 1040, end: 1040, outcome: OUTCOME.interrupted, entry: 2 },
    ]);
  });

  it('stay open at the end of the log, are abandoned at the end of their turn', () => {
    const log = advertised(['a', 'read'], ['b', 'bash']);
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 3
    const open = build(log.records).tables.calls;
    expect(rowsOf(open, 'seq', 'result', 'outcome', 'end')).toEqual([
      { seq: 2, result: NONE, outcome: OUTCOME.open, end: NaN },
      { seq: 3, result: NONE, outcome: OUTCOME.open, end: NaN },
    ]);
    log.add('turn/end', { turn: 1, reason: { kind: 'completed' } }); // 4
    expect(rowsOf(build(log.records).tables.calls, 'seq', 'outcome', 'end')).toEqual([
      { seq: 2, outcome: OUTCOME.abandoned, end: 1030 },
      { seq: 3, outcome: OUTCOME.abandoned, end: 1050 },
    ]);
  });

  it('match a repeated id to the latest open call and ignore a result nobody asked for', () => {
    const log = advertised(['a', 'read']);
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 3
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 4
    log.add('tool/result', { ...at, message: toolMessage('a') }, append); // 5
    log.add('tool/result', { ...at, message: toolMessage('a') }, append); // 6
    log.add('tool/result', { ...at, message: toolMessage('ghost') }, append); // 7
    const { tables } = build(log.records);
    expect(rowsOf(tables.calls, 'seq', 'result')).toEqual([
      { seq: 3, result: NONE },
      { seq: 4, result: 5 },
    ]);
    expect(tables.entries.columns.pair[7]).toBe(NONE);
  });

  it('are not settled again by a shortened copy of their result', () => {
    const log = advertised(['a', 'read']);
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 3
    log.add('tool/result', { ...at, message: toolMessage('a', 'long') }, append); // 4
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 5: same id again
    log.add(
      'tool/result',
      { ...at, message: toolMessage('a', 'l') },
      { surfaceOp: { op: 'replace', startSeq: 4, endSeq: 4 }, sourceEventSeqs: [4] },
    ); // 6
    expect(rowsOf(build(log.records).tables.calls, 'seq', 'result')).toEqual([
      { seq: 3, result: 4 },
      { seq: 5, result: NONE },
    ]);
  });

  it('have the sessions they started: under the running call that is named like an agent', () => {
    const log = advertised(['a', 'subagent'], ['b', 'bash']);
    log.add('tool/call', { ...at, callId: 'a', name: 'subagent', arguments: '{}' }); // 3
    log.add('tool/call', { ...at, callId: 'b', name: 'bash', arguments: '{}' }); // 4
    log.add('subagent/catalog', { version: 1, childId: 'child-1', mode: 'one-shot' }); // 5
    log.add('tool/result', { ...at, message: toolMessage('a') }, append); // 6
    log.add('tool-workflow/agent-start', { runId: 'r', seq: 1, label: 'l', childId: 'child-2' }); // 7
    log.add('tool/result', { ...at, message: toolMessage('b') }, append); // 8
    log.add('subagent/catalog', { version: 1, childId: 'child-1' }); // 9
    log.add('subagent/catalog', {}); // 10
    const { tables, strings } = build(log.records);
    expect(strings.children).toEqual(['child-1', 'child-2']);
    expect(rowsOf(tables.children, 'seq', 'entry', 'call', 'child')).toEqual([
      { seq: 5, entry: 5, call: 0, child: 0 },
      { seq: 7, entry: 7, call: 1, child: 1 },
      { seq: 9, entry: 9, call: NONE, child: 0 },
    ]);
  });

  it('read the result block of v0–v3', () => {
    const log = advertised(['a', 'read']);
    log.add('tool/call', { ...at, callId: 'a', name: 'read', arguments: '{}' }); // 3
    const content = [{ type: 'tool-result', toolCallId: 'a', content: [], isError: true }];
    log.add('tool/result', { ...at, message: { id: 'r', role: 'user', source: { kind: 'tool', callId: 'a' }, content } }, append); // 4
    expect(rowsOf(build(log.records, 0).tables.calls, 'result', 'outcome')).toEqual([{ result: 4, outcome: OUTCOME.error }]);
  });

  it('know the parent of a sub-call, nested ones too', () => {
    const log = advertised(['a', 'code']);
    const ids = (sub: string, parent: string): object => ({
      rootCallId: 'a',
      parentCallId: parent,
      subCallId: sub,
      name: 'bash',
      arguments: {},
    });
    log.add('tool/call', { ...at, callId: 'a', name: 'code', arguments: '{}' }); // 3
    log.add('tool/ptc-dispatch-start', ids('a:1', 'a')); // 4
    log.add('tool/ptc-dispatch-start', ids('a:1:1', 'a:1')); // 5
    log.add('tool/ptc-dispatch', { ...ids('a:1:1', 'a:1'), isError: false, content: [] }); // 6
    log.add('tool/ptc-dispatch', { ...ids('a:1', 'a'), isError: true, content: [] }); // 7
    log.add('tool/result', { ...at, message: toolMessage('a') }, append); // 8
    const { tables } = build(log.records);
    expect(rowsOf(tables.calls, 'seq', 'result', 'parent', 'lane', 'outcome')).toEqual([
      { seq: 3, result: 8, parent: NONE, lane: 0, outcome: OUTCOME.completed },
      { seq: 4, result: 7, parent: 0, lane: 1, outcome: OUTCOME.error },
      { seq: 5, result: 6, parent: 1, lane: 2, outcome: OUTCOME.completed },
    ]);
    expect([...tables.turns.columns.calls]).toEqual([1]);
  });
});
