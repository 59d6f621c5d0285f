import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { forkSession, openSession } from '../../../src/storage/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logPath } from '../../support/write-log.ts';

const temp = tempRoot();

it('the child of a fork holds numbers that JSON cannot keep as they are stored, as dsh reads them', async () => {
  for (const version of [0, 4] as const) {
    for (const number of ['1e999', '-0']) {
      const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
      log.prompt('one');
      log.reply('first');
      const root = temp.fresh();
      const path = logPath(root, log.header, 'none');
      mkdirSync(dirname(path), { recursive: true });
      const lines = [log.header, ...log.events].map((line) => JSON.stringify(line));
      const seq = log.events.length;
      lines.push(`{"type":"plan/mode","seq":${seq},"time":${log.now},"data":{"active":${number}}}`);
      writeFileSync(path, `${lines.join('\n')}\n`);
      const source = await openSession(path);
      expect(source.forkBoundary(seq)).toEqual({ legal: true, closes: false });
      const made = await forkSession(source, seq, { root, id: 'child', now: 1_790_000_100_000 });
      expect(readFileSync(made.path, 'utf8').split('\n')[seq + 1]).toBe(lines[seq + 1]);
    }
  }
});
