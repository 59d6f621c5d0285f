/** The one seq a target stands for, the same from every menu, key and button. */
import * as vscode from 'vscode';
import type { SessionPool } from '../workers/session-pool.ts';
import type { Target } from './targets.ts';

/** The last event of a log that history can be derived at: past an unknown one nothing can. Undefined where it has none. */
export async function derivableEnd(pool: SessionPool, path: string): Promise<number | undefined> {
  const { eventCount, refusal } = await pool.use(path, (lease) => lease.call('overview', {}));
  const end = Math.min(eventCount, refusal?.seq ?? Infinity);
  return end === 0 ? undefined : end - 1;
}

/** The same for what needs one. */
export async function lastSeq(pool: SessionPool, path: string): Promise<number> {
  const seq = await derivableEnd(pool, path);
  if (seq === undefined) throw new Error(vscode.l10n.t('This log has no readable events.'));
  return seq;
}

/**
 * Of a turn, step or call its last event, of a session the last one that history can be derived at. What is selected in a timeline is known
 * by its first event only, so its reader is asked. decisions.md "Fork target".
 */
export async function pointOf(pool: SessionPool, { path, lastSeq: last, isSelection }: Target): Promise<number> {
  if (last === undefined) return lastSeq(pool, path);
  if (isSelection !== true) return last;
  const { seq } = await pool.use(path, (lease) => lease.call('spanEnd', { seq: last }));
  return seq;
}
