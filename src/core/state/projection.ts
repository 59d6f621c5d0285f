import type { StoredEvent } from '../events.ts';
import { isRecord, type UnknownRecord } from '../json.ts';

/** A start value and a pure step: one view of a session's state, made in the same pass as all others. Payloads are not trusted. */
export interface Projection<S> {
  readonly start: S;
  apply(state: S, event: StoredEvent): S;
}

/** State that each event of one type replaces whole. `read` returns undefined for a payload it cannot use, which then changes nothing. */
export function latest<S>(start: S, type: string, read: (data: UnknownRecord, seq: number) => S | undefined): Projection<S> {
  return {
    start,
    apply(state, event) {
      if (event.type !== type || !isRecord(event.data)) return state;
      return read(event.data, event.seq) ?? state;
    },
  };
}

/** `latest` for one text member. */
export function latestText(type: string, member: string): Projection<string | undefined> {
  return latest<string | undefined>(undefined, type, (data) => {
    const value = data[member];
    return typeof value === 'string' ? value : undefined;
  });
}
