import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SessionOverview } from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { TABLES, type TableName } from '../../../src/timeline/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes } from '../../support/write-log.ts';
import { openService, writeBuilt, type Call } from './session-harness.ts';

const root = tempRoot();
const tableNames = Object.keys(TABLES) as TableName[]; // keys of the schema

type Columns = Readonly<Record<string, ArrayBuffer>>;

async function tablesOf(call: Call, { generation, tables }: SessionOverview): Promise<Record<string, Columns>> {
  const all: Record<string, Columns> = {};
  for (const name of tableNames)
    all[name] = (await call('table', { generation, table: name, from: 0, to: tables[name] })).columns;
  return all;
}

/** A growing log, its reader, and a wait for the reader's next word. */
async function growing(log: LogBuilder) {
  const path = await writeBuilt(root.fresh(), log);
  let change: (what: { kind: 'appended' | 'truncated' }) => void = () => undefined;
  let opened = 0;
  let heard: () => void = () => undefined;
  const service = openService(path, {
    open: (file, how) => {
      opened++;
      return openSession(file, { ...how, placement: false });
    },
    follow: (_, onChange) => {
      change = onChange;
      return { dispose: () => undefined };
    },
    emit: () => heard(),
  });
  return {
    ...service,
    opened: () => opened,
    write: async (kind: 'appended' | 'truncated') => {
      writeFileSync(path, await logBytes(log.header, log.events));
      change({ kind });
    },
    heard: () => new Promise<void>((resolve) => (heard = resolve)),
  };
}

function chat(): LogBuilder {
  const log = new LogBuilder({ version: 4, id: 'grows', createdAt: 1_700_000_000_000, cwd: '/home/dev/g' });
  for (let i = 0; i < 40; i++) {
    log.prompt(`Question ${i}`);
    log.work({ text: 'I look.', calls: [{ name: 'bash', args: { command: 'ls' }, result: 'a.txt' }] });
    log.reply('There.');
  }
  return log;
}

describe('a log that has grown', () => {
  it('tells which rows are as they were, so that only the others need be asked for', async () => {
    const log = chat();
    const service = await growing(log);
    const before = await service.call('overview', {});
    const old = await tablesOf(service.call, before);
    expect(before.since).toBeUndefined();
    log.prompt('One more.');
    log.work({ calls: [{ name: 'read', args: { path: 'x' }, result: 'y' }] });
    const again = service.heard();
    await service.write('appended');
    await again;
    const after = await service.call('overview', {});
    expect(after.since?.generation).toBe(before.generation);
    const now = await tablesOf(service.call, after);
    let asked = 0;
    for (const name of tableNames) {
      const rows = after.since?.rows[name] ?? -1;
      asked += after.tables[name] - rows;
      for (const [column, kind] of Object.entries(TABLES[name])) {
        const width = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 }[kind] * rows;
        const [was, is] = [old[name]?.[column], now[name]?.[column]].map((bytes) =>
          Buffer.from(bytes?.slice(0, width) ?? new ArrayBuffer(0)),
        );
        expect([name, column, is?.equals(was ?? Buffer.alloc(0)), is?.length]).toEqual([name, column, true, width]);
      }
    }
    // What was appended, and what of the last turn it changed: a few dozen rows of the hundreds there are.
    expect(after.since?.rows.entries).toBeGreaterThan(before.tables.entries * 0.9);
    expect(asked).toBeLessThan(80);
    await service.dispose();
  });

  it('tells nothing of the kind when it was cut or written anew', async () => {
    const log = chat();
    const service = await growing(log);
    await service.call('overview', {});
    log.prompt('One more.');
    const again = service.heard();
    await service.write('truncated');
    await again;
    expect((await service.call('overview', {})).since).toBeUndefined();
    await service.dispose();
  });
});

describe('a log nobody looks at', () => {
  it('is not read again until something is asked of it, or somebody looks', async () => {
    const log = chat();
    const service = await growing(log);
    await service.call('overview', {});
    await service.call('follow', { on: false });
    for (const words of ['Two.', 'Three.', 'Four.']) {
      log.prompt(words);
      await service.write('appended');
    }
    expect(service.opened()).toBe(1);
    expect((await service.call('overview', {})).eventCount).toBe(log.events.length);
    expect(service.opened()).toBe(2);
    log.prompt('Five.');
    await service.write('appended');
    expect(service.opened()).toBe(2);
    const again = service.heard();
    await service.call('follow', { on: true });
    await again;
    expect(service.opened()).toBe(3);
    expect((await service.call('overview', {})).eventCount).toBe(log.events.length);
    await service.dispose();
  });

  it('is read once a second at most while somebody looks', async () => {
    const log = chat();
    const service = await growing(log);
    await service.call('overview', {});
    const reads: number[] = [];
    for (const words of ['Two.', 'Three.']) {
      log.prompt(words);
      const again = service.heard();
      await service.write('appended');
      await again;
      reads.push(performance.now());
    }
    const [first = 0, second = 0] = reads;
    expect(second - first).toBeGreaterThan(900); // from begin to begin it is a second
    await service.dispose();
  });
});
