// What is seen of messages that were replaced, and of a log that records no window.
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import { written } from './support/canvas-words.ts';
import { useView } from './support/set-up.ts';

const { logs, open } = useView();

it('the overview tells the height of the chart also where the log records no window, and one message as one', async () => {
  const log = new LogBuilder({ version: 4, id: 'session-boundless', createdAt: 1_790_000_000_000 });
  log.prompt('hello');
  log.push('request/context', { provider: 'p', model: 'm' });
  log.reply('Hi.', { usage: { inputTokens: 4_000, outputTokens: 200 } });
  const node = log.nodes[1]!; // behind the system prompt
  const data = { compactionId: 'c', turn: null };
  log.wait(3000).push('compaction/start', data);
  const shadowed = { shadowedRange: { start: node, end: node }, shadowedSeqs: [node], shadowedTokenCount: 9 };
  log.push('compaction/summary', { compactionId: 'c', summary: [], provider: 'p', model: 'm', ...shadowed });
  const source = { kind: 'compact-checkpoint', compactionId: 'c' };
  log.push(
    'user/message',
    { id: 'm', role: 'user', content: [{ type: 'text', text: 'Hi!' }], source },
    { sourceEventSeqs: [node], surfaceOp: log.replaceOp(node, node) },
  );
  log.push('compaction/end', data);
  const words = await written(await open(await logs.write(log)));
  expect(words).toContain('context up to 4.2k');
  expect(words.filter((word) => word.includes('replaced by'))).toEqual([expect.stringMatching(/: 1 message$/)]);
});

describe('a replaced message at which a fork is possible', () => {
  it.each([1280, 760])('shows the mark and by which it was replaced, in a window of %i px', async (width) => {
    const log = new LogBuilder({ version: 4, id: 'session-beside', createdAt: 1_790_000_000_000 });
    log.prompt('hello');
    log.reply('Hi.');
    for (const text of ['One.', 'Two.']) {
      const [node] = log.nodes.slice(-1);
      log.push(
        'user/message',
        { id: text, role: 'user', content: [{ type: 'text', text }], source: { kind: 'plugin:mine' } },
        { sourceEventSeqs: [node!], surfaceOp: log.replaceOp(node!, node!) },
      );
    }
    const last = log.events.length - 1;
    const { page } = await open(await logs.write(log), { width });
    const state = page.locator(`.spacer .row:has(.seq:text-is("#${String(last - 1)}"))`).locator('.state');
    expect(await state.locator('.fork').count()).toBe(1);
    const shown = state.locator('.state-text');
    expect(await shown.locator('.short').textContent()).toBe(`→ #${String(last)}`);
    expect(await shown.locator('.short').isVisible()).toBe(true);
    expect(await shown.evaluate((words) => words.scrollWidth <= words.clientWidth)).toBe(true);
    expect(await page.getByRole('treeitem', { name: new RegExp(`shadowed by #${String(last)}`) }).count()).toBeGreaterThan(0);
  });
});
