import { expect } from 'vitest';
import { listSessions, type SessionSummary } from '../../../src/storage/session-list.ts';
import { LogBuilder, type LogOptions } from '../../support/log-builder.ts';
import { writeLog, type WriteOptions } from '../../support/write-log.ts';

/** When the sessions of these tests were made. */
export const START = 1_790_000_000_000;

export function builder(id: string, options: Partial<LogOptions> = {}): LogBuilder {
  return new LogBuilder({ version: 4, id, cwd: '/work/demo', createdAt: START, ...options });
}

export const write = (root: string, log: LogBuilder, options?: WriteOptions): Promise<string> =>
  writeLog(root, log.header, log.events, options);

/** The one session of a root. */
export async function only(root: string): Promise<SessionSummary> {
  const sessions = await listSessions(root);
  expect(sessions).toHaveLength(1);
  return sessions[0] as SessionSummary;
}

/** What is wrong with a session, and what dsh does for it on listing and on opening. */
export const kinds = (session: SessionSummary | undefined): string[] =>
  (session?.damage ?? []).map((damage) => `${damage.kind} ${damage.dsh.list}/${damage.dsh.open}`);
