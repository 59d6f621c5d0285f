import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionForkError } from '../../src/core/errors.ts';
import type { SessionEvent } from '../../src/core/events.ts';
import { boundaryAt, buildForkSeed, forkBoundary, TurnEdges } from '../../src/core/fork.ts';
import { Session } from '../../src/core/session.ts';
import { SessionStore } from '../../src/core/store.ts';
import { corpusIndex, hashOf, readCorpusLog, sharedJson, withoutFreeTexts, type CorpusLog } from '../support/corpus.ts';
import { hasSharedData } from '../support/shared.ts';

interface ChildFacts {
  readonly ok: boolean;
  readonly code?: string;
  readonly childEvents?: number;
  readonly seedLength?: number;
  readonly lastType?: string;
  readonly firstLiveSeq?: number;
  readonly surfaceNodes?: number;
  readonly inheritedSha256?: string;
}

type AnswersRle = readonly (readonly [first: number, last: number, answer: string])[];

interface ForkOracle {
  readonly sourceEvents?: number;
  readonly answersRle: AnswersRle;
  readonly children?: readonly (readonly [number, ChildFacts])[];
  readonly oddBoundaries?: Readonly<Record<string, ChildFacts>>;
}

type V4Child = readonly [boundary: number, events: number, inherited: number, closers: string, digest: string];

interface V4Oracle {
  readonly answersRle: AnswersRle;
  readonly children: readonly V4Child[];
}

interface Migration {
  readonly generations: Readonly<Record<string, { readonly ok: boolean; readonly file?: string; readonly fork?: unknown }>>;
}

const NOW = 1_700_000_000_000;
const index = corpusIndex().filter((entry) => entry.fault === undefined && !entry.path.includes('core-surface/'));
const v0 = index.filter((entry) => entry.version === 0);

type Fork = (boundary: number | undefined) => ChildFacts & { readonly child?: Session };

/** Forks of a session as a store makes them: the answer, and the child if there is one. */
function forksOf(source: Session): Fork {
  const store = new SessionStore({ version: source.header.version, now: () => NOW });
  const live = store.create(source.id, { seed: source.events, meta: source.header });
  return (boundary) => {
    try {
      const child = store.fork(live, boundary, 'child-of-it');
      store.detach(child);
      return { ok: true, child };
    } catch (error) {
      if (error instanceof SessionForkError) return { ok: false, code: error.code };
      throw error;
    }
  };
}

function restored({ header, events }: CorpusLog): Session {
  return Session.create(header.id, events, header, { now: () => NOW });
}

/** Every boundary of the log against the oracle. `forkBoundary` reads the whole log for one answer, so long logs ask what it is made of. */
function compareAnswers(events: readonly SessionEvent[], version: number, answersRle: AnswersRle): number {
  const edges = new TurnEdges();
  for (const event of events) edges.apply(event);
  let compared = 0;
  for (const [first, last, answer] of answersRle) {
    for (let boundary = first; boundary <= last; boundary++) {
      const found =
        events.length < 3_000 ? forkBoundary(events, boundary, version) : boundaryAt(edges, events.length, boundary, version);
      if ((found.legal ? 'ok' : found.code) !== answer) expect.fail(`boundary ${String(boundary)} should be ${answer}`);
      compared++;
    }
  }
  return compared;
}

describe.runIf(hasSharedData)('forks of version 0 logs', () => {
  it.each(v0.map((entry) => [entry.path, entry] as const))('%s', async (_, entry) => {
    const log = await readCorpusLog(entry.path);
    const source = restored(log);
    const { fork } = sharedJson('corpus', entry.oracle) as { fork: ForkOracle };
    expect(source.seq).toBe(fork.sourceEvents);
    expect(compareAnswers(source.events, 0, fork.answersRle)).toBeGreaterThan(0);
    const forked = forksOf(source);
    for (const [boundary, facts] of fork.children ?? []) {
      const answer = forked(boundary);
      expect(answer.code, `boundary ${String(boundary)}`).toBe(facts.code);
      if (answer.child === undefined) continue;
      const { child } = answer;
      expect({
        ok: true,
        childEvents: child.seq,
        seedLength: child.header.seedLength,
        lastType: child.events.at(-1)?.type,
        firstLiveSeq: child.firstLiveSeq,
        surfaceNodes: child.surface.nodes.length,
        // The marker of the restored source carries the time of the run that made the oracle.
        inheritedSha256:
          boundary < log.events.length ? hashOf(withoutFreeTexts(child.events.slice(0, boundary + 1))) : facts.inheritedSha256,
      }).toEqual(facts);
      const built = buildForkSeed(source.events, boundary, { version: 0, now: NOW });
      expect(built.events).toEqual(child.events);
      expect(built.cut).toBe(boundary + 1);
    }
  });

  it.each(v0.map((entry) => [entry.path, entry] as const))('odd boundaries of %s', async (_, entry) => {
    const source = restored(await readCorpusLog(entry.path));
    const { fork } = sharedJson('corpus', entry.oracle) as { fork: ForkOracle };
    const odd = Object.entries(fork.oddBoundaries ?? {});
    expect(odd.length).toBeGreaterThan(5);
    const forked = forksOf(source);
    for (const [name, facts] of odd) {
      const answer = forked(oddBoundary(name));
      expect({ name, ok: answer.ok, code: answer.code }).toEqual({ name, ok: facts.ok, code: facts.code });
      if (answer.child !== undefined) expect(answer.child.seq).toBe(facts.childEvents);
    }
  });
});

/** The boundary an oracle names as `<typeof> <value>`; what is no number is passed as dsh was passed it. */
function oddBoundary(name: string): number | undefined {
  if (name === 'omitted') return undefined;
  const [kind, value] = name.split(' ');
  if (kind === 'number') return Number(value);
  return (kind === 'string' ? value : null) as unknown as number;
}

async function generation(entry: { path: string }, name: string): Promise<{ log: CorpusLog; fork: unknown } | undefined> {
  const folder = dirname(entry.path);
  const migration = sharedJson('corpus', folder, 'migration.json') as Migration;
  const made = migration.generations[name];
  if (made?.file === undefined || made.fork === undefined) return undefined;
  return { log: await readCorpusLog(join(folder, made.file)), fork: made.fork };
}

describe.runIf(hasSharedData)('forks of migrated logs', () => {
  const migrated = v0.filter((entry) => !entry.path.startsWith('large/'));

  it('v1: the same refusals as v0', async () => {
    let logs = 0;
    for (const entry of migrated) {
      const found = await generation(entry, 'v1');
      if (found === undefined) continue;
      const source = restored(found.log);
      compareAnswers(source.events, 1, (found.fork as ForkOracle).answersRle);
      logs++;
    }
    expect(logs).toBeGreaterThan(30);
  });

  it('v4: every boundary, its closers and its digest', async () => {
    let children = 0;
    for (const entry of migrated) {
      const found = await generation(entry, 'v4');
      if (found !== undefined) children += compareV4(found.log, found.fork as V4Oracle);
    }
    expect(children).toBeGreaterThan(1_000);
  });
});

function compareV4({ header, events }: CorpusLog, fork: V4Oracle): number {
  for (const [boundary, count, inherited, closers, digest] of fork.children) {
    const built = buildForkSeed(events, boundary, { version: 4, now: NOW });
    const added = built.events.slice(built.cut);
    const named = added.slice(1).map((event) => {
      if (event.type !== 'tool/result') return event.type;
      return `${event.data.error?.code ?? ''}:${event.data.message.source['callId'] as string}`;
    });
    expect({
      count: built.events.length,
      inherited: built.cut,
      closers: named.join(' '),
      digest: hashOf(withoutFreeTexts(added)).slice(0, 16),
    }).toEqual({ count, inherited, closers, digest });
    // The constructor takes the seed as it is: no second marker, nothing after the closers.
    const child = Session.create(
      'child',
      built.events,
      { version: 4, parentSession: header.id },
      { inheritedEventCount: built.cut },
    );
    expect(child.seq).toBe(count);
    expect(child.inheritedEventCount).toBe(inherited);
    expect(child.header.isSeeded).toBe(true);
  }
  const edges = new TurnEdges();
  for (const event of events) edges.apply(event);
  for (const [first, last, answer] of fork.answersRle) {
    expect(answer).toBe('ok');
    for (let boundary = first; boundary <= last; boundary++)
      expect(boundaryAt(edges, events.length, boundary, 4).legal).toBe(true);
  }
  return fork.children.length;
}

describe.runIf(hasSharedData)('forks of native version 4 logs', () => {
  const native = index.filter((entry) => entry.version === 4);

  it.each(native.map((entry) => [entry.path, entry] as const))('%s', async (_, entry) => {
    const { fork } = sharedJson('corpus', entry.oracle) as { fork: V4Oracle };
    expect(compareV4(await readCorpusLog(entry.path), fork)).toBeGreaterThan(0);
  });
});
