import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { slowMs, whenSlow } from '../../../src/host/commands/when-slow.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('work that may be slow', () => {
  it('is not told about when it ends in time, well or not', async () => {
    const onSlow = vi.fn();
    await expect(whenSlow(Promise.resolve('done'), onSlow)).resolves.toBe('done');
    await expect(whenSlow(Promise.reject(new Error('broken')), onSlow)).rejects.toThrow('broken');
    await vi.advanceTimersByTimeAsync(10 * slowMs);
    expect(onSlow).not.toHaveBeenCalled();
  });

  it.each(['ends well', 'fails'])('is told about once when it takes longer, until it %s', async (how) => {
    const work = { resolve: (_: string): void => undefined, reject: (_: Error): void => undefined };
    const working = new Promise<string>((resolve, reject) => Object.assign(work, { resolve, reject }));
    const told: string[] = [];
    const outcome = whenSlow(working, (settled) => {
      told.push('slow');
      void settled.then(() => told.push('settled'));
    }).catch((error: unknown) => `caught: ${String(error)}`);
    await vi.advanceTimersByTimeAsync(slowMs - 1);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(10 * slowMs);
    expect(told).toEqual(['slow']);
    if (how === 'fails') work.reject(new Error('broken'));
    else work.resolve('done');
    await expect(outcome).resolves.toBe(how === 'fails' ? 'caught: Error: broken' : 'done');
    expect(told).toEqual(['slow', 'settled']);
  });
});
