import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Block } from '../../src/core/messages.ts';
import { redPixel, sha256, storeObject } from '../support/images.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { writeLog } from '../support/write-log.ts';
import { launchBrowser, openView, type View } from './support/harness.ts';

let browser: Browser;
let home: string;
beforeAll(async () => {
  browser = await launchBrowser();
  home = mkdtempSync(join(tmpdir(), 'dsh-images-'));
});
afterAll(async () => {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
});

const image = (attachmentId: string, name: string): Block => ({
  type: 'image',
  attachment: { attachmentId, mediaType: 'image/png', width: 1, height: 1, bytes: redPixel.length, name },
});

/** A prompt with these blocks, opened and selected. */
async function prompted(id: string, blocks: readonly Block[]): Promise<View> {
  const log = new LogBuilder({ version: 4, id, createdAt: 1_700_000_000_000, cwd: '/home/dev/pictures' });
  const seq = log.prompt(blocks);
  log.reply('I see.');
  const view = await openView(browser, await writeLog(join(home, 'sessions'), log.header, log.events), { reveal: seq });
  await view.page.locator('dsh-inspector figure').first().waitFor({ state: 'attached' });
  return view;
}

const askedFor = (view: View): unknown[] => view.asked.filter((call) => call.method === 'attachment').map((call) => call.args);

describe('images of the attachment store', () => {
  it('are drawn from the stored bytes, under the page’s policy, with their name and size', async () => {
    const id = storeObject(home, redPixel);
    const view = await prompted('drawn', [{ type: 'text', text: 'Look.' }, image(id, 'red.png')]);
    const img = view.page.getByRole('img', { name: 'red.png' });
    await img.waitFor();
    expect(await img.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth))).toBe(1);
    expect(await img.getAttribute('src')).toBe(`data:image/png;base64,${redPixel.toString('base64')}`);
    expect(await view.page.locator('dsh-inspector figcaption').textContent()).toMatch(/red\.png\s*image\/png · 1 × 1/);
    expect(askedFor(view)).toEqual([{ id }]);
    expect(await view.problems()).toEqual([]);
    await view.close();
  });

  it('say why they are not there', async () => {
    const wrong = storeObject(home, redPixel, sha256(Buffer.from('other bytes')));
    const broken = storeObject(home, redPixel.subarray(0, 20));
    const view = await prompted('problems', [
      image(`sha256:${'0'.repeat(64)}`, 'gone.png'),
      image('sha256:../../secret', 'hostile.png'),
      image(wrong, 'wrong.png'),
      image(broken, 'broken.png'),
    ]);
    const sentences = [
      'This image is no longer in the attachment store.',
      'This image has no valid attachment id.',
      'This image is not shown: the stored bytes are not the ones its id names.',
      'This image is damaged: it cannot be drawn.',
    ];
    for (const [at, sentence] of sentences.entries()) {
      const figure = view.page.locator('dsh-inspector figure').nth(at);
      await figure.scrollIntoViewIfNeeded();
      await figure.getByText(sentence, { exact: true }).waitFor();
    }
    expect(await view.problems()).toEqual([]);
    await view.close();
  });

  it('are asked for when they come into sight, and not before', async () => {
    const id = storeObject(home, redPixel);
    const view = await prompted('far', [{ type: 'text', text: 'A line.\n\n'.repeat(300) }, image(id, 'far.png')]);
    await view.rest();
    expect(askedFor(view)).toEqual([]);
    await view.page.locator('dsh-inspector figure').scrollIntoViewIfNeeded();
    await view.page.getByRole('img', { name: 'far.png' }).waitFor();
    expect(askedFor(view)).toEqual([{ id }]);
    expect(await view.problems()).toEqual([]);
    await view.close();
  });
});
