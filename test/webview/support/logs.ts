/** Logs the view's tests open: the sample sessions, and a long one. Written once per run into a folder of their own. */
import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLargeLog } from '../../support/large-log.ts';
import type { LogBuilder } from '../../support/log-builder.ts';
import { writeSampleSessions } from '../../support/samples.ts';
import { writeLog } from '../../support/write-log.ts';

export interface Logs {
  /** Path of the sample whose directory name contains this. */
  sample(part: string): string;
  large(lines: number): Promise<string>;
  write(log: LogBuilder): Promise<string>;
  dispose(): Promise<void>;
}

/** A quiet afternoon, so that the screenshots show plausible times. */
const now = Date.UTC(2026, 10, 30, 15);

export async function writeLogs(): Promise<Logs> {
  const root = mkdtempSync(join(tmpdir(), 'dsh-view-'));
  const paths = await writeSampleSessions(root, join(root, 'acme-api'), now);
  return {
    sample: (part) => {
      const found = paths.find((path) => path.includes(part));
      if (found === undefined) throw new Error(`no sample session is called ${part}`);
      return found;
    },
    large: async (lines) => {
      const log = buildLargeLog(lines);
      return writeLog(root, log.header, log.events);
    },
    write: (log) => writeLog(root, log.header, log.events),
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}
