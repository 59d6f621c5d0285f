import { text } from '../../../src/core/index.ts';
import { describe, expect, it } from 'vitest';
import { createCaller, isMessage, RpcError, serve, Transfer, type Message, type Service } from '../../../src/protocol/index.ts';

interface Methods {
  double(args: { readonly n: number }): number;
  wait(args: Record<never, never>): string;
  buffer(args: Record<never, never>): ArrayBuffer;
  sentence(args: Record<never, never>): void;
  fail(args: Record<never, never>): never;
}

const any = (args: unknown): Record<never, never> | undefined => (typeof args === 'object' && args !== null ? {} : undefined);

/** Both ends of a channel in one place; `posted` is what the service sent. */
function channel(): {
  caller: ReturnType<typeof createCaller<Methods>>;
  posted: Message[];
  moved: number[];
  release: () => void;
  aborted: () => boolean;
} {
  const posted: Message[] = [];
  const moved: number[] = [];
  let release: (value: string) => void = () => undefined;
  let aborted = false;
  const service: Service<Methods> = {
    double: {
      check: (args) => (typeof (args as { n?: unknown } | null)?.n === 'number' ? (args as { n: number }) : undefined),
      run: ({ n }) => n * 2,
    },
    wait: {
      check: any,
      run: (_, signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise((resolve) => (release = resolve));
      },
    },
    buffer: {
      check: any,
      run: () => {
        const bytes = new Uint8Array([1, 2, 3]).buffer;
        return new Transfer(bytes, [bytes]);
      },
    },
    sentence: {
      check: any,
      run: () => {
        throw new RpcError('failed', text('There is no {thing}', { thing: 'bread' }));
      },
    },
    fail: {
      check: any,
      run: () => {
        throw new RpcError('not-found', 'nothing there');
      },
    },
  };
  const caller = createCaller<Methods>((message) => receive(message));
  const receive = serve(service, (message, buffers) => {
    posted.push(message);
    moved.push(buffers.length);
    caller.accept(message);
  });
  return { caller, posted, moved, release: () => release('late'), aborted: () => aborted };
}

describe('a channel', () => {
  it('answers every call once: value, error, refusal', async () => {
    const { caller, posted } = channel();
    expect(await caller.call('double', { n: 4 })).toBe(8);
    await expect(caller.call('fail', {})).rejects.toMatchObject({ code: 'not-found', message: 'nothing there' });
    await expect(caller.call('double', { n: 'x' as never })).rejects.toMatchObject({ code: 'bad-request' });
    await expect(caller.call('toString' as never, {} as never)).rejects.toMatchObject({ code: 'bad-request' });
    expect(posted).toHaveLength(4);
  });

  it('carries a sentence for the reader with its places, and what is none as it is', async () => {
    const { caller, posted } = channel();
    const sentence = { template: 'There is no {thing}', args: { thing: 'bread' } };
    const error: unknown = await caller.call('sentence', {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'failed', message: 'There is no bread', text: sentence });
    const plain: unknown = await caller.call('fail', {}).catch((reason: unknown) => reason);
    expect(plain).toMatchObject({ message: 'nothing there', text: undefined });
    expect(posted).toHaveLength(2);
  });

  it('moves buffers instead of copying them', async () => {
    const { caller, moved } = channel();
    expect([...new Uint8Array(await caller.call('buffer', {}))]).toEqual([1, 2, 3]);
    expect(moved).toEqual([1]);
  });

  it('tells the service of a cancelled call and drops its late reply', async () => {
    const { caller, aborted, release } = channel();
    const controller = new AbortController();
    const call = caller.call('wait', {}, controller.signal);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(aborted()).toBe(true);
    release();
    await expect(caller.call('double', { n: 1 }, controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(await caller.call('double', { n: 1 })).toBe(2);
  });

  it('rejects what is outstanding when the other end is gone, and every later call', async () => {
    const { caller } = channel();
    const call = caller.call('wait', {});
    caller.close(new RpcError('closed', 'exit code 1'));
    await expect(call).rejects.toMatchObject({ code: 'closed', message: 'exit code 1' });
    await expect(caller.call('double', { n: 1 })).rejects.toMatchObject({ code: 'closed' });
  });

  it('knows a message from anything else', () => {
    expect(isMessage({ kind: 'call', id: 1, method: 'x', args: undefined })).toBe(true);
    expect(isMessage({ kind: 'reply', id: 1, ok: true, value: 1 })).toBe(true);
    expect(isMessage({ kind: 'reply', id: 1, ok: false, error: { code: 'failed', message: 'm' } })).toBe(true);
    expect(isMessage({ kind: 'event', name: 'changed', data: {} })).toBe(true);
    for (const bad of [
      null,
      1,
      {},
      { kind: 'call', id: 1.5, method: 'x', args: 1 },
      { kind: 'call', id: 1, args: 1 },
      { kind: 'reply', id: 1, ok: false },
      { kind: 'reply', id: 1, ok: false, error: { code: 'failed', message: 'm', text: 'no sentence' } },
      { kind: 'event' },
      { kind: 'hello' },
    ]) {
      expect(isMessage(bad)).toBe(false);
    }
  });
});
