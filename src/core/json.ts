export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A record whose members nobody has looked at yet. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value can be the seq of an event: a non-negative safe integer, negative zero excluded. */
export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}

/** A number as it stands, NaN for anything else. `Number` would run, and stumble over, a `valueOf` that a log holds. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/**
 * A scalar in its own words, `?` where there is no value, anything else by its kind. `String` would run, and stumble over, a `toString` that a
 * log holds.
 */
export function wordOf(value: unknown): string {
  if (value === undefined) return '?';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? 'list' : 'object';
}

/**
 * Whether a value survives JSON without loss: plain records and dense arrays of strings, booleans, null and finite numbers other than
 * negative zero, without cycles. Iterative, so depth is bounded by memory only; getters run.
 */
export function isJsonValue(value: unknown): value is JsonValue {
  return walk(value, false) !== undefined;
}

/**
 * A detached copy of lossless JSON, each property read exactly once, or undefined when the value is not that (see {@link isJsonValue}).
 * Errors thrown by getters propagate.
 */
export function snapshotJsonValue(value: unknown): JsonValue | undefined {
  return walk(value, true);
}

/** Freezes a tree of plain JSON values all the way down. Iterative. Returns its argument. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  for (;;) {
    if (pending.length === 0) return value;
    const current = pending.pop();
    if (typeof current !== 'object' || current === null || Object.isFrozen(current)) continue;
    Object.freeze(current);
    for (const child of Object.values(current)) if (typeof child === 'object' && child !== null) pending.push(child);
  }
}

/** Whether two JSON values are equal, key order aside. Iterative. */
export function equalJson(left: unknown, right: unknown): boolean {
  const pending: [unknown, unknown][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pending.push([(a as UnknownRecord)[key], (b as UnknownRecord)[key]]);
    }
  }
  return true;
}

interface Level {
  readonly source: object;
  /** Absent for an array: its members are its indexes. */
  readonly keys: readonly string[] | undefined;
  readonly target: object;
  readonly length: number;
  next: number;
}

/** The value itself (or its copy), or undefined when it is not lossless JSON. */
function walk(root: unknown, copies: boolean): JsonValue | undefined {
  const ancestors = new Set<object>();
  const levels: Level[] = [];
  let result: unknown;
  let value = root;
  for (;;) {
    const opened = open(value, ancestors);
    if (opened === undefined) return undefined;
    const made = opened === null || !copies ? value : opened.target;
    const parent = levels.at(-1);
    if (parent === undefined) result = made;
    else if (copies) put(parent, made);
    if (opened !== null) {
      levels.push(opened);
      ancestors.add(opened.source);
    }
    let level = levels.at(-1);
    while (level !== undefined && level.next === level.length) {
      ancestors.delete(level.source);
      levels.pop();
      level = levels.at(-1);
    }
    // The walk has admitted every value below the root as JSON by now.
    if (level === undefined) return result as JsonValue;
    const key = level.keys === undefined ? level.next : (level.keys[level.next] ?? '');
    if (level.keys === undefined && !Object.hasOwn(level.source, key)) return undefined;
    value = (level.source as Record<string | number, unknown>)[key];
    level.next++;
  }
}

/** Null for an admitted scalar, the level to descend into for a container, undefined for anything that is not JSON. */
function open(value: unknown, ancestors: ReadonlySet<object>): Level | null | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? null : undefined;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  if (ancestors.has(value)) return undefined;
  if (Array.isArray(value)) {
    // An extra member or a hole shows in the key count; `length` is the one key that is no member.
    if (!isPlainArray(value) || Reflect.ownKeys(value).length !== value.length + 1) return undefined;
    return { source: value, keys: undefined, target: [], length: value.length, next: 0 };
  }
  if (!isPlainRecord(value)) return undefined;
  const keys = Reflect.ownKeys(value);
  for (const key of keys) {
    if (typeof key !== 'string' || !Object.prototype.propertyIsEnumerable.call(value, key)) return undefined;
  }
  return { source: value, keys: keys as string[], target: {}, length: keys.length, next: 0 };
}

function put(level: Level, made: unknown): void {
  if (level.keys === undefined) {
    (level.target as unknown[]).push(made);
    return;
  }
  // Assignment would call the setter of `__proto__`.
  Object.defineProperty(level.target, level.keys[level.next - 1] ?? '', {
    value: made,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function isPlainRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || isObjectPrototype(prototype);
}

function isPlainArray(value: readonly unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return true;
  return Array.isArray(prototype) && isObjectPrototype(Object.getPrototypeOf(prototype));
}

/** `Object.prototype` of this or another realm (a worker's message, a test runner's context). */
function isObjectPrototype(prototype: unknown): boolean {
  if (prototype === Object.prototype) return true;
  if (typeof prototype !== 'object' || prototype === null || Object.getPrototypeOf(prototype) !== null) return false;
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof maker === 'function' && maker.name === 'Object' && maker.prototype === prototype;
}
