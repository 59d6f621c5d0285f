import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../src/storage/index.ts';
import { coreBundle } from '../support/core-bundle.ts';
import { sharedPath } from '../support/shared.ts';
import { launchBrowser } from './support/harness.ts';

interface Oracle {
  readonly derived: {
    readonly prefixes: readonly { readonly events: number; readonly messages: number; readonly sha256: string }[];
  };
}

/** One log of each family of dialects, with replacements in it. */
const LOGS = [
  'v0/zstd/--home-dev-compact-manual--/compact-manual/session.jsonl.zstd',
  'native/v3/--home-dev-native3--/n3-system-compact/session.v3.jsonl.zstd',
  'native/v4/--home-dev-native4--/n4-image-offload/session.v4.jsonl.zstd',
].map((log) => sharedPath('corpus', log));

describe('the session core in a real browser', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.addScriptTag({ content: await coreBundle() });
  });
  afterAll(() => browser.close());

  it('makes sessions and forks them', async () => {
    const answer: unknown = await page.evaluate(
      `(() => {
         const store = new core.SessionStore({ now: () => 7, newId: () => 'a' });
         const session = store.create();
         session.append('turn/start', { turn: 1 });
         session.append('user/message', { id: 'm', role: 'user', content: [], source: { kind: 'user' } }, { surfaceOp: 'append' });
         const child = store.fork(session, undefined, 'b');
         return [session.surface.nodes, child.events.map((event) => event.type)];
       })()`,
    );
    expect(answer).toEqual([[1], ['turn/start', 'user/message', 'session/end-seed', 'turn/end']]);
  });

  it.runIf(LOGS.every((log) => existsSync(log)))('derives what the harness derives, at every recorded point', async () => {
    for (const log of LOGS) {
      const session = await openSession(log);
      const events = JSON.stringify([...session.events()]);
      const oracle = JSON.parse(readFileSync(log.replace(/[^/]*$/, 'oracle.json'), 'utf8')) as Oracle;
      expect(oracle.derived.prefixes.length).toBeGreaterThan(3);
      for (const prefix of oracle.derived.prefixes) {
        const derived: unknown = await page.evaluate(
          `JSON.stringify(core.deriveMessages(JSON.parse(${JSON.stringify(events)}).slice(0, ${prefix.events}), { version: ${session.version} }))`,
        );
        expect(createHash('sha256').update(String(derived)).digest('hex'), `${log} at ${prefix.events}`).toBe(prefix.sha256);
      }
      await session.close();
    }
  });
});
