import { afterAll, describe, expect, it } from 'vitest';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, sectionSaid, writeBuilt } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

const builder = (): LogBuilder => new LogBuilder({ version: 4, id: 't', createdAt: 1_700_000_000_000, cwd: '/home/dev/t' });

/** The first tab of the first event of a type, durations left out. */
async function cardOf(log: LogBuilder, type: string, nth = 0): Promise<string[]> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  const { generation } = await service.call('overview', {});
  const seq = log.events.filter((event) => event.type === type)[nth]?.seq ?? -1;
  const { pretty } = await service.call('detail', { generation, seq });
  return pretty.map((section) => sectionSaid(section).replace(/Took=[\d.]+ m?s/, 'Took=…'));
}

/** One call of a tool, its arguments as the model wrote them, and its result. */
function called(name: string, written: string, result: string, meta?: unknown): LogBuilder {
  const log = builder();
  log.prompt('go');
  const call = { id: 'call-1', name, arguments: written };
  log.answer({ text: 'Now.', calls: [call] });
  log.result('call-1', log.call(call), { result, ...(meta === undefined ? {} : { meta }) });
  log.endStep().endTurn();
  return log;
}

describe('the card of a call', () => {
  it('has an exit code only where a program ran, whatever the text of a result ends in', async () => {
    const script = '#!/bin/sh\nexit 1';
    expect(await cardOf(called('read', '{"file_path":"run.sh"}', script), 'tool/result')).toEqual([
      'file_path=run.sh',
      'Took=…',
      `Result: ${script}`,
    ]);
    expect(await cardOf(called('bash', '{"command":"./run.sh"}', 'no\nexit code: 1'), 'tool/call')).toEqual([
      'Command: ./run.sh',
      'Exit code=1, Took=…',
      'Failed result: no\nexit code: 1',
    ]);
  });

  it('says that arguments were too long, not that they are no JSON', async () => {
    const long = JSON.stringify({ file_path: 'a', content: 'x'.repeat(1_000_000) });
    const [first] = await cardOf(called('write', long, 'ok'), 'tool/call');
    expect(first).toBe('info: The arguments are too long to be taken apart; this is the text the model produced');
    const [broken] = await cardOf(called('write', '{"file_path":', 'ok'), 'tool/call');
    expect(broken).toBe('warning: The arguments are not a JSON object; this is the text the model produced');
  });

  it('says how many of its edits it leaves out, by arguments and by what the tool kept', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `n${String(i)}`);
    const edits = many.map((name) => ({ old_string: name, new_string: 'z' }));
    const written = await cardOf(called('multi_edit', JSON.stringify({ file_path: 'a', edits }), 'ok'), 'tool/call');
    expect(written.slice(50, 53)).toEqual(['a: n49 => z', 'info: 10 more parts are not shown here', 'Took=…']);
    const diffs = many.map((name) => ({ path: 'b', oldText: name, newText: 'z' }));
    const kept = await cardOf(called('edit', '{"file_path":"b"}', 'ok', { diffs }), 'tool/call');
    expect(kept.slice(50, 53)).toEqual(['b: n49 => z', 'info: 10 more parts are not shown here', 'Took=…']);
  });

  it('shows edits that are none as they were written', async () => {
    const [first] = await cardOf(called('edit', '{"edits":[null,5]}', 'ok', { diffs: [null, 7] }), 'tool/call');
    expect(first).toBe('Arguments: {\n  "edits": [\n    null,\n    5\n  ]\n}');
  });

  it('shows an argument without words', async () => {
    const [first] = await cardOf(called('read', '{"file_path":"","limit":3}', 'ok'), 'tool/call');
    expect(first).toBe('file_path="", limit=3');
  });
});

describe('the card of a message', () => {
  it('says that a prompt is empty', async () => {
    const log = builder();
    log.prompt([]);
    log.reply('Yes?');
    expect(await cardOf(log, 'user/message')).toEqual(['info: The message is empty']);
  });

  it('says how many of its blocks it leaves out, all of them counted', async () => {
    const log = builder();
    log.prompt(Array.from({ length: 1000 }, (_, i) => ({ type: 'text', text: `part ${String(i)}` })));
    log.reply('Many.');
    const card = await cardOf(log, 'user/message');
    expect(card.slice(198)).toEqual(['part 198', 'info: 801 more parts are not shown here']);
  });
});

describe('the card of a step', () => {
  it('of many attempts shows the last, and how many it leaves out', async () => {
    const log = builder();
    log.prompt('go');
    for (let retry = 1; retry <= 30; retry++) {
      const failure = { message: 'Busy.', code: 'RATE_LIMIT' };
      log.failedAttempt({ text: 'par', usage: { inputTokens: 10, outputTokens: retry } });
      log.retry(retry, 10, failure, 'r');
    }
    log.answer({ text: 'At last.', usage: { inputTokens: 10, outputTokens: 77 } });
    log.endStep().endTurn();
    const card = (await cardOf(log, 'step/start')).filter((said) => /^(?:Request|info)/.test(said));
    expect(card.slice(18, 21).map((said) => /Attempt=\d+|info.*|Output tokens=77/g.exec(said)?.[0])).toEqual([
      'Attempt=19',
      'info: 11 attempts in between are not shown here',
      'Attempt=31',
    ]);
    expect(card[20]).toContain('Output tokens=77');
  });
});
