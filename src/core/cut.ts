import { dialectOf } from './dialects/dialect.ts';
import type { SessionHeader, StoredEvent } from './events.ts';
import { isRecord, isSeq } from './json.ts';
import { text, type Text } from './text.ts';

/** The inherited events a v0 or v1 header counts; undefined where it counts none, or anything that is no count. */
export function seedCount(header: SessionHeader): number | undefined {
  return isSeq(header.seedLength) ? header.seedLength : undefined;
}

/** Follows where the inherited prefix of a log ends. format/on-disk.md §7. */
export class CutFinder {
  readonly #header: SessionHeader;
  readonly #byMarker: boolean;
  #lastTagged: number | undefined;

  constructor(header: SessionHeader) {
    this.#header = header;
    this.#byMarker = dialectOf(header.version).cut === 'marker';
  }

  apply(event: StoredEvent): void {
    if (this.#byMarker && isTaggedEndSeed(event)) this.#lastTagged = event.seq;
  }

  /** Number of inherited leading events; 0 for a session that is no fork or whose cut is wrong. */
  get inheritedEventCount(): number {
    if (!this.#byMarker) return seedCount(this.#header) ?? 0;
    return this.#header.isSeeded === true ? (this.#lastTagged ?? 0) : 0;
  }

  /** Why the cut cannot be told, once all events are in. */
  get problem(): Text | undefined {
    if (!this.#byMarker) return undefined;
    const seeded = this.#header.isSeeded === true;
    if (seeded && this.#lastTagged === undefined) {
      return text('The header says the session is seeded, but no inherited end-seed marks the cut');
    }
    if (!seeded && this.#lastTagged !== undefined) {
      return text('The end-seed at #{seq} marks an inherited cut, but the header does not say the session is seeded', {
        seq: this.#lastTagged,
      });
    }
    return undefined;
  }
}

/** Whether an event is the marker of a fork cut (v2+). */
export function isTaggedEndSeed(event: StoredEvent): boolean {
  return event.type === 'session/end-seed' && isRecord(event.data) && event.data['inherited'] === true;
}
