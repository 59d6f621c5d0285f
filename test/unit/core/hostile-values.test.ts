import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptFold } from '../../../src/core/attempts.ts';
import { checkSession } from '../../../src/core/check.ts';
import { envelopeProblem, payloadProblem } from '../../../src/core/envelope.ts';
import type { SessionEvent, StoredEvent } from '../../../src/core/events.ts';
import { productForkBoundary } from '../../../src/core/fork-default.ts';
import { forkBoundary } from '../../../src/core/fork.ts';
import { numberOf, wordOf } from '../../../src/core/json.ts';
import { repairClosers } from '../../../src/core/repair.ts';
import { StateFold } from '../../../src/core/state/session-state.ts';
import { SurfaceFold } from '../../../src/core/surface.ts';
import { transcript } from '../../../src/core/transcript.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';

/** JSON that answers badly when it is turned into a number or a text. */
const hostile = { toString: 0, valueOf: 0, toJSON: 0, constructor: 0, length: -1, then: 1 };

describe('a value of a log', () => {
  it('is a number or none, and has words, without being run', () => {
    expect(numberOf(3)).toBe(3);
    for (const value of ['3', null, [3], hostile, undefined]) expect(numberOf(value)).toBeNaN();
    expect([1, 'a', true, null, undefined].map(wordOf)).toEqual(['1', 'a', 'true', 'null', '?']);
    expect([wordOf(hostile), wordOf([hostile])]).toEqual(['object', 'list']);
  });
});

describe('a log in which one member is such a value', () => {
  function busy(version: Version): LogBuilder {
    const log = new LogBuilder({ version, id: 'hostile', createdAt: 1_000, cwd: '/w' });
    log.setUp().prompt('hello');
    log.failedAttempt({ text: 'lost' });
    log.retry(1, 10, { message: 'busy', code: 'BUSY' }, 'r');
    log.work({ calls: [{ name: 'read', args: {}, result: 'text' }] });
    log.title('T');
    log.todos(['a', 'pending']);
    log.reply('done');
    log.compact('summary');
    log.prompt('open');
    return log;
  }

  /** Every place of a value, as the keys that lead there. */
  function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))];
  }

  function withHostile(event: StoredEvent, path: readonly string[]): StoredEvent {
    const copy = structuredClone(event) as unknown as Record<string, unknown>;
    let at = copy;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
    at[path.at(-1) ?? ''] = hostile;
    return copy as unknown as StoredEvent;
  }

  it.each([0, 2, 3, 4] as const)('v%i: nothing throws', (version) => {
    const { events, header } = busy(version);
    fc.assert(
      fc.property(fc.nat(events.length - 1), fc.nat(200), (at, place) => {
        const event = events[at]!;
        // `type` and `seq` decide where an event goes before anyone looks into it.
        const places = placesOf(event).filter(([first]) => first !== undefined && first !== 'type' && first !== 'seq');
        const bent = [...events];
        bent[at] = withHostile(event, places[place % places.length]!);
        expect(() => {
          const attempts = new AttemptFold(version);
          const state = new StateFold(header);
          const surface = new SurfaceFold(version, (seq) => bent[seq]);
          for (const each of bent) {
            envelopeProblem(each as never);
            payloadProblem(each, version);
            surface.apply(each);
            attempts.apply(each);
            state.apply(each);
          }
          surface.messagesAt(bent.length);
          state.usage(0);
          transcript(bent, version);
          const typed = bent as SessionEvent[];
          repairClosers(typed, { version, cause: 'interrupted' });
          forkBoundary(typed, at, version);
          productForkBoundary(bent, { version });
          checkSession(header, typed);
        }).not.toThrow();
      }),
      { numRuns: 400 },
    );
  });
});
