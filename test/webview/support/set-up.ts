/** What most tests of the view begin with and leave behind. To be called once, at the top of a file. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser, openView, type View, type ViewOptions } from './harness.ts';
import { writeLogs, type Logs } from './logs.ts';

/** A browser and the sample logs, for all tests of the file. */
export function useBrowser(): { readonly browser: () => Browser; readonly logs: Omit<Logs, 'dispose'> } {
  let browser: Browser;
  let written: Logs;
  beforeAll(async () => {
    [browser, written] = await Promise.all([launchBrowser(), writeLogs()]);
  });
  afterAll(async () => {
    await browser.close();
    await written.dispose();
  });
  const logs: Omit<Logs, 'dispose'> = {
    sample: (part) => written.sample(part),
    large: (lines) => written.large(lines),
    write: (log) => written.write(log),
  };
  return { browser: () => browser, logs };
}

/** Besides, one view for each test: opened by it, and afterwards without a problem. */
export function useView(): {
  readonly logs: Omit<Logs, 'dispose'>;
  /** Opens a log, and waits for its rows, or for the sentence it has instead. */
  readonly open: (log: string, options?: ViewOptions) => Promise<View>;
  /** The one opened last. */
  readonly view: () => View;
} {
  const { browser, logs } = useBrowser();
  const opened: View[] = [];
  afterEach(async () => {
    const problems: string[] = [];
    for (const view of opened.splice(0)) {
      problems.push(...(await view.problems()));
      await view.close();
    }
    expect(problems).toEqual([]);
  });
  return {
    logs,
    open: async (log, options) => {
      const view = await openView(browser(), log, options);
      opened.push(view);
      await view.page.locator('[role=treeitem], dsh-notices .bar').first().waitFor();
      await view.rest();
      return view;
    },
    view: () => opened.at(-1)!,
  };
}
