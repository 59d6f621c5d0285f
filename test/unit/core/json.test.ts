import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { deepFreeze, equalJson, isJsonValue, snapshotJsonValue } from '../../../src/core/json.ts';

const DEPTH = 100_000;

/** `depth` arrays around `core`, made without recursion. */
function nested(depth: number, core: unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

class Point {
  x = 1;
}

const cyclic: { self?: unknown } = {};
cyclic.self = [cyclic];
const shared = { a: 1 };

describe('lossless JSON', () => {
  it.each([
    ['a class instance', new Point()],
    ['a date', new Date(0)],
    ['a set', new Set()],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a symbol key', { [Symbol('s')]: 1 }],
    ['a hidden member', Object.defineProperty({}, 'a', { value: 1, enumerable: false })],
    ['a sparse list', [1, , 3]], // eslint-disable-line no-sparse-arrays -- the hole is the case
    ['a list with an extra member', Object.assign([1], { extra: 1 })],
    ['NaN', Number.NaN],
    ['minus zero deep inside', { a: [{ b: -0 }] }],
    ['a cycle', cyclic],
    ['an inherited record', Object.create({ a: 1 })],
    ['a subclassed list', new (class extends Array {})()],
    ['a typed array', new Uint8Array(2)],
  ])('%s is not', (_, value) => {
    expect(isJsonValue(value)).toBe(false);
    expect(snapshotJsonValue(value)).toBeUndefined();
  });

  it.each([
    ['an empty record', {}],
    ['an empty list', []],
    ['lists and records', { a: [1, 'x', null, true, { b: [] }], '': 0, 1: 2 }],
    ['one record in two places', [shared, shared]],
    ['a lone surrogate', '\ud800'],
  ])('%s is', (_, value) => {
    expect(isJsonValue(value)).toBe(true);
    const copy = snapshotJsonValue(value);
    expect(copy).toEqual(value);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    if (typeof value === 'object') expect(copy).not.toBe(value);
  });

  it('so is a value of another realm', () => {
    expect(snapshotJsonValue(runInNewContext('({a: [1, {b: 2}]})'))).toEqual({ a: [1, { b: 2 }] });
    expect(isJsonValue(runInNewContext('new Map()'))).toBe(false);
  });

  it('reads every member once', () => {
    let reads = 0;
    const once = Object.defineProperty({}, 'a', { enumerable: true, get: () => (reads++ === 0 ? 1 : Number.NaN) });
    expect(snapshotJsonValue(once)).toEqual({ a: 1 });
    expect(reads).toBe(1);
  });

  it('lets the error of a getter through', () => {
    const bad = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('own');
      },
    });
    expect(() => snapshotJsonValue(bad)).toThrow('own');
  });

  it('keeps a __proto__ key a key', () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
    const copy = snapshotJsonValue(value) as Record<string, unknown>;
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect(copy['polluted']).toBeUndefined();
  });

  it('knows no depth', () => {
    const deep = nested(DEPTH, 1);
    expect(isJsonValue(deep)).toBe(true);
    expect(isJsonValue(nested(DEPTH, Number.NaN))).toBe(false);
    const copy = snapshotJsonValue(deep);
    expect(equalJson(copy, deep)).toBe(true);
    expect(equalJson(copy, nested(DEPTH, 2))).toBe(false);
    expect(Object.isFrozen(deepFreeze(copy))).toBe(true);
  });

  it('a copy equals the value and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        fc.pre(isJsonValue(plain));
        expect(snapshotJsonValue(plain)).toEqual(plain);
        expect(equalJson(plain, snapshotJsonValue(plain))).toBe(true);
      }),
    );
  });
});

describe('equality', () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [[1], { 0: 1 }, false],
    [{ a: undefined }, {}, false],
    [null, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    ['1', 1, false],
  ])('%j and %j: %s', (a, b, equal) => {
    expect(equalJson(a, b)).toBe(equal);
  });
});

describe('freezing', () => {
  it('goes all the way down', () => {
    const value = deepFreeze({ a: [{ b: {} }] });
    expect(Object.isFrozen(value.a[0]?.b)).toBe(true);
  });
});
