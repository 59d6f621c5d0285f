import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession, type OpenSession } from '../../../src/storage/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

/** Where a log lies, and what lies beside it. format/on-disk.md §2, §3, §10; api.md "Fine print". */

const temp = tempRoot();

const write = (
  root: string,
  id: string,
  options: { version?: Version; cwd?: string; encoding?: 'zstd' | 'none' } = {},
): Promise<string> => {
  const builder = new LogBuilder({ version: options.version ?? 4, id, createdAt: 1000, cwd: options.cwd ?? '/work' });
  builder.prompt('hello');
  builder.reply('hi');
  return writeLog(root, builder.header, builder.events, { encoding: options.encoding ?? 'zstd' });
};
const found = (session: OpenSession): string[] => session.damage.map(({ kind, dsh }) => `${kind} ${dsh.list} ${dsh.open}`);
const put = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
};

describe('placement', () => {
  it('a session where its header puts it, among well-placed others', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await write(root, 'b');
    await write(root, 'c', { cwd: '/other' });
    await put(join(root, 'stray.jsonl'));
    await put(join(root, '--work--', 'notes.txt'));
    await mkdir(join(root, '--work--', 'empty'));
    expect((await openSession(path)).damage).toEqual([]);
  });

  it('another directory name than the header gives', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    for (const moved of [join(root, '--work--', 'b'), join(root, '--elsewhere--', 'a')]) {
      const target = join(moved, 'session.v4.jsonl.zstd');
      await mkdir(moved, { recursive: true });
      await copyFile(path, target);
      const session = await openSession(target);
      expect(found(session)).toContain('placement breaks-root refuses');
      expect(session.damage.find(({ kind }) => kind === 'placement')?.message).toContain(join('--work--', 'a'));
    }
  });

  it('the same place by another spelling is no damage', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    const alias = join(temp.fresh(), 'link');
    await mkdir(dirname(alias), { recursive: true });
    await symlink(dirname(dirname(path)), alias);
    const session = await openSession(join(alias, 'a', 'session.v4.jsonl.zstd'));
    expect(session.damage.filter(({ kind }) => kind === 'placement')).toHaveLength(1);
    const real = temp.fresh();
    await mkdir(join(real, '--work--'), { recursive: true });
    await symlink(dirname(path), join(real, '--work--', 'a'));
    expect((await openSession(join(real, '--work--', 'a'))).damage).toEqual([]);
  });

  it('the other encoding in its directory, or anywhere in the root', async () => {
    for (const neighbour of ['a', 'b']) {
      const root = temp.fresh();
      const path = await write(root, 'a');
      await put(join(root, '--x--', neighbour, 'session.v2.jsonl'));
      const session = await openSession(path);
      expect(found(session)).toContain('mixed-encodings breaks-root breaks-root');
      expect(session.damage.find(({ kind }) => kind === 'mixed-encodings')?.isElsewhere).toBe(true);
    }
  });

  it('with both encodings of one generation zstd is opened and the other reported', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await write(root, 'a', { encoding: 'none' });
    const session = await openSession(dirname(path));
    expect(session.path).toBe(path);
    expect(session.encoding).toBe('zstd');
    expect(found(session)).toEqual(['mixed-encodings breaks-root breaks-root']);
    expect(session.damage[0]?.isElsewhere).toBeUndefined();
  });

  it('v0 knows one name per encoding, so it does not see a later generation in the other one', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a', { version: 0 });
    await put(join(root, '--x--', 'b', 'session.v2.jsonl'));
    expect((await openSession(path)).damage).toEqual([]);
    await put(join(root, '--x--', 'b', 'session.jsonl'));
    expect(found(await openSession(path))).toEqual(['mixed-encodings breaks-root breaks-root']);
  });

  it('a flat log in its project directory; one in another project is a neighbour’s', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await put(join(root, '--other--', 'old.jsonl'));
    expect((await openSession(path)).damage).toEqual([]);
    await put(join(root, '--work--', 'old.jsonl.zstd'));
    expect(found(await openSession(path))).toEqual(['flat-log breaks-root breaks-root']);
    expect((await openSession(path)).damage[0]?.isElsewhere).toBe(true);
    expect((await openSession(join(root, '--work--', 'old.jsonl.zstd'))).damage[0]?.isElsewhere).toBeUndefined();
  });

  it('its id in another project', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await write(root, 'a', { cwd: '/other' });
    expect(found(await openSession(path))).toEqual(['duplicate-id breaks-root refuses']);
    await mkdir(join(root, '--third--', 'a'), { recursive: true });
    expect(found(await openSession(path))).toHaveLength(1);
  });

  it('a neighbour’s damage is not its damage', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await put(join(root, '--work--', 'broken', 'session.v4.jsonl.zstd'));
    expect((await openSession(path)).damage).toEqual([]);
  });

  it('the highest generation is opened without fallback; older ones are named', async () => {
    const root = temp.fresh();
    const v0 = await write(root, 'a', { version: 0 });
    const v3 = await write(root, 'a', { version: 3 });
    const directory = dirname(v0);
    for (const name of ['session.v01.jsonl.zstd', 'session.V9.jsonl.zstd', 'session.v9.jsonl.zstd.tmp', 'session.lock'])
      await put(join(directory, name));
    const session = await openSession(directory);
    expect(session.path).toBe(v3);
    expect(session.olderCopies).toEqual(['session.jsonl.zstd']);
    await put(join(directory, 'session.v10.jsonl.zstd'));
    const newest = await openSession(directory);
    expect(newest.path).toBe(join(directory, 'session.v10.jsonl.zstd'));
    expect(newest.refusal?.kind).toBe('no-header');
    expect((await openSession(v0)).version).toBe(0);
  });

  it('is left alone when asked', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    await put(join(root, '--work--', 'old.jsonl'));
    expect((await openSession(path, { placement: false })).damage).toEqual([]);
  });
});

describe('files that lie in no session directory', () => {
  it('a flat log says so itself, and nothing of the folders above the root', async () => {
    const root = join(temp.fresh(), 'sessions');
    const path = await write(root, 'a', { encoding: 'none' });
    const flat = join(root, '--work--', 'old.jsonl');
    await copyFile(path, flat);
    await put(join(dirname(root), 'elsewhere', 'x', 'session.jsonl.zstd'));
    expect(found(await openSession(flat))).toEqual(['flat-log breaks-root breaks-root']);
  });

  it('a copy under any other name has no place it should be at', async () => {
    const root = temp.fresh();
    const path = await write(root, 'a');
    const copy = join(temp.fresh(), 'downloads', 'copy.jsonl.zstd');
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(path, copy);
    expect((await openSession(copy)).damage).toEqual([]);
  });

  it('the header of a newer format is not asked for a place', async () => {
    const root = temp.fresh();
    const log = join(root, '--work--', 'b', 'session.v5.jsonl');
    await mkdir(dirname(log), { recursive: true });
    await writeFile(log, `${JSON.stringify({ type: 'session', version: 5, id: 'a', cwd: '/elsewhere' })}\n`);
    expect((await openSession(log)).damage).toEqual([]);
  });
});
