import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandWords, findOnPath, isSafeForShell, resumeProgram } from '../../../src/host/commands/resume-command.ts';
import { tempRoot } from '../../support/temp-root.ts';

const temp = tempRoot();

describe('the words of a command', () => {
  it('are parted by blanks and kept together by quotes', () => {
    expect(commandWords('  dsh  --resume "a b" \'c "d"\' e"f g"h ""')).toEqual(['dsh', '--resume', 'a b', 'c "d"', 'ef gh', '']);
    expect(commandWords('"C:\\Program Files\\dsh.exe" run')).toEqual(['C:\\Program Files\\dsh.exe', 'run']);
    for (const line of ['', '   ', '"open', "dsh 'open"]) expect(commandWords(line)).toBeUndefined();
  });

  it('take what is filled in as one argument, whatever it holds', () => {
    const facts = { sessionId: '"; rm -rf ~ $(x) `y` ${cwd} %PATH%', cwd: '/a b/c' };
    expect(resumeProgram('dsh --id=${sessionId} --in ${cwd} ${other}', facts)).toEqual({
      file: 'dsh',
      args: ['--id="; rm -rf ~ $(x) `y` ${cwd} %PATH%', '--in', '/a b/c', '${other}'],
    });
    expect(resumeProgram('dsh ${cwd}', { sessionId: 'a', cwd: undefined })).toEqual({ file: 'dsh', args: [''] });
    expect(resumeProgram('${cwd}', { sessionId: 'a', cwd: undefined })).toBeUndefined();
  });

  it('reach a batch file only when a shell can make nothing of them', () => {
    const batch = (word: string): boolean => isSafeForShell({ file: 'C:\\bin\\dsh.cmd', args: ['--id', word] });
    expect(batch('session-0f3a')).toBe(true);
    for (const word of ['a&b', '%PATH%', 'a"b', 'a^b', 'a|b', 'a\nb']) expect(batch(word)).toBe(false);
    expect(isSafeForShell({ file: 'dsh.exe', args: ['a&b'] })).toBe(true);
  });
});

it.skipIf(process.platform === 'win32')('finds programs, and only those, on absolute folders of the path', () => {
  const [first, second] = [temp.fresh(), temp.fresh()];
  for (const folder of [first, second]) mkdirSync(folder);
  writeFileSync(join(first, 'dsh'), 'text');
  mkdirSync(join(first, 'sub'));
  writeFileSync(join(second, 'dsh'), '#!/bin/sh');
  chmodSync(join(second, 'dsh'), 0o755);
  const env = { PATH: `.:relative:${first}:${second}` };
  expect(findOnPath('dsh', env, 'linux')).toBe(join(second, 'dsh'));
  expect(findOnPath('sub', env, 'linux')).toBeUndefined();
  expect(findOnPath('dsh', {}, 'linux')).toBeUndefined();
});
