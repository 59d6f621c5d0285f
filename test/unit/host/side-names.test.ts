import { describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { sideNames, type ComparedSession } from '../../../src/host/documents/side-names.ts';

const side = (title: string, id?: string, parentSession?: string, origin?: string): ComparedSession => ({
  path: `/root/p/${id ?? 'x'}/session.v4.jsonl.zstd`,
  title,
  item: { id, parentSession, origin },
});

/** Title and role of either side. */
const named = (left: ComparedSession, right: ComparedSession): string[] =>
  sideNames(left, right).map(({ session, role }) => (role === undefined ? session : `${english(role)}: ${session}`));

describe('two sessions beside each other', () => {
  it('are called by their titles, shortened to one line', () => {
    expect(named(side('One\nline', 'a'), side('x'.repeat(80), 'b'))).toEqual(['One line', expect.stringMatching(/^x{1,60}…?$/)]);
  });

  it('of which one is the parent are called that, on whichever side they are, of one title or two', () => {
    expect(named(side('Mine', 'b', 'a'), side('Theirs', 'a'))).toEqual(['fork: Mine', 'parent: Theirs']);
    expect(named(side('Same', 'a'), side('Same', 'b', 'a'))).toEqual(['parent: Same', 'fork: Same']);
    expect(named(side('Task', 'b', 'a', 'subagent'), side('Main', 'a'))).toEqual(['subagent: Task', 'parent: Main']);
  });

  it('of one title and no kin are told apart by their ids', () => {
    const [one, other] = ['session-11111111-2222-4333-8444-555555555555', 'session-99999999-2222-4333-8444-555555555555'];
    expect(named(side('Same', one, 'p'), side('Same', other, 'p'))).toEqual(['Same (11111111)', 'Same (99999999)']);
  });

  it('that are copies of one, or unknown to the list, are told apart by their files', () => {
    const old = { ...side('Same', 'a'), path: '/root/p/a/session.jsonl.zstd' };
    expect(named(old, side('Same', 'a'))).toEqual(['Same (session.jsonl.zstd)', 'Same (session.v4.jsonl.zstd)']);
    expect(named({ ...old, item: undefined }, side('Same', 'a'))[0]).toBe('Same (session.jsonl.zstd)');
    const elsewhere = { ...side('Same', 'a'), path: '/root/q/a/session.v4.jsonl.zstd' };
    expect(named(elsewhere, side('Same', 'a'))).toEqual(['Same (q)', 'Same (p)']);
    expect(named(side('Same'), side('Same'))).toEqual(['Same (session.v4.jsonl.zstd)', 'Same (session.v4.jsonl.zstd)']);
  });
});
