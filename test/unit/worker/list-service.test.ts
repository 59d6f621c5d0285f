import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListResult, SessionItem } from '../../../src/protocol/index.ts';
import { createListService } from '../../../src/worker/list-service.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const root = tempRoot();
const signal = new AbortController().signal;

describe('the list', () => {
  it('tells the heads of a root and grows its revision only when something changed', async () => {
    const folder = root.fresh();
    mkdirSync(folder, { recursive: true });
    const { list } = createListService();
    const ask = async (path = folder): Promise<ListResult> => (await list.run({ root: path }, signal)) as ListResult;
    expect(await ask()).toMatchObject({ root: folder, exists: true, items: [], revision: 1 });
    expect((await ask()).revision).toBe(1);
    const log = new LogBuilder({
      version: 4,
      id: 'one',
      createdAt: 1_700_000_000_000,
      cwd: '/home/dev/one',
      parentSession: 'zero',
    });
    log.prompt('Do it.');
    log.title('It is done');
    log.reply('Done.');
    await writeLog(folder, log.header, log.events);
    const { items, revision } = await ask();
    expect(revision).toBe(2);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      id: 'one',
      version: 4,
      encoding: 'zstd',
      cwd: '/home/dev/one',
      parentSession: 'zero',
      title: 'It is done',
      turns: 1,
      isEmpty: false,
      isSeeded: false,
      olderCopies: [],
      damage: [],
      refusal: undefined,
    });
    expect((await ask()).revision).toBe(2);
    expect(await ask(join(folder, 'nowhere'))).toMatchObject({ exists: false, items: [], revision: 3 });
  });

  it('finishes what the bounded read left open, for paths it has listed', async () => {
    const folder = root.fresh();
    const log = new LogBuilder({ version: 3, id: 'two', createdAt: 1_700_000_000_000 });
    log.prompt('Prompt as title.');
    log.reply('Done.');
    await writeLog(folder, log.header, log.events);
    const { list, complete } = createListService();
    const { items } = (await list.run({ root: folder }, signal)) as ListResult;
    const answer = (await complete.run({ paths: [items[0]?.path ?? '', '/not/listed'] }, signal)) as {
      readonly items: readonly SessionItem[];
    };
    expect(answer.items).toHaveLength(1);
    expect(answer.items[0]).toMatchObject({ title: 'Prompt as title.', titleIsComplete: true });
  });

  it('takes a configured root, and the harness rule without one', () => {
    const { resolveRoot } = createListService();
    expect(resolveRoot.run({ configured: ' ~/logs ' }, signal)).toEqual({ root: resolve(homedir(), 'logs') });
    expect(resolveRoot.run({ configured: '' }, signal)).toMatchObject({ root: expect.stringMatching(/sessions$/) as unknown });
  });
});
