import * as nodeFs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { WriterFs } from '../../src/storage/log-writer.ts';

export interface FaultyFs extends WriterFs {
  /** The operations asked for so far, in order. */
  readonly operations: readonly string[];
}

export interface Fault {
  /** The operation that fails, counted from 0; absent: none. */
  readonly at?: number;
  /** The operation of this name fails, whenever it is asked for. */
  readonly on?: string;
  /** There are no hard links: making one fails with ENOTSUP, beside any other fault. */
  readonly lacksLinks?: boolean;
  readonly code: string;
  /** From the failing operation on nothing works any more, as in a process that was killed. */
  readonly dies?: boolean;
  /** A failing write has written half of its bytes. */
  readonly tears?: boolean;
}

/** The real file system, counting its operations, with one fault in it. */
export function faultyFs(fault: Fault): FaultyFs {
  const operations: string[] = [];
  let dead = false;
  const step = async <T>(name: string, run: () => Promise<T>, torn?: () => Promise<unknown>): Promise<T> => {
    const index = operations.push(name) - 1;
    if (dead || index === fault.at || name === fault.on) {
      dead = fault.dies === true;
      if (fault.tears === true) await torn?.();
      throw Object.assign(new Error(`${fault.code}: injected at ${name}`), { code: fault.code, syscall: name });
    }
    if (name === 'link' && fault.lacksLinks === true) {
      throw Object.assign(new Error('ENOTSUP: there are no links here'), { code: 'ENOTSUP', syscall: name });
    }
    return run();
  };
  const handle = (file: FileHandle): FileHandle =>
    new Proxy(file, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
        if (key === 'writeFile') {
          return (bytes: Uint8Array) =>
            step(
              'write',
              () => target.writeFile(bytes),
              () => target.write(bytes, 0, bytes.length >> 1),
            );
        }
        if (key === 'write') {
          return (bytes: Uint8Array, from: number, length: number, position: number) =>
            step(
              'write',
              () => target.write(bytes, from, length, position),
              () => target.write(bytes, from, length >> 1, position),
            );
        }
        if (key === 'close') {
          // The system closes the files of a killed process.
          return async () => {
            await target.close();
            if (!dead) await step('close', () => Promise.resolve());
          };
        }
        return key === 'sync' || key === 'datasync' || key === 'truncate'
          ? (...args: unknown[]) => step(key, () => Promise.resolve(call(...args)))
          : call;
      },
    });
  return {
    operations,
    mkdir: ((...args: Parameters<typeof nodeFs.mkdir>) => step('mkdir', () => nodeFs.mkdir(...args))) as typeof nodeFs.mkdir,
    open: (...args) => step('open', async () => handle(await nodeFs.open(...args))),
    link: (...args) => step('link', () => nodeFs.link(...args)),
    lstat: ((...args: Parameters<typeof nodeFs.lstat>) => step('lstat', () => nodeFs.lstat(...args))) as typeof nodeFs.lstat,
    rename: (...args) => step('rename', () => nodeFs.rename(...args)),
    unlink: (...args) => step('unlink', () => nodeFs.unlink(...args)),
    rmdir: (...args) => step('rmdir', () => nodeFs.rmdir(...args)),
  };
}
