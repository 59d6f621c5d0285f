import { describe, expect, it } from 'vitest';
import { generationFilename, isFlatLogName, parseGenerationFilename, sortGenerations } from '../../../src/storage/generations.ts';

describe('parseGenerationFilename (format/on-disk.md §3)', () => {
  it.each([
    ['session.jsonl', 0, 'none'],
    ['session.jsonl.zstd', 0, 'zstd'],
    ['session.v1.jsonl', 1, 'none'],
    ['session.v4.jsonl.zstd', 4, 'zstd'],
    ['session.v12.jsonl.zstd', 12, 'zstd'],
    ['session.v9007199254740991.jsonl', 9007199254740991, 'none'],
  ])('%s', (name, version, encoding) => {
    expect(parseGenerationFilename(name)).toEqual({ version, encoding });
    expect(generationFilename(version, encoding as 'none' | 'zstd')).toBe(name);
  });

  it.each([
    'session.v0.jsonl',
    'session.v01.jsonl',
    'session.V3.jsonl',
    'session.v3.JSONL',
    'session.v3.jsonl.zst',
    'session.v3.jsonl.zstd.0123456789ab.tmp',
    'session.migration.0123456789abcdef.jsonl.zstd.tmp',
    'session.v-1.jsonl',
    'session.v1.5.jsonl',
    'session.v9007199254740992.jsonl',
    'xsession.jsonl',
    'session.lock',
    'session.jsonl\n',
    '',
  ])('%j is no generation', (name) => {
    expect(parseGenerationFilename(name)).toBeUndefined();
  });
});

describe('sortGenerations', () => {
  it('compares versions as numbers and prefers zstd within one', () => {
    const names = ['session.v9.jsonl', 'session.lock', 'session.v10.jsonl', 'session.jsonl.zstd', 'session.v10.jsonl.zstd'];
    expect(sortGenerations(names).map((g) => g.name)).toEqual([
      'session.v10.jsonl.zstd',
      'session.v10.jsonl',
      'session.v9.jsonl',
      'session.jsonl.zstd',
    ]);
  });

  it('finds nothing in a directory without a canonical log', () => {
    expect(sortGenerations(['session.v0.jsonl', 'notes.txt'])).toEqual([]);
  });
});

describe('isFlatLogName', () => {
  it.each([
    ['abc.jsonl', true],
    ['abc.jsonl.zstd', true],
    ['abc.json', false],
    ['abc.jsonl.tmp', false],
  ])('%s', (name, flat) => {
    expect(isFlatLogName(name)).toBe(flat);
  });
});
