/** Which request of the model a place in a log stands for. */
import type { SessionLease } from '../workers/session-pool.ts';

/** Numbers of a request. */
export interface RequestPlace {
  readonly turn: number;
  readonly step: number;
  readonly attempt: number;
}

/** Turn, step and attempt as far as they are known, and an event to ask for the rest. */
export interface PlaceInLog extends Partial<RequestPlace> {
  readonly seq?: number;
}

type Reader = Pick<SessionLease, 'call'>;

/**
 * The request of a step: of the attempt that is named, or that the event settles, else of its last one, the only one whose answer counts.
 * Without a step it is that of the event's; undefined outside any step.
 */
export async function requestOf(reader: Reader, place: PlaceInLog): Promise<RequestPlace | undefined> {
  let { turn, step, attempt } = place;
  if ((turn === undefined || step === undefined) && place.seq !== undefined) {
    const { generation } = await reader.call('overview', {});
    ({ turn, step, attempt } = await reader.call('detail', { generation, seq: place.seq }));
  }
  if (turn === undefined || step === undefined) return undefined;
  return { turn, step, attempt: attempt ?? (await reader.call('lastAttempt', { turn, step })).attempt };
}
