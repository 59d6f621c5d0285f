import { describe, expect, it } from 'vitest';
import { changedSessions } from '../../../src/host/tree/forest-changes.ts';
import type { SessionItem } from '../../../src/protocol/index.ts';
import { forest, sessionItem } from './session-items.ts';

const item = (id: string, more: Partial<SessionItem> = {}): SessionItem => sessionItem(id, { cwd: '/w/a', title: id, ...more });
const first = item('first', { lastActivity: 30 });
const second = item('second', { lastActivity: 20 });
const child = item('child', { parentSession: 'second', lastActivity: 10 });
const elsewhere = item('elsewhere', { cwd: '/w/b', lastActivity: 5 });
const before = forest([first, second, child, elsewhere]);

const changed = (...items: readonly SessionItem[]): (string | undefined)[] | undefined =>
  changedSessions(before, forest(items))?.map((session) => session.item.id);

describe('what a listing changed', () => {
  it('is nothing in one that is the same', () => {
    expect(changed(first, second, child, elsewhere)).toEqual([]);
  });

  it('is the session that grew, in its place, and no other', () => {
    expect(changed({ ...first, size: first.size + 9, lastActivity: 40 }, second, child, elsewhere)).toEqual(['first']);
    expect(changed(first, second, { ...child, size: child.size + 9 }, elsewhere)).toEqual(['child']);
  });

  it('is a parent of another title, and the fork that names it', () => {
    expect(changed(first, { ...second, title: 'renamed' }, child, elsewhere)?.sort()).toEqual(['child', 'second']);
  });

  it('is both of two that are now called the same', () => {
    expect(changed(first, { ...second, title: 'first' }, child, elsewhere)?.sort()).toEqual(['child', 'first', 'second']);
  });

  it.each([
    ['one came', [first, second, child, elsewhere, item('new', { lastActivity: 1 })]],
    ['one came in a folder of its own', [first, second, child, elsewhere, item('new', { cwd: '/w/c', lastActivity: 1 })]],
    ['one went', [first, second, elsewhere]],
    ['one moved to the top', [first, { ...second, lastActivity: 50 }, child, elsewhere]],
    ['a fork became one of another', [first, second, { ...child, parentSession: 'first' }, elsewhere]],
    ['a child is a subagent now', [first, second, { ...child, origin: 'subagent' as const }, elsewhere]],
    ['the folders changed places', [first, second, child, { ...elsewhere, lastActivity: 60 }]],
    ['none is left', []],
  ])('is the whole tree where %s', (_, items) => {
    expect(changed(...items)).toBeUndefined();
  });
});
