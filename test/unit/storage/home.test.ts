import { describe, expect, it } from 'vitest';
import { expandHome, resolveSessionsRoot } from '../../../src/storage/home.ts';

// Expected values are POSIX paths; format/on-disk.md §1.
describe.skipIf(process.platform === 'win32')('resolveSessionsRoot', () => {
  it.each([
    [{}, '/home/ann/.dsh/sessions'],
    [{ DSH_HOME: '' }, '/home/ann/.dsh/sessions'],
    [{ DSH_HOME: '  \t ' }, '/home/ann/.dsh/sessions'],
    [{ DSH_HOME: '/srv/dsh' }, '/srv/dsh/sessions'],
    [{ DSH_HOME: ' /srv/dsh/ ' }, '/srv/dsh/sessions'],
    [{ DSH_HOME: '/srv/a/../dsh' }, '/srv/dsh/sessions'],
    [{ DSH_HOME: '~' }, '/home/ann/sessions'],
    [{ DSH_HOME: '~/alt' }, '/home/ann/alt/sessions'],
    [{ DSH_HOME: '~\\alt' }, '/home/ann/alt/sessions'],
    [{ DSH_HOME: '~//alt' }, '/home/ann/alt/sessions'],
    [{ DSH_HOME: 'rel/dir' }, `${process.cwd()}/rel/dir/sessions`],
    [{ DSH_HOME: '~bob/x' }, `${process.cwd()}/~bob/x/sessions`],
  ])('%j', (env, root) => {
    expect(resolveSessionsRoot(env, '/home/ann')).toBe(root);
  });

  it('takes the process environment and the OS home when nothing is given', () => {
    expect(resolveSessionsRoot()).toMatch(/^\/.*\/sessions$/);
    expect(expandHome('/x/./y', '/home/ann')).toBe('/x/y');
  });
});
