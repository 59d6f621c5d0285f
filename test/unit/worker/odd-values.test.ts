import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, type Call } from './session-harness.ts';

/** Single fields of a readable log that hold what they may not, and what every answer makes of them. */

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

type Line = Record<string, unknown>;

function talk(version: Version): LogBuilder {
  const log = new LogBuilder({ version, id: 'odd', createdAt: 1_000, cwd: '/w' });
  log.prompt('Hello.');
  log.reply('Hi.');
  return log;
}

/** A plain log with one of its lines changed. */
function changed(log: LogBuilder, change: (lines: Line[]) => void): Call {
  const lines = [log.header, ...log.events].map((line) => ({ ...line }));
  change(lines);
  const directory = join(root.fresh(), '--w--', 'odd');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, log.version === 0 ? 'session.jsonl' : `session.v${log.version}.jsonl`);
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const service = openService(path);
  open.push(service);
  return service.call;
}

const lineOf = (lines: Line[], type: string): Line => lines.find((line) => line['type'] === type) ?? {};

describe.each([0, 4] as const)('a log of format %i', (version) => {
  it('shows every event of which one carries a member that packed lines have', async () => {
    const log = talk(version);
    const call = changed(log, (lines) => (lineOf(lines, 'user/message')['seq0'] = 'x'));
    const { generation, eventCount, tables } = await call('overview', {});
    expect(eventCount).toBe(log.events.length);
    for (const { seq } of log.events) expect((await call('detail', { generation, seq })).seq).toBe(seq);
    const { columns } = await call('table', { generation, table: 'entries', from: 0, to: tables.entries });
    const counts = [...new Uint32Array(columns['count'] ?? new ArrayBuffer(0))];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(log.events.length);
  });

  it.each([{ toString: 0, valueOf: 0 }, [[]], null, 'soon', 1e300])('plays past the time %j', async (time) => {
    const log = talk(version);
    const call = changed(log, (lines) => (lineOf(lines, 'step/start')['time'] = time));
    const { generation, time: range } = await call('overview', {});
    expect(range).toEqual({ first: log.events[0]?.time, last: log.events.at(-1)?.time });
    const points = await call('replayPoints', { generation, from: 0, to: 1000 });
    const seqs = [...new Uint32Array(points.seq)];
    const odd = log.events.findIndex(({ type }) => type === 'step/start');
    expect(seqs.at(-1)).toBe(log.events.length - 1);
    expect(new Float64Array(points.time)[seqs.indexOf(odd)]).toBeNaN();
    expect(await call('verifyReplay', {})).toMatchObject({ disagreeingCount: 0, historyAgrees: true });
  });

  it('draws a turn and a step whose times are unusable from the event before', async () => {
    const log = talk(version);
    log.prompt('Again.');
    log.reply('Yes.');
    const call = changed(log, (lines) => {
      for (const line of lines.filter(({ type }) => type === 'turn/start' || type === 'step/start').slice(2)) line['time'] = 'x';
    });
    const { generation } = await call('overview', {});
    const before = (type: string): number => {
      const at = log.events.map((event) => event.type).lastIndexOf(type);
      let seq = at - 1;
      while (/\/start$/.test(log.events[seq]?.type ?? '')) seq--;
      return log.events[seq]?.time ?? NaN;
    };
    for (const [table, type] of [
      ['turns', 'turn/start'],
      ['steps', 'step/start'],
    ] as const) {
      const { columns } = await call('table', { generation, table, from: 0, to: 2 });
      expect(new Float64Array(columns['start'] ?? new ArrayBuffer(0))[1]).toBe(before(type));
    }
  });

  it('plays an answer that names no turn and has no chunks', async () => {
    const log = talk(version);
    const call = changed(log, (lines) => {
      const answer = lineOf(lines, 'assistant/message');
      const { message } = answer['data'] as { message: unknown };
      answer['data'] = { message, stream: [] };
      for (const line of lines) if (/chunk/.test(String(line['type']))) line['type'] = 'plan/mode';
    });
    expect(await call('verifyReplay', {})).toMatchObject({ answers: 0, historyAgrees: true });
  });

  it('says of a missing number that it is missing, in no language of programmers', async () => {
    const call = changed(talk(version), (lines) => {
      lineOf(lines, 'turn/start')['data'] = {};
      delete lines.at(-1)?.['seq'];
    });
    const texts: string[] = [];
    for (const kind of ['damage', 'transcript', 'migrated'] as const)
      texts.push((await call('document', { ref: { kind } })).text);
    texts.push(...(await call('overview', {})).damage.map(({ text }) => english(text)));
    expect(texts.join('\n')).not.toContain('undefined');
    expect(texts.join('\n')).toMatch(/has the seq \? where \d+ is due/);
    expect(texts[1]).toContain('turn ?');
  });
});
