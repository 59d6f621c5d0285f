import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentRefOf, listChecks, ROWS_PER_CALL, sessionChecks, viewChecks } from '../../../src/protocol/index.ts';
import { TABLES } from '../../../src/timeline/index.ts';

type Check = (args: unknown) => unknown;
const everyCheck: readonly (readonly [string, Check])[] = [
  ...Object.entries(sessionChecks).map(([name, check]) => [`session ${name}`, check as Check] as const),
  ...Object.entries(listChecks).map(([name, check]) => [`list ${name}`, check as Check] as const),
  ...Object.entries(viewChecks).map(([name, check]) => [`view ${name}`, check as Check] as const),
];

describe('every check', () => {
  it.each(everyCheck)('%s never throws and lets nothing through but objects', (_, check) => {
    for (const value of [undefined, null, 1, 'x', [], true]) expect(check(value)).toBeUndefined();
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        check(value);
      }),
      { numRuns: 30 },
    );
  });
});

describe('session checks', () => {
  it('rebuild the arguments from the members that are allowed', () => {
    expect(sessionChecks.overview({ surprise: 1 })).toEqual({});
    expect(sessionChecks.detail({ generation: 1, seq: 7, more: true })).toEqual({ generation: 1, seq: 7 });
    expect(sessionChecks.detail({ generation: 1, seq: 7, until: 9 })).toEqual({ generation: 1, seq: 7, until: 9 });
    expect(sessionChecks.steps({ turn: 0, from: 0, to: 5 })).toEqual({ turn: 0, from: 0, to: 5 });
    expect(sessionChecks.attachment({ id: 'sha256:0', path: '/etc/passwd' })).toEqual({ id: 'sha256:0' });
    for (const id of [undefined, null, 7, {}, 'x'.repeat(40_000)]) expect(viewChecks.attachment({ id })).toBeUndefined();
    expect(sessionChecks.search({ generation: 1, query: 'x', limit: 9 })).toEqual({ generation: 1, query: 'x', limit: 9 });
    expect(sessionChecks.document({ ref: { kind: 'request', turn: 1, step: 2, attempt: 3, seq: 4 } })).toEqual({
      ref: { kind: 'request', turn: 1, step: 2, attempt: 3 },
    });
  });

  it('take every table of the schema and no other', () => {
    for (const table of Object.keys(TABLES))
      expect(sessionChecks.table({ generation: 1, table, from: 0, to: 1 })).toEqual({ generation: 1, table, from: 0, to: 1 });
    for (const table of ['', 'nothing', 'toString', '__proto__', 1])
      expect(sessionChecks.table({ generation: 1, table, from: 0, to: 1 })).toBeUndefined();
  });

  it.each([-1, 1.5, NaN, Infinity, '1', null, undefined, 2 ** 53])(
    'refuse %s where a seq, index or generation belongs',
    (bad) => {
      expect(sessionChecks.detail({ generation: 1, seq: bad })).toBeUndefined();
      expect(sessionChecks.detail({ generation: bad, seq: 1 })).toBeUndefined();
      if (bad !== undefined) expect(sessionChecks.detail({ generation: 1, seq: 1, until: bad })).toBeUndefined();
      expect(sessionChecks.turns({ from: bad, to: 9 })).toBeUndefined();
      expect(sessionChecks.turns({ from: 0, to: bad })).toBeUndefined();
      expect(sessionChecks.forkBoundary({ seq: bad })).toBeUndefined();
      expect(sessionChecks.rows({ generation: 1, turns: [bad], steps: [], entries: [] })).toBeUndefined();
      expect(documentRefOf({ kind: 'history', seq: bad })).toBeUndefined();
    },
  );

  it('bound what one call may ask for', () => {
    const rows = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
    expect(sessionChecks.rows({ generation: 1, turns: [], steps: [], entries: rows(ROWS_PER_CALL) })).toBeDefined();
    expect(sessionChecks.rows({ generation: 1, turns: [], steps: [], entries: rows(ROWS_PER_CALL + 1) })).toBeUndefined();
    expect(sessionChecks.rows({ generation: 1, turns: rows(200), steps: rows(200), entries: rows(1) })).toBeUndefined();
    expect(sessionChecks.turns({ from: 5, to: 4 })).toBeUndefined();
    expect(sessionChecks.search({ generation: 1, query: 'x'.repeat(40_000), limit: 1 })).toBeUndefined();
  });
});

describe('branch checks', () => {
  it('want a kind, a seq and a word about closing', () => {
    expect(sessionChecks.branchPlan({ kind: 'fork', closes: false, more: 1 })).toEqual({ kind: 'fork', closes: false });
    expect(sessionChecks.branchPlan({ kind: 'replay', seq: 3, closes: true })).toEqual({ kind: 'replay', seq: 3, closes: true });
    expect(sessionChecks.branch({ kind: 'fork', seq: 0, closes: false })).toEqual({ kind: 'fork', seq: 0, closes: false });
    for (const args of [
      {},
      null,
      { kind: 'copy', seq: 1, closes: false },
      { kind: 'fork', seq: -1, closes: false },
      { kind: 'fork', seq: 1 },
    ]) {
      expect(sessionChecks.branchPlan(args)).toBeUndefined();
      expect(sessionChecks.branch(args)).toBeUndefined();
    }
    expect(sessionChecks.branch({ kind: 'fork', closes: false })).toBeUndefined();
  });
});

describe('document references', () => {
  it('are known by kind and complete', () => {
    expect(documentRefOf({ kind: 'history', seq: 3 })).toEqual({ kind: 'history', seq: 3 });
    expect(documentRefOf({ kind: 'event', seq: 0 })).toEqual({ kind: 'event', seq: 0 });
    for (const kind of ['jsonl', 'transcript', 'damage']) expect(documentRefOf({ kind })).toEqual({ kind });
    for (const ref of [{ kind: 'history' }, { kind: 'request', turn: 1, step: 1 }, { kind: 'other' }, {}, null])
      expect(documentRefOf(ref)).toBeUndefined();
  });
});

describe('view and list checks', () => {
  it('take text, bounded', () => {
    expect(viewChecks.copy({ text: 'x'.repeat(100_000) })).toEqual({ text: 'x'.repeat(100_000) });
    expect(viewChecks.openSession({ id: 'a' })).toEqual({ id: 'a' });
    expect(viewChecks.openSession({ id: 1 })).toBeUndefined();
    expect(viewChecks.act({ name: 'forkHere', seq: 3, more: 1 })).toEqual({ name: 'forkHere', seq: 3 });
    for (const args of [{ name: 'openSettings', seq: 3 }, { name: 'forkHere' }, { seq: 1 }])
      expect(viewChecks.act(args)).toBeUndefined();
    expect(viewChecks.compare({ left: { kind: 'jsonl' }, right: { kind: 'nothing' } })).toBeUndefined();
    expect(viewChecks.compare({ left: { kind: 'history', seq: 1 }, right: { kind: 'history', seq: 2 } })).toEqual({
      left: { kind: 'history', seq: 1 },
      right: { kind: 'history', seq: 2 },
    });
    expect(listChecks.list({ root: '/x' })).toEqual({ root: '/x' });
    expect(listChecks.complete({ paths: ['/a', 2] })).toBeUndefined();
    expect(listChecks.complete({ paths: ['/a'] })).toEqual({ paths: ['/a'] });
  });
});
