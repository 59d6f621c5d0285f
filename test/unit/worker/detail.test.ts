import { afterAll, describe, expect, it } from 'vitest';
import type { EventDetail } from '../../../src/protocol/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, sectionSaid, writeBuilt, type Call } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

async function serviceOf(log: LogBuilder): Promise<(seq: number) => Promise<EventDetail>> {
  const service: { call: Call; dispose: () => Promise<void> } = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  const { generation } = await service.call('overview', {});
  return (seq) => service.call('detail', { generation, seq });
}

const builder = (version: Version = 4): LogBuilder =>
  new LogBuilder({ version, id: 'd', createdAt: 1_700_000_000_000, cwd: '/home/dev/d' });
/** The builder's clock adds a little of its own, so durations are left out. */
const pretty = (detail: EventDetail): string[] =>
  detail.pretty.map((section) => sectionSaid(section).replace(/Took=[\d.]+ m?s/, 'Took=…'));
const seqOf = (log: LogBuilder, type: string, nth = 0): number =>
  log.events.filter((event) => event.type === type)[nth]?.seq ?? -1;

describe('tool cards', () => {
  it('show a command with its exit code and output, from the call and from the result', async () => {
    const log = builder();
    log.prompt('go');
    log.work({
      calls: [
        {
          name: 'bash',
          args: { command: 'npm test', description: 'Run tests' },
          result: 'FAIL',
          meta: { exitCode: 1 },
          takes: 900,
        },
      ],
    });
    const at = await serviceOf(log);
    const card = ['Command: npm test', 'description=Run tests', 'Exit code=1, Took=…', 'Failed result: FAIL'];
    expect(pretty(await at(seqOf(log, 'tool/call')))).toEqual(card);
    expect(pretty(await at(seqOf(log, 'tool/result')))).toEqual(card);
  });

  it('show a diff from what the tool kept, else from the arguments', async () => {
    const log = builder();
    log.prompt('go');
    log.work({
      calls: [
        {
          name: 'edit',
          args: { file_path: 'a.ts', old_string: 'x', new_string: 'y', replace_all: true },
          result: 'ok',
          takes: 5,
        },
        {
          name: 'edit',
          args: { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
          result: 'ok',
          takes: 5,
          meta: { diffs: [{ path: 'a.ts', oldText: 'one\nx', newText: 'one\ny' }] },
        },
        {
          name: 'multi_edit',
          args: {
            file_path: 'b.ts',
            edits: [
              { old_string: '1', new_string: '2' },
              { old_string: '3', new_string: '4' },
            ],
          },
          result: 'ok',
          takes: 5,
        },
        { name: 'write', args: { path: 'c.ts', content: 'new' }, result: 'ok', takes: 5 },
        {
          name: 'str_replace_editor',
          args: { command: 'str_replace', path: '/n.md', old_str: 'o', new_str: 'n' },
          result: 'ok',
          takes: 5,
        },
      ],
    });
    const at = await serviceOf(log);
    const head = async (nth: number): Promise<string[]> => pretty(await at(seqOf(log, 'tool/call', nth))).slice(0, -2);
    expect(await head(0)).toEqual(['File=a.ts', 'replace_all=true', 'a.ts: x => y']);
    expect(await head(1)).toEqual(['File=a.ts', 'a.ts: one\nx => one\ny']);
    expect(await head(2)).toEqual(['File=b.ts', 'b.ts: 1 => 2', 'b.ts: 3 => 4']);
    expect(await head(3)).toEqual(['File=c.ts', 'c.ts:  => new']);
    expect(await head(4)).toEqual(['File=/n.md', 'command=str_replace', '/n.md: o => n']);
  });

  it('show todos, prompts, plain arguments and broken ones', async () => {
    const log = builder();
    log.prompt('go');
    log.work({
      calls: [
        {
          name: 'todo_write',
          args: {
            todos: [
              { content: 'a', status: 'completed' },
              { content: 'b', status: 'pending' },
            ],
          },
          result: 'ok',
          takes: 5,
        },
        { name: 'subagent', args: { description: 'count', prompt: 'Count.\nAll.' }, result: '42', takes: 5 },
        { name: 'glob', args: { pattern: '*.ts' }, result: 'a.ts', takes: 5, meta: { shape: 'paths', total: 1 } },
        { name: 'exit_plan_mode', args: { plan: '# Plan\n1. Read.' }, result: 'ok', takes: 5 },
        { name: 'web_search', args: { queries: ['one', 'two'], limit: 5 }, result: 'ok', takes: 5 },
        { name: 'workflow', args: { name: 'review', script: 'run()\nstop()' }, result: 'ok', takes: 5 },
        { name: 'nested', args: { meta: { a: 1 } }, result: 'ok', takes: 5 },
        { name: 'odd', args: '{"unfin', result: '', takes: 5, error: { name: 'ToolArgsError', code: 'INVALID_ARGS' } },
      ],
    });
    const at = await serviceOf(log);
    const card = async (nth: number): Promise<string[]> => pretty(await at(seqOf(log, 'tool/call', nth)));
    expect(await card(0)).toEqual(['Todo list: completed a, pending b', 'Took=…', 'Result: ok']);
    expect(await card(1)).toEqual(['description=count', 'Prompt: Count.\nAll.', 'Took=…', 'Result: 42']);
    expect(await card(2)).toEqual(['pattern=*.ts', 'Took=…, Found=1', 'Result: a.ts']);
    expect(await card(3)).toEqual(['Plan: # Plan\n1. Read.', 'Took=…', 'Result: ok']);
    expect(await card(4)).toEqual(['queries=one, two, limit=5', 'Took=…', 'Result: ok']);
    expect(await card(5)).toEqual(['name=review', 'script: run()\nstop()', 'Took=…', 'Result: ok']);
    expect(await card(6)).toEqual(['Arguments: {\n  "meta": {\n    "a": 1\n  }\n}', 'Took=…', 'Result: ok']);
    expect(await card(7)).toEqual([
      'warning: The arguments are not a JSON object; this is the text the model produced',
      'Arguments: {"unfin',
      'Error=ToolArgsError INVALID_ARGS, Took=…',
      'info: The result is empty',
    ]);
  });

  it('are cut where they get too long, and say by how much', async () => {
    const log = builder();
    log.prompt('go');
    log.work({ calls: [{ name: 'bash', args: { command: 'yes' }, result: 'y'.repeat(100_000) }] });
    const detail = await (await serviceOf(log))(seqOf(log, 'tool/result'));
    const output = detail.pretty.find((section) => section.kind === 'code' && section.cut > 0);
    expect(output).toMatchObject({ cut: 100_000 - 65_536 });
    expect(detail.raw.text.length + detail.raw.cut).toBe(JSON.stringify(log.events[detail.seq]).length);
  });

  it('keep the beginnings of many long texts once these are too much together', async () => {
    const log = builder();
    log.prompt('go');
    const long = 'x'.repeat(60_000);
    log.prompt(Array.from({ length: 12 }, () => ({ type: 'text' as const, text: long })));
    const detail = await (await serviceOf(log))(seqOf(log, 'user/message', 1));
    const texts = detail.pretty.filter((section) => section.kind === 'text');
    // Eight whole, then what is left of 524,288, then 500 of each.
    expect(texts.map(({ text }) => text.length)).toEqual([...Array.from({ length: 8 }, () => 60_000), 44_288, 500, 500, 500]);
    expect(texts.map(({ text, cut }) => text.length + cut)).toEqual(texts.map(() => 60_000));
  });
});

describe("the model's view", () => {
  it.each([0, 2, 4] as const)('names the requests that held a message until it was compacted (v%i)', async (version) => {
    const log = builder(version);
    const first = log.prompt('one');
    log.work({ calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a' }] });
    log.reply('done');
    const second = log.prompt('two');
    log.reply('done');
    const checkpoint = log.compact('All done.', { keep: 1 });
    const third = log.prompt('three');
    log.reply('done');
    const at = await serviceOf(log);
    const model = async (seq: number): Promise<unknown> => {
      const { state, shadowedBy, requests, requestCount } = (await at(seq)).model;
      return {
        state,
        shadowedBy,
        requests: requests.map(({ turn, step, attempt }) => `${turn}.${step}.${attempt}`),
        requestCount,
      };
    };
    expect(await model(first)).toEqual({
      state: 'shadowed',
      shadowedBy: checkpoint,
      requests: ['1.1.1', '1.2.1', '2.1.1'],
      requestCount: 3,
    });
    expect(await model(second)).toEqual({ state: 'shadowed', shadowedBy: checkpoint, requests: ['2.1.1'], requestCount: 1 });
    expect(await model(checkpoint)).toEqual({ state: 'current', shadowedBy: undefined, requests: ['3.1.1'], requestCount: 1 });
    expect(await model(third)).toEqual({ state: 'current', shadowedBy: undefined, requests: ['3.1.1'], requestCount: 1 });
    expect(await model(seqOf(log, 'turn/end'))).toEqual({
      state: 'log-only',
      shadowedBy: undefined,
      requests: [],
      requestCount: 0,
    });
  });
});

describe('compaction and request cards', () => {
  it('name what left the context by its first words, with an ellipsis where they go on', async () => {
    const log = builder();
    log.prompt('Nine.Nine.'.repeat(9));
    log.reply('short');
    const checkpoint = log.compact('Sum.');
    const card = (await (await serviceOf(log))(checkpoint)).pretty;
    const left = card.find((section) => section.kind === 'links');
    const notes =
      left?.kind === 'links' ? left.links.map(({ note }) => (typeof note === 'object' ? note.args['words'] : note)) : [];
    expect(notes).toEqual([`${'Nine.Nine.'.repeat(8).slice(0, 79)}…`, 'short']);
  });

  it('show what left the context, what it became, and what it cost', async () => {
    const log = builder();
    const asked = log.prompt('one');
    log.reply('done');
    const checkpoint = log.compact('The summary, whole.');
    const at = await serviceOf(log);
    const card = pretty(await at(checkpoint));
    expect(card[1]).toMatch(/^Context: Messages=2, Tokens before=\d+, Tokens after=≈7$/);
    expect(card[2]).toMatch(/^Cost of the summary: Model=deepseek-official\/deepseek-v4, Input tokens=1\.2k/);
    expect(card[3]).toBe('Summary: The summary, whole.');
    expect(card[4]).toBe(`Left the context: #${asked} You, #${seqOf(log, 'assistant/message')} Assistant`);
    expect(card[5]).toBe(`Stands in their place: #${checkpoint} Checkpoint`);
    for (const type of ['compaction/start', 'compaction/summary', 'compaction/end'])
      expect(pretty(await at(seqOf(log, type)))).toEqual(card);
    const sources = (await at(checkpoint)).sources.map(sectionSaid);
    expect(sources).toEqual([
      `Cites: #${seqOf(log, 'compaction/start')} Compaction started, #${seqOf(log, 'compaction/summary')} Compaction`,
      `Shadows: #${asked} You, #${seqOf(log, 'assistant/message')} Assistant`,
    ]);
    const cited = (await at(asked)).sources.map(sectionSaid);
    expect(cited).toEqual([
      `Cited by: #${seqOf(log, 'compaction/summary')} Compaction, #${checkpoint} Checkpoint`,
      `Shadowed by: #${checkpoint} Checkpoint`,
    ]);
  });

  it('show settings, changes against the request before, system prompt and tools', async () => {
    const tools = (description: string): { name: string; description: string; parameters: object } => ({
      name: 'bash',
      description,
      parameters: { type: 'object' },
    });
    const log = builder(2);
    const header = (model: string, system: string, description: string): number =>
      log.emit('request/header', {
        header: {
          config: { provider: 'p', model, maxTokens: 10 },
          adapterDefaults: { maxTokens: true },
          system,
          tools: [tools(description)] as never,
        },
        reason: 'change',
      });
    const first = header('m1', 'Be kind.', 'Runs.');
    const second = header('m2', 'Be kind.', 'Runs quickly.');
    const third = header('m2', 'Be kind.', 'Runs quickly.');
    const at = await serviceOf(log);
    expect(pretty(await at(first))).toEqual([
      'Settings: Provider=p, Model=m1, Output limit=10 (adapter default), Reason=changed',
      'System prompt: Be kind.',
      'info: Tools: 1',
      'Tool bash: Runs.\n\n{\n  "type": "object"\n}',
    ]);
    expect(pretty(await at(second))[1]).toBe('Changed since the request before: model="m1" → "m2", Tools changed=bash');
    expect(pretty(await at(third))[1]).toBe('info: Nothing changed since the request before');
  });
});

describe('spans', () => {
  it('are told as a whole by their starts and ends', async () => {
    const log = builder();
    const asked = log.prompt('one');
    log.failedAttempt({
      text: 'Ha',

      finish: { kind: 'error', failure: { message: 'broke', code: 'X' } },
    });
    log.retry(1, 10, { message: 'broke', code: 'X' }, 'r');
    log.work({
      usage: { inputTokens: 20, outputTokens: 3, cacheReadTokens: 5 },
      calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a' }],
    });
    log.reply('done', { usage: { inputTokens: 30, outputTokens: 4 } });
    const at = await serviceOf(log);
    const steps = [seqOf(log, 'step/start', 0), seqOf(log, 'step/start', 1)];
    const turn = pretty(await at(seqOf(log, 'turn/start'))).map((line) => line.replace(/Took=[^,]+, /, ''));
    expect(turn).toEqual([
      'Turn=1, Ended=completed, Steps=2, Calls=1, Input tokens=50, Cache read=5, Output tokens=7',
      `Prompts: #${asked} You`,
      `Steps: #${steps[0]} Step 1.1 started, #${steps[1]} Step 1.2 started`,
    ]);
    expect(pretty(await at(seqOf(log, 'turn/end'))).map((line) => line.replace(/Took=[^,]+, /, ''))).toEqual(turn);
    const step = pretty(await at(steps[0] ?? -1)).map((line) =>
      line.replace(/First token after=[^,]+, Took=[^,]+(, |$)/, (_, after) => (after === '' ? 'First token after=…' : '')),
    );
    expect(step.slice(0, 3)).toEqual([
      'Request: Attempt=1, Outcome=error, First token after=…',
      'Request: Attempt=2, Input tokens=20, Cache read=5, Output tokens=3',
      `Calls: #${seqOf(log, 'tool/call')} bash`,
    ]);
    expect(step[3]).toMatch(/^Settings: Provider=deepseek-official, Model=deepseek-v4/);
    expect(pretty(await at(steps[1] ?? -1))).toContain('info: Nothing changed since the request before');
  });

  it('show what changed in the system prompt', async () => {
    for (const version of [2, 4] as const) {
      const log = builder(version);
      log.prompt('one');
      log.reply('done');
      log.system('Be loud.');
      log.prompt('two');
      log.selectModel('m2');
      log.request();
      log.reply('done');
      const at = await serviceOf(log);
      const card = (await at(seqOf(log, 'request/header', version === 2 ? 2 : 1))).pretty;
      const changed = card.find((section) => section.kind === 'diff');
      if (version === 4) expect(changed).toMatchObject({ after: 'Be loud.' });
      else expect(card.map(sectionSaid)).toContain('System prompt: Be loud.');
    }
  });
});

describe('images removed from context', () => {
  it('are missing from the derived message, not from the event', async () => {
    const image = {
      type: 'image',
      attachment: { attachmentId: 'sha256:00', mediaType: 'image/png', width: 4, height: 3, bytes: 9 },
    } as const;
    const log = builder();
    const asked = log.prompt([{ type: 'text', text: 'look' }, image]);
    log.emit('image/offload', { targets: [{ seq: asked, imageIndexes: [0] }] });
    log.reply('done');
    const detail = await (await serviceOf(log))(asked);
    expect(pretty(detail)).toEqual(['look', 'sha256:00 4x3']);
    expect(detail.model.sections.map(sectionSaid).slice(0, 2)).toEqual(['look', 'sha256:00 4x3 offloaded']);
  });
});

describe('any event', () => {
  it('has its place, its stored line and its fork legality', async () => {
    const log = builder(3);
    log.prompt('one');
    log.reply('done');
    const at = await serviceOf(log);
    const end = await at(log.events.length - 1);
    expect(end).toMatchObject({
      type: 'turn/end',
      turn: 1,
      step: undefined,
      line: log.events.length + 1,
      fork: { legal: true, closes: false },
    });
    expect(end.raw).toEqual({ text: JSON.stringify(log.events.at(-1)), cut: 0 });
    expect((await at(seqOf(log, 'step/start'))).fork).toMatchObject({
      legal: false,
      code: 'OPEN_TURN',
      after: log.events.length - 1,
    });
    await expect(at(log.events.length)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('shows a discarded stream joined, in chunks or embedded', async () => {
    for (const version of [1, 4] as const) {
      const log = builder(version);
      log.prompt('one');
      log.failedAttempt({ text: 'Half an answer', finish: { kind: 'error', failure: { message: 'broke', code: 'TRANSPORT' } } });
      const seq = version === 1 ? seqOf(log, 'assistant/chunk', 3) : seqOf(log, 'assistant/attempt');
      const card = pretty(await (await serviceOf(log))(seq));
      expect(card[0]).toBe('warning: This attempt never became a message; it is not in the history');
      expect(card).toContain('Half an answer');
      expect(card).toContain('error: error TRANSPORT: broke');
    }
  });
});
