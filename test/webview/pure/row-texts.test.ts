import { describe, expect, it } from 'vitest';
import type { SessionClient } from '../../../webview/api/session-client.ts';
import { RowTextCache } from '../../../webview/state/row-texts.ts';

/** Row code of an entry, as the row list makes it. */
const entry = (index: number): number => ((2 << 30) | index) >>> 0;

describe('the texts of rows', () => {
  it('count as arrived for the parts that want them, and for no other', async () => {
    const asked: number[][] = [];
    let answer = (): void => undefined;
    const call = (_method: string, { entries }: { entries: readonly number[] }): Promise<unknown> => {
      asked.push([...entries]);
      return new Promise((resolve) => {
        answer = () => {
          resolve({ turns: [], steps: [], entries: entries.map((index) => ({ title: `entry ${String(index)}` })) });
        };
      });
    };
    let arrivals = 0;
    const client = { call } as unknown as SessionClient;
    const texts = new RowTextCache(
      client,
      () => arrivals++,
      (error) => {
        throw error;
      },
    );
    const settled = async (): Promise<void> => {
      answer();
      await new Promise((done) => setImmediate(done));
    };
    texts.want('list', [entry(1), entry(2)]);
    texts.want('lanes', [entry(2)]);
    await settled();
    expect([arrivals, texts.arrivals('list'), texts.arrivals('lanes')]).toEqual([1, 1, 1]);
    texts.want('list', [entry(2), entry(3)]);
    await settled();
    expect([arrivals, texts.arrivals('list'), texts.arrivals('lanes')]).toEqual([2, 2, 1]);
    expect(asked).toEqual([[1, 2], [3]]);
    expect(texts.get(entry(3))).toEqual({ title: 'entry 3' });
  });
});
