import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession, type OpenSession } from '../../src/storage/index.ts';
import { entryOf, NONE, type TimelineTables } from '../../src/timeline/index.ts';
import { eventDetail } from '../../src/worker/detail/detail.ts';
import { documentText } from '../../src/worker/documents/document.ts';
import { loadLog, type LoadedLog } from '../../src/worker/loaded.ts';
import { outlineSteps, outlineTurns } from '../../src/worker/outline.ts';
import { overviewOf } from '../../src/worker/overview.ts';
import { rowTexts } from '../../src/worker/rows.ts';
import { english } from '../../src/core/index.ts';
import { corpusIndex, sharedJson } from '../support/corpus.ts';
import { sharedLogs, sharedPath, hasSharedData } from '../support/shared.ts';

interface Oracle {
  readonly eventCount?: number;
  readonly turns?: number;
  readonly surface?: {
    readonly nodes: readonly number[];
    readonly replacements: readonly (readonly [seq: number, ...rest: unknown[]] | { readonly seq: number })[];
  };
  readonly fork?: {
    readonly sourceEvents: number;
    readonly answersRle: readonly (readonly [first: number, last: number, answer: string])[];
  };
}

const load = (path: string): Promise<LoadedLog> =>
  loadLog(path, 1, (file, how) => openSession(file, { ...how, placement: false }));
const healthy = corpusIndex().filter((entry) => entry.fault === undefined && !entry.path.includes('core-surface/'));
const name = (path: string): string => `${basename(dirname(path))}/${basename(path)}`;

/** Steps and calls by counting events, which a healthy log's tables must agree with. */
function counted(loaded: LoadedLog): Record<string, number> {
  const counts: Record<string, number> = { 'turn/start': 0, 'step/start': 0, 'tool/call': 0 };
  for (const { type } of loaded.log.events()) if (type in counts) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function reachable(tables: TimelineTables, eventCount: number): void {
  let next = 0;
  for (let i = 0; i < tables.entries.length; i++) {
    if (tables.entries.columns.seq[i] !== next) throw new Error(`entry ${String(i)} does not begin at ${String(next)}`);
    next += tables.entries.columns.count[i] ?? 0;
  }
  expect(next).toBe(eventCount);
  expect(entryOf(tables.entries, eventCount)).toBe(NONE);
}

describe.skipIf(!hasSharedData)('the timeline of every healthy corpus log', () => {
  it.each(healthy.map((entry) => [name(entry.path), entry] as const))('%s agrees with its oracle', async (_, entry) => {
    const loaded = await load(sharedPath('corpus', entry.path));
    const { tables } = loaded.timeline;
    const oracle = sharedJson('corpus', entry.oracle) as Oracle;
    reachable(tables, entry.events);
    const counts = counted(loaded);
    // An event may lack its start (chunks of a turn that never began), never the other way round.
    expect(tables.turns.length).toBeGreaterThanOrEqual(counts['turn/start'] ?? 0);
    expect(tables.steps.length).toBeGreaterThanOrEqual(counts['step/start'] ?? 0);
    expect(tables.calls.length).toBeGreaterThanOrEqual(counts['tool/call'] ?? 0);
    if (oracle.turns !== undefined && oracle.turns === counts['turn/start']) expect(tables.turns.length).toBe(oracle.turns);

    const { seq, flags, shadowedBy } = tables.entries.columns;
    const current: number[] = [];
    for (let i = 0; i < tables.entries.length; i++) if ((flags[i] ?? 0) & 1 && shadowedBy[i] === NONE) current.push(seq[i] ?? -1);
    if (oracle.surface) {
      expect(current).toEqual([...oracle.surface.nodes].sort((a, b) => a - b));
      expect(tables.replacements.length).toBe(oracle.surface.replacements.length);
    }
    // Two independent folds must see the same requests (a log of bare chunks, without steps, leaves room to differ).
    if (!entry.path.includes('core-chunks/')) {
      const settled = (loaded.log as OpenSession).attempts().filter(({ outcome }) => outcome !== 'unanswered');
      const closed = [...tables.attempts.columns.outcome].flatMap((outcome, i) =>
        outcome === 0 ? [] : [loaded.timeline.index.requestEnds[i]],
      );
      expect(closed).toEqual(settled.map(({ beforeSeq }) => beforeSeq));
      expect([...tables.attempts.columns.input].filter((_, i) => tables.attempts.columns.hasUsage[i])).toEqual(
        settled.flatMap(({ usage }) => (usage ? [usage.inputTokens] : [])),
      );
    }
    if (oracle.fork && entry.version === 0) {
      const legal = oracle.fork.answersRle
        .filter(([, , answer]) => answer === 'ok')
        .map(([first, last]) => [first, Math.min(last, entry.events - 1)]);
      const runs = [...tables.boundaries.columns.first].map((first, i) => [first, tables.boundaries.columns.last[i] ?? -1]);
      expect(runs).toEqual(legal.filter(([first, last]) => (first ?? 0) <= (last ?? 0)));
    }
    await loaded.log.close();
  });

  it.each(
    healthy.filter((entry) => entry.version === 0 && 'generations' in entry).map((entry) => [name(entry.path), entry] as const),
  )('%s draws the same turns, steps and calls in every generation', async (_, entry) => {
    const generations = (entry as unknown as { generations: Record<string, string> }).generations;
    // A refused conversion, or one whose file was not kept, is recorded in words.
    const kept = Object.values(generations).filter((file) => /^session\.v\d\.jsonl/.test(file));
    const folder = dirname(sharedPath('corpus', entry.path));
    const facts: unknown[] = [];
    for (const file of [basename(entry.path), ...kept]) {
      const loaded = await load(join(folder, file));
      const { turns, steps, attempts, calls, compactions } = loaded.timeline.tables;
      facts.push({
        turns: [...turns.columns.outcome],
        steps: [...steps.columns.outcome],
        attempts: [...attempts.columns.outcome],
        calls: [...calls.columns.outcome],
        lanes: [...calls.columns.lane],
        compactions: [...compactions.columns.outcome],
        attemptsWithUsage: loaded.timeline.usage.own.attempts + loaded.timeline.usage.inherited.attempts,
      });
      await loaded.log.close();
    }
    for (const other of facts) expect(other).toEqual(facts[0]);
  });
});

describe.skipIf(!hasSharedData)('every log of the corpus and the cases, damaged ones included', () => {
  const logs = hasSharedData ? [...sharedLogs('corpus'), ...sharedLogs('cases')] : [];
  it.each(logs.map((path) => [path.slice(sharedPath().length + 1), path] as const))(
    '%s is told without failing',
    async (_, path) => {
      const loaded = await load(path);
      const { log, timeline } = loaded;
      const { entries, turns, steps } = timeline.tables;
      reachable(timeline.tables, log.eventCount);
      const all = (length: number): number[] => Array.from({ length: Math.min(length, 2000) }, (__, i) => i);
      const rows = rowTexts(loaded, all(turns.length), all(steps.length), all(entries.length));
      for (const row of rows.entries) expect(english(row.title)).not.toBe('');
      expect(overviewOf(loaded).title).not.toBe('');
      for (const { index } of outlineTurns(loaded, 0, 1000).turns) outlineSteps(loaded, index, 0, 1000);
      const stride = Math.max(1, Math.floor(log.eventCount / 60));
      for (let seq = 0; seq < log.eventCount; seq += stride) expect(eventDetail(loaded, seq).seq).toBe(seq);
      for (const kind of ['jsonl', 'transcript', 'damage'] as const)
        expect(documentText(loaded, { kind }, english).text).not.toBe('');
      if (log.eventCount > 0 && log.refusal === undefined) {
        const { text } = documentText(loaded, { kind: 'history', seq: log.eventCount - 1 }, english);
        const seqs = text.split('\n').flatMap((line) => /^=== #(\d+) · /.exec(line)?.[1] ?? []);
        expect(text).toContain(`messages: ${String(log.deriveMessages().length)}`);
        expect(seqs.length).toBeGreaterThanOrEqual(log.deriveMessages().length);
      }
      await log.close();
    },
  );
});
