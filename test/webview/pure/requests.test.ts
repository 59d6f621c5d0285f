import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../src/storage/index.ts';
import { NONE, type TimelineTables } from '../../../src/timeline/index.ts';
import { createSessionService } from '../../../src/worker/session-service.ts';
import type { SessionClient } from '../../../webview/api/session-client.ts';
import { loadTables } from '../../../webview/state/load-tables.ts';
import { nodeState } from '../../../webview/state/node-state.ts';
import { requestEndsBySeq, requestsWith, wasInRequest } from '../../../webview/state/requests.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { hasSharedData, sharedLogs } from '../../support/shared.ts';
import { writeLogs, type Logs } from '../support/logs.ts';

let logs: Logs;
beforeAll(async () => {
  logs = await writeLogs();
});
afterAll(() => logs.dispose());

/** The tables as the view gets them. */
async function tablesOf(path: string): Promise<TimelineTables> {
  const session = createSessionService(path, { open: openSession });
  const { service } = session;
  const signal = new AbortController().signal;
  const overview = await service.overview.run({}, signal);
  const client = {
    call: async (_method: string, args: Parameters<typeof service.table.run>[0]) => {
      const answer = await service.table.run(args, signal);
      return 'value' in answer ? answer.value : answer;
    },
  } as unknown as SessionClient; // only tables are asked for
  const tables = await loadTables(client, overview as Parameters<typeof loadTables>[1], signal);
  await session.dispose();
  return tables;
}

/** Every answer's request by the tables, against the surface fold of the events before it. */
async function compare(path: string): Promise<number> {
  const tables = await tablesOf(path);
  const log = await openSession(path);
  const ends = requestEndsBySeq(tables);
  const { seq } = tables.entries.columns;
  let compared = 0;
  for (const { settledSeq, beforeSeq } of log.attempts()) {
    if (settledSeq === undefined || beforeSeq === 0) continue;
    if (log.refusal?.seq !== undefined && beforeSeq > log.refusal.seq) continue;
    expect(ends.get(settledSeq), `${path} #${String(settledSeq)}`).toBe(beforeSeq);
    const lit = [...seq].filter((_, entry) => wasInRequest(tables, entry, beforeSeq));
    const nodes = log.surfaceNodes(beforeSeq - 1);
    expect(lit, `${path} before #${String(beforeSeq)}`).toEqual([...nodes].sort((a, b) => a - b));
    compared++;
  }
  await log.close();
  return compared;
}

describe('the nodes a request contained', () => {
  it('are those of the fold of the events before it, through a prune and two compactions', async () => {
    expect(await compare(logs.sample('session-0d7c9a44'))).toBe(16);
  });

  it.skipIf(!hasSharedData)('in logs of every version', { timeout: 120_000 }, async () => {
    let compared = 0;
    for (const name of ['compact-manual', 'compact-auto', 'tools-parallel', 'llm-error', 'fork-child', 'n4-compact', 'n3-']) {
      for (const path of sharedLogs('corpus', 'v0', 'zstd').concat(sharedLogs('corpus', 'native')))
        if (path.includes(`/${name}`)) compared += await compare(path);
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('tell which requests held a message, and a step its last one', async () => {
    const tables = await tablesOf(logs.sample('session-0d7c9a44'));
    const entryOf = (of: number): number => tables.entries.columns.seq.indexOf(of);
    // #55, the failed run of step 3.2, was read by steps 3.3 on until the compaction at #71.
    const { requests, count } = requestsWith(tables, entryOf(55), 2);
    const stepOf = (attempt: number): string => {
      const step = tables.attempts.columns.step[attempt]!;
      return `${String(tables.turns.columns.number[tables.steps.columns.turn[step]!])}.${String(tables.steps.columns.number[step])}`;
    };
    expect(requests.map(({ attempt }) => stepOf(attempt))).toEqual(['3.3', '3.4']);
    expect(count).toBe(2);
    expect(requestsWith(tables, entryOf(54), 2).count).toBe(0); // the call itself is no message
    const step = requests[0]!;
    const ends = requestEndsBySeq(tables);
    const head = tables.steps.columns.firstSeq[tables.attempts.columns.step[step.attempt]!]!;
    expect(ends.get(head)).toBe(ends.get(step.seq));
    expect(ends.get(NONE)).toBeUndefined();
  });
});

it('a node behind an event that is not known is neither current nor shadowed', async () => {
  const log = new LogBuilder({ version: 4, id: 'unknown-inside', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
  const before = log.prompt('Before');
  log.reply('Read.');
  log.push('clock/chime', { strokes: 3 });
  const behind = log.prompt('Behind');
  log.reply('Not derived.');
  const tables = await tablesOf(await logs.write(log));
  const stateOf = (seq: number): string => nodeState(tables, tables.entries.columns.seq.indexOf(seq));
  expect([stateOf(before), stateOf(behind)]).toEqual(['current', 'not-derived']);
  const compacted = await tablesOf(logs.sample('session-0d7c9a44'));
  expect(nodeState(compacted, compacted.entries.columns.seq.indexOf(55))).toBe('shadowed');
});
