import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/core/events.ts';
import { repairClosers } from '../../src/core/repair.ts';
import { corpusIndex, readCorpusLog, sharedJson, withoutFreeTexts } from '../support/corpus.ts';
import { hasSharedData } from '../support/shared.ts';

interface PrefixClosers {
  readonly prefix: number;
  readonly closers: SessionEvent[];
}

const vectorLogs = [
  ['tools-parallel', 'v0/zstd/--home-dev-tools-parallel--/tools-parallel/session.jsonl.zstd'],
  ['core-surface-clean', 'v0/zstd/--home-dev-core--/core-surface-clean/session.jsonl.zstd'],
] as const;

describe.runIf(hasSharedData)('closers of every prefix', () => {
  it.each(vectorLogs)('%s', async (name, path) => {
    const { events } = await readCorpusLog(path);
    const vectors = sharedJson('corpus', 'vectors', `closers-${name}.json`) as PrefixClosers[];
    expect(vectors.length).toBe(events.length + 1);
    for (const { prefix, closers } of vectors) {
      const made = repairClosers(events.slice(0, prefix), { version: 0, cause: 'interrupted' });
      expect(JSON.stringify(withoutFreeTexts(made)), `prefix ${String(prefix)}`).toBe(JSON.stringify(closers));
    }
  });
});

describe.runIf(hasSharedData)('closers of whole logs', () => {
  const index = corpusIndex().filter((entry) => entry.fault === undefined && !entry.path.includes('core-surface/'));

  it.each(index.map((entry) => [entry.path, entry] as const))('%s', async (_, entry) => {
    const { events } = await readCorpusLog(entry.path);
    const { closers } = sharedJson('corpus', entry.oracle) as { closers?: SessionEvent[] };
    const made = repairClosers(events, { version: entry.version, cause: 'interrupted' });
    expect(JSON.stringify(withoutFreeTexts(made))).toBe(JSON.stringify(closers ?? []));
  });
});
