import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_RULES } from '../../../src/core/check-rules.ts';
import { HEADER_SEQ, checkSession } from '../../../src/core/check.ts';
import type { Finding } from '../../../src/core/damage.ts';
import type { SessionEvent, SessionHeader } from '../../../src/core/events.ts';
import type { Version } from '../../support/log-builder.ts';
import { BREAKS } from './check-breaks.ts';
import { blank, busyLog, loose, looseEvents, nth, type Loose } from './check-log.ts';

const ALL: readonly Version[] = [0, 1, 2, 3, 4];

function check(header: unknown, events: Iterable<unknown>): Finding[] {
  return checkSession(header as SessionHeader, events as Iterable<SessionEvent>);
}

/** The findings of one rule after the log was broken. */
function broken(version: Version, rule: string, mutate: (events: Loose[]) => void): Finding[] {
  const log = busyLog(version);
  const events = looseEvents(log);
  mutate(events);
  return check(log.header, events).filter((finding) => finding.rule === rule);
}

describe('checkSession on a healthy log', () => {
  it.each(ALL)('finds nothing in format %i', (version) => {
    const log = busyLog(version);
    expect(check(log.header, log.events)).toEqual([]);
  });

  it.each(ALL)('finds nothing in any prefix of format %i: an unfinished tail is allowed', (version) => {
    const log = busyLog(version);
    for (let length = 0; length <= log.events.length; length++) {
      expect(check(log.header, log.events.slice(0, length)), `first ${length}`).toEqual([]);
    }
  });
});

describe.each(Object.entries(BREAKS))('%s', (_name, { rule, versions = ALL, mutate }) => {
  it.each(versions)(`breaks the rule ${rule} in format %i`, (version) => {
    let seq = HEADER_SEQ;
    const findings = broken(version, rule, (events) => (seq = mutate(events, version)));
    expect(findings.map((finding) => finding.seq)).toContain(seq);
    for (const finding of findings) expect(finding.message.length).toBeGreaterThan(10);
  });
});

describe('checkSession on headers and cuts', () => {
  it('reports a header it cannot use and looks no further', () => {
    for (const header of [null, 'session', {}, { version: 'one' }, { version: -1 }, { version: 1.5 }]) {
      expect(check(header, busyLog(0).events).map(({ rule, seq, dsh }) => [rule, seq, dsh])).toEqual([
        ['header', HEADER_SEQ, 'refuses'],
      ]);
    }
    const newer = check({ ...busyLog(4).header, version: 5 }, busyLog(4).events);
    expect(newer.map(({ rule }) => rule)).toEqual(['header']);
    expect(newer[0]?.message).toMatch(/newer/);
  });

  it.each([
    ['an unknown member', 0, { extra: 1 }, 'refuses-on-migration'],
    ['an unknown member', 3, { extra: 1 }, 'refuses'],
    ['a retired member', 0, { sandboxMode: 'read-only' }, 'refuses'],
    ['a seed length after v1', 2, { seedLength: 0 }, 'refuses'],
    ['a seeded mark before v2', 1, { isSeeded: false }, 'refuses'],
    ['a relative directory', 4, { cwd: 'demo' }, 'refuses'],
    ['an unknown origin', 4, { origin: 'else' }, 'refuses'],
  ] as const)('reports %s in format %i', (_name, version, extra, dsh) => {
    const log = busyLog(version);
    const findings = check({ ...log.header, ...extra }, log.events);
    expect(findings.map((finding) => [finding.rule, finding.seq, finding.dsh])).toEqual([['header', HEADER_SEQ, dsh]]);
  });

  it.each([2, 3, 4] as const)('reports a cut that header and marker disagree on, format %i', (version) => {
    const log = busyLog(version);
    const cutOf = (header: unknown, events: readonly unknown[]): unknown[] =>
      check(header, events)
        .filter(({ rule }) => rule === 'cut')
        .map(({ seq, dsh }) => [seq, dsh]);
    expect(cutOf({ ...log.header, isSeeded: true }, log.events)).toEqual([[HEADER_SEQ, 'refuses']]);
    const marked = looseEvents(log);
    const marker = nth(marked, 'session/end-seed');
    marker.data = loose({ inherited: true });
    expect(cutOf(log.header, marked)).toEqual([[marker.seq, 'refuses']]);
    expect(cutOf({ ...log.header, isSeeded: true }, marked)).toEqual([]);
  });

  it.each([0, 1] as const)('reports a seed length beyond the log, format %i', (version) => {
    const log = busyLog(version);
    const count = log.events.length;
    expect(check({ ...log.header, seedLength: count }, log.events)).toEqual([]);
    expect(check({ ...log.header, seedLength: count + 1 }, log.events).map(({ rule, dsh }) => [rule, dsh])).toEqual([
      ['cut', 'refuses-on-migration'],
    ]);
  });

  it('lets a forked child keep its parent’s upload acknowledgements before the cut only', () => {
    const log = busyLog(4);
    const events = looseEvents(log);
    const marker = nth(events, 'session/end-seed');
    marker.data = loose({ inherited: true });
    nth(events, 'session-log-deepseek/delivery-accepted').data['sessionId'] = 'parent';
    const header = { ...log.header, isSeeded: true, parentSession: 'parent' };
    expect(check(header, events)).toEqual([]);
    const last = nth(events, 'agent/inbox/spliced', 4);
    last.type = 'session-log-deepseek/delivery-accepted';
    last.data = loose({ sessionId: 'parent', throughSeq: 1, sessionFormatVersion: 4 });
    expect(check(header, events).map(({ rule, seq }) => [rule, seq])).toEqual([['delivery', last.seq]]);
  });
});

describe('what dsh does about a finding', () => {
  it.each([
    [0, 'refuses-on-migration'],
    [3, 'refuses-on-migration'],
    [4, 'refuses'],
  ] as const)('an order rule in format %i: %s', (version, dsh) => {
    const findings = broken(version, 'turn-number', (events) => (nth(events, 'turn/start', 2).data['turn'] = 4));
    expect(findings.map((finding) => finding.dsh)).toEqual([dsh]);
  });

  it.each(ALL)('a broken surface is refused on open, format %i', (version) => {
    const findings = broken(version, 'surface', (events) => delete nth(events, 'user/message').surfaceOp);
    expect(findings[0]?.dsh).toBe('refuses');
  });

  it('nobody minds a request that cannot be derived', () => {
    const findings = broken(4, 'model-visible-header', (events) => {
      blank(nth(events, 'request/header'));
    });
    expect(new Set(findings.map((finding) => finding.dsh))).toEqual(new Set(['accepts']));
  });
});

describe('the rules', () => {
  it('each have a log above that breaks them', () => {
    const shown = new Set([...Object.values(BREAKS).map(({ rule }) => rule), 'header', 'cut']);
    expect([...shown].sort()).toEqual(Object.keys(CHECK_RULES).sort());
  });
});

describe('an overrun compaction', () => {
  it('is forgiven when a later end-seed drops it', () => {
    const findings = broken(4, 'turn-end-open-compaction', (events) => {
      blank(nth(events, 'compaction/end', 1));
      blank(nth(events, 'compaction/start', 2));
      blank(nth(events, 'compaction/end', 1));
    });
    expect(findings).toEqual([]);
  });
});

describe('checkSession on garbage', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const garbage = fc.record(
    {
      type: fc.constantFrom('turn/start', 'user/message', 'tool/result', 'compaction/summary', 'image/offload', 'x/y', 7),
      seq: value,
      time: value,
      data: value,
      surfaceOp: value,
      sourceEventSeqs: value,
      ignorable: value,
    },
    { requiredKeys: [] },
  );

  it('never throws, whatever the entries are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL), fc.array(fc.oneof(garbage, value), { maxLength: 12 }), (version, entries) => {
        expect(() => check({ ...busyLog(version).header }, entries)).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  it('never throws when one member of a healthy log is something else', () => {
    const logs = ALL.map((version) => busyLog(version));
    fc.assert(
      fc.property(fc.constantFrom(...logs), fc.nat(), fc.nat(), value, (log, at, which, other) => {
        const events = looseEvents(log);
        const event = events[at % events.length] as Loose;
        const holder: Record<string, unknown> = which % 2 === 0 ? (event as unknown as Record<string, unknown>) : event.data;
        const key = Object.keys(holder)[which % Object.keys(holder).length] ?? 'data';
        holder[key] = other;
        expect(() => check(log.header, events)).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });

  it.each(['seedLength', 'id', 'createdAt', 'parentSession'])(
    'never throws on a %s that cannot be made a number or a text',
    (field) => {
      const log = busyLog(0);
      const delivery = { sessionId: 'another', throughSeq: 0 };
      const events = [
        ...log.events,
        { type: 'session-log-deepseek/delivery-accepted', seq: log.events.length, time: 1, data: delivery },
      ];
      for (const version of [0, 1, 2, 3, 4]) {
        const header = { ...log.header, version, parentSession: 'p', [field]: { toString: null, valueOf: null } };
        expect(() => check(header, events)).not.toThrow();
      }
    },
  );

  it('never throws on a header of any shape', () => {
    fc.assert(
      fc.property(
        fc.nat(4),
        fc.dictionary(fc.constantFrom('id', 'createdAt', 'seedLength', 'isSeeded', 'cwd', 'parentSession'), value),
        (version, members) => {
          const findings = check({ type: 'session', version, ...members }, busyLog(0).events);
          for (const finding of findings) expect(finding.message).not.toContain('{');
        },
      ),
      { numRuns: 50 },
    );
  });
});
