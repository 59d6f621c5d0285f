import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionLog, LogWriteError, logPathOf, targetProblem, type NewLog } from '../../../src/storage/log-writer.ts';
import { listSessions } from '../../../src/storage/session-list.ts';
import { faultyFs, type Fault } from '../../support/faulty-fs.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath, writeLog } from '../../support/write-log.ts';

const temp = tempRoot();

async function newLog(root = temp.fresh(), id = 'child'): Promise<NewLog> {
  const log = new LogBuilder({ version: 4, id, cwd: '/work/demo', createdAt: 1_790_000_000_000 });
  log.prompt('a question');
  log.reply('an answer');
  return { root, header: log.header, encoding: 'zstd', bytes: await logBytes(log.header, log.events) };
}

/** Everything below a folder, as paths. */
const below = (root: string): string[] =>
  existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).sort() : [];

/** The operations of an undisturbed publication. */
async function operations(fault: Partial<Fault> = {}): Promise<readonly string[]> {
  const fs = faultyFs({ code: 'ENOTSUP', ...fault });
  await createSessionLog(await newLog(), { fs });
  return fs.operations;
}

describe('createSessionLog', () => {
  it('publishes one file at the place its header names, durable before it has its name', async () => {
    const log = await newLog();
    const path = await createSessionLog(log);
    expect(path).toBe(logPath(log.root, log.header));
    expect(logPathOf(log.root, log.header, 'zstd')).toBe(path);
    expect(readFileSync(path).equals(log.bytes)).toBe(true);
    expect(below(log.root)).toEqual([
      '--work-demo--',
      join('--work-demo--', 'child'),
      join('--work-demo--', 'child', 'session.v4.jsonl.zstd'),
    ]);
    expect(await operations()).toEqual([
      'mkdir', // root
      ...['open', 'sync', 'close'], // what holds the root
      'mkdir', // project
      ...['open', 'sync', 'close'], // root
      'mkdir', // session
      ...['open', 'sync', 'close'], // project
      ...['open', 'write', 'sync', 'close'], // temporary file
      'link',
      ...['open', 'sync', 'close'], // session
      'unlink',
    ]);
  });

  it.skipIf(process.platform === 'win32')('lets nobody else read it', async () => {
    const path = await createSessionLog(await newLog());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const directory of [dirname(path), dirname(dirname(path))]) expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('never replaces a file, nor enters a directory that is there', async () => {
    const log = await newLog();
    const path = await createSessionLog(log);
    const before = statSync(path);
    await expect(createSessionLog({ ...log, bytes: Buffer.from('other') })).rejects.toMatchObject({
      name: 'LogWriteError',
      code: 'EEXIST',
    });
    expect(statSync(path)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs, ino: before.ino });
    const empty = await newLog();
    mkdirSync(join(empty.root, '--work-demo--', 'child'), { recursive: true });
    await expect(createSessionLog(empty)).rejects.toThrow('nothing was written');
    expect(below(empty.root)).toHaveLength(2);
  });

  it('renames to a name that nothing has where links do not exist', async () => {
    for (const code of ['EPERM', 'ENOTSUP', 'EXDEV', 'ENOSYS']) {
      const log = await newLog();
      const fs = faultyFs({ on: 'link', code });
      const path = await createSessionLog(log, { fs });
      expect(readFileSync(path).equals(log.bytes)).toBe(true);
      expect(readdirSync(dirname(path))).toEqual(['session.v4.jsonl.zstd']);
      // The file that gets the name is durable by then, and so is the name.
      const at = fs.operations.indexOf('link');
      expect(fs.operations.slice(at - 4)).toEqual([
        ...['open', 'write', 'sync', 'close'],
        ...['link', 'lstat', 'rename'],
        ...['open', 'sync', 'close'],
        'unlink',
      ]);
    }
  });

  it('renames over nothing that somebody put there meanwhile', async () => {
    const log = await newLog();
    const path = logPathOf(log.root, log.header, 'zstd');
    const verify = (): Promise<void> => {
      writeFileSync(path, 'somebody else’s');
      return Promise.resolve();
    };
    for (const fs of [faultyFs({ code: '', lacksLinks: true }), faultyFs({ code: '' })]) {
      await expect(createSessionLog(log, { verify, fs })).rejects.toMatchObject({ name: 'LogWriteError', code: 'EEXIST' });
      expect(readFileSync(path, 'utf8')).toBe('somebody else’s');
      expect(readdirSync(dirname(path))).toEqual(['session.v4.jsonl.zstd']);
      rmSync(dirname(path), { recursive: true });
    }
  });

  it.each([false, true])(
    'gives the reason with path and code, and leaves nothing behind, whatever fails (no links: %s)',
    async (lacksLinks) => {
      for (const code of ['EIO', 'ENOSPC', 'EACCES', 'EROFS']) {
        // The unlink after publication is the one step whose failure does no harm.
        const steps = (await operations({ lacksLinks })).length - 1;
        for (let at = 0; at < steps; at++) {
          const root = join(temp.fresh(), 'home', 'sessions');
          const log = await newLog(root);
          const fs = faultyFs({ at, code, tears: true, lacksLinks });
          const failure = await createSessionLog(log, { fs }).then(
            () => undefined,
            (error: unknown) => error,
          );
          expect([at, failure]).toEqual([at, expect.any(LogWriteError)]);
          expect(failure).toMatchObject({ code, path: logPath(root, log.header) });
          expect((failure as Error).message).toContain(code);
          expect([at, fs.operations[at], existsSync(dirname(dirname(root)))]).toEqual([at, fs.operations[at], false]);
        }
      }
    },
  );

  it('names what it could not take away again', async () => {
    const log = await newLog();
    const refused = Object.assign(new Error('no'), { code: 'EIO' });
    const failure = createSessionLog(log, {
      fs: faultyFs({ on: 'unlink', code: 'EPERM' }),
      verify: () => Promise.reject(refused),
    });
    await expect(failure).rejects.toThrow(/could not be written at .* \(EIO\), and .*\.tmp could not be removed again/);
  });

  it.each([false, true])('leaves a complete session or none when it is killed at any step (no links: %s)', async (lacksLinks) => {
    const steps = (await operations({ lacksLinks })).length;
    const counts = new Set<number>();
    for (let at = 0; at < steps; at++) {
      const log = await newLog();
      const fs = faultyFs({ at, code: 'KILLED', dies: true, tears: true, lacksLinks });
      await createSessionLog(log, { fs }).catch(() => undefined);
      const listed = await listSessions(log.root);
      for (const session of listed) {
        expect(readFileSync(session.path).equals(log.bytes)).toBe(true);
        expect(session.damage).toEqual([]);
      }
      counts.add(listed.length);
    }
    expect([...counts].sort()).toEqual([0, 1]);
  });

  it('publishes nothing that does not verify, and passes the reason on', async () => {
    const log = await newLog();
    const refusal = new TypeError('the prefix differs');
    const verify = async (path: string): Promise<void> => {
      expect(readFileSync(path).equals(log.bytes)).toBe(true);
      expect(path).toMatch(/session\.v4\.jsonl\.zstd\.[0-9a-f]{12}\.tmp$/);
      await Promise.reject(refusal);
    };
    await expect(createSessionLog(log, { verify })).rejects.toBe(refusal);
    expect(below(log.root)).toEqual([]);
  });

  it('takes a published session away again when it is not confirmed', async () => {
    const log = await newLog();
    const confirm = (path: string): Promise<void> => {
      expect(readFileSync(path).equals(log.bytes)).toBe(true);
      return Promise.reject(new TypeError('not listed'));
    };
    await expect(createSessionLog(log, { confirm })).rejects.toThrow('not listed');
    expect(below(log.root)).toEqual([]);
  });

  it('stops when it is cancelled, before and while it works', async () => {
    const log = await newLog();
    await expect(createSessionLog(log, { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled');
    const controller = new AbortController();
    const verify = (): Promise<void> => {
      controller.abort(new Error('cancelled late'));
      return Promise.resolve();
    };
    await expect(createSessionLog(log, { verify, signal: controller.signal })).rejects.toThrow('cancelled late');
    expect(below(log.root)).toEqual([]);
  });
});

describe('targetProblem', () => {
  it('finds the other encoding and a used id anywhere in the root', async () => {
    const root = temp.fresh();
    expect(await targetProblem(root, 'child', 'none')).toBeUndefined();
    const there = new LogBuilder({ version: 3, id: 'there', cwd: '/elsewhere', createdAt: 1 });
    await writeLog(root, there.header, there.events);
    expect(await targetProblem(root, 'child', 'zstd')).toBeUndefined();
    expect((await targetProblem(root, 'child', 'none'))?.text.template).toContain('other encoding');
    expect((await targetProblem(root, 'there', 'zstd'))?.text.template).toContain('already exists');
  });

  it('says when the root cannot be looked through', async () => {
    const root = temp.fresh();
    writeFileSync(root, 'a file');
    expect((await targetProblem(root, 'child', 'zstd'))?.text.args['code']).toBe('ENOTDIR');
  });
});
