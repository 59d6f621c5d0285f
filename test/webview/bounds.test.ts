import { expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { rowCount } from './support/reading.ts';
import { useView } from './support/set-up.ts';

const { logs, open } = useView();

/** Elements of the page, those in shadow trees included. */
const elements = (): number => {
  const below = (root: ParentNode): number =>
    [...root.querySelectorAll('*')].reduce((sum, element) => sum + 1 + (element.shadowRoot ? below(element.shadowRoot) : 0), 0);
  return below(document);
};

it('an edit of thousands of lines and a table of thousands of cells are shown in part or as written, and keep the page small', async () => {
  const log = new LogBuilder({ version: 4, id: 'bounds', createdAt: 1_790_000_000_000, cwd: '/home/dev/bounds' });
  const lines = (word: string, count: number): string => Array.from({ length: count }, (_, i) => `${word}${i}`).join('\n');
  log.prompt('Go.');
  log.work({
    text: 'Now.',
    calls: [
      { name: 'edit', args: { file_path: '/a.csv', old_string: lines('a', 6000), new_string: lines('b', 5000) }, result: 'ok' },
    ],
  });
  log.reply(`|a|b|\n|-|-|\n${'|1|**2**|\n'.repeat(5000)}`);
  const seqOf = (type: string): number => log.events.findLast((event) => event.type === type)?.seq ?? -1;
  const view = await open(await logs.write(log));
  const { page } = view;

  await view.send('reveal', { seq: seqOf('tool/call') });
  const diff = page.locator('dsh-inspector .diff');
  await diff.waitFor();
  await view.rest();
  expect(await diff.locator('.line').count()).toBe(1000);
  // Of 6,000 removed and 5,000 added lines.
  expect(await diff.innerText()).toContain('10,000 more lines; open the event as a document for all of it');
  expect(await page.evaluate(elements)).toBeLessThan(3000);

  await view.send('reveal', { seq: seqOf('assistant/message') });
  const plain = page.locator('dsh-inspector .plain', { hasText: '|1|**2**|' });
  await plain.waitFor();
  await view.rest();
  expect((await plain.innerText()).match(/\|1\|/g)?.length).toBe(5000);
  expect(await page.evaluate(elements)).toBeLessThan(3000);
});

it('a row of the list keeps its element as long as it is in sight, at the end of the list too', async () => {
  const log = new LogBuilder({ version: 4, id: 'kept', createdAt: 1_790_000_000_000, cwd: '/home/dev/kept' });
  for (let n = 0; n < 20; n++) {
    log.prompt(`Question ${n}`);
    log.reply(`Answer ${n}`);
  }
  const { page } = await open(await logs.write(log));
  const changed = await page.locator('dsh-list').evaluate(async (list) => {
    const root = list.shadowRoot ?? list;
    const scroller = root.querySelector('.scroller') ?? list;
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = (): Map<string, Element> => new Map([...root.querySelectorAll('.spacer > .row')].map((row) => [row.id, row]));
    const wrong: string[] = [];
    let [before, scrolls] = [rows(), 0];
    for (let top = -1; scroller.scrollTop > top; scrolls++) {
      top = scroller.scrollTop;
      scroller.scrollTop += 100; // no whole number of rows
      await frame();
      await frame();
      const after = rows();
      for (const [id, row] of after) if (before.has(id) && before.get(id) !== row) wrong.push(`${id} at ${scroller.scrollTop}`);
      before = after;
    }
    return { wrong, scrolls, last: [...before.keys()].at(-1) };
  });
  expect(changed).toEqual({ wrong: [], scrolls: expect.any(Number) as number, last: `r${String((await rowCount(page)) - 1)}` });
  expect(changed.scrolls).toBeGreaterThan(10);
});
