import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/core/events.ts';
import { POINT, type EventDetail, type Section } from '../../../src/protocol/index.ts';
import { NONE } from '../../../src/timeline/index.ts';
import { anyEnding, anyMoves, anyVersion, growLog } from '../../support/grown-log.ts';
import type { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, sectionSaid, writeBuilt, type Call } from './session-harness.ts';

const temp = tempRoot();
const anyLog = fc.record({
  version: anyVersion,
  moves: anyMoves,
  ending: anyEnding,
  picks: fc.array(fc.nat(100_000), { maxLength: 12 }),
});

/** Does something with a log of random moves, read by a service of its own. */
async function withLog(
  {
    version,
    moves,
    ending,
  }: { version: 0 | 1 | 2 | 3 | 4; moves: Parameters<typeof growLog>[1]; ending: Parameters<typeof growLog>[2] },
  run: (log: LogBuilder, call: Call) => Promise<void>,
): Promise<void> {
  const log = growLog({ version, id: 'parent', createdAt: 1_790_000_000_000, cwd: '/work/demo' }, moves, ending);
  if (log.events.length === 0) return;
  const service = openService(await writeBuilt(temp.fresh(), log));
  await run(log, service.call).finally(() => service.dispose());
}

/** The last event of a type up to a seq; NONE stands before all. */
const lastUpTo = (log: LogBuilder, type: string, seq: number): StoredEvent | undefined =>
  seq === NONE ? undefined : log.events.slice(0, seq + 1).findLast((event) => event.type === type);

/**
 * What is shown of an event, but for what differs where a log ends for good: a call without a result, a step without an answer, and calls
 * asked for and never begun, which stand for themselves there. That an attempt failed is known right after it, from its retry.
 */
function shownOf({ type, row, pretty, model, sources }: EventDetail): unknown {
  const said = (section: Section): string =>
    sectionSaid(section)
      .replace('The call is still running', 'No result is recorded for this call')
      .replace(/Outcome=(error|interrupted)/, 'Outcome=failed')
      .replace(/(State=open, .*)Calls=\d+/, '$1Calls=…')
      .replace(/^Calls: .*/, (calls) => calls.replace(/#\d+ Assistant(, )?/g, '').replace(/, $/, ''));
  const isTold = (words: string): boolean => words !== 'Calls: ' && !words.includes('The model gave no answer in this step');
  return {
    type,
    row,
    pretty: pretty.map(said).filter(isTold),
    model: { ...model, sections: model.sections.map(said) },
    sources: sources.map(said),
  };
}

describe('laws of the replay', () => {
  it('every event has its point, in order; what has landed only grows; a range is a part of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, (given) =>
        withLog(given, async (log, call) => {
          const { generation } = await call('overview', {});
          const whole = await call('replayPoints', { generation, from: 0, to: 50_000 });
          const [seq, landed, kind] = [new Uint32Array(whole.seq), new Uint32Array(whole.landed), new Uint8Array(whole.kind)];
          const isOwn = (i: number): boolean => (kind[i]! & POINT.chunk) === 0 || given.version < 2;
          expect(Array.from(seq).filter((_, i) => isOwn(i))).toEqual(log.events.map((event) => event.seq));
          let before = -1;
          for (let i = 0; i < seq.length; i++) {
            const now = landed[i] === NONE ? -1 : landed[i]!;
            expect(now).toBeGreaterThanOrEqual(before);
            // An event is in the log at its own point; a chunk stored with its answer comes before that.
            expect(isOwn(i) ? now === seq[i] : now < seq[i]!).toBe(true);
            before = now;
          }
          for (const pick of given.picks) {
            const from = pick % (whole.total + 1);
            const part = await call('replayPoints', { generation, from, to: from + 5 });
            expect(Array.from(new Uint32Array(part.seq))).toEqual(Array.from(seq.subarray(from, from + 5)));
          }
        }),
      ),
      { numRuns: 60 },
    );
  });

  it('at any point the todo list and the answer under way are those of that point', async () => {
    let streamed = 0;
    await fc.assert(
      fc.asyncProperty(anyLog, (given) =>
        withLog(given, async (log, call) => {
          const { generation } = await call('overview', {});
          const points = await call('replayPoints', { generation, from: 0, to: 50_000 });
          const [seq, landed, kind] = [new Uint32Array(points.seq), new Uint32Array(points.landed), new Uint8Array(points.kind)];
          for (const pick of given.picks) {
            const point = pick % points.total;
            const moment = await call('replayMoment', { generation, point });
            const todos = lastUpTo(log, 'todo/write', landed[point]!)?.data as { todos: unknown[] } | undefined;
            expect(moment.todoCount).toBe(todos?.todos.length ?? 0);
            const isChunk = (kind[point]! & POINT.chunk) !== 0;
            if (isChunk) streamed++;
            expect(moment.streaming !== undefined).toBe(isChunk);
            if (!isChunk || given.version < 2) continue;
            // Of the stored answer's own words, never more than have come.
            expect(moment.streaming?.seq).toBe(seq[point]);
            const stored = JSON.stringify(log.events[seq[point]!]);
            for (const { text, kind: block } of moment.blocks) if (block === 'text') expect(stored).toContain(text.slice(0, 3));
          }
        }),
      ),
      { numRuns: 60 },
    );
    expect(streamed).toBeGreaterThan(20);
  });

  it('an event is shown as of a playhead as it would be if the log ended there', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat(100_000), (given, cut) =>
        withLog(given, async (log, call) => {
          const { generation } = await call('overview', {});
          const until = 1 + (cut % log.events.length);
          if (log.events[until - 1]!.type === 'assistant/chunk') return; // a log that ends there tells of the answer under way
          const short = growLog(
            { version: given.version, id: 'parent', createdAt: 1_790_000_000_000, cwd: '/work/demo' },
            given.moves,
            given.ending,
          );
          short.events.length = until;
          const { call: ask, dispose } = openService(await writeBuilt(temp.fresh(), short));
          for (const pick of [...given.picks, until - 1]) {
            const seq = pick % until;
            if (log.events[seq]!.type === 'assistant/chunk') continue; // of a stream the view shows what has come of it
            const there = await call('detail', { generation, seq, until });
            const ended = await ask('detail', { generation: 1, seq });
            expect(shownOf(there)).toEqual(shownOf(ended));
            compared++;
          }
          await dispose();
        }),
      ),
      { numRuns: 120 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  it('any log proves to come out as it is stored', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, (given) =>
        withLog(given, async (log, call) => {
          const answers = log.events.filter(({ type }) => type === 'assistant/message').length;
          expect(await call('verifyReplay', {})).toMatchObject({
            answers,
            disagreeing: [],
            historyAgrees: true,
            differing: [],
            refused: [],
            events: log.events.length,
          });
        }),
      ),
      { numRuns: 40 },
    );
  });
});

describe('the request after one', () => {
  it('leads through all of a log, each once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, (given) =>
        withLog(given, async (log, call) => {
          // Every retry is one more attempt at its step.
          const requests: { turn: number; step: number; attempt: number }[] = [];
          for (const { type, data } of log.events) {
            const { turn, step } = data as { turn: number; step: number };
            if (type === 'step/start') requests.push({ turn, step, attempt: 1 });
            else if (type === 'llm/retry') requests.push({ turn, step, attempt: (requests.at(-1)?.attempt ?? 0) + 1 });
          }
          const [first] = requests;
          if (!first) return;
          const found = [first];
          for (let at: typeof first | undefined = first; at;) {
            const { next }: { next: typeof first | undefined } = await call('nextRequest', at);
            if (next) found.push(next);
            expect(found.length).toBeLessThanOrEqual(requests.length);
            at = next;
          }
          expect(found).toEqual(requests);
        }),
      ),
      { numRuns: 60 },
    );
  });
});
