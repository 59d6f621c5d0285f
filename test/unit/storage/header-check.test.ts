import { describe, expect, it } from 'vitest';
import { readHeader } from '../../../src/storage/header-check.ts';

/** Header fields one by one, with what dsh does over each. format/on-disk.md §5, format/migrations.md §6.1. */

const base = (version: number): Record<string, unknown> => ({
  type: 'session',
  version,
  id: 's',
  createdAt: 1,
  cwd: '/w',
  ...(version < 2 ? {} : { isSeeded: false }),
  delegationDepth: 0,
});

const read = (changes: Record<string, unknown>, version = 0): ReturnType<typeof readHeader> => {
  const header = Object.fromEntries(Object.entries({ ...base(version), ...changes }).filter(([, value]) => value !== undefined));
  return readHeader(JSON.stringify(header), version);
};
const verdicts = (reading: ReturnType<typeof readHeader>): string[] => reading.damage.map(({ dsh }) => `${dsh.list} ${dsh.open}`);

describe('a good header', () => {
  it.each([0, 1, 2, 3, 4])('of version %i with every optional field', (version) => {
    const extra = { parentSession: 'p', origin: 'subagent', agentPreset: 'default', ...(version < 2 ? { seedLength: 3 } : {}) };
    const reading = read(extra, version);
    expect(reading.damage).toEqual([]);
    expect(reading.refusal).toBeUndefined();
    expect(reading.header).toEqual({ ...base(version), ...extra });
  });

  it('without a cwd, and with one of the other system', () => {
    expect(read({ cwd: undefined }).damage).toEqual([]);
    expect(read({ cwd: 'C:\\w' }).damage).toEqual([]);
    expect(read({ cwd: '\\\\server\\share' }).damage).toEqual([]);
  });
});

describe('what a v0 dsh does with a bad field', () => {
  it.each([
    ['id', 5, 'skips refuses'],
    ['createdAt', -1, 'skips refuses'],
    ['createdAt', '1', 'skips refuses'],
    ['delegationDepth', undefined, 'skips refuses'],
    ['delegationDepth', 0.5, 'skips refuses'],
    ['origin', 'other', 'skips refuses'],
    ['agentPreset', 1, 'skips refuses'],
    ['parentSession', 1, 'accepts refuses'],
    ['seedLength', '3', 'accepts refuses'],
    // What breaks the root over it is the directory, which can hardly be the right one.
    ['cwd', 'relative/path', 'accepts refuses'],
    ['cwd', 5, 'breaks-root breaks-root'],
    ['cwd', '', 'breaks-root breaks-root'],
    ['id', '', 'breaks-root breaks-root'],
    ['sandboxMode', 'x', 'breaks-root breaks-root'],
    ['approvalPolicy', 'x', 'breaks-root breaks-root'],
    ['anything', 1, 'accepts accepts'],
  ])('%s: %j → %s', (field, value, verdict) => {
    const reading = read({ [field]: value });
    expect(verdicts(reading)).toEqual([verdict]);
    expect(reading.header?.type).toBe('session');
    expect(reading.refusal).toBeUndefined();
  });

  it('a negative zero is no count', () => {
    const line = JSON.stringify(base(0)).replace('"createdAt":1', '"createdAt":-0');
    expect(verdicts(readHeader(line, 0))).toEqual(['skips refuses']);
  });
});

describe('what a later dsh does', () => {
  it.each([2, 3, 4])('v%i refuses any other key, a seedLength and a missing isSeeded', (version) => {
    for (const changes of [
      { anything: 1 },
      { seedLength: 0 },
      { isSeeded: undefined },
      { isSeeded: 'yes' },
      { delegationDepth: null },
    ]) {
      expect(verdicts(read(changes, version)), JSON.stringify(changes)).toEqual(['skips refuses']);
    }
  });
});

describe('what is no header', () => {
  it.each([
    ['no line', undefined],
    ['no JSON', '{"type":"session"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['another type', JSON.stringify({ ...base(0), type: 'x' })],
    ['a version that is text', JSON.stringify({ ...base(0), version: '0' })],
    ['a negative version', JSON.stringify({ ...base(0), version: -1 })],
    ['a fraction', JSON.stringify({ ...base(0), version: 0.5 })],
    ['no version', JSON.stringify({ ...base(0), version: undefined })],
  ])('%s', (_, line) => {
    const reading = readHeader(line, 0);
    expect(reading.header).toBeUndefined();
    expect(reading.refusal?.kind).toBe('no-header');
    // A v0 list takes any number for a version; opening does not.
    const isNumber = line !== undefined && /"version":-?[\d.]+/.test(line) && line.includes('"type":"session"');
    expect(verdicts(reading)).toEqual([isNumber ? 'accepts refuses' : 'skips refuses']);
    expect(verdicts(readHeader(line, 4))).toEqual(['skips refuses']);
  });
});

describe('the version gate', () => {
  it('comes before every other field, and is no corruption', () => {
    const reading = readHeader('{"type":"session","version":5,"id":"n","strange":true}', 5);
    expect(reading.refusal?.kind).toBe('newer-format');
    expect(reading.refusal?.message).toMatch(/newer/);
    expect(reading.header).toEqual({ type: 'session', version: 5, id: 'n', strange: true });
    expect(reading.damage).toEqual([]);
  });

  it('the name and the header must agree', () => {
    const wrong = readHeader(JSON.stringify(base(3)), 4);
    expect(wrong.damage.map(({ kind, dsh }) => [kind, dsh.list, dsh.open])).toEqual([['generation', 'breaks-root', 'refuses']]);
    expect(readHeader(JSON.stringify(base(1)), 0).damage.map(({ dsh }) => dsh.open)).toEqual(['refuses']);
    expect(readHeader(JSON.stringify(base(3)), undefined).damage).toEqual([]);
  });
});
