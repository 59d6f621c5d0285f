import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as core from '../../../src/core/index.ts';
import { coreBundle } from '../../support/core-bundle.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(new URL('../../../docs/core.md', import.meta.url), 'utf8');

describe('docs/core.md', () => {
  it('shows what its example really gives', async () => {
    const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
    const checked = example
      .replace(/^import (\{[^}]*\}) from '[^']*';$/m, 'const $1 = core;')
      .replace(/^(\S.*); \/\/ => (.*)$/gm, 'check(() => $1, $2);');
    const { code } = await transform(checked, { loader: 'ts' });
    let checks = 0;
    const check = (actual: () => unknown, expected: unknown): void => {
      expect(actual(), actual.toString()).toEqual(expected);
      checks++;
    };
    // The page of this repository is the code under test.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
    new Function('core', 'check', code)(core, check);
    expect(checks).toBe((example.match(/\/\/ => /g) ?? []).length);
    expect(checks).toBeGreaterThan(10);
  });

  it('type-checks in spirit: names only what the core exports, and files that exist', () => {
    const imported = /import \{([^}]*)\}/.exec(page)?.[1]?.split(',') ?? [];
    for (const name of imported) expect(core).toHaveProperty(name.trim());
    const files = Array.from(page.matchAll(/^\|.*\|(.*)\|$/gm), (row) =>
      Array.from((row[1] ?? '').matchAll(/`([^`]+)`/g), (m) => m[1]),
    );
    expect(files.flat().length).toBeGreaterThan(20);
    for (const file of files.flat()) expect(() => readFileSync(`${root}src/core/${file ?? ''}`)).not.toThrow(/ENOENT/);
  });
});

describe('a browser', () => {
  it('needs nothing of Node: the bundle runs in a bare context', async () => {
    const { createContext, runInContext } = await import('node:vm');
    const context = createContext({});
    runInContext(await coreBundle(), context);
    const answer: unknown = runInContext(
      `const store = new core.SessionStore({ now: () => 7, newId: () => 'a' });
       const session = store.create();
       session.append('turn/start', { turn: 1 });
       session.append('user/message', { id: 'm', role: 'user', content: [], source: { kind: 'user' } }, { surfaceOp: 'append' });
       const child = store.fork(session, undefined, 'b');
       JSON.stringify([session.surface.nodes, child.events.map((event) => event.type), core.verifyReplay(child.events)]);`,
      context,
    );
    expect(JSON.parse(String(answer))).toEqual([
      [1],
      ['turn/start', 'user/message', 'session/end-seed', 'turn/end'],
      { answers: 0, disagreeing: [], historyAgrees: true },
    ]);
  });
});
