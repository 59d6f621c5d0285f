import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/core/index.ts';
import { listSessions } from '../../../src/storage/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';
import { openService } from './session-harness.ts';

const temp = tempRoot();

const image = (name?: string): Block => ({
  type: 'image',
  attachment: {
    attachmentId: `sha256:${'ab'.repeat(32)}`,
    mediaType: 'image/png',
    width: 1,
    height: 1,
    bytes: 9,
    ...(name === undefined ? {} : { name }),
  },
});
const words = (text: string): Block => ({ type: 'text', text });

/** What the list and the timeline call a session of these prompts and titles. */
async function names(prompts: readonly Block[][], titles: readonly string[] = []): Promise<(string | undefined)[]> {
  const root = temp.fresh();
  const log = new LogBuilder({ version: 4, id: 'named', createdAt: 1_700_000_000_000, cwd: '/home/dev/named' });
  for (const prompt of prompts) {
    log.prompt(prompt);
    log.reply('Yes.');
  }
  for (const title of titles) log.title(title, 'user');
  await writeLog(root, log.header, log.events);
  const [listed] = await listSessions(root);
  const service = openService(listed?.path ?? '');
  const { title } = await service.call('overview', {});
  await service.dispose();
  return [listed?.title, title];
}

describe('a session is called the same in the list and in its timeline', () => {
  it('by the words of its first prompt, not by the images that came with them', async () => {
    expect(await names([[image(), words('what is  this?'), image('b.png')]])).toEqual(['what is this?', 'what is this?']);
  });

  it('by the images where there are no words', async () => {
    expect(await names([[image('a.png'), image()], [words('and this?')]])).toEqual([
      '[image a.png] [image]',
      '[image a.png] [image]',
    ]);
  });

  it('by the first prompt that holds anything to call it by', async () => {
    expect(await names([[words(' \n ')], [words('really now')]])).toEqual(['really now', 'really now']);
  });

  it('by the latest title that has words', async () => {
    expect(await names([[words('a')]], ['First', ' \u202e '])).toEqual(['First', 'First']);
  });
});
