import { describe, expect, it } from 'vitest';
import { checkSession } from '../../../src/core/check.ts';
import type { SessionEvent, SessionHeader } from '../../../src/core/events.ts';
import { buildForkSeed } from '../../../src/core/fork.ts';
import { repairClosers } from '../../../src/core/repair.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { nth, resultHolder, type Loose } from './check-log.ts';

/** A step with one started and one unstarted call. */
function openLog(version: Version): LogBuilder {
  const log = new LogBuilder({ version, id: 'open', createdAt: 1_790_000_000_000 });
  log.prompt('Run two things.');
  log.answer({
    calls: [
      { id: 'c1', name: 'bash', arguments: '{}' },
      { id: 'c2', name: 'bash', arguments: '{}' },
    ],
  });
  log.call({ id: 'c1', name: 'bash', arguments: '{}' });
  return log;
}

function closed(version: Version): { header: SessionHeader; events: Loose[] } {
  const log = openLog(version);
  const events = log.events as readonly SessionEvent[];
  return {
    header: log.header,
    events: structuredClone([...events, ...repairClosers(events, { version, cause: 'interrupted' })]) as unknown as Loose[],
  };
}

const rulesOf = (header: SessionHeader, events: readonly unknown[]): unknown[] =>
  checkSession(header, events as readonly SessionEvent[]).map(({ rule, seq }) => [rule, seq]);

const lastResult = (events: readonly Loose[]): Loose => nth(events, 'tool/result', 1);

describe('an interrupted tail with its closers', () => {
  it.each([0, 1, 2, 3, 4] as const)('is healthy in format %i', (version) => {
    const { header, events } = closed(version);
    expect(rulesOf(header, events)).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4] as const)('is not when the unstarted result has an id no repair makes, format %i', (version) => {
    const { header, events } = closed(version);
    const result = lastResult(events);
    Object.assign(result.data.message, { id: 'interrupted-tool-result-c2-07' });
    expect(rulesOf(header, events)).toContainEqual(['result-not-started', result.seq]);
  });

  it('is not in format 4 when the unstarted result says something else', () => {
    const { header, events } = closed(4);
    const result = lastResult(events);
    Object.assign(result.data.message, { content: [{ type: 'text', text: 'It never ran.' }] });
    expect(rulesOf(header, events)).toEqual([['result-not-started', result.seq]]);
  });

  it.each([0, 3] as const)('may say something else before format 4: %i', (version) => {
    const { header, events } = closed(version);
    Object.assign(resultHolder(lastResult(events), version), { content: [{ type: 'text', text: 'It never ran.' }] });
    expect(rulesOf(header, events)).toEqual([]);
  });

  it('is not when the unstarted result is no error', () => {
    const { header, events } = closed(4);
    const result = lastResult(events);
    Object.assign(result.data.message, { isError: false });
    expect(rulesOf(header, events)).toContainEqual(['result-not-started', result.seq]);
  });

  it('is not when the unstarted result has another error', () => {
    const { header, events } = closed(4);
    const result = lastResult(events);
    result.data['error'] = { name: 'OtherError', code: 'TOOL_NOT_STARTED' };
    expect(rulesOf(header, events)).toEqual([['result-not-started', result.seq]]);
  });
});

describe('a fork inside an open turn', () => {
  const log = openLog(4);
  const seed = buildForkSeed(log.events as readonly SessionEvent[], log.events.length - 1, { version: 4, now: 1 });
  const header: SessionHeader = { ...log.header, id: 'child', parentSession: 'open', isSeeded: true };

  it('is healthy with its closers', () => {
    expect(rulesOf(header, seed.events)).toEqual([]);
  });

  it('ties the id of an unstarted result to its own seq', () => {
    const events = structuredClone(seed.events) as unknown as Loose[];
    const result = lastResult(events);
    Object.assign(result.data.message, { id: `forked-tool-result-c2-${String(result.seq - 1)}` });
    expect(rulesOf(header, events)).toEqual([['result-not-started', result.seq]]);
  });
});
