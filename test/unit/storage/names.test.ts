import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectDirectoryName, sessionDirectoryName } from '../../../src/storage/names.ts';
import { hasSharedData, sharedPath } from '../../support/shared.ts';

describe('projectDirectoryName (format/on-disk.md §2.1)', () => {
  it.each([
    ['/home/u/proj', '--home-u-proj--'],
    ['/', '--root--'],
    ['C:\\Users\\Ann\\my app', '--C-Users-Ann-my~0020app--'],
    ['C:\\', '--C---'],
    ['/a//b/../c', '--a-b-..-c--'],
    ['/tmp/día', '--tmp-d~00EDa--'],
    ['/x/~tilde', '--x-~007Etilde--'],
    ['/with-dash/-lead', '--with-dash--lead--'],
    ['\\\\server\\share\\d', '--server-share-d--'],
    ['/日本', '--~65E5~672C--'],
    ['/emoji/😀', '--emoji-~D83D~DE00--'],
    ['/a:b', '--a-b--'],
    ['/' + 'x'.repeat(300), '--' + 'x'.repeat(251) + '--'],
    ['.', '--.--'],
    ['...', '--...--'],
    ['/.hidden', '--.hidden--'],
    ['/root', '--root--'],
    ['---', '--root--'],
    ['/-a', '--a--'],
  ])('%j', (cwd, name) => {
    expect(projectDirectoryName(cwd)).toBe(name);
  });

  it('cuts a long body inside an escape', () => {
    const name = projectDirectoryName('/' + 'é'.repeat(60));
    expect(name).toHaveLength(255);
    // 50 escapes of five characters and the first character of the next one are 251.
    expect(name).toBe('--' + '~00E9'.repeat(50) + '~' + '--');
  });

  it('has one name for no directory and refuses an empty one', () => {
    expect(projectDirectoryName(undefined)).toBe('_no-cwd');
    expect(() => projectDirectoryName('')).toThrow('empty');
  });

  it('always gives a name that is safe as one path segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (cwd) => {
        const name = projectDirectoryName(cwd);
        expect(name).toMatch(/^--[A-Za-z0-9._~-]+--$/);
        expect(name.length).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe('sessionDirectoryName (format/on-disk.md §2.2)', () => {
  it.each([
    ['session-0f3a', 'session-0f3a'],
    ['a/b', 'a~002Fb'],
    ['..', '~002E~002E'],
    ['.', '~002E'],
    ['...', '...'],
    ['a~b', 'a~007Eb'],
    ['ünï', '~00FCn~00EF'],
    ['😀', '~D83D~DE00'],
    ['x\u0000y', 'x~0000y'],
    ['\ud800', '~D800'],
  ])('%j', (id, name) => {
    expect(sessionDirectoryName(id)).toBe(name);
  });

  it('refuses an empty id', () => {
    expect(() => sessionDirectoryName('')).toThrow('empty');
  });

  it('loses nothing: decoding every escape gives the id back', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 40 }), (units) => {
        const id = String.fromCharCode(...units);
        const name = sessionDirectoryName(id);
        expect(name).toMatch(/^[A-Za-z0-9._~-]+$/);
        expect(['.', '..']).not.toContain(name);
        const decoded = name.replace(/~([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
        expect(decoded).toBe(id);
      }),
    );
  });
});

describe.runIf(hasSharedData)('path vectors of the real code', () => {
  interface Vectors {
    readonly encodeSegment: readonly { readonly input: string; readonly ok: string }[];
    readonly projectKey: readonly { readonly input: string; readonly ok: string }[];
    readonly logPath: readonly { readonly args: readonly [string, string, string, string]; readonly ok: string }[];
  }
  const vectors = hasSharedData
    ? (JSON.parse(readFileSync(sharedPath('corpus', 'vectors', 'paths.json'), 'utf8')) as Vectors)
    : { encodeSegment: [], projectKey: [], logPath: [] };

  it('names sessions alike', () => {
    for (const { input, ok } of vectors.encodeSegment) expect(sessionDirectoryName(input)).toBe(ok);
  });

  it('names projects alike', () => {
    for (const { input, ok } of vectors.projectKey) expect(projectDirectoryName(input)).toBe(ok);
  });

  it('builds the same log paths', () => {
    for (const { args, ok } of vectors.logPath) {
      const [root, cwd, id] = args;
      expect(`${root}/${projectDirectoryName(cwd)}/${sessionDirectoryName(id)}/session.jsonl.zstd`).toBe(ok);
    }
  });
});
