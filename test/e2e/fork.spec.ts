import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listSessions, openSession, type SessionSummary } from '../../src/storage/index.ts';
import type { LogBuilder } from '../support/log-builder.ts';
import { pictureOf } from '../support/fork-files.ts';
import type { Code } from './support/code.ts';
import { chat, Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const newest = chat(home.workspace, 4);
const earlier = chat(home.workspace, 3);
let code: Code;

const newestRow = /^The parser drops a line \(v4\)/;
const earlierRow = /^The parser drops a line \(v3\)/;

withCode(home, async (start) => {
  await home.write(newest);
  await home.write(earlier);
  code = await start();
  await code.openSideBar();
  await code.row(newestRow).waitFor();
});

const turnEnds = (log: LogBuilder): number[] => log.events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
const sideBarList = (): Locator => code.page.locator('.part.sidebar .monaco-list').first();
const button = (name: string): Locator => code.dialog.getByRole('button', { name, exact: true });

async function dialogText(): Promise<string> {
  await code.dialog.waitFor();
  return (await code.dialog.innerText()).replaceAll('\u00a0', ' ');
}

/** Sessions that are not the two of the start, newest last. */
async function made(count: number): Promise<SessionSummary[]> {
  let found: SessionSummary[] = [];
  await until(`${String(count)} new sessions`, async () => {
    const all = await listSessions(home.sessions);
    found = all.filter(({ id }) => id !== newest.header.id && id !== earlier.header.id);
    return found.length === count;
  });
  return found.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

describe('Fork from Here', () => {
  it('on a turn of the tree asks, writes, shows and selects the child, and opens it', async () => {
    const [boundary = -1] = turnEnds(newest);
    const source = readFileSync(home.pathOf(newest));
    await code.expand(newestRow);
    await code.row(/^Turn 1/).waitFor();
    await code.chooseFrom(code.row(/^Turn 1/), 'Fork from Here');
    const question = await dialogText();
    expect(question).toContain(`at #${String(boundary)}?`);
    expect(question).toContain(`End of turn 1: 1 turn and ${String(boundary + 1)} events are copied.`);
    expect(question).toContain(home.sessions);
    expect(question).toContain('stays untouched');
    await code.screenshot('fork-confirm');
    await button('Fork').click();

    await code.toast(/^Forked “The parser drops a line/).waitFor();
    const child = code.row(new RegExp(`^#${String(boundary)} · The parser drops a line \\(v4\\).*fork at #${String(boundary)}`));
    await child.waitFor();
    await until('the child to be selected', async () => (await child.getAttribute('aria-selected')) === 'true');
    const levels = await Promise.all([code.row(newestRow), child].map((row) => row.getAttribute('aria-level')));
    expect(levels).toEqual(['2', '3']);
    await code.screenshot('fork-child');

    const [written] = await made(1);
    expect(written).toMatchObject({ parentSession: newest.header.id, cut: boundary + 1, version: 4, damage: [] });
    expect(readFileSync(home.pathOf(newest)).equals(source)).toBe(true);

    const notice = code.page.locator('.notifications-toasts');
    // No command is set and no dsh is installed here, so there is nothing to resume with.
    await expect(notice.getByRole('button', { name: 'Resume in Terminal' }).count()).resolves.toBe(0);
    await notice.getByRole('button', { name: 'Copy Id' }).waitFor();
    await notice.getByRole('button', { name: 'Open Timeline' }).click();
    await code.timelineReady();
    await expect(code.timelineRows(/^You: Why does the parser drop the last line/).count()).resolves.toBe(1);
    await expect(code.timelineRows(/Thanks\. Is it the same/).count()).resolves.toBe(0);
  });

  it('on a turn of the timeline does the same', async () => {
    const [, boundary = -1] = turnEnds(newest);
    await code.openTimeline(newestRow);
    await code.chooseFrom(code.timelineRows(/^Turn 2:/), 'Fork from Here');
    expect(await dialogText()).toContain(`End of turn 2: 2 turns and ${String(boundary + 1)} events are copied.`);
    await button('Fork').click();
    await code.toast(/^Forked “The parser drops a line/).waitFor();
    const child = (await made(2)).at(-1);
    expect(child).toMatchObject({ parentSession: newest.header.id, cut: boundary + 1 });
    await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Copy Id' }).click();
    await until('the id on the clipboard', async () => {
      const copied = await code.page.evaluate(() => navigator.clipboard.readText());
      return copied === child?.id;
    });
  });

  it('on a span of the canvas, from the palette, and on step and call of the tree means the same places', async () => {
    const [boundary = -1] = turnEnds(newest);
    const cancelled = async (question: string): Promise<void> => {
      expect(await dialogText()).toContain(question);
      await button('Cancel').click();
      await code.dialog.waitFor({ state: 'detached' });
    };
    await code.openTimeline(newestRow);
    const turn = code.webview.locator('dsh-lanes canvas');
    await turn.click({ button: 'right', position: { x: 200, y: 36 } });
    await code.menuItem('Fork from Here').waitFor();
    await code.choose(code.menuItem('Fork from Here'));
    await cancelled(`End of turn 1: 1 turn and ${String(boundary + 1)} events are copied.`);

    await code.timelineRows(/^Turn 1:/).click();
    await code.selectedRow.and(code.timelineRows(/^Turn 1:/)).waitFor();
    await code.runCommand('DSH: Fork from Here');
    await cancelled(`at #${String(boundary)}?`);

    const ends = (type: string): number => newest.events.find((event) => event.type === type)?.seq ?? -1;
    await code.expand(newestRow);
    await code.expand(/^Turn 1/);
    await code.expand(/^Step 1\.1/);
    for (const [row, seq] of [
      [/^Step 1\.1/, ends('step/end')],
      [/^read/, ends('tool/result')],
    ] as const) {
      await code.chooseFrom(code.row(row), 'Fork from Here');
      await code.quickInput.getByRole('option', { name: new RegExp(`Here, closing .*#${String(seq)}`) }).waitFor();
      await code.page.keyboard.press('Escape');
      await code.quickInput.waitFor({ state: 'hidden' });
    }
    await code.row(/^Turn 1/).click();
    await code.selectedRow.and(code.timelineRows(/^Turn 1:/)).waitFor();
    await sideBarList().press('Control+Alt+f');
    await cancelled(`at #${String(boundary)}?`);

    await code.closeEditors();
    await code.page.locator('.part.titlebar').click({ position: { x: 5, y: 5 } });
    await code.openSideBar('Explorer');
    await code.runCommand('DSH: Fork from Here');
    await code.quickInput
      .getByRole('option', { name: /The parser drops a line \(v3\)/ })
      .first()
      .click();
    await cancelled('Fork “The parser drops a line (v3)”');
    await code.openSideBar();
  });

  it('works by key and from the inspector, on what is selected', async () => {
    const [, boundary = -1] = turnEnds(newest);
    await code.openTimeline(newestRow);
    await code.timelineRows(/^Turn 2:/).click();
    await code.selectedRow.and(code.timelineRows(/^Turn 2:/)).waitFor();
    await code.pressInList('Control+Alt+f');
    expect(await dialogText()).toContain(`at #${String(boundary)}?`);
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
    await code.chooseFrom(code.webview.locator('dsh-inspector h2'), 'Fork from Here');
    expect(await dialogText()).toContain(`at #${String(boundary)}?`);
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
    await code.webview.locator('dsh-inspector').getByRole('button', { name: 'Fork from Here' }).click();
    expect(await dialogText()).toContain(`at #${String(boundary)}?`);
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
  });

  it('by key means the row of the tree the keyboard is on, whatever is selected and in front', async () => {
    await code.openTimeline(newestRow);
    await code.row(newestRow).press('ArrowDown'); // in the tree arrows select nothing
    const list = sideBarList();
    const focused = list.locator('.monaco-list-row.focused', { hasText: 'The parser drops a line (v3)' });
    for (let row = 0; row < 20 && (await focused.count()) === 0; row++) await list.press('ArrowDown');
    await code.tab(/The parser drops a line \(v4\)/).waitFor();
    await list.press('Control+Alt+f');
    expect(await dialogText()).toContain('Fork “The parser drops a line (v3)”');
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
    await expect(list.locator('.monaco-list-row.selected').allInnerTexts()).resolves.toEqual([
      expect.stringContaining('The parser drops a line (v3)'),
    ]);
    await list.press('Control+Alt+f'); // selected by now
    expect(await dialogText()).toContain('Fork “The parser drops a line (v3)”');
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
  });

  it('inside a turn says why not and offers the nearest places; nothing is written before it is confirmed', async () => {
    const [boundary = -1] = turnEnds(earlier);
    await code.openTimeline(earlierRow);
    const before = pictureOf(home.sessions);
    await code.chooseFrom(code.timelineRows(/^Step 1\.1:/), 'Fork from Here');
    await until('the reason', async () => ((await code.quickInputBox.getAttribute('placeholder')) ?? '').includes('open turn'));
    const options = code.quickInput.getByRole('option');
    await expect(options.allInnerTexts()).resolves.toEqual([
      expect.stringMatching(/Before the first turn\s*#\d+/),
      expect.stringMatching(new RegExp(`End of turn 1\\s*#${String(boundary)}$`)),
    ]);
    await code.screenshot('fork-nearest-v3');
    await options.filter({ hasText: 'End of turn 1' }).click();
    expect(await dialogText()).toContain('End of turn 1: 1 turn');
    await button('Cancel').click();
    await code.dialog.waitFor({ state: 'detached' });
    expect(pictureOf(home.sessions)).toEqual(before);
  });

  it('inside a turn of format 4 also closes the open turn, when that is chosen', async () => {
    await code.openTimeline(newestRow);
    await code.chooseFrom(code.timelineRows(/^Step 1\.1:/), 'Fork from Here');
    const here = code.quickInput.getByRole('option', { name: /Here, closing the open turn 1 as dsh does/ });
    await here.waitFor();
    await code.screenshot('fork-nearest-v4');
    await here.click();
    expect(await dialogText()).toContain('Here, closing the open turn 1 as dsh does: 1 turn');
    await button('Fork').click();
    await code.toast(/^Forked “The parser drops a line/).waitFor();
    const child = await openSession((await made(3)).at(-1)?.path ?? '');
    expect([...child.events()].at(-1)).toMatchObject({ type: 'turn/end', data: { turn: 1, reason: { kind: 'forked' } } });
    expect(child.damage).toEqual([]);
    await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Compare with Parent' }).click();
    await code.quickInput.getByRole('option', { name: /This session now \| parent at the cut/ }).click();
    await code
      .tab(/^fork “.*The parser drops a line \(v4\)” #\d+ \| parent “The parser drops a line \(v4\)” #\d+ · derived history/)
      .waitFor();
  });
});

describe('Replay as New Session', () => {
  it('writes the same events into a session without a parent', async () => {
    await code.closeEditors();
    await code.openSideBar();
    await code.chooseFrom(code.row(earlierRow), 'Replay as New Session');
    expect(await dialogText()).toContain('has no parent');
    await button('Replay').click();
    await code.toast(/^Replayed “The parser drops a line/).waitFor();
    const replayed = (await made(4)).find(({ parentSession }) => parentSession === undefined);
    const session = await openSession(replayed?.path ?? '');
    expect(JSON.stringify([...session.events(0, earlier.events.length)])).toBe(JSON.stringify(earlier.events));
    expect(session.header).toMatchObject({ version: 3, isSeeded: false });
    await until('two rows of that title', async () => (await code.rows(earlierRow).count()) === 2);
  });
});

describe('the whole time', () => {
  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});
