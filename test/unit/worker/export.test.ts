import { afterAll, describe, expect, it } from 'vitest';
import type { ExportPart } from '../../../src/protocol/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { inertMarkdown } from '../../../src/worker/export/markdown.ts';
import { openService, writeBuilt, type Call } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

const builder = (): LogBuilder =>
  new LogBuilder({ version: 4, id: 'sent', createdAt: 1_700_000_000_000, cwd: '/home/dev/d', system: 'Be brief.' });

async function serviceOf(log: LogBuilder): Promise<Call> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  return service.call;
}

async function exported(call: Call, part: ExportPart): Promise<{ text: string; sizes: number[]; shares: number[] }> {
  const { id } = await call('exportStart', { part });
  const parts: Uint8Array[] = [];
  const shares: number[] = [];
  for (;;) {
    const { bytes, share, done } = await call('exportNext', { id });
    if (done) break;
    parts.push(new Uint8Array(bytes));
    shares.push(share);
  }
  return { text: Buffer.concat(parts).toString('utf8'), sizes: parts.map(({ length }) => length), shares };
}

/** What the log holds, line by line, as it was written. */
const storedLines = (log: LogBuilder): string => [log.header, ...log.events].map((line) => `${JSON.stringify(line)}\n`).join('');

describe('the log as JSONL', () => {
  it('is every stored line', async () => {
    const log = builder();
    log.prompt('Fräulein 🦊 asks.');
    log.reply('An answer.');
    expect((await exported(await serviceOf(log), { kind: 'jsonl' })).text).toBe(storedLines(log));
  });

  it('comes in pieces of at most 1 MB, whatever a line holds, and loses nothing', async () => {
    const log = builder();
    log.prompt('x'.repeat(299_000) + '🦊'.repeat(400_000)); // pairs of surrogates at every second unit around the cuts
    log.reply('short');
    log.prompt('中'.repeat(500_000));
    log.reply('short');
    const { text, sizes, shares } = await exported(await serviceOf(log), { kind: 'jsonl' });
    expect(text === storedLines(log)).toBe(true); // said this way, a difference is not printed
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
    expect(sizes.length).toBeGreaterThan(3);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });
});

describe('the derived history', () => {
  it('as text is the document without its elisions', async () => {
    const log = builder();
    const long = 'y'.repeat(70_000);
    log.prompt(`${long} at its end`);
    const call = await serviceOf(log);
    const seq = log.events.length - 1;
    const shown = (await call('document', { ref: { kind: 'history', seq } })).text;
    const { text } = await exported(call, { kind: 'history', seq, as: 'text' });
    expect(shown).toContain('70011 bytes in all, left out here');
    expect(text).toContain(`${long} at its end\n`);
    expect(text).not.toContain('left out here');
    // Apart from the long block the two are the same.
    expect(text.replace(long, '')).toBe(
      shown.replace(/y{2000}\n\[70011 bytes in all, left out here; sha256 \w+\]/, ' at its end'),
    );
  });

  it('as Markdown has a heading a message, and calls and results as code', async () => {
    const log = builder();
    const asked = log.prompt('List *them*.');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a```b' }] });
    const { text } = await exported(await serviceOf(log), { kind: 'history', seq: log.events.length - 1, as: 'markdown' });
    const [answer, result] = [log.nodes[2] ?? -1, log.nodes[3] ?? -1];
    expect(text.slice(text.indexOf('### You'))).toBe(
      [
        `### You · #${asked}`,
        '',
        'List *them*.',
        '',
        `### Assistant · #${answer}`,
        '',
        'Looking.',
        '',
        '**call bash**',
        '',
        '```json',
        '{',
        '  "command": "ls"',
        '}',
        '```',
        '',
        `### bash result · #${result}`,
        '',
        '````',
        'a```b',
        '````',
        '',
        '',
      ].join('\n'),
    );
  });

  it('of an event that is not there is refused', async () => {
    const log = builder();
    log.prompt('One.');
    const call = await serviceOf(log);
    await expect(call('exportStart', { part: { kind: 'history', seq: 9999, as: 'text' } })).rejects.toThrow('9999');
  });
});

describe('the transcript', () => {
  it('tells turn by turn what was said, also what left the context later', async () => {
    const log = builder();
    log.prompt('What is slow?');
    log.title('A `slow` one');
    log.reply('The parser.');
    log.compact('Parser is slow.');
    const { text } = await exported(await serviceOf(log), { kind: 'transcript' });
    expect(text).toMatch(/^# A \\`slow\\` one\n\nTranscript of sent\n\n/);
    expect(text).toMatch(/## Turn 1\n\n[^]*### You · #\d+\n\nWhat is slow\?\n\n[^]*### Assistant · #\d+\n\nThe parser\.\n\n/);
    expect(text).toMatch(/\*turn 1: completed\*\n\n---\n\n/);
    expect(text).toMatch(/\*#\d+ earlier context was compacted\*/);
  });

  it('calls no other replacement of a message a compaction', async () => {
    const log = builder();
    const asked = log.prompt('Where is it?');
    const shorter = log.message('user', [{ type: 'text', text: 'There.' }], { kind: 'time-context' });
    log.emit('user/message', shorter, { sourceEventSeqs: [asked], surfaceOp: log.replaceOp(asked, asked) });
    log.reply('Here.');
    const { text } = await exported(await serviceOf(log), { kind: 'transcript' });
    expect(text).toContain('Where is it?');
    expect(text).toContain('Here.');
    expect(text).not.toContain('There.');
    expect(text).not.toContain('compacted');
  });
});

describe('exports under way', () => {
  it('are bounded in number, end by themselves, and can be stopped', async () => {
    const log = builder();
    log.prompt('One.');
    const call = await serviceOf(log);
    const start = async (): Promise<number> => (await call('exportStart', { part: { kind: 'jsonl' } })).id;
    const ids = [await start(), await start(), await start(), await start()];
    await expect(start()).rejects.toThrow('Too many exports');
    await call('exportStop', { id: ids[0]! });
    const again = await start();
    while (!(await call('exportNext', { id: again })).done);
    await expect(call('exportNext', { id: again })).rejects.toThrow('is over');
  });
});

describe('Markdown of the log', () => {
  it.each([
    ['an image', 'See ![it](https://example.org/x.png)', 'See !\\[it](https://example.org/x.png)'],
    ['HTML', 'a <img src=x> b </p> <!-- c --> 1 < 2', 'a &lt;img src=x> b &lt;/p> &lt;!-- c --> 1 < 2'],
    ['HTML behind a backslash', '\\<img src=x>', '\\&lt;img src=x>'],
    ['a code span, which stays', 'an `Array<string>` here', 'an `Array<string>` here'],
    ['a fence, which stays', '```html\n<p>![a](b)\n```\n<p>', '```html\n<p>![a](b)\n```\n&lt;p>'],
    ['a fence left open, which is closed', '~~~\n<p>', '~~~\n<p>\n~~~'],
    ['a span that only seems to be one', 'one ` here\n` <img> `', 'one ` here\n` &lt;img> `'],
    ['a span behind an escaped mark', '\\` <img> `', '\\` &lt;img> `'],
    ['a span cut by a table cell', '`a | <img> | b`', '`a | &lt;img> | b`'],
    ['a fence that ends with its list', '- x\n  ```\ny\n<img>', '- x\n  ```\ny\n&lt;img>'],
    ['a fence that is no fence', '``` a`b\n<img>', '``` a`b\n&lt;img>'],
  ])('makes inert outside of code: %s', (_, content, expected) => {
    expect(inertMarkdown(content)).toBe(expected);
  });
});
