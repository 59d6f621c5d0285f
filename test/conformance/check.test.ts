import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSession } from '../../src/core/check.ts';
import { corpusIndex, readCorpusLog, sharedJson } from '../support/corpus.ts';
import { hasSharedData } from '../support/shared.ts';

interface IndexEntry {
  readonly path: string;
  readonly version: number;
  readonly fault?: string;
  readonly migration?: string;
}

interface Generation {
  readonly ok: boolean;
  readonly file?: string;
}

const logs = (corpusIndex() as readonly IndexEntry[]).filter((entry) => entry.fault === undefined);

function generationsOf(entry: IndexEntry): Record<string, Generation> {
  if (entry.migration === undefined) return {};
  return (sharedJson('corpus', entry.migration) as { generations: Record<string, Generation> }).generations;
}

/** What the real converters refuse is no healthy log: checked below. */
const isRefused = (entry: IndexEntry): boolean => Object.values(generationsOf(entry)).some(({ ok }) => !ok);

describe.runIf(hasSharedData)('checkSession on healthy logs', () => {
  const healthy = logs.filter((entry) => !isRefused(entry));

  it('has enough of them', () => {
    expect(healthy.length).toBeGreaterThan(50);
  });

  it.each(healthy.map((entry) => [entry.path, entry] as const))('finds nothing in %s', async (_path, entry) => {
    const { header, events } = await readCorpusLog(entry.path);
    expect(checkSession(header, events)).toEqual([]);
    for (const { file } of Object.values(generationsOf(entry))) {
      if (file === undefined) continue;
      const stored = await readCorpusLog(dirname(entry.path), file);
      expect(checkSession(stored.header, stored.events), file).toEqual([]);
    }
  });
});
