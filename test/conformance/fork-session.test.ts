import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSession } from '../../src/core/check.ts';
import { forkSession, openSession, type OpenSession } from '../../src/storage/index.ts';
import { corpusIndex, hashOf, sharedJson, withoutFreeTexts } from '../support/corpus.ts';
import { randomFrom } from '../support/random.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';
import { tempRoot } from '../support/temp-root.ts';

/** Children written to disk against the children of the harness, as far as the corpus has them. */

const temp = tempRoot();
const NOW = 1_700_000_000_000;

type Child = readonly [boundary: number, facts: V0Facts];
type V4Child = readonly [boundary: number, events: number, inherited: number, closers: string, digest: string];

interface V0Facts {
  readonly ok: boolean;
  readonly code?: string;
  readonly childEvents?: number;
  readonly seedLength?: number;
  readonly lastType?: string;
  readonly inheritedSha256?: string;
}

const index = corpusIndex().filter((entry) => entry.fault === undefined && !entry.path.startsWith('large/'));

/** Forks into a root of its own and opens the child; both are gone afterwards. */
async function withChild(source: OpenSession, boundary: number, look: (child: OpenSession) => void): Promise<void> {
  const root = temp.fresh();
  const made = await forkSession(source, boundary, { root, id: 'child-of-it', now: NOW });
  const child = await openSession(made.path);
  expect(child.damage).toEqual([]);
  expect(made.cut).toBe(boundary + 1);
  look(child);
  await rm(root, { recursive: true });
}

describe.runIf(hasSharedData)('children of version 0 logs', () => {
  const logs = index.filter((entry) => entry.version === 0);

  it.each(logs.map((entry) => [entry.path, entry] as const))('%s', async (_, entry) => {
    const { fork } = sharedJson('corpus', entry.oracle) as { fork?: { children?: readonly Child[] } };
    const source = await openSession(sharedPath('corpus', entry.path), { placement: false });
    for (const [boundary, facts] of fork?.children ?? []) {
      // The oracle's source was restored, which may have added a marker at the end.
      if (boundary >= source.eventCount) continue;
      if (!facts.ok) {
        await expect(forkSession(source, boundary, { root: temp.fresh() })).rejects.toMatchObject({ code: facts.code });
        continue;
      }
      await withChild(source, boundary, (child) => {
        const events = [...child.events()];
        expect(events).toHaveLength(facts.childEvents ?? -1);
        expect(child.header?.seedLength).toBe(facts.seedLength);
        expect(child.inheritedEventCount).toBe(facts.seedLength);
        expect(events.at(-1)?.type).toBe(facts.lastType);
        expect(hashOf(withoutFreeTexts(events.slice(0, boundary + 1)))).toBe(facts.inheritedSha256);
      });
    }
    await source.close();
  });
});

/** The first, the last and some in between. */
function sampleOf(children: readonly V4Child[], seed: string): V4Child[] {
  const random = randomFrom(seed);
  const picks = new Set([0, children.length - 1]);
  for (let i = 0; i < 10 && children.length > 0; i++) picks.add(random.below(children.length));
  return children.filter((_, at) => picks.has(at));
}

async function compareV4(path: string, children: readonly V4Child[]): Promise<number> {
  const source = await openSession(path, { placement: false });
  const sample = sampleOf(children, path);
  for (const [boundary, count, inherited, closers, digest] of sample) {
    await withChild(source, boundary, (child) => {
      const events = [...child.events()];
      const added = events.slice(inherited);
      const named = added.slice(1).map((event) => {
        if (event.type !== 'tool/result') return event.type;
        return `${event.data.error?.code ?? ''}:${event.data.message.source['callId'] as string}`;
      });
      expect({
        count: events.length,
        inherited: child.inheritedEventCount,
        closers: named.join(' '),
        digest: hashOf(withoutFreeTexts(added)).slice(0, 16),
      }).toEqual({ count, inherited, closers, digest });
      if (child.header === undefined) expect.fail('the child has no header');
      expect(checkSession(child.header, events).filter(({ seq }) => seq >= inherited)).toEqual([]);
    });
  }
  await source.close();
  return sample.length;
}

describe.runIf(hasSharedData)('children of version 4 logs', () => {
  const native = index.filter((entry) => entry.version === 4);

  it.each(native.map((entry) => [entry.path, entry] as const))('%s', async (_, entry) => {
    const { fork } = sharedJson('corpus', entry.oracle) as { fork: { children: readonly V4Child[] } };
    expect(await compareV4(sharedPath('corpus', entry.path), fork.children)).toBeGreaterThan(0);
  });

  it('migrated from version 0', async () => {
    let compared = 0;
    for (const { path, version } of index) {
      if (version !== 0) continue;
      const folder = dirname(path);
      const { generations } = sharedJson('corpus', folder, 'migration.json') as {
        generations: Record<string, { file?: string; fork?: { children: readonly V4Child[] } }>;
      };
      const { file, fork } = generations['v4'] ?? {};
      if (file !== undefined && fork !== undefined)
        compared += await compareV4(sharedPath('corpus', join(folder, file)), fork.children);
    }
    expect(compared).toBeGreaterThan(200);
  });
});

describe.runIf(hasSharedData)('children of versions 1 to 3', () => {
  it('hold their prefix and pass the check, wherever a fork is legal', async () => {
    let children = 0;
    for (const { path, version } of index) {
      if (version !== 0) continue;
      for (const generation of [1, 2, 3]) {
        const file = sharedPath(
          'corpus',
          dirname(path),
          `session.v${String(generation)}.jsonl${path.endsWith('.zstd') ? '.zstd' : ''}`,
        );
        const source = await openSession(file, { placement: false }).catch(() => undefined);
        if (source === undefined) continue;
        const legal = [...source.events()].map(({ seq }) => seq).filter((seq) => source.forkBoundary(seq).legal);
        for (const boundary of new Set([legal[0], legal[Math.floor(legal.length / 2)], legal.at(-1)])) {
          if (boundary === undefined) continue;
          const before = new Set(
            source.header === undefined
              ? []
              : checkSession(source.header, source.events()).map(({ rule, seq }) => `${rule} ${String(seq)}`),
          );
          await withChild(source, boundary, (child) => {
            expect(JSON.stringify([...child.events(0, boundary + 1)])).toBe(JSON.stringify([...source.events(0, boundary + 1)]));
            if (child.header === undefined) expect.fail('the child has no header');
            const found = checkSession(child.header, child.events()).map(({ rule, seq }) => `${rule} ${String(seq)}`);
            expect(found.filter((finding) => !before.has(finding))).toEqual([]);
          });
          children++;
        }
        await source.close();
      }
    }
    expect(children).toBeGreaterThan(200);
  });
});
