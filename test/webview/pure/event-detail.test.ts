import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../src/protocol/index.ts';
import type { SessionClient } from '../../../webview/api/session-client.ts';
import { DetailLoader } from '../../../webview/state/event-detail.ts';

interface Call {
  readonly seq: number;
  readonly generation: number;
  answer(error?: Error): Promise<void>;
}

/** A loader over a host that answers when told to, with the seq and the generation it was asked for. */
function setUp(): { loader: DetailLoader; calls: Call[]; shown: (number | undefined)[] } {
  const calls: Call[] = [];
  const call = (_method: string, args: { seq: number; generation: number }): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const answer = async (error?: Error): Promise<void> => {
        if (error) reject(error);
        else resolve(args);
        await new Promise((done) => setImmediate(done)); // all that follows from it has happened
      };
      calls.push({ ...args, answer });
    });
  const shown: (number | undefined)[] = [];
  const client = { call } as unknown as SessionClient;
  const loader: DetailLoader = new DetailLoader(client, () => shown.push(loader.state?.value?.seq));
  return { loader, calls, shown };
}

describe('the detail of the selection', () => {
  it('is asked for once at a time, and then for what is selected by then', async () => {
    const { loader, calls, shown } = setUp();
    for (const seq of [1, 2, 3, 4]) void loader.load(1, seq);
    expect(calls.map(({ seq }) => seq)).toEqual([1]);
    expect(loader.state).toEqual({ seq: 4, value: undefined, problem: undefined });
    await calls[0]!.answer();
    expect(calls.map(({ seq }) => seq)).toEqual([1, 4]);
    expect(shown).toEqual([]); // nobody looks at event 1 any more
    await calls[1]!.answer();
    expect(shown).toEqual([4]);
    void loader.load(1, 5);
    expect(calls.map(({ seq }) => seq)).toEqual([1, 4, 5]);
    expect(loader.state).toMatchObject({ seq: 5, value: { seq: 4 } }); // the former one stays meanwhile
  });

  it('is asked for again when the log was read again meanwhile', async () => {
    const { loader, calls, shown } = setUp();
    void loader.load(1, 7);
    void loader.load(2, 7);
    await calls[0]!.answer(new RpcError('stale', 'generation 1 is gone'));
    expect(calls.map(({ generation }) => generation)).toEqual([1, 2]);
    await calls[1]!.answer();
    expect(shown).toEqual([7]);
    expect(loader.state?.problem).toBeUndefined();
  });

  it('says why it cannot be had, and goes on with the next', async () => {
    const { loader, calls, shown } = setUp();
    void loader.load(1, 7);
    await calls[0]!.answer(new RpcError('failed', 'the disk is gone'));
    expect(loader.state).toEqual({ seq: 7, value: undefined, problem: 'the disk is gone' });
    void loader.load(1, 8);
    await calls[1]!.answer();
    expect(shown).toEqual([undefined, 8]);
  });

  it('is dropped with the selection', async () => {
    const { loader, calls, shown } = setUp();
    void loader.load(1, 7);
    loader.clear();
    await calls[0]!.answer();
    expect(loader.state).toBeUndefined();
    expect(shown).toEqual([]);
    void loader.load(1, 8);
    expect(calls).toHaveLength(2);
  });
});
