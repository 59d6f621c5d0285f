/** What tests of a replay begin with. To be called once, at the top of a file. */
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { View, ViewOptions } from './harness.ts';
import { useView } from './set-up.ts';

/** Part of the name of the sample that is replayed: it holds a prune and two compactions. */
export const compacted = 'session-0d7c9a44';

export function useReplay(): ReturnType<typeof useView> & {
  /** The sample with the bar open and the playhead at a seq. */
  readonly replaying: (seq: number, options?: ViewOptions) => Promise<View>;
  readonly bar: (selector: string) => Locator;
  /** Seq at the playhead, as the bar says it. */
  readonly place: () => Promise<number>;
  readonly button: (name: string) => Locator;
} {
  const used = useView();
  const { logs, open, view } = used;
  const bar = (selector: string): Locator => view().page.locator(`dsh-replay-bar ${selector}`);
  return {
    ...used,
    replaying: async (seq, options) => {
      const opened = await open(logs.sample(compacted), options);
      await opened.send('replay', { seq });
      await bar('.place')
        .filter({ hasText: `#${String(seq)} of` })
        .waitFor();
      await opened.rest();
      return opened;
    },
    bar,
    place: async () => Number(/#(\d+)/.exec((await bar('.place').textContent()) ?? '')?.[1]),
    button: (name) => bar('section').getByRole('button', { name }),
  };
}

/** The Chinese texts, as the host hands them to the view. */
export const chinese = (): Record<string, string> =>
  JSON.parse(readFileSync(new URL('../../../l10n/bundle.l10n.zh-cn.json', import.meta.url), 'utf8')) as Record<string, string>;
