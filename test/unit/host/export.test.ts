import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportToFile } from '../../../src/host/commands/export-file.ts';
import { exportName, targetProblem } from '../../../src/host/commands/export-target.ts';
import { pathRulesOf } from '../../../src/host/sessions/path-rules.ts';
import type { SessionLease } from '../../../src/host/workers/session-pool.ts';
import { tempRoot } from '../../support/temp-root.ts';

const root = tempRoot();

function freshFolder(): string {
  const folder = root.fresh();
  mkdirSync(folder);
  return folder;
}
const rules = pathRulesOf('linux');

describe('where an export may go', () => {
  it('is anywhere but in the sessions root, also through a link', async () => {
    const folder = freshFolder();
    const sessions = join(folder, 'sessions');
    mkdirSync(join(sessions, 'project'), { recursive: true });
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(sessions, join(folder, 'link'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'sessions-link'));
    const problem = (file: string): Promise<unknown> => targetProblem(join(folder, file), [sessions], rules);
    await expect(problem('sessions/a.md')).resolves.toBe('in-root');
    await expect(problem('sessions/project/a.md')).resolves.toBe('in-root');
    await expect(problem('link/project/a.md')).resolves.toBe('in-root');
    await expect(problem('elsewhere/a.md')).resolves.toBeUndefined();
    await expect(problem('sessions-of-mine.md')).resolves.toBeUndefined();
    await expect(targetProblem(join(folder, 'elsewhere/a.md'), [join(folder, 'sessions-link')], rules)).resolves.toBe('in-root');
  });

  it('is no name of a session log', async () => {
    const folder = freshFolder();
    for (const name of ['session.jsonl', 'session.v4.jsonl', 'session.v4.jsonl.zstd', 'Session.V4.JSONL'])
      await expect(targetProblem(join(folder, name), [], rules)).resolves.toBe('log-name');
    await expect(targetProblem(join(folder, 'my-session.jsonl'), [], rules)).resolves.toBeUndefined();
  });
});

describe('the name of an export', () => {
  it.each([
    ['Fix the parser', 'transcript', 'md', 'Fix-the-parser-transcript.md'],
    ['../../etc/passwd', '', 'jsonl', 'etc-passwd.jsonl'],
    ['修复 解析器?', 'history-12', 'md', '修复-解析器-history-12.md'],
    ['CON: a "b" <c>', 'history-3', 'txt', 'CON-a-b-c-history-3.txt'],
    ['   ', 'transcript', 'md', 'transcript.md'],
  ])('of %j', (title, what, extension, expected) => {
    expect(exportName(title, what, extension)).toBe(expected);
  });
});

/** A reader whose export gives these pieces. */
function leaseOf(
  pieces: readonly string[],
  onNext: (n: number) => void = () => undefined,
): { lease: SessionLease; calls: string[] } {
  const calls: string[] = [];
  let at = 0;
  const call = (method: string): Promise<unknown> => {
    calls.push(method);
    if (method === 'exportStart') return Promise.resolve({ id: 1 });
    if (method !== 'exportNext') return Promise.resolve({});
    onNext(at);
    const piece = pieces[at++];
    if (piece === undefined) return Promise.resolve({ bytes: new ArrayBuffer(0), share: 1, done: true });
    return Promise.resolve({ bytes: new TextEncoder().encode(piece).slice().buffer, share: at / pieces.length, done: false });
  };
  // Only `call` is used, with the three methods above.
  return { lease: { path: '', call, dispose: () => undefined } as unknown as SessionLease, calls };
}

describe('writing', () => {
  it('puts the pieces together, over a file that was there', async () => {
    const folder = freshFolder();
    const file = join(folder, 'out.md');
    writeFileSync(file, 'something longer that was there before');
    const shares: number[] = [];
    const { lease } = leaseOf(['one ', 'zwei ', '三']);
    const size = await exportToFile(lease, { kind: 'transcript' }, file, {
      signal: new AbortController().signal,
      onShare: (share) => shares.push(Math.round(share * 3)),
    });
    expect(readFileSync(file, 'utf8')).toBe('one zwei 三');
    expect(size).toBe(12);
    expect(shares).toEqual([1, 2, 3]);
    expect(readdirSync(folder)).toEqual(['out.md']);
  });

  it('leaves what was there when it is stopped half-way, and tells the reader', async () => {
    const folder = freshFolder();
    const file = join(folder, 'out.md');
    writeFileSync(file, 'before');
    const stop = new AbortController();
    const { lease, calls } = leaseOf(['one', 'two', 'three'], (n) => {
      if (n === 1) stop.abort();
    });
    await expect(
      exportToFile(lease, { kind: 'jsonl' }, file, { signal: stop.signal, onShare: () => undefined }),
    ).rejects.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['out.md']);
    expect(calls.at(-1)).toBe('exportStop');
  });

  it('leaves nothing when the reader fails or the folder is not there', async () => {
    const folder = freshFolder();
    const progress = { signal: new AbortController().signal, onShare: (): void => undefined };
    const { lease } = leaseOf(['one'], () => {
      throw new Error('the reader stopped');
    });
    await expect(exportToFile(lease, { kind: 'jsonl' }, join(folder, 'out.jsonl'), progress)).rejects.toThrow('stopped');
    expect(readdirSync(folder)).toEqual([]);
    await expect(
      exportToFile(leaseOf(['x']).lease, { kind: 'jsonl' }, join(folder, 'no', 'out.jsonl'), progress),
    ).rejects.toThrow('ENOENT');
  });
});
