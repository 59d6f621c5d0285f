import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DocumentRef, DocumentText } from '../../../src/protocol/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { openSession } from '../../../src/storage/index.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';
import { openService, writeBuilt } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

async function documentsOf(
  log: LogBuilder,
  options: { readonly flatNeighbour?: boolean } = {},
): Promise<(ref: DocumentRef) => Promise<DocumentText>> {
  const service = options.flatNeighbour ? await besideFlatLog(log) : openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  return (ref) => service.call('document', { ref });
}

/** The log at its place in a root, in a project that also holds a log of the old layout. */
async function besideFlatLog(log: LogBuilder): Promise<ReturnType<typeof openService>> {
  const path = await writeLog(root.fresh(), log.header, log.events);
  writeFileSync(join(path, '..', '..', 'old.jsonl'), '{}\n');
  return openService(path, { open: openSession });
}

const builder = (version: Version = 4, id = 'doc'): LogBuilder =>
  new LogBuilder({
    version,
    id,
    createdAt: 1_700_000_000_000,
    cwd: '/home/dev/d',
    system: 'Be brief.',
    tools: [{ name: 'bash', description: 'Runs.', parameters: { type: 'object' } }],
  });

describe('the history', () => {
  it('is one message after the other with seq, role and source', async () => {
    const log = builder();
    const asked = log.prompt('List.');
    log.work({ reasoning: 'Hm.', text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    const system = log.nodes[0] ?? -1;
    const [answer, result] = [log.nodes[2] ?? -1, log.nodes[3] ?? -1];
    const call = (log.events[answer]?.data as { message: { content: { id?: string }[] } }).message.content.at(-1)?.id;
    const { text, complete } = await (await documentsOf(log))({ kind: 'history', seq: log.events.length - 1 });
    expect(complete).toBe(true);
    expect(text.split('\n').slice(0, 3)).toEqual([
      'Derived history of doc',
      `after event #${log.events.length - 1}`,
      'messages: 4',
    ]);
    expect(text.slice(text.indexOf('==='))).toBe(
      [
        `=== #${system} · system · system-prompt ===`,
        'Be brief.',
        '',
        `=== #${asked} · user · human ===`,
        'List.',
        '',
        `=== #${answer} · assistant · deepseek-official/deepseek-v4 ===`,
        '[reasoning]',
        'Hm.',
        '[/reasoning]',
        'Looking.',
        `[call bash ${call}]`,
        '{',
        '  "command": "ls"',
        '}',
        '',
        `=== #${result} · tool · tool ${call} ===`,
        'a.txt',
        '',
        '',
      ].join('\n'),
    );
  });

  it('of two seqs shares every line but what changed between them', async () => {
    const log = builder();
    log.prompt('One.');
    log.reply('First.');
    const before = log.events.length - 1;
    log.prompt('Two.');
    log.reply('Second.');
    const document = await documentsOf(log);
    const [a, b] = [
      await document({ kind: 'history', seq: before }),
      await document({ kind: 'history', seq: log.events.length - 1 }),
    ];
    const body = (text: string): string => text.slice(text.indexOf('==='));
    expect(body(b.text).startsWith(body(a.text).trimEnd())).toBe(true);
  });

  it('leaves out the middle of nothing: a long block keeps its beginning, length and hash', async () => {
    const long = '😀'.repeat(40_000);
    const log = builder();
    log.prompt(long);
    const { text } = await (await documentsOf(log))({ kind: 'history', seq: log.events.length - 1 });
    const hash = createHash('sha256').update(long, 'utf8').digest('hex');
    expect(text).toContain(`[160000 bytes in all, left out here; sha256 ${hash}]`);
    expect(text).not.toContain('\ufffd');
    expect(text.length).toBeLessThan(4_000);
  });

  it('stops at 8 MB and says so', async () => {
    const log = builder();
    log.prompt('go');
    for (let i = 0; i < 450; i++) log.inject('x'.repeat(19_000), 'plan-mode');
    const { text, complete } = await (await documentsOf(log))({ kind: 'history', seq: log.events.length - 1 });
    expect(complete).toBe(false);
    expect(text.length).toBeLessThanOrEqual(8_000_200);
    expect(text.trimEnd().split('\n').at(-1)).toBe('The document is longer than shown here; the rest was left out.');
  });
});

describe('a request', () => {
  it.each([0, 2, 4] as const)('holds what was sent: settings, system prompt, messages so far, tools (v%i)', async (version) => {
    const log = builder(version);
    log.prompt('List.');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('One file.');
    const document = await documentsOf(log);
    const headings = ({ text }: DocumentText): string[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith('==='))
        .map((line) => line.replace(/#\d+ · /, '').replace(/tool call\S+/, 'tool'));
    const system = version >= 3 ? '=== system · system-prompt ===' : '=== system prompt ===';
    const first = await document({ kind: 'request', turn: 1, step: 1, attempt: 1 });
    expect(headings(first)).toEqual(['=== settings ===', system, '=== user · human ===', '=== tool bash ===']);
    expect(first.text).toContain('model: "deepseek-v4"');
    const second = headings(await document({ kind: 'request', turn: 1, step: 2, attempt: 1 }));
    expect(second.slice(0, 4)).toEqual([
      '=== settings ===',
      system,
      '=== user · human ===',
      '=== assistant · deepseek-official/deepseek-v4 ===',
    ]);
    expect(second).toHaveLength(6);
  });

  it('of a retried step is the one before its own answer; of an unanswered step the step so far', async () => {
    const log = builder();
    log.prompt('List.');
    log.failedAttempt({ text: 'Ha', finish: { kind: 'error', failure: { message: 'broke', code: 'X' } } });
    log.retry(1, 10, { message: 'broke', code: 'X' }, 'r');
    log.inject('Hurry.', 'plan-mode');
    log.answer({ text: 'Now.' });
    log.endTurn();
    log.prompt('Wait.');
    const document = await documentsOf(log);
    const text = async (turn: number, attempt: number): Promise<string> =>
      (await document({ kind: 'request', turn, step: 1, attempt })).text;
    expect(await text(1, 1)).not.toContain('Hurry.');
    expect(await text(1, 2)).toContain('Hurry.');
    expect(await text(2, 1)).toContain('Wait.');
    await expect(document({ kind: 'request', turn: 1, step: 1, attempt: 3 })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the other documents', () => {
  it('give back every stored line', async () => {
    const log = builder(1);
    log.prompt('List.');
    log.reply('A rather long answer that is packed into rows.');
    const document = await documentsOf(log);
    const { text } = await document({ kind: 'jsonl' });
    const lines = text.trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual(log.header);
    expect(lines.some((line) => line.startsWith('{"type":"text-chunks"'))).toBe(true);
    const event = await document({ kind: 'event', seq: 0 });
    expect(event.text).toBe(`${JSON.stringify(log.events[0], null, 2)}\n`);
  });

  it.each([4, 5])('give back the text of a plain log exactly, format %i', async (version) => {
    const folder = root.fresh();
    const path = join(folder, `session.v${version}.jsonl`);
    const stored = [
      `{ "version" : ${version}, "type":"session","id":"odd","createdAt":1e3,"isSeeded":false,"delegationDepth":0}`,
      `{"seq":0, "type":"turn/start","time":1000,"data":{"turn":1}}`,
      '',
    ].join('\n');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, stored);
    const service = openService(path);
    open.push(service);
    expect((await service.call('document', { ref: { kind: 'jsonl' } })).text).toBe(stored);
  });

  it('tell the conversation as it went, with a marker where it was folded', async () => {
    const log = builder();
    log.prompt('One.');
    log.work({ text: 'Looking.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('First.');
    const checkpoint = log.compact('Folded.');
    log.prompt('Two.');
    log.endTurn({ kind: 'aborted', reason: { kind: 'user' } });
    const { text } = await (await documentsOf(log))({ kind: 'transcript' });
    for (const part of [
      '──── turn 1 ────',
      'One.',
      '→ bash: ls',
      'First.',
      '──── turn 1: completed ────',
      `──── #${checkpoint} earlier context was compacted ────`,
      'Two.',
      'aborted by user',
    ]) {
      expect(text).toContain(part);
      expect(text.indexOf(part)).toBe(text.lastIndexOf(part));
    }
    expect(text).not.toContain('Folded.');
  });

  it('call no other replacement of a message a compaction', async () => {
    const log = builder();
    const asked = log.prompt('Where is it?');
    const shorter = log.message('user', [{ type: 'text', text: 'There.' }], { kind: 'time-context' });
    log.emit('user/message', shorter, { sourceEventSeqs: [asked], surfaceOp: log.replaceOp(asked, asked) });
    log.reply('Here.');
    const { text } = await (await documentsOf(log))({ kind: 'transcript' });
    expect(text).toContain('Where is it?');
    expect(text).toContain('Here.');
    expect(text).not.toContain('There.');
    expect(text).not.toContain('compacted');
  });

  it('report damage with place and consequence', async () => {
    const log = builder(4);
    log.prompt('One.');
    log.adopt({ type: 'acme/thing', seq: log.events.length, time: log.now, data: {} });
    const { text } = await (await documentsOf(log))({ kind: 'damage' });
    expect(text).toContain('Damage report of doc');
    expect(text).toMatch(/type "acme\/thing"/);
    const { text: beside } = await (await documentsOf(builder(4), { flatNeighbour: true }))({ kind: 'damage' });
    expect(beside).toMatch(/^1\. flat-log\n.*\n {3}This is about the sessions folder; this log itself is as it should be\.\n/m);
    const healthy = builder(4);
    healthy.prompt('One.');
    expect((await (await documentsOf(healthy))({ kind: 'damage' })).text).toContain('No damage was found.');
  });
});
