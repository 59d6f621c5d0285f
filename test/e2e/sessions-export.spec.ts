import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import type { Code } from './support/code.ts';
import { chat, forkOf, Home, writeNewer } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const parent = chat(home.workspace);
let code: Code;

withCode(home, async (start) => {
  await home.write(forkOf(parent)); // its parent comes later, as from another machine
  code = await start();
  await code.openSideBar();
  await code.row(/The other way round/).waitFor();
});

/** Chooses what to export and where; the dialog stands for the editor's own. */
async function save(choice: RegExp, file: string): Promise<string> {
  await code.quickInput.getByRole('option', { name: choice }).click();
  let offered = '';
  await until('the save dialog', async () => (offered = await code.quickInputBox.inputValue()).endsWith(path.extname(file)));
  await code.enterPath(file);
  return offered;
}

describe('the timeline of a fork', () => {
  it('names its parent as soon as the list knows it', async () => {
    await code.row(/The other way round/).dblclick();
    await code.timelineReady();
    const chip = (words: string): Locator => code.webview.locator('dsh-header .chip', { hasText: words });
    await chip('Forked at #18').waitFor();
    await home.write(parent);
    const named = chip('fork of “The parser drops a line (v4)” at #18');
    await named.waitFor();
    await code.screenshot('timeline-parent');
    await named.click();
    await code.tab(/The parser drops a line/).waitFor();
    await code.timelineReady();
    await code.closeEditors();
  });
});

describe('Export…', () => {
  it('of a session in the tree writes its transcript as Markdown where it is told to', async () => {
    await code.contextMenu(code.row(/parser drops a line/), 'Export…');
    await code.screenshot('export-tree-menu');
    await code.choose(code.menuItem('Export…'));
    await code.quickInput.getByRole('option', { name: /Transcript as Markdown/ }).waitFor();
    await code.screenshot('export-choices');
    const file = path.join(home.folder, 'out.md');
    const offered = await save(/Transcript as Markdown/, file);
    expect(offered).toBe(path.join(home.workspace, 'The-parser-drops-a-line-v4-transcript.md'));
    await code.toast(/Exported to .*out\.md/).waitFor();
    await code.screenshot('export-done');
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(/^# The parser drops a line \(v4\)\n/);
    expect(written).toMatch(/### You · #\d+\n\nWhy does the parser drop the last line\?\n/);
    expect(written).toMatch(/```json\n\{\n {2}"command": "npm test"\n\}\n```/);
  });

  it('of a turn in the tree offers the history at its end', async () => {
    await code.expand(/parser drops a line/);
    await code.chooseFrom(code.row(/^Turn 1, Why/), 'Export…');
    const end = parent.events.find(({ type }) => type === 'turn/end')?.seq ?? -1;
    const file = path.join(home.folder, 'history.txt');
    await save(new RegExp(`History at #${end} as text`), file);
    await code.toast(/Exported to .*history\.txt/).waitFor();
    const written = await readFile(file, 'utf8');
    expect(written).toContain(`after event #${end}\n`);
    expect(written).not.toContain('Is it the same in the writer?');
  });

  it('of a row in the timeline writes the log as it is stored', async () => {
    await code.row(/The other way round/).click();
    await code.timelineReady();
    await code.contextMenu(code.timelineRows(/^You\b.*Try the other way round/), 'Export…');
    await code.menuItem('Compare with Parent').waitFor();
    await code.screenshot('export-timeline-menu');
    await code.choose(code.menuItem('Export…'));
    const file = path.join(home.folder, 'log.jsonl');
    await save(/Log as JSONL/, file);
    await code.toast(/Exported to .*log\.jsonl/).waitFor();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: 'session', id: 'forked' });
    expect(lines.length).toBeGreaterThan(10);
  });

  it('into the sessions root is refused in a sentence, and nothing is written', async () => {
    const file = path.join(home.sessions, 'out.jsonl');
    await code.chooseFrom(code.row(/parser drops a line/), 'Export…');
    await save(/Log as JSONL/, file);
    await code.toast(/Nothing is exported into the sessions root/).waitFor();
    expect(existsSync(file)).toBe(false);
  });

  it('of a log of which nothing can be derived offers its lines alone, and writes them', async () => {
    const bare = new LogBuilder({ version: 4, id: 'bare', createdAt: Date.UTC(2026, 10, 20), cwd: home.workspace });
    await home.write(bare); // no event
    await writeNewer(home); // a format that is not known
    for (const [row, stored] of [
      [/^bare/, [{ id: 'bare' }]],
      [/^newer/, [{ id: 'newer', version: 5 }, {}]],
    ] as const) {
      await code.chooseFrom(code.row(row), 'Export…');
      await code.quickInput.getByRole('option', { name: /Log as JSONL/ }).waitFor();
      await expect(code.quickInput.getByRole('option').count()).resolves.toBe(1);
      const file = path.join(home.folder, `${stored[0].id}.jsonl`);
      await save(/Log as JSONL/, file);
      await code.toast(new RegExp(`Exported to .*${stored[0].id}\\.jsonl`)).waitFor();
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown).slice(0, 2)).toMatchObject(stored);
    }
  });

  it('of a session without parent offers no comparison with one', async () => {
    await code.row(/parser drops a line/).click();
    await code.timelineReady();
    await code.contextMenu(code.timelineRows(/^You\b.*Why does the parser/), 'Export…');
    await expect(code.menuItem('Compare with Parent').count()).resolves.toBe(0);
    await code.page.keyboard.press('Escape');
  });

  it('nothing failed on the way', () => {
    expect(code.errors).toEqual([]);
  });
});
