import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Context } from '@deepseek-ai/cordis';
import * as peer from '@deepseek-ai/dsh-session';
import { decodeStorageRecord, packChunkRuns } from '../../src/core/codec/chunk-rows.ts';
import { knownSessionEventTypes } from '../../src/core/dialects/gates.ts';
import { deriveEventMessage } from '../../src/core/derive.ts';
import type { SessionEvent } from '../../src/core/events.ts';
import { isJsonValue, snapshotJsonValue } from '../../src/core/json.ts';
import { repairClosers } from '../../src/core/repair.ts';
import { foldRequestHeader } from '../../src/core/request.ts';
import { Session } from '../../src/core/session.ts';
import { SessionStore } from '../../src/core/store.ts';
import { deriveMessages, foldSurface } from '../../src/core/surface.ts';
import { withoutFreeTexts } from '../support/corpus.ts';
import { anyValue, program, resolve, type Step } from './program.ts';

/** What both cores have in common as far as this test goes. */
interface AnySession {
  readonly seq: number;
  readonly events: readonly { readonly type: string; readonly data: unknown }[];
  readonly surface: { readonly nodes: readonly number[]; readonly replaceGeneration: number };
  readonly firstLiveSeq: number;
  deriveMessages(): unknown[];
  requestHeader(): unknown;
  requestContext(): unknown;
}

const NOW = 1_700_000_000_000;
const RUNS = { numRuns: 800 };

beforeEach(() => {
  vi.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs one step; whether the session took it. */
function run(session: AnySession, step: Step): boolean {
  const { type, data, opts } = resolve(step, {
    seq: session.seq,
    nodes: session.surface.nodes,
    eventAt: (seq) => session.events[seq],
  });
  const append = (session as unknown as { append(...args: unknown[]): unknown }).append.bind(session);
  try {
    append(type, data, opts);
    return true;
  } catch {
    return false;
  }
}

const json = (value: unknown): string => JSON.stringify(value ?? null);

function state(session: AnySession): unknown {
  return {
    events: json(session.events),
    nodes: [...session.surface.nodes],
    generation: session.surface.replaceGeneration,
    messages: json(session.deriveMessages()),
    header: json(session.requestHeader()),
    // A route whose payload is no record is none here and an empty one there.
    context: json(session.requestContext() ?? {}),
    firstLiveSeq: session.firstLiveSeq,
  };
}

/** The answer of a call that may throw: its value, or the fork code, or the bare fact. */
function answerOf<T>(call: () => T): { readonly value: T } | { readonly refused: string } {
  try {
    return { value: call() };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return { refused: typeof code === 'string' ? code : 'error' };
  }
}

const fresh = (): Session => Session.create('s', undefined, { version: 0 });

describe('random programs through both cores', () => {
  it('take the same appends and end in the same state', () => {
    let taken = 0;
    let refused = 0;
    let replaced = 0;
    fc.assert(
      fc.property(program, (steps) => {
        const own = fresh();
        const theirs = peer.Session.create(peer.SessionId('s'));
        for (const step of steps) {
          const answer = run(own, step);
          expect(run(theirs, step), fc.stringify(step)).toBe(answer);
          if (answer) taken++;
          else refused++;
        }
        replaced += own.surface.replaceGeneration;
        expect(state(own)).toEqual(state(theirs));
        const events = own.events as never[];
        expect(foldSurface(events, { version: 0 })).toMatchObject(peer.foldSurface(events));
        expect(json(deriveMessages(events, { version: 0 }))).toBe(json(own.deriveMessages()));
        expect(json(foldRequestHeader(events))).toBe(json(peer.foldRequestHeader(events)));
        for (const event of own.events) {
          expect(json(deriveEventMessage(event, 0))).toBe(json(peer.deriveEventMessage(event as never)));
        }
      }),
      RUNS,
    );
    // The programs are worth something only if all of this happens often.
    expect(Math.min(taken, refused, replaced)).toBeGreaterThan(400);
  });

  it('fork alike at every boundary', async () => {
    const answers = new Set<string>();
    const context = new Context();
    await context.plugin(peer.SessionStore);
    let name = 0;
    fc.assert(
      fc.property(program, (steps) => {
        const store = new SessionStore({ version: 0 });
        const id = `s${String(++name)}`;
        const own = store.create(id);
        const theirs = context.sessions.create(peer.SessionId(id));
        for (const step of steps) if (run(own, step)) run(theirs, step);
        for (const boundary of [undefined, -1, own.seq, 0.5, ...own.events.keys()]) {
          const child = `${id}-${String(boundary)}`;
          const ours = answerOf(() => store.fork(id, boundary, child));
          const answer = answerOf(() => context.sessions.fork(peer.SessionId(id), boundary, peer.SessionId(child)));
          answers.add('refused' in ours ? ours.refused : 'child');
          if ('refused' in ours || 'refused' in answer) {
            expect(ours, `boundary ${String(boundary)}`).toEqual(answer);
            continue;
          }
          expect(state(ours.value)).toEqual(state(answer.value));
          expect(ours.value.header.seedLength).toBe(answer.value.header.seedLength);
          expect(ours.value.header.parentSession).toBe(answer.value.header.parentSession);
        }
      }),
      { numRuns: 120 },
    );
    expect([...answers].sort()).toEqual(['INVALID_BOUNDARY', 'OPEN_TURN', 'child', 'error']);
  });

  it('are closed by the same closers', () => {
    let closed = 0;
    fc.assert(
      fc.property(program, (steps) => {
        const own = fresh();
        for (const step of steps) run(own, step);
        const ours = repairClosers(own.events, { version: 0, cause: 'interrupted' });
        const theirs = answerOf(() => peer.interruptedTurnClosers(own.events as never[]));
        // Ours takes any payload; the published one stumbles over data it does not expect.
        if ('refused' in theirs) return;
        if (ours.length > 0) closed++;
        expect(json(withoutFreeTexts(ours))).toBe(json(withoutFreeTexts(theirs.value as unknown as SessionEvent[])));
      }),
      RUNS,
    );
    expect(closed).toBeGreaterThan(100);
  });
});

describe('random seeds', () => {
  type Spoil = (event: Record<string, unknown>) => void;
  const set =
    (key: string, value: unknown): Spoil =>
    (event) =>
      void (event[key] = value);
  const remove =
    (key: string): Spoil =>
    (event) =>
      void Reflect.deleteProperty(event, key);
  const damage = fc.constantFrom<Spoil[]>(
    set('seq', 77),
    set('seq', '0'),
    set('time', 0.5),
    set('time', '1'),
    set('extra', 1),
    set('ignorable', true),
    set('ignorable', false),
    set('type', 1),
    set('type', 'request/header-delta'),
    remove('data'),
    remove('surfaceOp'),
    set('sourceEventSeqs', [0]),
    set('data', null),
    set('data', { message: {} }),
    () => undefined,
  );

  it('are accepted by both or by none, and marked alike', () => {
    const outcomes = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(program, damage, fc.nat(60), (steps, spoil, place) => {
        const source = fresh();
        for (const step of steps) run(source, step);
        const seed = structuredClone(source.events) as unknown as Record<string, unknown>[];
        const hit = seed[place % Math.max(1, seed.length)];
        if (hit !== undefined) spoil(hit);
        const ours = answerOf(() => Session.create('t', seed as never, { version: 0 }));
        const theirs = answerOf(() => peer.Session.create(peer.SessionId('t'), seed as never));
        if ('refused' in ours || 'refused' in theirs) {
          outcomes.refused++;
          expect(ours).toEqual(theirs);
          return;
        }
        outcomes.taken++;
        expect(state(ours.value)).toEqual(state(theirs.value));
      }),
      RUNS,
    );
    expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(100);
  });
});

describe('values and codecs', () => {
  it('agree on what lossless JSON is', () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, fc.array(anyValue), fc.dictionary(fc.string(), anyValue)), (value) => {
        expect(isJsonValue(value)).toBe(peer.isJsonValue(value));
        expect(json(snapshotJsonValue(value))).toBe(json(peer.snapshotJsonValue(value)));
      }),
      RUNS,
    );
  });

  const small = fc.integer({ min: 0, max: 1 });
  const delta: fc.Arbitrary<unknown> = fc.oneof(
    fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta'), index: small, text: fc.string() }),
    fc.record(
      {
        type: fc.constant('tool-call-delta'),
        index: small,
        id: fc.constantFrom('a', 'b', ''),
        name: fc.constantFrom('n', ''),
        argumentsDelta: fc.string(),
      },
      { requiredKeys: ['type', 'index', 'id', 'argumentsDelta'] },
    ),
    fc.constantFrom({ type: 'block-start', index: 0, blockType: 'text' }, { type: 'text-delta', index: 0, text: 'x', more: 1 }),
  );
  const chunkLog = fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: delta }),
        fc.integer({ min: -3, max: 9 }),
        fc.constantFrom(...Array.from({ length: 10 }, (_, i) => i === 0)),
      ),
      { maxLength: 30 },
    )
    .map((entries) => {
      let chunk: unknown = { type: 'text-delta', index: 0, text: 'a' };
      let time = 100;
      return entries.map(([next, gap, ignorable], seq) => {
        chunk = next ?? chunk;
        time += gap;
        const event = { type: 'assistant/chunk', seq, time, data: { turn: 1, step: 1, chunk } };
        return ignorable ? { ...event, ignorable: true } : event;
      });
    });

  it('pack and unpack alike', () => {
    let packed = 0;
    fc.assert(
      fc.property(chunkLog, (events) => {
        const rows = packChunkRuns(events as never);
        expect(json(rows)).toBe(json(peer.packChunkRuns(events as never)));
        packed += events.length - rows.length;
        const stored = JSON.parse(JSON.stringify(rows)) as unknown[];
        expect(json(stored.flatMap((row) => decodeStorageRecord(row, 0)))).toBe(json(events));
        expect(json(stored.flatMap((row) => peer.decodeStorageRecord(row as never)))).toBe(json(events));
      }),
      RUNS,
    );
    expect(packed).toBeGreaterThan(400);
  });

  it('know the same types, as far as that release goes', () => {
    const later = ['model/selection', 'session-log-deepseek/delivery-accepted', 'subagent/model-selection-policy'];
    const theirs = new Set<string>(peer.KNOWN_SESSION_EVENT_TYPES);
    const ours = knownSessionEventTypes(0);
    expect([...theirs].filter((type) => !ours.has(type))).toEqual([]);
    expect([...ours].filter((type) => !theirs.has(type)).sort()).toEqual(later);
  });
});
