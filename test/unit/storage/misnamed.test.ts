import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionLister, forkSession, openSession, type Encoding } from '../../../src/storage/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath } from '../../support/write-log.ts';

const temp = tempRoot();
const other = { zstd: 'none', none: 'zstd' } as const;

function chat(version: Version, prompts: number): LogBuilder {
  const log = new LogBuilder({ version, id: 'renamed', createdAt: 1_700_000_000_000, cwd: '/home/dev/renamed' });
  for (let i = 0; i < prompts; i++) {
    log.prompt(`question ${i}`);
    log.reply('An answer of a few words.');
  }
  return log;
}

/** A log stored in one form under the name of the other. */
async function write(log: LogBuilder, named: Encoding): Promise<{ root: string; path: string }> {
  const root = temp.fresh();
  const path = logPath(root, log.header, named);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await logBytes(log.header, log.events, { encoding: other[named] }));
  return { root, path };
}

// dsh goes by the name: it finds no header in such a file. A v0 one fails its list over a first frame it cannot read, later ones skip.
const cases = [
  { named: 'zstd', version: 0, list: 'breaks-root', words: 'plain text' },
  { named: 'zstd', version: 4, list: 'skips', words: 'plain text' },
  { named: 'none', version: 0, list: 'skips', words: 'is compressed' },
  { named: 'none', version: 4, list: 'skips', words: 'is compressed' },
] as const;

describe.each(cases)('a v$version log under a name that says $named and is not', ({ named, version, list, words }) => {
  it('is read whole, and the report says what dsh makes of it and what helps', async () => {
    const log = chat(version, 3);
    const { path } = await write(log, named);
    const session = await openSession(path);
    expect([...session.events()]).toEqual(log.events);
    expect(session.deriveMessages().length).toBeGreaterThanOrEqual(6);
    expect(session.damage.map(({ kind, dsh }) => [kind, dsh])).toEqual([['misnamed', { list, open: 'refuses' }]]);
    expect(session.damage[0]?.message).toContain(words);
  });

  it.each([3, 900])('is listed by its words, also after %i prompts', async (prompts) => {
    const { root, path } = await write(chat(version, prompts), named);
    const lister = createSessionLister();
    await lister.list(root);
    await lister.complete(path);
    const summary = await lister.check(path);
    expect(summary?.title).toBe('question 0');
    expect(summary?.turnCount).toBe(prompts);
    expect(summary?.damage.map(({ kind }) => kind)).toEqual(['misnamed']);
  });

  it('is forked into a sound log of the form its name says', async () => {
    const log = chat(version, 2);
    const { root, path } = await write(log, named);
    const session = await openSession(path);
    const child = await forkSession(session, session.eventCount - 1, { root, id: 'child', now: 5 });
    const copy = await openSession(child.path);
    expect(child.path.endsWith('.zstd')).toBe(named === 'zstd');
    expect(copy.damage).toEqual([]);
    expect([...copy.events(0, log.events.length)]).toEqual(log.events);
  });
});

it('a file that begins with a brace and is no log stays what its name says', async () => {
  const log = chat(4, 1);
  const path = logPath(temp.fresh(), log.header, 'zstd');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{"type":"other"}\n{"seq":0}\n');
  const session = await openSession(path);
  expect(session.damage.map(({ kind }) => kind)).toContain('foreign-bytes');
  expect(session.eventCount).toBe(0);
});
