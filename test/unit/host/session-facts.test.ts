import { describe, expect, it } from 'vitest';
import { english, text, type Text } from '../../../src/core/index.ts';
import {
  alarmsOf,
  badgesOf,
  rootProblemsOf,
  dshSays,
  healthOf,
  rowLabel,
  sessionLabel,
  signOf,
  tooltipOf,
} from '../../../src/host/sessions/session-facts.ts';
import type { ForestSession } from '../../../src/host/sessions/session-forest.ts';
import type { SessionItem } from '../../../src/protocol/index.ts';
import { damage, sessionItem } from './session-items.ts';

function session(fields: Partial<SessionItem> = {}, rest: Partial<ForestSession> = {}): ForestSession {
  return {
    item: sessionItem('a', fields),
    key: 'a',
    isPinned: false,
    isHidden: false,
    isDuplicate: false,
    isNamesake: false,
    matches: true,
    origin: undefined,
    parent: undefined,
    group: { key: 'g', place: 'project', name: 'p', cwd: '/work/p', roots: [], count: 1 },
    forks: [],
    subagents: [],
    ...rest,
  };
}

const words = (lines: readonly (Text | string)[]): string[] =>
  lines.map((line) => (typeof line === 'string' ? line : english(line)));
const newer = { kind: 'newer-format', text: text('Written by a newer dsh') } as const;
const headless = { kind: 'no-header', text: text('No header') } as const;
const unknown = { kind: 'unknown-event', text: text('Unknown event x/y at #7') } as const;

it('names the point a fork was made at', () => {
  expect(words(badgesOf(session({ parentSession: 'p', cut: 121 }), false, 'en'))).toContain('fork at #120');
  expect(words(badgesOf(session({ parentSession: 'p' }), false, 'en'))).toContain('fork');
});

it('calls a fork without a title of its own after its parent and the point', () => {
  const origin = session({ title: 'A talk' });
  const child = { parentSession: 'a', title: 'A talk', cut: 121 };
  expect(rowLabel(session(child, { origin }), 64)).toBe('#120 · A talk');
  expect(rowLabel(session({ ...child, title: 'My own way' }, { origin }), 64)).toBe('My own way');
  expect(rowLabel(session({ ...child, origin: 'subagent' }, { origin }), 64)).toBe('A talk');
  expect(rowLabel(session(child), 64)).toBe('A talk');
  // Made before the parent had its title, or before it was given another one.
  expect(rowLabel(session({ ...child, title: 'Hello!', titleIsInherited: true }, { origin }), 64)).toBe('#120 · A talk');
});

describe('health', () => {
  it.each([
    ['fine', []],
    ['remarks', [damage('accepts', 'accepts')]],
    ['tail', [damage('accepts', 'accepts'), damage('accepts', 'repairs')]],
    ['damaged', [damage('accepts', 'refuses')]],
    ['damaged', [damage('skips', 'repairs')]],
    ['damaged', [damage('accepts', 'repairs'), damage('breaks-root', 'accepts')]],
  ] as const)('%s', (health, list) => {
    expect(healthOf(list)).toBe(health);
  });
});

describe('the sign', () => {
  const bad = [damage('skips', 'refuses')];
  it.each([
    ['session', {}, false],
    ['live', {}, true],
    ['fork', { parentSession: 'x' }, false],
    ['subagent', { parentSession: 'x', origin: 'subagent' }, false],
    ['empty', { isEmpty: true }, false],
    ['damaged', { damage: bad, parentSession: 'x' }, true],
    ['newer', { refusal: newer, damage: bad }, false],
    ['newer', { refusal: unknown }, false],
    ['unreadable', { refusal: headless, damage: bad }, true],
  ] as const)('is %s for %j', (sign, fields, isLive) => {
    expect(signOf(sessionItem('a', fields), isLive)).toBe(sign);
  });
});

describe('badges', () => {
  /** Alarms, a bar in place of the time, the rest. */
  const of = (fields: Partial<SessionItem>, rest: Partial<ForestSession> = {}, isLive = false): string => {
    const shown = session(fields, rest);
    return [...words(alarmsOf(shown)), '|', ...words(badgesOf(shown, isLive, 'en'))].join(' ');
  };

  it('say in words what signs and colours show, what is wrong first', () => {
    expect(of({})).toBe('| 1 turn');
    expect(of({ turns: 12, parentSession: 'x' })).toBe('| fork 12 turns');
    expect(of({ turns: 2302 })).toBe('| 2,302 turns');
    expect(of({ turns: undefined, origin: 'subagent', parentSession: 'x' }, {}, true)).toBe('| live subagent');
    expect(of({ isEmpty: true, turns: 0 }, { isPinned: true, isHidden: true })).toBe('| empty pinned hidden');
    expect(of({ refusal: newer, turns: undefined })).toBe('newer format |');
    expect(of({ refusal: headless, turns: undefined, damage: [damage('skips', 'refuses')] })).toBe('unreadable |');
    expect(of({ refusal: unknown, turns: undefined })).toBe('unknown event |');
    expect(of({}, { isDuplicate: true })).toBe('id used twice | 1 turn');
  });

  it('name the place of a damage where it has one', () => {
    expect(of({ damage: [damage('accepts', 'refuses')] })).toBe('damaged | 1 turn');
    expect(of({ damage: [damage('accepts', 'accepts'), damage('accepts', 'refuses', { seq: 1204 })] })).toBe(
      'damaged at #1204 | 1 turn',
    );
  });

  it('give the id where another session has the same title', () => {
    expect(of({ id: 'session-0f3a9c1e-1111-4222-8333-444455556666' }, { isNamesake: true })).toBe('| 0f3a9c1e 1 turn');
    expect(of({ id: 'session-12' }, { isNamesake: true })).toBe('| session-12 1 turn');
  });

  it('do not call the unfinished end of a log being written anything', () => {
    expect(of({ damage: [damage('accepts', 'repairs')] })).toBe('| 1 turn unfinished tail');
    expect(of({ damage: [damage('accepts', 'repairs')] }, {}, true)).toBe('| live 1 turn');
    expect(of({ damage: [damage('accepts', 'accepts')] })).toBe('| 1 turn remarks');
  });
});

describe('the label', () => {
  it.each([
    [{ title: 'Fix  it\nnow' }, 'Fix it now'],
    [{ title: '\u202e\u0007' }, 'a'],
    [{ title: undefined }, 'a'],
    [{ title: undefined, id: undefined }, 'a'],
    [{ title: undefined, id: undefined, path: '/root/--p--/dir-7/session.jsonl' }, 'dir-7'],
  ])('of %j is %s', (fields, label) => {
    expect(sessionLabel(sessionItem('a', fields))).toBe(label);
  });

  it('is bounded', () => {
    expect(sessionLabel(sessionItem('a', { title: 'x'.repeat(5000) })).length).toBeLessThanOrEqual(120);
  });
});

describe('the tooltip', () => {
  const lines = (fields: Partial<SessionItem>, rest: Partial<ForestSession> = {}): string[] =>
    words(tooltipOf(session(fields, rest), false, 'en'));

  it('gives times, place, format and id', () => {
    const time = new Date(2026, 10, 30, 9, 5, 7).getTime();
    const said = lines({ lastActivity: time, createdAt: time, version: 4, size: 12_345, turns: 3, agentPreset: 'coder' });
    expect(said.map((line) => line.replaceAll('\u202f', ' '))).toEqual([
      'Title of a',
      'Last activity: Nov 30, 2026, 9:05:07 AM',
      'Created: Nov 30, 2026, 9:05:07 AM',
      '3 turns',
      'Format v4 · zstd · 12.3 kB',
      'Project: /work/p',
      'Log: /root/--p--/a/session.jsonl.zstd',
      'Id: a',
      'Agent preset: coder',
    ]);
  });

  it('says where a session comes from, and that its parent is missing', () => {
    const origin = session({ title: 'Parent title' });
    expect(lines({ parentSession: 'p' }, { origin })).toContain('Fork of “Parent title”');
    expect(lines({ parentSession: 'p', cut: 121 }, { origin })).toContain('Fork of “Parent title” at #120');
    expect(lines({ parentSession: 'p', origin: 'subagent' }, { origin })).toContain('Subagent of “Parent title”');
    expect(lines({ parentSession: 'p' })).toContain('Fork of p, which is not in this root');
    expect(lines({ parentSession: 'p', origin: 'subagent' })).toContain('Subagent of p, which is not in this root');
  });

  it('names each damage with what dsh makes of it, five at most', () => {
    const said = lines({ damage: [damage('breaks-root', 'refuses')] });
    expect(said.slice(-3)).toEqual([
      'Frame 3 is broken',
      'While this file is here, dsh cannot list any session of this root',
      'dsh refuses to open it',
    ]);
    const many = lines({ damage: Array.from({ length: 9 }, () => damage('accepts', 'accepts')) });
    expect(many.filter((line) => line === 'Frame 3 is broken')).toHaveLength(5);
    expect(many.at(-1)).toBe('… and 4 more; see the damage report');
  });

  it('keeps hostile words on their line', () => {
    const said = lines({ title: 'a\n[x](command:evil)\u202e', cwd: '/w\n/x' });
    expect(said[0]).toBe('a [x](command:evil)');
    expect(said).toContain('Project: /w /x');
  });
});

describe('what dsh does', () => {
  const outcomes = ['accepts', 'repairs', 'skips', 'refuses', 'breaks-root'] as const;
  it('is said for everything but acceptance', () => {
    for (const list of outcomes) {
      for (const open of outcomes) {
        expect(dshSays(damage(list, open))).toHaveLength(Number(list !== 'accepts') + Number(open !== 'accepts'));
      }
    }
  });
});

describe('logs that keep dsh from listing the root', () => {
  it('are named once each, whatever else is wrong with them; others are not', () => {
    const [own, sound] = [damage('breaks-root', 'refuses'), damage('accepts', 'repairs')];
    const odd = sessionItem('odd', { damage: [sound, own, damage('breaks-root', 'breaks-root')] });
    const items = [sessionItem('fine'), odd, sessionItem('torn', { damage: [sound] })];
    expect(rootProblemsOf(items)).toEqual([{ item: odd, damage: own }]);
  });
});
