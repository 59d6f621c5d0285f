import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listSessions } from '../../../src/storage/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService } from './session-harness.ts';

/** JSON that answers badly when it is turned into a number or a text. */
const hostile = { toString: 0, valueOf: 0, toJSON: 0, length: -1 };

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

const FIELDS = ['id', 'createdAt', 'cwd', 'parentSession', 'isSeeded', 'seedLength', 'origin', 'delegationDepth', 'agentPreset'];
const VALUES: readonly unknown[] = [hostile, [hostile], null, '', -1, 1e21, '\u202e\u0000<b>'];

describe('a header in which one field is anything at all', () => {
  it.each(FIELDS.flatMap((field) => [0, 4].map((version) => [field, version] as const)))(
    '%s, format %i: listed, opened, explained',
    async (field, version) => {
      for (const value of VALUES) {
        const log = new LogBuilder({ version: version as 0 | 4, id: 'odd', createdAt: 1_000, cwd: '/w' });
        log.prompt('Hello.');
        log.reply('Hi.');
        const folder = root.fresh();
        const directory = join(folder, '--w--', 'odd');
        mkdirSync(directory, { recursive: true });
        const path = join(directory, version === 0 ? 'session.jsonl' : `session.v${version}.jsonl`);
        const lines = [{ ...log.header, [field]: value }, ...log.events].map((line) => JSON.stringify(line));
        writeFileSync(path, `${lines.join('\n')}\n`);
        const listed = await listSessions(folder);
        expect(listed).toHaveLength(1);
        const service = openService(path);
        open.push(service);
        const overview = await service.call('overview', {});
        expect(overview.eventCount).toBe(log.events.length);
        const seq = log.events.length - 1;
        for (const ref of [
          { kind: 'history', seq },
          { kind: 'damage' },
          { kind: 'transcript' },
          { kind: 'jsonl' },
          { kind: 'request', turn: 1, step: 1, attempt: 1 },
        ] as const)
          expect((await service.call('document', { ref })).text).not.toBe('');
        expect((await service.call('detail', { generation: overview.generation, seq })).seq).toBe(seq);
      }
    },
  );
});
