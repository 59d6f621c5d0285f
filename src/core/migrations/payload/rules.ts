import { isRecord, isSeq, type UnknownRecord } from '../../json.ts';

/** What is wrong with a payload and where; `path` is a dotted member path, empty for the payload itself. */
export interface PayloadProblem {
  readonly kind: 'missing' | 'unknown' | 'value';
  readonly path: string;
}

/**
 * A rule looks at one value and answers with the first problem, or undefined. Rules are finite, so they never recurse deeper than they
 * are written: a deep log cannot exhaust the stack.
 */
export type Rule = (value: unknown, path: string) => PayloadProblem | undefined;

type Members = Readonly<Record<string, Rule | Optional>>;

export interface Optional {
  readonly optional: Rule;
}

export function opt(rule: Rule): Optional {
  return { optional: rule };
}

const accept: Rule = () => undefined;

/** A value of which only the presence is known. */
export const opaque: Rule = accept;

export const string: Rule = check((value) => typeof value === 'string');
export const id: Rule = check((value) => typeof value === 'string' && value !== '');
export const boolean: Rule = check((value) => typeof value === 'boolean');
export const number: Rule = check((value) => typeof value === 'number' && Number.isFinite(value));
/** A non-negative safe integer. */
export const count: Rule = check(isSeq);
/** A safe integer of at least 1: turns, steps, rounds. */
export const ordinal: Rule = check((value) => isSeq(value) && value > 0);
export const integer: Rule = check((value) => Number.isSafeInteger(value));

export function literal(...allowed: readonly unknown[]): Rule {
  return check((value) => allowed.includes(value));
}

export function nullable(rule: Rule): Rule {
  return (value, path) => (value === null ? undefined : rule(value, path));
}

export function list(member: Rule): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return { kind: 'value', path };
    for (let i = 0; i < value.length; i++) {
      const problem = member(value[i], `${path}[${i}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** Exactly these members; {@link opt} marks those that may be absent. */
export function record(members: Members): Rule {
  return members_(members, false);
}

/** At least these members; others are not looked at. */
export function openRecord(members: Members): Rule {
  return members_(members, true);
}

/** A record told apart by one literal member. A value without an entry goes to `other`. */
export function tagged(tag: string, rules: Readonly<Record<string, Rule>>, other?: Rule): Rule {
  return (value, path) => {
    if (!isRecord(value)) return { kind: 'value', path };
    const name = value[tag];
    if (typeof name !== 'string') return { kind: name === undefined ? 'missing' : 'value', path: join(path, tag) };
    const rule = Object.hasOwn(rules, name) ? rules[name] : other;
    return rule === undefined ? { kind: 'value', path: join(path, tag) } : rule(value, path);
  };
}

/** Every rule in turn; the first problem counts. */
export function all(...rules: readonly Rule[]): Rule {
  return (value, path) => {
    for (const rule of rules) {
      const problem = rule(value, path);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** The problem of the alternative that got furthest is not guessed: the first alternative speaks for all. */
export function either(first: Rule, second: Rule): Rule {
  return (value, path) => {
    const problem = first(value, path);
    return problem === undefined || second(value, path) === undefined ? undefined : problem;
  };
}

function check(holds: (value: unknown) => boolean): Rule {
  return (value, path) => (holds(value) ? undefined : { kind: 'value', path });
}

function members_(members: Members, open: boolean): Rule {
  const entries = Object.entries(members);
  return (value, path) => {
    if (!isRecord(value)) return { kind: 'value', path };
    for (const [name, rule] of entries) {
      const problem = memberProblem(value, name, rule, path);
      if (problem !== undefined) return problem;
    }
    if (!open)
      for (const name of Object.keys(value))
        if (!Object.hasOwn(members, name)) return { kind: 'unknown', path: join(path, name) };
    return undefined;
  };
}

function memberProblem(value: UnknownRecord, name: string, rule: Rule | Optional, path: string): PayloadProblem | undefined {
  const isOptional = typeof rule !== 'function';
  if (!Object.hasOwn(value, name)) return isOptional ? undefined : { kind: 'missing', path: join(path, name) };
  return (isOptional ? rule.optional : rule)(value[name], join(path, name));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
