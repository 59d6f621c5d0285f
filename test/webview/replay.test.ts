import { readFileSync } from 'node:fs';
import { appendFile, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { activeName, badlyFitting, tree } from './support/reading.ts';
import { chinese, compacted, useReplay } from './support/replaying.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { writeLog } from '../support/write-log.ts';

const { logs, open, view, replaying, bar, place, button } = useReplay();

describe('the replay bar', () => {
  it('starts at the chosen event, with the state it had, and says that nothing is run', async () => {
    const { page } = await replaying(20);
    expect(await bar('.place').textContent()).toMatch(/^#20 of #\d+ · playing the log, nothing is run$/);
    expect(await activeName(page)).toMatch(/#20$/);
    const states = page.locator('dsh-list .ahead');
    expect(await states.count()).toBeGreaterThan(0);
    expect(await states.first().locator('.state').textContent()).toContain('streaming');
    expect(await states.nth(1).locator('.state').textContent()).toContain('not yet played');
    // The log's end knows nodes that are shadowed; at #20 nothing was.
    expect(await page.locator('dsh-list .row.shadowed:not(.ahead)').count()).toBe(0);
  });

  it('goes by event, by block and by step, by buttons and by keys', async () => {
    await replaying(0);
    const { page } = view();
    await button('On by an event (Right)').click();
    expect(await place()).toBe(1);
    await page.keyboard.press('ArrowRight');
    expect(await place()).toBe(2);
    await page.keyboard.press('ArrowLeft');
    expect(await place()).toBe(1);
    await page.keyboard.press('Shift+ArrowRight');
    const step = await place();
    await view().rest();
    expect(await bar('.stream').textContent()).toMatch(/Step/);
    await page.keyboard.press('Shift+ArrowRight');
    expect(await place()).toBeGreaterThan(step + 3);
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await place()).toBe(step);
    await bar('[role=slider]').focus();
    await page.keyboard.press('End');
    expect(await bar('.place').textContent()).toMatch(/^#(\d+) of #\1 /);
    await page.keyboard.press('Home');
    expect(await place()).toBe(0);
  });

  it('goes back by block as well, by button and key, as far as it came', async () => {
    await replaying(0);
    const { page } = view();
    const stood = [0];
    for (let i = 0; i < 12; i++) {
      await button('On by a block of the stream (.)').click();
      stood.push(Number(await bar('[role=slider]').getAttribute('aria-valuenow')));
    }
    const back: number[] = [];
    for (let i = 0; i < 6; i++) {
      await button('Back by a block of the stream (,)').click();
      back.push(Number(await bar('[role=slider]').getAttribute('aria-valuenow')));
    }
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press(',');
      back.push(Number(await bar('[role=slider]').getAttribute('aria-valuenow')));
    }
    expect(back).toEqual(stood.slice(0, -1).reverse());
  });

  it('streams an answer block by block', async () => {
    await replaying(0);
    const { page } = view();
    await page.keyboard.press('Shift+ArrowRight');
    await button('On by a block of the stream (.)').focus();
    const said = new Set<string>();
    const kinds = new Set<string>();
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press('.');
      await view().rest();
      said.add((await bar('.stream').textContent())!.trim());
      for (const kind of await bar('.stream .said').evaluateAll((all) => all.map((one) => one.parentElement!.className)))
        kinds.add(kind);
    }
    expect(said.size).toBeGreaterThan(6);
    expect([...kinds].sort()).toEqual(['reasoning', 'text', 'tool-call']);
  });

  it('shows in the row and in the inspector only what has streamed of the answer', async () => {
    await replaying(0);
    const { page } = view();
    await page.keyboard.press('Shift+ArrowRight');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    const row = page.locator('dsh-list [aria-selected=true]');
    const inspector = page.locator('dsh-inspector');
    const rows: string[] = [];
    const cards: string[] = [];
    await bar('[role=slider]').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('.');
      await view().rest();
      if (!(await row.textContent())!.includes('streaming')) {
        if (rows.length > 0) break;
        continue;
      }
      rows.push((await row.locator('.detail').allTextContents()).join('').replace(/, $/, ''));
      cards.push((await inspector.locator('[role=tabpanel]').innerText()).trim());
    }
    // Block by block: nothing yet, then more and more.
    expect(rows.length).toBeGreaterThan(1);
    expect(rows[0]).toBe('');
    expect(cards[0]).toContain('Nothing has streamed yet.');
    const whole = (await inspector.locator('[role=tabpanel] section.text').last().innerText()).trim();
    expect(cards[0]).not.toContain(whole);
    for (const card of cards) expect(card).not.toContain('Cited by');
    expect(await inspector.locator('[role=tabpanel]').innerText()).not.toContain('Cited by'); // what cites it comes later still
    expect(cards[1]).not.toContain(whole);
    await page.keyboard.press(',');
    await view().rest();
    expect(await row.textContent()).toContain('streaming');
    await inspector.getByRole('tab', { name: 'Raw' }).click();
    expect(await inspector.locator('[role=tabpanel]').innerText()).toContain('written to the log when its stream has ended');
    expect(await inspector.getByRole('button', { name: 'Copy' }).first().isDisabled()).toBe(true);
    await button('Leave the replay').click();
    await view().rest();
    expect(await inspector.locator('[role=tabpanel]').innerText()).toContain('"stream"');
    await inspector.getByRole('tab', { name: 'Pretty' }).click();
    expect(await inspector.locator('[role=tabpanel]').innerText()).toContain('Cited by');
  });

  it('tells in the inspector what is known at the playhead, and says so where it shows more', async () => {
    await replaying(25); // turn 2, which #38 ends after 6.8 s
    const { page } = view();
    const card = async (): Promise<string> => {
      await view().rest();
      return (await page.locator('dsh-inspector header, dsh-inspector [role=tabpanel]').allInnerTexts())
        .join(' ')
        .replace(/\s+/g, ' ');
    };
    expect(await card()).toMatch(/State open/);
    expect(await card()).not.toMatch(/completed|Took|Output tokens|Cited by|6\.8 s/);
    expect(await card()).toMatch(/Steps 0 Calls 0/);
    await view().send('replay', { seq: 38 });
    await bar('.place').filter({ hasText: '#38 of' }).waitFor();
    await view().rest();
    await page.getByRole('treeitem', { name: /^Turn 2: / }).click();
    expect(await card()).toMatch(/Ended completed Took 6\.8 s Steps 2 Calls 2/);
    // What lies ahead is shown as it will be, and says so.
    await page.getByRole('treeitem', { name: /^Turn 3: / }).click();
    expect(await card()).toMatch(/Not yet played: shown as at the end of the log\..*Ended completed/);
    await view().send('replay', { seq: 14 }); // a call whose result is #15
    await bar('.place').filter({ hasText: '#14 of' }).waitFor();
    expect(await card()).toMatch(/The call is still running/);
    expect(await card()).not.toMatch(/Exit code|Result|ms|Seen by the model|Not yet played/);
    await bar('[role=slider]').press('ArrowRight');
    expect(await card()).toMatch(/Exit code 0/);
    await page.getByRole('treeitem', { name: /^bash: du/ }).click();
    expect(await card()).toMatch(/141 ms.*Exit code 0/);
    expect(await card()).not.toMatch(/Seen by the model/);
    await page.getByRole('treeitem', { name: /^You: We want to move/ }).click();
    expect(await card()).toMatch(/Seen by the model in Step 1\.1 — still in context/);
    await button('Leave the replay').click();
    expect(await card()).toMatch(/Seen by the model in Step 1\.1 .* no longer in context/);
  });

  it.each([0, 1])(
    'keeps the stored answer of format %i ahead while its chunks stream, and shows it from its own event on',
    async (version) => {
      await open(logs.sample(`session-cron-format-${String(version)}`), { width: 1100, height: 900 });
      const { page } = view();
      await view().send('replay', { seq: 38 }); // the last chunk; #39 stores what #10 to #38 streamed
      await bar('.place').filter({ hasText: '#38 of' }).waitFor();
      await view().rest();
      const answer = page.getByRole('treeitem', { name: /^Assistant: Every fifteen minutes/ });
      expect(await answer.innerText()).toMatch(/not yet played/);
      await page.keyboard.press('ArrowRight');
      await view().rest();
      expect(await place()).toBe(39);
      expect(await answer.innerText()).toMatch(/current/);
      expect(await answer.getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('ArrowRight');
      await view().rest();
      expect(await answer.innerText()).toMatch(/current/);
    },
  );

  it('says of a turn, a step and a call that go on at the playhead not yet what they came to', async () => {
    await replaying(14); // the call of bash in step 1.1, whose result is #15
    const { page } = view();
    const row = async (name: RegExp): Promise<string> => {
      await view().rest();
      return (await page.getByRole('treeitem', { name }).textContent())!.replace(/\s+/g, ' ');
    };
    expect(await row(/^Step 1\.1: /)).toMatch(/deepseek-v4 · 8 tools/);
    expect(await row(/^Step 1\.1: /)).not.toMatch(/cached|\d s/);
    expect(await row(/^Turn 1: /)).not.toMatch(/\d s/);
    expect(await row(/^bash: du/)).not.toMatch(/exit|ms/);
    await page.keyboard.press('ArrowRight');
    expect(await place()).toBe(15);
    expect(await row(/^bash: du/)).toMatch(/exit 0.*141 ms/);
    await view().send('replay', { seq: 23 });
    await bar('.place').filter({ hasText: '#23 of' }).waitFor();
    expect(await row(/^Step 1\.1: /)).toMatch(/cached.*3\.5 s/);
    expect(await row(/^Turn 1: /)).toMatch(/7\.4 s/);
  });

  it('leaves the keys of the list alone, but for the space bar', async () => {
    await replaying(5);
    const { page } = view();
    await page.locator(tree).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    expect(await place()).toBe(5);
    await page.keyboard.press(' ');
    await button('Pause (Space)').waitFor();
    await page.keyboard.press(' ');
    await button('Play (Space)').waitFor();
  });

  it('has its speeds side by side, one tab stop moved by arrows, and a drop-down where it is narrow', async () => {
    await replaying(5);
    const { page } = view();
    const speeds = bar('section').getByRole('radiogroup', { name: 'Speed' }).getByRole('radio');
    expect(await speeds.allInnerTexts()).toEqual(['¼×', '½×', '1×', '2×', '4×', '8×', '16×', '32×']);
    const chosen = (): Promise<string[]> => speeds.and(page.locator('[aria-checked=true]')).allInnerTexts();
    expect(await chosen()).toEqual(['1×']);
    await speeds.nth(2).focus();
    await page.keyboard.press('ArrowRight');
    expect(await chosen()).toEqual(['2×']);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    expect(await chosen()).toEqual(['¼×']);
    await page.keyboard.press('ArrowLeft');
    expect(await chosen()).toEqual(['32×']);
    expect(await page.locator('dsh-replay-bar [role=radio][tabindex="0"]').innerText()).toBe('32×');
    expect(await place()).toBe(5);
    expect(await bar('select').isVisible()).toBe(false);
    await page.setViewportSize({ width: 800, height: 800 });
    await view().rest();
    expect(await speeds.first().isVisible()).toBe(false);
    await bar('select').selectOption('0.5');
    await page.setViewportSize({ width: 1280, height: 800 });
    await view().rest();
    expect(await chosen()).toEqual(['½×']);
  });

  it('is scrubbed with the pointer', async () => {
    await replaying(0);
    const box = (await bar('[role=slider]').boundingBox())!;
    await view().page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const middle = await place();
    expect(middle).toBeGreaterThan(10);
    await view().page.mouse.click(box.x + box.width - 1, box.y + box.height / 2);
    expect(await place()).toBeGreaterThan(middle);
    expect(Number(await bar('[role=slider]').getAttribute('aria-valuenow'))).toBeGreaterThan(middle);
  });

  it('plays to the end, folds at a compaction, and verifies itself there', async () => {
    await replaying(0);
    const { page } = view();
    await bar('section').getByRole('radio', { name: '32 times' }).click();
    await bar('[role=slider]').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await button('Play (Space)').click();
    await bar('.proof').filter({ hasText: 'answers equal what their chunks make' }).waitFor();
    expect((await bar('.proof').textContent())!.replace(/\s+/g, ' ')).toMatch(
      /(\d+) of \1 answers equal what their chunks make · derived history equal/,
    );
    expect(await page.locator('dsh-list .ahead').count()).toBe(0);
    // Walk back to the compaction: its replacement says what it takes the place of.
    const folded = bar('.folded');
    for (let i = 0; i < 200 && (await folded.count()) === 0; i++) await page.keyboard.press('ArrowLeft');
    expect(await folded.textContent()).toMatch(/#\d+ takes the place of \d+ messages/);
  });

  it('keeps a filter and the row at the playhead in sight', async () => {
    await replaying(0, { height: 700 });
    const { page } = view();
    const chip = page.getByRole('button', { name: 'Conversation' });
    await chip.click();
    await bar('[role=slider]').focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowRight');
    await view().rest();
    expect(await chip.getAttribute('aria-pressed')).toBe('true');
    await chip.click();
    await page.keyboard.press('Shift+ArrowRight');
    await bar('[role=slider]').focus();
    await page.keyboard.press('End');
    await bar('section').getByRole('button', { name: 'Verify' }).click();
    await bar('.proof').filter({ hasText: 'derived history equal' }).waitFor();
    await view().rest();
    const row = (await page.locator('dsh-list [aria-selected=true]').boundingBox())!;
    const below = (await page.locator('dsh-replay-bar').boundingBox())!;
    expect(row.y + row.height).toBeLessThanOrEqual(below.y + 1);
  });

  it('is followed by the canvases: what is still to come is paler there, and the surface is as of the playhead', async () => {
    await replaying(0);
    const { page } = view();
    /** Colour at a place of a canvas: `across` from 0 to 1, `down` in pixels from the top. */
    const colour = (canvas: string, across: number, down: number): Promise<string> =>
      page
        .locator(canvas)
        .last()
        .evaluate(
          (from: HTMLCanvasElement, at) => {
            const one = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
            one.drawImage(from, -at.across * from.width, (-at.down * from.width) / from.clientWidth);
            return Array.from(one.getImageData(0, 0, 1, 1).data).join(' ');
          },
          { across, down },
        );
    const seen = async (): Promise<{ turn: string; whole: string }> => {
      await view().rest();
      return { turn: await colour('dsh-lanes canvas', 0.96, 36), whole: await colour('dsh-overview canvas', 0.4, 9) };
    };
    const before = await seen();
    // The first prompt stands on the surface after turn 1, and has been replaced at the end.
    const prompt = (): Promise<string> => colour('dsh-lanes canvas', 94 / 1280, 131);
    const none = await prompt();
    await view().send('replay', { seq: 23 });
    await bar('.place').filter({ hasText: '#23 of' }).waitFor();
    await view().rest();
    const current = await prompt();
    expect(current).not.toBe(none);
    await bar('[role=slider]').focus();
    await page.keyboard.press('End');
    const after = await seen();
    expect(await prompt()).not.toBe(current);
    expect(before.turn).not.toBe(after.turn);
    expect(before.whole).not.toBe(after.whole);
    await button('Leave the replay').click();
    expect(await seen()).toEqual(after);
  });

  it('shows a node at the playhead as played, though it stands to the right of its time', async () => {
    await replaying(0);
    const { page } = view();
    /** A line of pixels through the middle of the surface lane's nodes. */
    const line = (): Promise<number[]> =>
      page
        .locator('dsh-lanes canvas')
        .last()
        .evaluate((from: HTMLCanvasElement) => {
          const one = document.createElement('canvas');
          one.width = from.width;
          const to = one.getContext('2d', { willReadFrequently: true })!;
          to.drawImage(from, 0, (-131 * from.width) / from.clientWidth);
          return Array.from(new Uint32Array(to.getImageData(0, 0, from.width, 1).data.buffer));
        });
    await bar('[role=slider]').focus();
    await page.keyboard.press('End');
    await view().rest();
    const played = await line();
    await button('Leave the replay').click();
    await view().rest();
    const whole = await line();
    // The last node is the last run of one colour; it lies between the last answer's time and the log's end.
    let at = whole.length - 12;
    while (whole[at] === whole[at - 8] && whole[at] === whole.at(-1)) at--;
    const colour = whole[at - 4]!;
    expect(colour).not.toBe(whole.at(-1));
    expect(played[at - 4]).toBe(colour);
  });

  it('is left by its button, and everything is as at the log’s end again', async () => {
    await replaying(3);
    await button('Leave the replay').click();
    expect(await view().page.locator('dsh-replay-bar').count()).toBe(0);
    await view().rest();
    expect(await view().page.locator('dsh-list .ahead').count()).toBe(0);
  });

  it('keeps its place when the log grows meanwhile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-replay-'));
    const log = join(folder, 'session.v4.jsonl.zstd');
    await copyFile(logs.sample(compacted), log);
    await open(log);
    await view().send('replay', { seq: 30 });
    await bar('.place').filter({ hasText: '#30 of' }).waitFor();
    const asked = view().asked.filter(({ method }) => method === 'replayPoints').length;
    // The same bytes again make a second header line: the file has grown and the good part is as before.
    await appendFile(log, readFileSync(logs.sample(compacted)).subarray(0, 200));
    view().fileChanged('appended');
    await view().page.locator('.chip.warn').waitFor();
    await expect.poll(() => view().asked.filter(({ method }) => method === 'replayPoints').length).toBeGreaterThan(asked);
    await view().rest();
    expect(await place()).toBe(30);
    await button('On by an event (Right)').click();
    expect(await place()).toBeGreaterThanOrEqual(30);
    await rm(folder, { recursive: true, force: true });
  });

  it('names every difference it finds, each to be opened, and what the surface refuses', async () => {
    const log = new LogBuilder({ version: 4, id: 'odd', createdAt: Date.UTC(2026, 10, 20), cwd: '/work' });
    for (let i = 0; i < 11; i++) {
      log.prompt(`Question ${String(i)}?`);
      log.reply(`Answer ${String(i)}.`);
    }
    const seqs: number[] = [];
    for (const event of log.events) {
      if (event.type !== 'assistant/message') continue;
      seqs.push(event.seq);
      if (seqs.length > 1) (event.data as { message: { content: unknown } }).message.content = [{ type: 'text', text: 'Other.' }];
    }
    const refused = log.events.length;
    const surfaceOp = { op: 'replace', startSeq: 9000, endSeq: 9001 } as const;
    log.events.push({
      ...log.events[seqs[0]!]!,
      seq: refused,
      surfaceOp,
      sourceEventSeqs: [9000],
    });
    const folder = await mkdtemp(join(tmpdir(), 'dsh-replay-'));
    await open(await writeLog(folder, log.header, log.events));
    await view().send('replay', { seq: 0 });
    await bar('.place').filter({ hasText: '#0 of' }).waitFor();
    await bar('section').getByRole('button', { name: 'Verify' }).click();
    await bar('.proof').filter({ hasText: '2 of 12 answers equal' }).waitFor();
    const links = bar('.proof').getByRole('button', { name: /difference at/ });
    expect(await links.count()).toBe(8);
    await bar('.proof').getByRole('button', { name: '2 more' }).click();
    expect(await links.allInnerTexts()).toEqual(seqs.slice(1).map((seq) => `difference at #${String(seq)}`));
    expect(await badlyFitting(view().page)).toEqual([]);
    await links.last().click();
    await bar('.proof')
      .getByRole('button', { name: `#${String(refused)}`, exact: true })
      .click();
    await view().rest();
    const seq = seqs.at(-1)!;
    expect(view().asked.find(({ method }) => method === 'compare')?.args).toEqual({
      left: { kind: 'answer', seq, side: 'chunks' },
      right: { kind: 'answer', seq, side: 'stored' },
    });
    await view()
      .page.locator('dsh-inspector h2', { hasText: `#${String(refused)} ` })
      .waitFor();
    await rm(folder, { recursive: true, force: true });
  });

  it('says so where nothing can be played', async () => {
    await open(logs.sample('session-from-a-newer-dsh'));
    await view().page.locator('.salvaged li').first().waitFor();
    await view().send('replay', { seq: 0 });
    await view().page.locator('.bar.error', { hasText: 'This log has no events that can be played.' }).waitFor();
    expect(await view().page.locator('dsh-replay-bar').count()).toBe(0);
  });

  it('begins where the page is told to, and speaks Chinese', async () => {
    await open(logs.sample(compacted), { locale: 'zh-cn', bundle: chinese() });
    await view().send('replay', { seq: 9 });
    await bar('.place').filter({ hasText: '#9' }).waitFor();
    await view().rest();
    expect(await bar('.place').textContent()).not.toMatch(/playing/);
    expect((await bar('section').textContent())!.replace(/\s+/g, ' ')).not.toMatch(/tokens|done|Verify/);
  });
});
