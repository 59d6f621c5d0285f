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

/** Rule and seq of every finding that makes dsh refuse the log, now or when it migrates. */
async function refusedOver(path: readonly string[]): Promise<string[]> {
  const { header, events } = await readCorpusLog(...path);
  return checkSession(header, events)
    .filter(({ dsh }) => dsh !== 'accepts')
    .map(({ rule, seq }) => `${rule} ${String(seq)}`);
}

describe.runIf(hasSharedData)('checkSession on logs the real programs refuse', () => {
  const withFaults = corpusIndex() as readonly IndexEntry[];
  const pathOf = (fault: string): string[] => [withFaults.find((entry) => entry.fault === fault)?.path ?? fault];

  it.each([
    ['row-float-time', ['envelope 2']],
    ['row-extra-envelope-key', ['envelope 72']],
    ['row-string-seq', ['seq 2']],
    ['row-null', ['record 144']],
    ['nested-turn-start', ['turn-start 145']],
    ['header-extra-key', ['header -1']],
    ['header-bad-seedlength', ['header -1']],
    ['header-bad-origin', ['header -1']],
    ['none-gap-tail', ['seq 9999']],
  ])('fault %s', async (name, expected) => {
    expect(await refusedOver(pathOf(name))).toEqual(expected);
  });

  it('fault row-source-future: the answer that cites what is to come', async () => {
    expect((await refusedOver(pathOf('row-source-future')))[0]).toBe('surface 63');
  });

  const caseOf = (folder: string, session: string, file: string): string[] => [
    '..',
    'cases',
    folder,
    'sessions',
    '--work-demo--',
    session,
    file,
  ];

  it.each([
    [caseOf('04-unknown-required-event', 'sess-newer', 'session.v3.jsonl.zstd'), ['unknown-event 8']],
    [caseOf('05-plugin-event-unmarked', 'sess-plugin', 'session.jsonl.zstd'), ['unknown-event 0']],
    [caseOf('08-seq-collision-two-writers', 'sess-collide', 'session.jsonl.zstd'), ['seq 21']],
    [caseOf('34-replace-dialects', 'sess-cmp-0', 'session.jsonl.zstd'), ['strict-payload 19']],
    [caseOf('38-message-without-id', 'sess-noid', 'session.v3.jsonl.zstd'), []],
  ])('case %j', async (path, expected) => {
    expect(await refusedOver(path)).toEqual(expected);
  });

  it('names the message without id all the same', async () => {
    const { header, events } = await readCorpusLog(...caseOf('38-message-without-id', 'sess-noid', 'session.v3.jsonl.zstd'));
    const found = checkSession(header, events).map(({ rule, seq, dsh }) => [rule, seq, dsh]);
    expect(found).toEqual([['message-identity', 10, 'accepts']]);
  });

  it('finds a reason in every log whose conversion is refused', async () => {
    const refused = logs.filter(isRefused);
    expect(refused).toHaveLength(7);
    for (const { path } of refused) expect(await refusedOver([path]), path).not.toEqual([]);
  });
});
