import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { forkLog } from '../support/fork-log.ts';
import { LogBuilder } from '../support/log-builder.ts';
import type { Code } from './support/code.ts';
import { Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const createdAt = Date.UTC(2026, 10, 20);
const long = `${'A long line goes on and on. '.repeat(20)}END`;

/** Two sessions of one id with a fork of the second at the end of its first turn. */
function twins(id: string, titles: readonly [string, string, string], prompts: readonly [string, string]): LogBuilder[] {
  const twin = (i: 0 | 1): LogBuilder => {
    const log = new LogBuilder({ version: 4, id, createdAt, cwd: path.join(home.workspace, i === 0 ? 'here' : 'there') });
    log.prompt(prompts[i]);
    log.title(titles[i]);
    log.reply(long);
    return log;
  };
  const second = twin(1);
  const fork = forkLog(second, second.events.length - 1, { id: `${id}-fork`, createdAt, cwd: home.workspace });
  fork.prompt('Otherwise.');
  fork.title(titles[2], 'user');
  fork.reply('Otherwise.');
  return [twin(0), second, fork];
}

const logs = [
  ...twins('twin', ['Twin, first', 'Twin, second', 'Made from the second'], ['Hello from here.', 'Hello from there.']),
  ...twins('copied', ['Copied, here', 'Copied, there', 'Made from a copied one'], ['Hello.', 'Hello.']),
];

let code: Code;

withCode(home, async (start) => {
  for (const log of logs) await home.write(log);
  code = await start({ settings: { '[dsh-session]': {} } }); // as the extension has it
  await code.openSideBar();
  for (const parent of [/^Twin, first/, /^Twin, second/, /^Copied, here/, /^Copied, there/]) await code.expand(parent);
  await code.row(/Made from the second/).waitFor();
  await code.row(/Made from a copied one/).waitFor();
});

describe('a fork whose parent’s id several sessions have', () => {
  it('is compared with the one it was made from', async () => {
    await code.chooseFrom(code.row(/Made from the second/), 'Compare with Parent');
    await code.quickInput.getByText('Compare with Parent “Twin, second”').waitFor();
    await code.page.keyboard.press('Escape');
    await code.quickInput.waitFor({ state: 'hidden' });
  });

  it('is compared with the one that is chosen, where it cannot be told', async () => {
    await code.chooseFrom(code.row(/Made from a copied one/), 'Compare with Parent');
    await code.quickInputBox.and(code.page.getByPlaceholder('Several sessions have this id')).waitFor();
    await code.screenshot('compare-same-id');
    await code.quickInput.getByRole('option', { name: /Copied, there/ }).click();
    await code.quickInput.getByText('Compare with Parent “Copied, there”').waitFor();
    await code.quickInput.getByRole('option', { name: /This session now/ }).click();
    await code.tab(/fork “Made from a copied one” #/).waitFor();
  });
});

describe('a long line', () => {
  it('is wrapped in a comparison and in a history, and not in a file of the reader', async () => {
    const ends = code.page.locator('.monaco-diff-editor .view-line', { hasText: /END/ });
    await until('the end of the line on both sides', async () => (await ends.count()) === 2);
    await code.screenshot('documents-wrapped-diff');
    for (const end of await ends.all()) await expect(end.textContent()).resolves.not.toMatch(/A long line goes on.{200}/);
    await code.closeEditors();
    await code.chooseFrom(code.row(/Made from the second/), 'Show History Here');
    const lines = code.page.locator('.editor-instance .view-line', { hasText: /long/ });
    await until('the history', async () => (await lines.count()) > 3);
    await code.screenshot('documents-wrapped-history');
    await code.closeEditors();
    const file = path.join(home.workspace, 'notes.txt');
    writeFileSync(file, long);
    await code.openFile(file);
    await lines.first().waitFor();
    await expect(lines.count()).resolves.toBe(1);
  });
});

describe('the whole time', () => {
  it('nothing failed', () => {
    expect(code.errors).toEqual([]);
  });
});
