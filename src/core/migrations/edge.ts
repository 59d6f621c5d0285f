import { SessionMigrationRefusedError } from '../errors.ts';
import type { SessionHeader, StoredEvent } from '../events.ts';
import type { Text } from '../text.ts';

/** Takes the events an edge produces. `origin`: the seq, in the edge's source numbering, an event comes from or was inserted for. */
export type Sink = (event: StoredEvent, origin: number) => void;

/** One step n → n+1 of the migration chain: a stream transformer over events in log order. format/migrations.md. */
export interface Edge {
  readonly from: number;
  /** The header of the target version. */
  readonly header: SessionHeader;
  /** Seqs of the source, mapped to the target as far as events came through. */
  readonly seqs: SeqMap;
  push(event: StoredEvent): void;
  finish(): void;
  /** Number of inherited events in the target; final after {@link finish}. */
  readonly inheritedEventCount: number;
}

/** Stops a migration. `seq` in the numbering of version `from`, absent for the header or the log as a whole. */
export function refuse(from: number, seq: number | undefined, sentence: Text): never {
  throw new SessionMigrationRefusedError(from, seq, sentence);
}

/** Where each source seq went. A removed event (a chunk that moved into a stream) has no target. */
export class SeqMap {
  readonly #targets: number[] = [];

  set(source: number, target: number): void {
    // Settled attempts let later events pass first, so holes may stand open for a while.
    while (this.#targets.length < source) this.#targets.push(-1);
    this.#targets[source] = target;
  }

  get(source: number): number | undefined {
    const target = this.#targets[source];
    return target === undefined || target < 0 ? undefined : target;
  }

  /** The last source seq that went to `target` or before it; 0 when none did. */
  sourceOf(target: number): number {
    for (let source = this.#targets.length - 1; source >= 0; source--) {
      const found = this.#targets[source] ?? -1;
      if (found >= 0 && found <= target) return source;
    }
    return 0;
  }
}
