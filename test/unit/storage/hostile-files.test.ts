import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionLister, forkSession, listSessions, openSession } from '../../../src/storage/index.ts';
import { encodeFrame } from '../../../src/storage/zstd/encode.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logPath, writeLog } from '../../support/write-log.ts';

/** Files that nobody writes by accident, and some that come about by one: the list goes on, and nothing is waited for. */

const temp = tempRoot();

function chat(id = 's'): LogBuilder {
  const builder = new LogBuilder({ version: 4, id, createdAt: 1000, cwd: '/work' });
  builder.prompt('hello');
  builder.reply('hi');
  return builder;
}

function put(path: string, bytes: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** One frame of `blocks` times 128 KiB of one byte, in four bytes a block. */
function repeated(byte: number, blocks: number): Uint8Array {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
  const size = 2 ** 17;
  for (let i = 0; i < blocks; i++) {
    const header = (size << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0);
    frame.push(header & 0xff, (header >> 8) & 0xff, (header >> 16) & 0xff, byte);
  }
  return Uint8Array.from(frame);
}

describe.runIf(process.platform !== 'win32')('a pipe where a log should be', () => {
  it('is no log, and opening it does not wait for a writer', async () => {
    const root = temp.fresh();
    const good = chat('good');
    await writeLog(root, good.header, good.events);
    const pipe = join(root, '--work--', 'pipe', 'session.v4.jsonl.zstd');
    mkdirSync(dirname(pipe));
    execFileSync('mkfifo', [pipe]);
    execFileSync('mkfifo', [join(root, '--work--', 'flat.jsonl')]);
    expect((await listSessions(root)).map(({ id }) => id)).toEqual(['good']);
    await expect(openSession(pipe)).rejects.toThrow('not a regular file');
    await expect(openSession(dirname(pipe))).rejects.toThrow('holds no session log');
  });

  it('behind a link is listed as unreadable', async () => {
    const root = temp.fresh();
    const pipe = join(root, 'pipe');
    mkdirSync(join(root, '--work--', 's'), { recursive: true });
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, join(root, '--work--', 's', 'session.v4.jsonl'));
    const [session] = await listSessions(root);
    expect(session?.damage.map(({ kind }) => kind)).toEqual(['unreadable']);
  });
});

it('a directory named like a newer generation is none', async () => {
  const root = temp.fresh();
  const log = chat();
  const path = await writeLog(root, log.header, log.events);
  mkdirSync(join(dirname(path), 'session.v9.jsonl.zstd'));
  expect((await openSession(dirname(path))).path).toBe(path);
  expect((await listSessions(root)).map((session) => session.path)).toEqual([path]);
});

describe('links', () => {
  it('one session reached over two directories is no duplicate of itself', async () => {
    const root = temp.fresh();
    const log = chat();
    await writeLog(root, log.header, log.events);
    symlinkSync(join(root, '--work--'), join(root, '--alias--'));
    for (const { damage } of await listSessions(root)) expect(damage).toEqual([]);
  });

  it('a link that leads nowhere stays in the list', async () => {
    const root = temp.fresh();
    mkdirSync(join(root, '--work--', 's'), { recursive: true });
    symlinkSync(join(root, 'gone'), join(root, '--work--', 's', 'session.v4.jsonl'));
    const [session] = await listSessions(root);
    expect(session?.damage.map(({ kind, message }) => [kind, message.includes('ENOENT')])).toEqual([['unreadable', true]]);
  });
});

describe('two roots whose names begin alike', () => {
  it('do not make one forget the other', async () => {
    const parent = temp.fresh();
    const lister = createSessionLister();
    const log = chat();
    const path = await writeLog(join(parent, 'sessions-old'), log.header, log.events);
    await writeLog(join(parent, 'sessions'), log.header, log.events);
    await lister.list(join(parent, 'sessions-old'));
    await lister.list(join(parent, 'sessions'));
    expect((await lister.complete(path))?.id).toBe('s');
  });
});

describe('a few bytes that hold more text than there is memory', () => {
  const header = JSON.stringify(chat().header);

  it('are glanced at in bounds, and the good part of the log is still told', async () => {
    const root = temp.fresh();
    const log = chat();
    const [first = '', ...rest] = [header, ...log.events.map((event) => JSON.stringify(event))];
    const frames = [await encodeFrame(Buffer.from(`${first}\n`)), await encodeFrame(Buffer.from(`${rest.join('\n')}\n`))];
    put(logPath(root, log.header), Buffer.concat([...frames, repeated(0x61, 1024)]));
    const [session] = await listSessions(root);
    expect(session).toMatchObject({ id: 's', title: 'hello', titleIsComplete: false, damage: [] });
  });

  it('millions of empty lines: the first of them are counted, the rest is said to be left out', async () => {
    const root = temp.fresh();
    const frames = [await encodeFrame(Buffer.from(`${header}\n`)), repeated(0x0a, 80)];
    const path = put(logPath(root, chat().header), Buffer.concat(frames));
    const session = await openSession(path);
    expect(session.lineCount).toBe(2 ** 23);
    expect(session.eventCount).toBe(0);
    expect(session.damage.map(({ kind }) => kind)).toEqual(['frame-limit', 'bad-line']);
    expect([...session.salvagedLines()]).toEqual([]);
    const [listed] = await listSessions(root);
    expect(listed).toMatchObject({ id: 's', damage: [] });
  }, 30_000);
});

it.each(['none', 'zstd'] as const)(
  'a header longer than the first piece read of a log is read all the same (%s)',
  async (encoding) => {
    const root = temp.fresh();
    const log = chat();
    const noise = Array.from({ length: 40_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1).toString(36)).join('');
    for (let i = 0; i < 40; i++) log.prompt(`${i} ${noise.slice(0, 20_000 + i)}`);
    await writeLog(root, { ...log.header, agentPreset: noise }, log.events, { encoding, batch: 1 });
    const [session] = await listSessions(root);
    expect(session).toMatchObject({ id: 's', title: 'hello', damage: [], refusal: undefined });
  },
);

describe('sentences about a log stay short', () => {
  it('whatever its header is called', async () => {
    const id = 'x'.repeat(100_000);
    for (const version of [4, 5]) {
      const root = temp.fresh();
      const header = { ...chat().header, version, id, [`key${id}`]: 1 };
      const path = put(join(root, '--work--', 's', `session.v${String(version)}.jsonl`), `${JSON.stringify(header)}\n`);
      const session = await openSession(path);
      const [listed] = await listSessions(root);
      const sentences = [session, listed].flatMap((one) => [
        ...(one?.damage ?? []).map(({ message }) => message),
        one?.refusal?.message ?? '',
      ]);
      expect(sentences.some((sentence) => sentence.length > 200)).toBe(true);
      for (const sentence of sentences) expect(sentence.length).toBeLessThan(2000);
    }
  });
});

describe('a fork of a log whose header is odd', () => {
  it.each([{ id: 5 }, { id: '' }, { createdAt: 'now', extra: 1, agentPreset: 5 }])(
    '%j: the child is a sound file of its own, and names of its source what can be named',
    async (odd) => {
      for (const version of [0, 4] as const) {
        const root = temp.fresh();
        const log = new LogBuilder({ version, id: 's', createdAt: 1000, cwd: '/work' });
        log.prompt('hello');
        log.reply('hi');
        const lines = [{ ...log.header, ...odd }, ...log.events].map((line) => JSON.stringify(line));
        const name = version === 0 ? 'session.jsonl' : 'session.v4.jsonl';
        const source = await openSession(put(join(root, '--work--', 's', name), `${lines.join('\n')}\n`));
        const boundary = log.events.length - 1;
        expect(source.forkBoundary(boundary).legal).toBe(true);
        const { path, cut } = await forkSession(source, boundary, { root, id: 'child', now: 2000 });
        expect(cut).toBe(boundary + 1);
        const child = await openSession(path);
        expect(child.damage).toEqual([]);
        expect(child.header?.parentSession).toBe('id' in odd ? undefined : 's');
        expect(dirname(dirname(path))).toBe(join(root, '--work--'));
      }
    },
  );
});
