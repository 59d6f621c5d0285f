import { describe, expect, it } from 'vitest';
import { citedSeqs, ENTRY_FLAG, FAMILY, MARK, NONE, OUTCOME, REPLACEMENT, type LogFacts } from '../../../src/timeline/index.ts';
import { answer, build, human, Lines, rowsOf, usage } from './event-lines.ts';

const append = { surfaceOp: 'append' } as const;

/** Nodes 0, 1, 2 replaced by 5; node 6 pruned by 8. */
const states: LogFacts['nodeState'] = (seq) => (seq <= 2 ? { shadowedBy: 5 } : seq === 6 ? { shadowedBy: 8 } : 'current');

function compacted(): Lines {
  const log = new Lines();
  log.add('user/message', human('one'), append); // 0
  log.add('assistant/message', { turn: 1, step: 1, message: answer('two'), stream: [] }, append); // 1
  log.add('user/message', human('three'), append); // 2
  log.add('compaction/start', { compactionId: 'k', turn: null }); // 3 @1040
  log.add('compaction/summary', {
    compactionId: 'k',
    summary: [],
    shadowedSeqs: [0, 1, 2],
    shadowedTokenCount: 900,
    usage: usage(900, 44),
  }); // 4
  log.add(
    'user/message',
    { ...human('sum'), source: { kind: 'compact-checkpoint', compactionId: 'k' } },
    { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 2 }, sourceEventSeqs: [[0, 2], 4] as never },
  ); // 5
  log.add('user/message', human('four'), append); // 6
  log.add('compaction/prune', { shadowedSeqs: [6], shadowedTokenCount: 30 }); // 7
  log.add('user/message', human('4'), { surfaceOp: { op: 'replace', startSeq: 6, endSeq: 6 }, sourceEventSeqs: [6] }); // 8
  log.add('compaction/end', { compactionId: 'k', turn: null }); // 9 @1100
  return log;
}

describe('replacements and compactions', () => {
  it('carry kind, range, tokens and what they shadow', () => {
    const { tables } = build(compacted().records, 4, { nodeState: states });
    expect(
      rowsOf(tables.replacements, 'seq', 'kind', 'from', 'to', 'firstSeq', 'lastSeq', 'tokensBefore', 'tokensAfter'),
    ).toEqual([
      { seq: 5, kind: REPLACEMENT.compaction, from: 0, to: 3, firstSeq: 0, lastSeq: 2, tokensBefore: 900, tokensAfter: 44 },
      { seq: 8, kind: REPLACEMENT.prune, from: 3, to: 4, firstSeq: 6, lastSeq: 6, tokensBefore: 30, tokensAfter: NaN },
    ]);
    expect([...tables.shadowedSeqs.columns.seq]).toEqual([0, 1, 2, 6]);
    expect(rowsOf(tables.compactions, 'startSeq', 'summarySeq', 'replacement', 'endSeq', 'start', 'end', 'outcome')).toEqual([
      { startSeq: 3, summarySeq: 4, replacement: 0, endSeq: 9, start: 1040, end: 1100, outcome: OUTCOME.completed },
    ]);
    expect([...tables.entries.columns.shadowedBy]).toEqual([5, 5, 5, NONE, NONE, NONE, 8, NONE, NONE, NONE]);
  });

  it('drop a replacement the fold refused, and flag its event', () => {
    const nodeState: LogFacts['nodeState'] = (seq) => (seq === 5 || seq === 8 ? 'log-only' : 'current');
    const { tables } = build(compacted().records, 4, { nodeState });
    expect(tables.replacements.length).toBe(0);
    expect(tables.compactions.columns.replacement[0]).toBe(NONE);
    const flags = tables.entries.columns.flags[5] ?? 0;
    expect(flags & (ENTRY_FLAG.invalid | ENTRY_FLAG.surface)).toBe(ENTRY_FLAG.invalid);
  });

  it('abandon a bracket at an end-seed, fail it on an error, and leave a running one open', () => {
    const log = new Lines();
    log.add('compaction/start', { compactionId: 'a', turn: null }); // 0
    log.add('session/end-seed', {}); // 1 @1020
    log.add('compaction/start', { compactionId: 'b', turn: null }); // 2
    log.add('compaction/end', { compactionId: 'b', turn: null, error: { message: 'no' } }); // 3
    log.add('compaction/start', { compactionId: 'c', turn: null }); // 4
    expect(rowsOf(build(log.records).tables.compactions, 'startSeq', 'endSeq', 'end', 'outcome')).toEqual([
      { startSeq: 0, endSeq: NONE, end: 1020, outcome: OUTCOME.abandoned },
      { startSeq: 2, endSeq: 3, end: 1040, outcome: OUTCOME.error },
      { startSeq: 4, endSeq: NONE, end: NaN, outcome: OUTCOME.open },
    ]);
  });

  it('call a rewritten system prompt what it is', () => {
    const log = new Lines();
    log.add('system/message', { turn: 1, step: 1, message: { content: [] } }, append);
    log.add(
      'system/message',
      { turn: 1, step: 1, message: { content: [] } },
      { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 }, sourceEventSeqs: [0] },
    );
    const { tables } = build(log.records, 4, { nodeState: (seq) => (seq === 0 ? { shadowedBy: 1 } : 'current') });
    expect([...tables.replacements.columns.kind]).toEqual([REPLACEMENT.system]);
  });
});

describe('flags, marks and families', () => {
  it('mark prompts, approvals and damage in the order of the log', () => {
    const log = new Lines();
    log.add('user/message', human('hello'), append); // 0
    log.add('user/message', { ...human('x'), source: { kind: 'plugin', plugin: 'p' } }, append); // 1
    log.add('approval/asked', { id: 'q', toolName: 'bash' }); // 2
    log.add('approval/decided', { id: 'q', outcome: 'rejected' }, {}, 70); // 3
    const { tables } = build(log.records, 4, { findings: [1] });
    expect(rowsOf(tables.marks, 'seq', 'kind')).toEqual([
      { seq: 0, kind: MARK.prompt },
      { seq: 1, kind: MARK.damage },
      { seq: 2, kind: MARK.approval },
    ]);
    expect(tables.entries.columns.duration[2]).toBe(70);
    expect([...tables.entries.columns.flags].map((f) => f & (ENTRY_FLAG.human | ENTRY_FLAG.finding))).toEqual([
      ENTRY_FLAG.human,
      ENTRY_FLAG.finding,
      0,
      0,
    ]);
  });

  it('flag what is refused and what is not yet committed', () => {
    const log = new Lines();
    for (let i = 0; i < 4; i++) log.add('user/message', human('x'), append);
    const asked: number[] = [];
    const { tables } = build(log.records, 4, {
      refusedFrom: 2,
      uncommittedEvents: 1,
      nodeState: (seq) => {
        asked.push(seq);
        return 'current';
      },
    });
    const mask = ENTRY_FLAG.refused | ENTRY_FLAG.uncommitted;
    expect([...tables.entries.columns.flags].map((f) => f & mask)).toEqual([0, 0, ENTRY_FLAG.refused, mask]);
    expect(asked).toEqual([0, 1]); // nothing is asked of the fold past a refusal
  });

  it('give every type its family by the version of the log', () => {
    const log = new Lines();
    for (const type of [
      'turn/start',
      'assistant/attempt',
      'request/header',
      'image/offload',
      'todo/write',
      'tool/ptc-dispatch',
      'developer/message',
      'x/y',
    ])
      log.add(type, {}, { ignorable: true });
    const families = (version: number): number[] => [...build(log.records, version).tables.entries.columns.family];
    expect(families(4)).toEqual([
      FAMILY.structure,
      FAMILY.conversation,
      FAMILY.settings,
      FAMILY.context,
      FAMILY.state,
      FAMILY.conversation,
      FAMILY.conversation,
      FAMILY.unknown,
    ]);
    log.add('feedback/message-put', {});
    expect(families(0).at(-1)).toBe(FAMILY.unknown);
    expect(families(2).at(-1)).toBe(FAMILY.state);
  });

  it('records the time span and the last activity; an end-seed is none', () => {
    const log = new Lines();
    log.add('user/message', human('x'), append); // 1010
    log.add('tool/call', { callId: 'c', name: 'n' }, {}, -500); // 510
    log.add('session/end-seed', {}, {}, 9000); // 9510
    const timeline = build(log.records);
    expect(timeline.time).toEqual({ first: 510, last: 9510 });
    expect(timeline.lastActivity).toBe(1010);
    expect(build([]).time).toBeUndefined();
  });

  it('keeps the recorded window with each point of the context', () => {
    const log = new Lines();
    log.add('request/context', { provider: 'p', model: 'm', contextWindow: 1000 });
    log.add(
      'assistant/message',
      {
        turn: 1,
        step: 1,
        message: answer('a'),
        stream: [],
        usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 7 },
      },
      append,
    );
    const timeline = build(log.records);
    expect(rowsOf(timeline.tables.context, 'seq', 'tokens', 'window')).toEqual([{ seq: 1, tokens: 122, window: 1000 }]);
    expect(timeline.contextWindow).toBe(1000);
  });
});

describe('citations', () => {
  it('are every earlier seq an event names, ranges expanded', () => {
    expect(citedSeqs({ type: 'user/message', seq: 20, sourceEventSeqs: [1, [3, 5], 9], data: {} }, 100)).toEqual([1, 3, 4, 5, 9]);
    expect(citedSeqs({ type: 'command/done', seq: 20, data: { sourceEventSeq: 4 } }, 100)).toEqual([4]);
    expect(
      citedSeqs({ type: 'image/offload', seq: 20, data: { targets: [{ seq: 6, imageIndexes: [0] }, { seq: 2 }] } }, 100),
    ).toEqual([2, 6]);
    expect(citedSeqs({ type: 'developer/message', seq: 20, sourceEventSeqs: [7], data: { headerSeq: 5 } }, 100)).toEqual([5, 7]);
  });

  it('stop at the event itself and at the limit, however wide a stored range is', () => {
    expect(citedSeqs({ type: 'user/message', seq: 3, sourceEventSeqs: [[0, 4_000_000_000]], data: {} }, 100)).toEqual([0, 1, 2]);
    expect(citedSeqs({ type: 'user/message', seq: 1e6, sourceEventSeqs: [[0, 4_000_000_000]], data: {} }, 3)).toEqual([0, 1, 2]);
    expect(citedSeqs({ type: 'user/message', seq: 9, sourceEventSeqs: ['a', [5, 3], [1], null, -1], data: null }, 10)).toEqual(
      [],
    );
  });
});
