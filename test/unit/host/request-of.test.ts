import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestOf, type PlaceInLog } from '../../../src/host/commands/request-of.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, writeBuilt, type Call } from '../worker/session-harness.ts';

const root = tempRoot();
const failure = { message: 'broke', code: 'X' };

/** Step 1.1 is answered at the third try, step 1.2 at the first, step 2.1 not at all. */
function retried(version: Version): LogBuilder {
  const log = new LogBuilder({ version, id: 'retried', createdAt: 1_700_000_000_000, cwd: '/home/dev/d' });
  log.prompt('List.');
  for (const retry of [1, 2]) {
    log.failedAttempt({ text: 'Ha', finish: { kind: 'error', failure } });
    log.retry(retry, 10, failure, 'r');
  }
  log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
  log.reply('One file.');
  log.prompt('Wait.');
  return log;
}

describe.each([4, 1] as const)('in a log of format %i, the request', (version) => {
  const log = retried(version);
  const seqOf = (type: string, n = 0): number => log.events.filter((event) => event.type === type)[n]?.seq ?? -1;
  let service: ReturnType<typeof openService>;
  let named: (place: PlaceInLog) => Promise<string | undefined>;
  const asked: string[] = [];

  beforeAll(async () => {
    service = openService(await writeBuilt(root.fresh(), log));
    const call: Call = (method, args) => {
      asked.push(method);
      return service.call(method, args);
    };
    named = async (place) => {
      const found = await requestOf({ call }, place);
      return found && `${found.turn}.${found.step} attempt ${found.attempt}`;
    };
  });
  afterAll(() => service.dispose());

  it('of a step that was tried three times is that of the third', async () => {
    asked.length = 0;
    expect(await named({ turn: 1, step: 1 })).toBe('1.1 attempt 3');
    expect(asked).toEqual(['lastAttempt']);
    expect(await named({ turn: 1, step: 1, seq: 0 })).toBe('1.1 attempt 3'); // what is named outweighs where it stands
  });

  it('of an event of such a step is that of the third as well, wherever in the step the event stands', async () => {
    const events = [
      seqOf('step/start'),
      seqOf('user/message'),
      seqOf('llm/retry', 0),
      seqOf('llm/retry-started', 1),
      seqOf('assistant/message', 0),
      seqOf('tool/result', 0),
      seqOf('step/end', 0),
    ];
    for (const seq of events) expect([seq, await named({ seq })]).toEqual([seq, '1.1 attempt 3']);
  });

  it('of the event that a discarded attempt came to is that attempt’s own', async () => {
    const settling = version === 4 ? [seqOf('assistant/attempt', 0), seqOf('assistant/attempt', 1)] : [seqOf('assistant/chunk')];
    for (const [i, seq] of settling.entries()) expect(await named({ seq })).toBe(`1.1 attempt ${i + 1}`);
  });

  it('of an attempt that is named is that attempt’s', async () => {
    expect(await named({ turn: 1, step: 1, attempt: 2 })).toBe('1.1 attempt 2');
  });

  it('of a step that was tried once, or not yet, is that of the first', async () => {
    expect(await named({ turn: 1, step: 2 })).toBe('1.2 attempt 1');
    expect(await named({ seq: seqOf('turn/end') - 1 })).toBe('1.2 attempt 1');
    expect(await named({ turn: 2, step: 1 })).toBe('2.1 attempt 1');
  });

  it('of a step that the log has not is none either, and that is said', async () => {
    await expect(named({ turn: 1, step: 3 })).rejects.toMatchObject({ code: 'not-found' });
    await expect(named({ turn: 3, step: 1 })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('of a place outside any step is none', async () => {
    expect(await named({ seq: seqOf('turn/start') })).toBeUndefined();
    expect(await named({ turn: 1 })).toBeUndefined();
    expect(await named({})).toBeUndefined();
  });
});
