/**
 * A program of its own that forks a session and stands still for ever at a step of its publication, so that a test can kill it there:
 * root, log, boundary, id, step (counted from 0; -1: none), and `links` or `no-links`. It says each step, then the path of the child or
 * why there is none.
 */
import * as nodeFs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { forkSession, openSession } from '../../src/storage/index.ts';
import type { WriterFs } from '../../src/storage/log-writer.ts';

const [root = '', log = '', boundary = '', id = '', stopAt = '', links = ''] = process.argv.slice(2);
let steps = 0;

/** Says the step that comes; never returns from the one that is the last. */
async function before(name: string, halfway?: () => Promise<unknown>): Promise<void> {
  const isLast = steps++ === Number(stopAt);
  if (isLast) await halfway?.();
  process.stdout.write(`${isLast ? 'stopped at' : 'goes on with'} ${name}\n`);
  if (isLast) await new Promise(() => setInterval(() => undefined, 60_000));
}

function slowed(file: FileHandle): FileHandle {
  return new Proxy(file, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (key === 'writeFile') {
          const bytes = args[0] as Uint8Array; // the writer hands over whole files
          await before('write', () => target.write(bytes, 0, bytes.length >> 1));
        } else await before(String(key));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

type Call = (...args: never[]) => Promise<unknown>;
const stepped = <K extends keyof WriterFs>(name: K): WriterFs[K] =>
  (async (...args: never[]) => {
    await before(name);
    if (name === 'link' && links === 'no-links') throw Object.assign(new Error('no links here'), { code: 'ENOTSUP' });
    const made = await (nodeFs[name] as Call)(...args);
    return name === 'open' ? slowed(made as FileHandle) : made;
  }) as WriterFs[K];

const fs: WriterFs = {
  mkdir: stepped('mkdir'),
  open: stepped('open'),
  link: stepped('link'),
  lstat: stepped('lstat'),
  rename: stepped('rename'),
  unlink: stepped('unlink'),
  rmdir: stepped('rmdir'),
};

const source = await openSession(log);
try {
  const { path } = await forkSession(source, Number(boundary), { root, id, fs });
  process.stdout.write(`wrote ${path}\n`);
} catch (error) {
  process.stdout.write(`failed: ${error instanceof Error ? error.message : String(error)}\n`);
}
