import { describe, expect, it } from 'vitest';
import { text } from '../../../src/core/index.ts';
import { sideNames, type ComparedSession } from '../../../src/host/documents/side-names.ts';

const side = (title: string, id?: string, parentSession?: string): ComparedSession => ({
  path: `/root/p/${id ?? 'x'}/session.v4.jsonl.zstd`,
  title,
  item: { id, parentSession },
});
const parent = text('its parent');

describe('two sessions beside each other', () => {
  it('are called by their titles, shortened to one line', () => {
    expect(sideNames(side('One', 'a'), side('Other', 'b', 'a'))).toEqual(['One', 'Other']);
    expect(sideNames(side('One\nline', 'a'), side('x'.repeat(80), 'b'))).toEqual([
      'One line',
      expect.stringMatching(/^x{1,60}…?$/),
    ]);
  });

  it('of one title are a session and its parent, on whichever side that is', () => {
    expect(sideNames(side('Same', 'b', 'a'), side('Same', 'a'))).toEqual(['Same', parent]);
    expect(sideNames(side('Same', 'a'), side('Same', 'b', 'a'))).toEqual([parent, 'Same']);
  });

  it('of one title and no kin are told apart by their ids', () => {
    const [one, other] = ['session-11111111-2222-4333-8444-555555555555', 'session-99999999-2222-4333-8444-555555555555'];
    expect(sideNames(side('Same', one, 'p'), side('Same', other, 'p'))).toEqual(['Same (11111111)', 'Same (99999999)']);
  });

  it('that are copies of one, or unknown to the list, are told apart by their files', () => {
    const old = { ...side('Same', 'a'), path: '/root/p/a/session.jsonl.zstd' };
    expect(sideNames(old, side('Same', 'a'))).toEqual(['Same (session.jsonl.zstd)', 'Same (session.v4.jsonl.zstd)']);
    expect(sideNames({ ...old, item: undefined }, side('Same', 'a'))[0]).toBe('Same (session.jsonl.zstd)');
  });
});
