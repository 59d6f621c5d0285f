import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import type { StoredEvent } from './events.ts';

/**
 * Where the product of that version forks, which is not where the store does: with an `anchor` the end of the turn it lies in, without one
 * the last completed turn, both with what belongs to it afterwards. v4 takes an anchor as the exact boundary. Undefined where there is no
 * completed turn to fork at. format/fork-resume.md §2.
 */
export function productForkBoundary(
  events: readonly StoredEvent[],
  options: { readonly version?: number; readonly anchor?: number } = {},
): number | undefined {
  const { version = SESSION_FORMAT_VERSION, anchor } = options;
  if (anchor !== undefined && version >= 4) return anchor >= 0 && anchor < events.length ? anchor : undefined;
  const end =
    anchor === undefined
      ? events.findLastIndex(({ type }) => type === 'turn/end')
      : events.findIndex(({ type }, seq) => seq >= anchor && type === 'turn/end');
  if (end < 0) return undefined;
  let boundary = end;
  if (version >= 2) {
    const endsAt = version >= 4 ? startsWork : startsTurn;
    for (let next = events[boundary + 1]; next !== undefined && !endsAt(next); next = events[boundary + 1]) boundary++;
  }
  return boundary;
}

function startsTurn(event: StoredEvent): boolean {
  return event.type === 'turn/start';
}

/** What a v4 default boundary does not absorb: anything queued or said for a turn to come. */
function startsWork(event: StoredEvent): boolean {
  if (event.type === 'user/message') return event.surfaceOp === 'append';
  return event.type === 'turn/start' || event.type === 'agent/inbox/spliced';
}
