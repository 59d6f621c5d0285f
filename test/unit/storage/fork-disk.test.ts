import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../support/fork-program.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();

/** A disk of one's own needs a mount namespace of one's own; not every machine gives one. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

let program = '';
let root = '';
let parent: LogBuilder;

beforeAll(async () => {
  program = await builtProgram(temp.fresh());
  root = temp.fresh();
  parent = new LogBuilder({ version: 4, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
  parent.prompt('one');
  // Some 200 kB, and little of it to compress.
  for (let i = 0, seed = 1; i < 40; i++) {
    let words = '';
    for (; words.length < 8_000; seed = (seed * 48_271) % 2_147_483_647) words += seed.toString(36);
    parent.todos([words, 'pending']);
  }
  parent.reply('first');
  await writeLog(root, parent.header, parent.events);
});

/** Runs the program on a disk that the script has made at `$disk`, with the root at `$disk/root`; compares what lies there. */
function forkOn(script: string): { readonly said: string; readonly isUntouched: boolean } {
  const disk = join(temp.fresh(), 'disk');
  mkdirSync(disk, { recursive: true });
  // A folder's own times tell that something came and went in it; what it holds is what counts.
  const picture =
    'find "$disk/root" -printf "%P %y %m\n" | sort; find "$disk/root" -type f -printf "%s %T@ " -exec sha256sum {} \\; | sort';
  const lines = [
    'set -e',
    script,
    `before=$(${picture})`,
    '"$node" "$program" "$disk/root" "$disk/root/--work-demo--/parent/session.v4.jsonl.zstd" "$boundary" child -1 links',
    `after=$(${picture})`,
    'if [ "$before" = "$after" ]; then echo untouched; else echo "$after"; fi',
  ];
  const env = { ...process.env, node: process.execPath, program, disk, root, boundary: String(parent.events.length - 1) };
  const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'bash', '-c', lines.join('\n')], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const said = stdout.trim().split('\n');
  return { said: said.find((line) => /^(?:failed|wrote)/.test(line)) ?? '', isUntouched: said.at(-1) === 'untouched' };
}

describe.skipIf(!canMount)('a fork on a real disk', () => {
  it('that is full says so and leaves nothing behind', () => {
    // What is free is less than the copy takes, so that it tears; then nothing at all.
    for (const free of ['40k', '0']) {
      const made = forkOn(
        `mount -t tmpfs -o size=2m tmpfs "$disk"; cp -a "$root" "$disk/root"; ` +
          `dd if=/dev/zero of="$disk/filler" bs=1k 2>/dev/null || true; truncate -s -${free} "$disk/filler"`,
      );
      expect(made).toEqual({
        said: expect.stringMatching(/^failed: The disk is full: .* \(ENOSPC\)$/) as string,
        isUntouched: true,
      });
    }
  });

  it('that is mounted read-only says so and leaves nothing behind', () => {
    const made = forkOn('cp -a "$root" "$disk/root"; mount --bind "$disk" "$disk"; mount -o remount,bind,ro "$disk"');
    expect(made).toEqual({
      said: expect.stringMatching(/^failed: Writing is not permitted: .* \(EROFS\)$/) as string,
      isUntouched: true,
    });
  });

  it('with room for it goes through', () => {
    const made = forkOn('mount -t tmpfs -o size=2m tmpfs "$disk"; cp -a "$root" "$disk/root"');
    expect(made).toEqual({
      said: expect.stringMatching(/^wrote .*child\/session\.v4\.jsonl\.zstd$/) as string,
      isUntouched: false,
    });
  });
});
