import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import type { Code } from './support/code.ts';
import { compacted, Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const good = compacted(home.workspace);
/** A log whose first answer is not what was streamed. */
const odd = new LogBuilder({ version: 4, id: 'odd', createdAt: Date.UTC(2026, 10, 20, 12), cwd: home.workspace });
odd.prompt('How many modules?');
odd.title('Not as streamed');
odd.reply('There are three: reader, parser, writer.');
odd.prompt('Sure?');
odd.reply('Quite.');
const oddSeq = odd.events.findIndex(({ type }) => type === 'assistant/message');
(odd.events[oddSeq] as { data: { message: { content: unknown } } }).data.message.content = [
  { type: 'text', text: 'There are four.' },
];
const silent = new LogBuilder({ version: 4, id: 'silent', createdAt: Date.UTC(2026, 10, 20, 13), cwd: home.workspace });
silent.prompt('Nobody answered?');
let code: Code;

withCode(home, async (start) => {
  await home.write(good);
  await home.write(odd);
  await home.write(silent);
  code = await start();
  await code.openSideBar();
});

describe('a replay', () => {
  const bar = (selector: string): ReturnType<typeof code.webview.locator> => code.webview.locator(`dsh-replay-bar ${selector}`);

  it('starts at a turn chosen in the tree, steps by keys, plays to the end and verifies itself', async () => {
    await code.expand(/Modules, then a summary/);
    await code.chooseFrom(code.row(/Turn 2/), 'Replay from Here');
    await code.timelineReady();
    const start = good.events.findIndex(({ type, data }) => type === 'turn/start' && (data as { turn: number }).turn === 2);
    const last = good.events.length - 1;
    await bar('.place')
      .filter({ hasText: `#${String(start)} of #${String(last)} · playing the log, nothing is run` })
      .waitFor();
    await bar('[role=slider]').press('ArrowRight');
    await bar('.place')
      .filter({ hasText: `#${String(start + 1)} of` })
      .waitFor();
    await code.selectedRow.and(code.timelineRows(new RegExp(`#${String(start + 1)}$`))).waitFor();
    await code
      .timelineRows(/not yet played/)
      .first()
      .waitFor();
    await code.screenshot('replay');
    await bar('section').getByRole('radio', { name: '32 times' }).click();
    await bar('.play').click();
    await bar('.proof')
      .filter({ hasText: /(\d) of \1 answers equal what their chunks make\s+·\s+derived history equal/ })
      .waitFor({ timeout: 60_000 });
    await bar('.place')
      .filter({ hasText: `#${String(last)} of #${String(last)}` })
      .waitFor();
    await until('all to be played', async () => (await code.timelineRows(/not yet played/).count()) === 0);
    await code.screenshot('replay-verified');
  });

  it('starts at a row right-clicked in the timeline', async () => {
    await code.chooseFrom(code.timelineRows(/^You: Make it quick\./), 'Replay from Here');
    const seq = good.events.findLastIndex(({ type }) => type === 'user/message');
    await bar('.place')
      .filter({ hasText: `#${String(seq)} of` })
      .waitFor();
    await bar('section').getByRole('button', { name: 'Leave the replay' }).click();
    await bar('section').waitFor({ state: 'hidden' });
  });

  it('starts by key at what is selected, and streams the answer in row and inspector', async () => {
    await code.timelineRows(/^Assistant: The parser\./).click();
    await code.pressInList('Control+Alt+p');
    const seq = good.events.filter(({ type }) => type === 'assistant/message')[1]!.seq;
    await bar('.place')
      .filter({ hasText: `#${String(seq)} of` })
      .waitFor();
    const row = code.selectedRow;
    await row.filter({ hasText: 'streaming' }).waitFor();
    await expect(row.textContent()).resolves.not.toContain('The parser.');
    const inspector = code.webview.locator('dsh-inspector [role=tabpanel]');
    await inspector.filter({ hasText: 'Nothing has streamed yet.' }).waitFor();
    await code.screenshot('replay-streaming');
    await bar('[role=slider]').press('ArrowRight');
    await inspector.filter({ hasText: 'The parser.' }).waitFor();
    await code.selectedRow.and(code.timelineRows(/^Assistant: The parser\./)).waitFor();
    await bar('section').getByRole('button', { name: 'Leave the replay' }).click();
  });

  it('of a session without a recorded answer is verified in a sensible sentence', async () => {
    await code.openSideBar();
    await code.chooseFrom(code.row(/Nobody answered/), 'Verify Replay');
    await code
      .toast(/no answer here was recorded as a stream, so there are no chunks to compare · derived history equal/)
      .waitFor();
    await code.runCommand('Notifications: Clear All Notifications');
  });

  it('is verified on demand, and what differs opens as a diff', async () => {
    await code.closeEditors();
    await code.openSideBar();
    // Right after another one: the editor drops what comes fourth within 800 ms, so no quick verification may say more than its result.
    await code.chooseFrom(code.row(/Modules, then a summary/), 'Verify Replay');
    await code.toast(/(\d) of \1 answers equal/).waitFor();
    await code.chooseFrom(code.row(/Not as streamed/), 'Verify Replay');
    await code.toast(/1 of 2 answers equal what their chunks make .*difference at #/).waitFor();
    await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Show Differences' }).click();
    await code.tab(new RegExp(`#${String(oddSeq)} answer of its chunks \\| #${String(oddSeq)} answer as stored`)).waitFor();
    const diff = code.page.locator('.monaco-diff-editor');
    const said = async (side: string): Promise<string> =>
      ((await diff.locator(`.${side} .view-lines`).textContent()) ?? '').replaceAll('\u00a0', ' ');
    await until('the streamed side', async () => /reader, parser, writer/.test(await said('original')));
    await until('the stored side', async () => /There are four\./.test(await said('modified')));
  });
});

describe('the whole time', () => {
  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});
