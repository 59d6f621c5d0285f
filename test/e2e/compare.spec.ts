import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { forkLog } from '../support/fork-log.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { DEFAULT_SYSTEM } from '../support/log-defaults.ts';
import type { Code } from './support/code.ts';
import { diffShown, type DiffTexts } from './support/diff-editor.ts';
import { chat, compacted, forkOf, Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const talk = chat(home.workspace);
const folded = compacted(home.workspace);
const fork = forkOf(talk);
const old = chat(home.workspace, 2);

/** A log whose title event no newer dsh takes over. */
function refused(): LogBuilder {
  const log = new LogBuilder({ version: 3, id: 'refused', createdAt: Date.UTC(2026, 10, 20), cwd: home.workspace });
  log.prompt('Too odd to migrate.');
  log.push('session/title', { title: 'Stays what it is', messageSeqs: [1], source: { kind: 'user' } });
  log.reply('It is.');
  return log;
}

/** The seq of the n-th event of a type. */
const seqOf = (log: LogBuilder, type: string, n = 0): number => log.events.filter((event) => event.type === type)[n]?.seq ?? -1;
const last = (log: LogBuilder): number => log.events.length - 1;

/** A log whose first step was answered at the third try. */
function retried(): LogBuilder {
  const log = new LogBuilder({ version: 4, id: 'retried', createdAt: Date.UTC(2026, 10, 20), cwd: home.workspace });
  log.prompt('Is it listed?');
  log.title('Answered at the third try');
  for (const retry of [1, 2]) {
    log.failedAttempt({ text: 'Ha', finish: { kind: 'error', failure: { message: 'broke', code: 'X' } } });
    log.retry(retry, 10, { message: 'broke', code: 'X' }, 'r');
  }
  log.work({ text: 'Let me see.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
  log.reply('It is.');
  return log;
}

const numbered = new LogBuilder({ version: 4, id: 'numbered', createdAt: Date.UTC(2026, 10, 20), cwd: home.workspace });
numbered.prompt('Look at #217 here.');
numbered.reply('Done.');

/** A fork of the whole fork. */
const further = forkLog(fork, fork.events.length - 1, { id: 'further', createdAt: Date.UTC(2026, 10, 20), cwd: home.workspace });
further.prompt('Once more.');
further.title('Further on');
further.reply('It holds.');

let code: Code;

withCode(home, async (start) => {
  for (const log of [talk, folded, fork, further, old, refused(), retried(), numbered]) await home.write(log);
  code = await start({
    settings: {
      'diffEditor.hideUnchangedRegions.enabled': false,
      'diffEditor.renderSideBySide': true,
      'diffEditor.useInlineViewWhenSpaceIsLimited': false,
    },
  });
  await code.page.setViewportSize({ width: 1600, height: 2000 }); // whole documents on the screen
  await code.openSideBar();
  await code.expand(/The parser drops a line \(v4\)/);
  await code.row(/The other way round/).waitFor();
});

const shown = (title: RegExp, left: RegExp, right: RegExp): Promise<DiffTexts> => diffShown(code, title, left, right);

const escaped = (title: string): string => title.replaceAll(/[|()]/g, '\\$&');

/** The lines before a document's first message. */
const headOf = (document: string): string[] => document.slice(0, document.indexOf('===')).trimEnd().split('\n');

/** The messages of a document, each as its heading without the hash, and its lines. */
function messagesIn(document: string): string[][] {
  const [, ...messages] = document.split(/^=== /m);
  return messages.map((message) => {
    const [heading = '', ...lines] = message.trimEnd().split('\n');
    return [heading.replace(/ · [0-9a-f]{8} ===$/, ''), ...lines];
  });
}

const pick = (name: RegExp): Promise<void> => code.quickInput.getByRole('option', { name }).first().click();

describe('two points', () => {
  it('of one session, selected in its timeline', async () => {
    await code.openTimeline(/The parser drops a line \(v4\)/);
    const [first, second] = [seqOf(talk, 'turn/end', 0), seqOf(talk, 'turn/end', 1)];
    await code.chooseFrom(code.timelineRows(/^Turn 1:/), 'Select for Compare');
    await code.page.locator('.statusbar-item', { hasText: `Selected for compare: #${String(first)}` }).waitFor();
    await code.chooseFrom(code.timelineRows(/^Turn 2:/), 'Compare with Selected');
    const title = `#${String(first)} | #${String(second)} · derived history`;
    const { left, right } = await shown(new RegExp(escaped(title)), /Compared/, /writer counts from the end/);
    for (const text of [left, right]) {
      expect(text).toContain(`Compared: ${title}`);
      expect(text).toContain('messages: 6 | 8');
      expect(text).toContain('on both sides: 6 · changed: 0\nleft only: 0 · right only: 2');
      expect(text).toMatch(/first difference: message 7, – \| #\d+/);
    }
    expect(left).not.toContain('Is it the same in the writer?');
    await code.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await code.screenshot('compare-points');
  });

  it('of two sessions, selected in the tree, the titles in front', async () => {
    await code.closeEditors();
    await code.openSideBar();
    await code.chooseFrom(code.row(/The parser drops a line \(v4\)/), 'Select for Compare');
    await code.chooseFrom(code.row(/Modules, then a summary/), 'Compare with Selected');
    const { left, right } = await shown(
      new RegExp(`line \\(v4\\) #${String(last(talk))} \\| Modules, then a summary #${String(last(folded))} · derived history`),
      /^left: The parser drops/m,
      /checkpoint of a compaction/,
    );
    expect(left).toContain('Why does the parser drop the last line?');
    expect(right).toContain('left: The parser drops a line (v4) #');
    expect(right).toContain('right: Modules, then a summary #');
  });
});

describe('a compaction', () => {
  it('before and after, from its row', async () => {
    await code.openTimeline(/Modules, then a summary/);
    const checkpoint = code.timelineRows(/^Checkpoint/);
    await code.chooseFrom(checkpoint, 'Compare Before and After');
    const { left, right } = await shown(/#21 \| #22 · derived history/, /List the modules\./, /the parser is the slow one/);
    expect(left).toContain('messages: 5 | 2');
    expect(left).toContain('Which one is slow?');
    expect(right).not.toContain('Which one is slow?');
  });

  it('says what it removed, each message and all against the summary', async () => {
    await code.openTimeline(/Modules, then a summary/);
    const entry = await code.contextMenu(code.timelineRows(/^Checkpoint/), 'What Did This Compaction Remove?');
    await code.choose(entry);
    await code.quickInput.getByText('What #22 removed from the context').waitFor();
    await code.quickInput
      .getByRole('option', { name: /There are three: reader, parser, writer\.|39 characters/ })
      .first()
      .waitFor();
    await code.screenshot('compare-removed');
    await pick(/Compare with What Stands in Their Place/);
    const { left, right } = await shown(/removed by #22 \| #22 message/, /List the modules\./, /the parser is the slow one/);
    expect(left).toContain('messages: 4');
    expect(right).toContain('put in its place');
    await code.openTimeline(/Modules, then a summary/);
    await code.chooseFrom(code.timelineRows(/^Checkpoint/), 'What Did This Compaction Remove?');
    await pick(/#\d+ You/);
    await until('the message', async () => /List the modules\./.test(await code.editorText()));
  });

  it('lets several of them be read: each in a tab while the list stays, or all in one document', async () => {
    await code.openTimeline(/Modules, then a summary/);
    await code.chooseFrom(code.timelineRows(/^Checkpoint/), 'What Did This Compaction Remove?');
    const rows = code.quickInput.getByRole('option', { name: /characters/ });
    for (const n of [0, 1]) {
      await rows.nth(n).hover();
      await rows.nth(n).getByRole('button', { name: 'Open in a Tab, Keep This List' }).click();
      await code
        .tab(/#\d+ message/)
        .nth(n)
        .waitFor();
    }
    await code.screenshot('compare-removed-kept');
    await code.quickInput.getByText('What #22 removed from the context').waitFor();
    await pick(/Read All in One Document/);
    await code.tab(/removed by #22/).waitFor();
    await until('all removed messages', async () => /List the modules\.[^]*Which one is slow\?/.test(await code.editorText()));
    await expect(code.tab(/#\d+ message/).count()).resolves.toBe(2);
  });

  it('is compared from the inspector of any of its events as well', async () => {
    await code.openTimeline(/Modules, then a summary/);
    await code.timelineRows(/^Compaction finished/).click();
    await code.webview.locator('dsh-inspector').getByRole('button', { name: 'Compare Before and After' }).waitFor();
    await code.screenshot('compare-inspector');
    await code.webview.locator('dsh-inspector').getByRole('button', { name: 'Compare Before and After' }).click();
    await shown(/#21 \| #22 · derived history/, /List the modules\./, /the parser is the slow one/);
  });

  it('is not offered on a row that is none', async () => {
    await code.openTimeline(/Modules, then a summary/);
    await code.contextMenu(code.timelineRows(/^You\b.*Make it quick/), 'Select for Compare');
    await expect(code.menuItem('Compare Before and After').count()).resolves.toBe(0);
    await code.page.keyboard.press('Escape');
  });
});

describe('What Did This Compaction Remove?', () => {
  const words = 'What Did This Compaction Remove?';

  it('is offered on a session with a compaction and on no other', async () => {
    await code.openSideBar();
    await code.contextMenu(code.row(/Modules, then a summary/), words);
    await code.page.keyboard.press('Escape');
    await code.contextMenu(code.row(/The parser drops a line \(v4\)/), 'Select for Compare');
    await expect(code.menuItem(words).count()).resolves.toBe(0);
    await code.page.keyboard.press('Escape');
  });

  it('says that nothing was removed, where it was asked for in the palette', async () => {
    await code.closeEditors();
    await code.row(/The parser drops a line \(v4\)/).click();
    await code.timelineReady();
    await code.runCommand(`DSH: ${words}`);
    await code.toast('Nothing was compacted or pruned in this session.').waitFor();
  });
});

describe('a request', () => {
  it('and the next one', async () => {
    await code.openTimeline(/The parser drops a line \(v4\)/);
    await code.chooseFrom(code.timelineRows(/^Step 1\.1: /), 'Compare with Next Request');
    const { left, right } = await shown(/1\.1 \| 1\.2 · request/, /Compared: 1\.1 \| 1\.2/, /npm test/);
    expect(left).toContain('messages: 2 | 5');
    expect(left).toContain('system prompt: the same');
    expect(left).toContain('tools: the same');
    expect(right).toContain('on both sides: 2 · changed: 0\nleft only: 0 · right only: 3');
    expect(left).not.toContain('npm test');
    await code.openTimeline(/The parser drops a line \(v4\)/);
    await code
      .timelineRows(/^Request settings/)
      .first()
      .click();
    await code.webview.locator('dsh-inspector').getByRole('button', { name: 'Compare with Next Request' }).click();
    await shown(/1\.1 \| 1\.2 · request/, /Compared: 1\.1 \| 1\.2/, /npm test/);
  });
});

describe('a step that was tried three times', () => {
  const session = /Answered at the third try/;

  it('shows the request of the third from its row, an event of it, and the tree', async () => {
    const isShown = (): Promise<void> =>
      until('the third request', async () => /^turn 1, step 1, attempt 3$/m.test(await code.editorText()));
    for (const row of [/^Step 1\.1: /, /^Retry/, /^You\b.*Is it listed/]) {
      await code.openTimeline(session);
      await code.chooseFrom(code.timelineRows(row).first(), 'Show Request');
      await code.tab('1.1 request, attempt 3').waitFor();
      await isShown();
    }
    await code.closeEditors();
    await code.expand(session);
    await code.expand(/^Turn 1, Is it listed/);
    await code.chooseFrom(code.row(/^Step 1\.1/), 'Show Request');
    await isShown();
  });

  it('shows and compares the request of a discarded one from its own row', async () => {
    await code.openTimeline(session);
    await code.chooseFrom(code.timelineRows(/^Attempt discarded/).nth(1), 'Show Request');
    await until('the second request', async () => /^turn 1, step 1, attempt 2$/m.test(await code.editorText()));
    await code.openTimeline(session);
    await code.chooseFrom(code.timelineRows(/^Attempt discarded/).first(), 'Compare with Next Request');
    await shown(/1\.1 \| 1\.1 attempt 2 · request/, /Compared: 1\.1 \| 1\.1 attempt 2/, /The messages are the same/);
    await code.closeEditors();
    await code.openTimeline(session);
    await code
      .timelineRows(/^Attempt discarded/)
      .first()
      .click();
    await code.selectedRow.and(code.timelineRows(/^Attempt discarded/)).waitFor();
    await code.runCommand('DSH: Show Request');
    await code.tab('1.1 request · Answered at the third try').waitFor();
  });

  it('compares the request of the third with that of the next step', async () => {
    const compared = async (): Promise<void> => {
      const { left, right } = await shown(/1\.1 attempt 3 \| 1\.2 · request/, /Compared: 1\.1 attempt 3 \| 1\.2/, /a\.txt/);
      expect(left).toContain('messages: 2 | 4'); // system and prompt; then the answer with its call, and the result
      expect(left).not.toContain('a.txt');
      expect(right).toContain('Let me see.');
    };
    await code.closeEditors();
    await code.expand(session);
    await code.expand(/^Turn 1, Is it listed/);
    await code.chooseFrom(code.row(/^Step 1\.1/), 'Compare with Next Request');
    await compared();
    await code.openTimeline(session);
    await code.chooseFrom(code.timelineRows(/^Retry/).first(), 'Compare with Next Request');
    await compared();
  });
});

describe('a fork and its parent', () => {
  it('at the cut and at both ends', async () => {
    await code.closeEditors();
    await code.openSideBar();
    await code.expand(/The parser drops a line \(v4\)/);
    await code.chooseFrom(code.row(/The other way round/), 'Compare with Parent');
    const cut = seqOf(talk, 'turn/end', 0);
    await pick(/This session now/);
    const ends = `^fork “The other way round” #${String(last(fork))} \\| parent “The parser drops a line \\(v4\\)” #`;
    const added = await shown(new RegExp(`${ends}${String(cut)} ·`), /Try the other way round\./, /Compared/);
    expect(added.right).not.toContain('Try the other way round.');
    expect(added.left).toContain('on both sides: 6 · changed: 0\nleft only: 2 · right only: 0');
    await code.closeEditors();
    await code.chooseFrom(code.row(/The other way round/), 'Compare with Parent');
    await pick(/Both at their ends/);
    const both = await shown(new RegExp(`${ends}${String(last(talk))} ·`), /Try the other way round\./, /the same in the writer/);
    expect(both.left).toContain('on both sides: 6 · changed: 0\nleft only: 2 · right only: 2');
    expect(both.left).toMatch(/first difference: message 7, #\d+ \| #\d+/);
  });

  it('once where the parent ends at the cut', async () => {
    await code.closeEditors();
    await code.expand(/The other way round/);
    await code.chooseFrom(code.row(/Further on/), 'Compare with Parent');
    const picks = code.quickInput.getByRole('option');
    await picks.first().waitFor();
    const cut = String(last(fork));
    expect(await picks.evaluateAll((options) => options.map((option) => option.getAttribute('aria-label')))).toEqual([
      expect.stringMatching(new RegExp(`^This session now \\| parent at the cut, #${String(last(further))} \\| #${cut}`)),
      expect.stringMatching(new RegExp(`^Both at the cut, #${cut} \\| #${cut}`)),
    ]);
    await code.page.keyboard.press('Escape');
    await code.quickInput.waitFor({ state: 'hidden' });
  });

  it('both at the cut, where they are the same', async () => {
    await code.closeEditors();
    await code.chooseFrom(code.row(/The other way round/), 'Compare with Parent');
    await pick(/Both at the cut.*#18 \| #18/);
    const title = 'fork “The other way round” #18 | parent “The parser drops a line (v4)” #18 · derived history';
    const { left, right } = await shown(new RegExp(`^${escaped(title)}`), /The messages are the same/, /one short/);
    expect(right).toBe(left);
    expect(headOf(left).filter((line) => !line.startsWith('tokens: '))).toEqual([
      'Compared: derived history',
      'left (fork): The other way round #18',
      'right (parent): The parser drops a line (v4) #18',
      'messages: 6 | 6',
      'on both sides: 6 · changed: 0',
      'left only: 0 · right only: 0',
      'The messages are the same.',
      'headings end in a hash of the message’s content',
    ]);
    const [read, bash] = talk.events
      .filter(({ type }) => type === 'tool/call')
      .map(({ data }) => (data as { callId: string }).callId);
    expect(messagesIn(left)).toEqual([
      ['#4 · system · system-prompt', DEFAULT_SYSTEM],
      ['#5 · user · human', 'Why does the parser drop the last line?'],
      [
        '#9 · assistant · deepseek-official/deepseek-v4',
        '[reasoning]',
        'The loop may end one line early.',
        '[/reasoning]',
        'Let me look.',
        `[call read ${String(read)}]`,
        '{',
        '  "path": "src/parser.ts"',
        '}',
        `[call bash ${String(bash)}]`,
        '{',
        '  "command": "npm test"',
        '}',
      ],
      [`#11 · tool · tool ${String(read)}`, 'for (let i = 0; i < lines.length - 1; i++) parse(lines[i]);'],
      [`#13 · tool · tool ${String(bash)}`, '[failed]', '1 failed'],
      [
        '#16 · assistant · deepseek-official/deepseek-v4',
        'The loop stops one short: `lines.length - 1` should be `lines.length`.',
      ],
    ]);
    await code.screenshot('compare-cut');
  });
});

describe('a session of an older format', () => {
  it('before and after migration', async () => {
    await code.closeEditors();
    await code.openSideBar();
    await code.chooseFrom(code.row(/The parser drops a line \(v2\)/), 'Compare with Migrated');
    const { left, right } = await shown(/#\d+ \| migrated · derived history/, /Compared/, /migrated in memory to format 4/);
    expect(left).toContain('messages: 7 | 8');
    expect(headOf(left)).toEqual(headOf(right));
    expect(right).toMatch(/=== system · /);
  });

  it('that cannot be migrated is told so in a sentence', async () => {
    await code.chooseFrom(code.row(/Stays what it is/), 'Compare with Migrated');
    await code.toast(/A dsh of format 4 refuses this log/).waitFor();
  });
});

describe('in a small window', () => {
  it('no first line of a comparison is wider than its side', async () => {
    await code.page.setViewportSize({ width: 1400, height: 900 }); // closes an open menu
    await code.closeEditors();
    await code.chooseFrom(code.row(/The other way round/), 'Compare with Parent');
    await pick(/Both at their ends/);
    const { left } = await shown(/The other way round” #/, /^Compared: /, /^Compared: /);
    await code.screenshot('compare-narrow');
    for (const side of ['original', 'modified']) {
      const editor = code.page.locator(`.monaco-diff-editor .editor.${side}`);
      const edges = await editor.locator('.view-line > span').evaluateAll((lines) =>
        lines
          .map((line) => ({ top: line.getBoundingClientRect().top, right: line.getBoundingClientRect().right }))
          .sort((a, b) => a.top - b.top)
          .map(({ right }) => right),
      );
      const bar = (await editor.locator('.decorationsOverviewRuler, .scrollbar.vertical').first().boundingBox())?.x ?? 0;
      const first = edges.slice(0, headOf(left).length);
      expect(first).toHaveLength(9);
      expect(first.filter((edge) => edge > bar)).toEqual([]);
    }
  });

  it('a comparison opens at its first lines', async () => {
    await code.page.setViewportSize({ width: 1200, height: 420 }); // closes an open menu
    await code.closeEditors();
    await code.chooseFrom(code.row(/The other way round/), 'Compare with Parent');
    await pick(/This session now/);
    const { left, right } = await shown(/The other way round” #/, /^Compared: /, /^Compared: /);
    for (const text of [left, right]) expect(text).toContain('first difference: message 7');
  });

  it('no seq is taken for a colour, where the editor takes one for it in a file', async () => {
    await code.closeEditors();
    await code.chooseFrom(code.row(/Look at #217 here/), 'Show History Here');
    await until('the history', async () => (await code.editorText()).includes('Look at #217 here'));
    const file = path.join(home.workspace, 'notes.txt');
    writeFileSync(file, 'Look at #217 here.');
    await code.runCommand('View: Split Editor Right');
    await code.openFile(file);
    const swatches = code.page.locator('.view-lines .colorpicker-color-decoration');
    await swatches.first().waitFor();
    await expect(swatches.count()).resolves.toBe(1); // of the file, which was opened last
  });
});

describe('the whole time', () => {
  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});
