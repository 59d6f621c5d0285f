import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/core/events.ts';
import { requestOf } from '../../../src/core/model-request.ts';
import { transcript } from '../../../src/core/transcript.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';

function session(version: Version): { events: StoredEvent[]; seqs: Record<string, number> } {
  const log = new LogBuilder({ version, id: 'transcript', createdAt: 1_000, cwd: '/w' });
  const seqs: Record<string, number> = {};
  seqs['prompt'] = log.prompt('first');
  log.failedAttempt({ text: 'lost' });
  log.retry(1, 100, { message: 'busy', code: 'BUSY' }, 'r');
  log.work({ calls: [{ name: 'read', args: { file_path: 'a' }, result: 'long text' }] });
  seqs['call'] = log.events.findLast((event) => event.type === 'tool/call')?.seq ?? -1;
  seqs['result'] = log.events.findLast((event) => event.type === 'tool/result')?.seq ?? -1;
  seqs['pruned'] = log.prune(seqs['result'], 'short');
  log.reply('done');
  seqs['checkpoint'] = log.compact('what happened');
  seqs['second'] = log.prompt('second');
  log.reply('again');
  return { events: log.events, seqs };
}

const shown = (version: Version): string[] => {
  const { events } = session(version);
  return transcript(events, version).map((row) => {
    switch (row.kind) {
      case 'message':
        return `${row.message.role} from ${row.message.source.kind}${row.callSeq === undefined ? '' : ' (answers a call)'}`;
      case 'turn-end':
        return `turn ${String(row.turn)} ${row.reason}`;
      case 'retry':
        return `retry ${String(row.retry)}`;
      case 'compacted':
        return 'compacted';
    }
  });
};

describe('transcript', () => {
  it.each([0, 1, 2] as const)('v%i: appended messages in log order, never removed', (version) => {
    expect(shown(version)).toEqual([
      'user from user',
      'retry 1',
      'assistant from model',
      'user from tool (answers a call)',
      'assistant from model',
      'turn 1 completed',
      'compacted',
      'user from user',
      'assistant from model',
      'turn 2 completed',
    ]);
  });

  it.each([3, 4] as const)('v%i: the system prompt is a message, its rewriting is none', (version) => {
    const rows = shown(version);
    expect(rows[0]).toMatch(/^system from /);
    expect(rows.filter((row) => row.startsWith('system')).length).toBe(1);
    expect(rows.slice(1, 3)).toEqual(['user from user', 'retry 1']);
    expect(rows).toContain(version === 4 ? 'tool from tool (answers a call)' : 'user from tool (answers a call)');
    expect(rows.filter((row) => row === 'compacted').length).toBe(1);
  });

  it('points at events', () => {
    const { events, seqs } = session(4);
    const rows = transcript(events);
    expect(rows.find((row) => row.kind === 'compacted')?.seq).toBe(seqs['checkpoint']);
    expect(rows.some((row) => row.seq === seqs['pruned'])).toBe(false);
    expect(rows.find((row) => row.seq === seqs['result'])).toMatchObject({ callSeq: seqs['call'] });
    expect(rows.find((row) => row.seq === seqs['result'])).toHaveProperty('message.content', [
      { type: 'text', text: 'long text' },
    ]);
  });

  it('leaves out what holds no message', () => {
    const odd = [
      { type: 'user/message', data: null, surfaceOp: 'append' },
      { type: 'assistant/message', data: { message: 1 }, surfaceOp: 'append' },
      { type: 'user/message', data: {} },
      { type: 'turn/end', data: null },
    ].map((event, seq) => ({ ...event, seq, time: 0 }) as StoredEvent);
    expect(transcript(odd)).toEqual([{ kind: 'turn-end', seq: 3, turn: NaN, reason: '' }]);
  });
});

describe('request of (turn, step, attempt)', () => {
  it.each([0, 2, 4] as const)('v%i: what the log held before the attempt began', (version) => {
    const { events, seqs } = session(version);
    const at = (turn: number, step: number, attempt: number): ReturnType<typeof requestOf> =>
      requestOf(events as never, { turn, step, attempt }, version);
    const human = (request: ReturnType<typeof requestOf>): string[] =>
      (request?.messages ?? []).filter((message) => message.role !== 'system').map((message) => message.source.kind);
    const first = at(1, 1, 1);
    expect(first?.attempt).toMatchObject({ outcome: 'discarded' });
    expect(human(first)).toEqual(['user']);
    expect(first?.header?.config.model).toBe('deepseek-v4');
    expect(first?.route).toMatchObject({ provider: 'deepseek-official', contextWindow: 128_000 });
    const retried = at(1, 1, 2);
    expect(retried?.attempt).toMatchObject({ outcome: 'answered' });
    expect(human(retried)).toEqual(['user']);
    expect(human(at(1, 2, 1))).toEqual(['user', 'model', 'tool']);
    // After the compaction only the checkpoint and the new prompt are left.
    expect(human(at(2, 1, 1))?.at(-1)).toBe('user');
    expect(human(at(2, 1, 1)).length).toBe(2);
    expect(at(2, 1, 1)?.attempt.beforeSeq).toBeGreaterThan(seqs['second'] ?? Infinity);
    expect(at(1, 1, 3)).toBeUndefined();
    expect(at(3, 1, 1)).toBeUndefined();
  });

  it('has no header or route where the log has none', () => {
    const events = [
      { type: 'step/start', seq: 0, time: 1, data: { turn: 1, step: 1 } },
      { type: 'assistant/attempt', seq: 1, time: 2, data: { turn: 1, step: 1, stream: [] } },
    ];
    expect(requestOf(events as never, { turn: 1, step: 1, attempt: 1 })).toMatchObject({
      messages: [],
      header: undefined,
      route: undefined,
    });
  });
});
