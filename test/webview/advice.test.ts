import { expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { useView } from './support/set-up.ts';

const { logs, open } = useView();

function chat(id: string): LogBuilder {
  const log = new LogBuilder({ version: 3, id, createdAt: 1_790_000_000_000, cwd: '/home/dev/advice' });
  log.prompt('one');
  log.reply('First.');
  log.prompt('two');
  log.reply('Second.');
  return log;
}

/** The same session in the format before it, in the same folder. */
const olderOf = (id: string): LogBuilder => {
  const log = new LogBuilder({ version: 2, id, createdAt: 1_790_000_000_000, cwd: '/home/dev/advice' });
  log.prompt('one');
  log.reply('First.');
  return log;
};

/** What the panel of problems says of the log's only problem. */
async function advice(log: LogBuilder): Promise<string> {
  const { page } = await open(await logs.write(log));
  await page.getByRole('button', { name: 'Show all problems' }).click();
  const problem = page.locator('dsh-notices ul li');
  expect(await problem.count()).toBe(1);
  return problem.innerText();
}

it('a fork is advised where one is possible, and only there', async () => {
  const late = chat('late');
  Object.assign(late.events.at(-1)!, { extra: 1 });
  expect(await advice(late)).toContain('Fork from a point before it to go on in a sound copy.');

  const early = chat('early');
  Object.assign(early.events[0]!, { extra: 1 });
  expect(await advice(early)).toContain('Nothing of it can be forked; what is readable is shown here.');

  const header = chat('header');
  Object.assign(header.header, { colour: 'red' });
  expect(await advice(header)).toContain('A fork of it is a sound copy.');

  const upgraded = chat('upgraded');
  Object.assign(upgraded.events[0]!, { extra: 1 });
  await logs.write(olderOf('upgraded'));
  expect(await advice(upgraded)).toContain('an older copy lies beside it, to be opened from the session’s menu.');
});
