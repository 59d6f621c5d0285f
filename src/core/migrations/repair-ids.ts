import { rawMessageOf } from '../derive.ts';
import type { StoredEvent } from '../events.ts';
import { isRecord } from '../json.ts';

/** Ids of repaired tool results. format/fork-resume.md §4. */

const CANONICAL_NUMBER = /^(?:0|[1-9]\d*)$/;

/** Whether an event's error says that its call never started. */
export function isNotStarted(event: StoredEvent): boolean {
  const error = isRecord(event.data) ? event.data['error'] : undefined;
  return isRecord(error) && error['code'] === 'TOOL_NOT_STARTED';
}

/** The number an id of the form `<cause>-tool-result-<callId>-<number>` ends in, or undefined. */
export function repairNumber(id: unknown, cause: string, callId: string): number | undefined {
  const prefix = `${cause}-tool-result-${callId}-`;
  if (typeof id !== 'string' || !id.startsWith(prefix)) return undefined;
  const rest = id.slice(prefix.length);
  return CANONICAL_NUMBER.test(rest) && Number.isSafeInteger(Number(rest)) ? Number(rest) : undefined;
}

/** False for a not-started result (v0–v3: always of an interruption) whose id is not the one a repair gives it. */
export function isCanonicalRepairId(event: StoredEvent): boolean {
  if (!isNotStarted(event)) return true;
  const message = rawMessageOf(event);
  const source = message?.['source'];
  const callId = isRecord(source) && typeof source['callId'] === 'string' ? source['callId'] : '';
  return repairNumber(message?.['id'], 'interrupted', callId) !== undefined;
}
