import type { StoredEvent } from '../events.ts';
import { isRecord } from '../json.ts';

/**
 * Finds turns that a crash left open and the next prompt passed over: an open turn without an open step, then a prompt queued for the
 * next turn, then that turn's start. The v1→v2 and v3→v4 edges close such a turn before the start. format/migrations.md §2, §4.
 */
export class InterruptedTurn {
  #turn: unknown;
  #step = false;
  #queued = false;

  /** The number of the turn to close before `event`, or undefined. Call once per event, in order. */
  before(event: StoredEvent): number | undefined {
    const data = isRecord(event.data) ? event.data : {};
    switch (event.type) {
      case 'turn/start': {
        const left = this.#turn !== undefined && !this.#step && this.#queued ? this.#turn : undefined;
        this.#turn = data['turn'];
        this.#step = false;
        this.#queued = false;
        return typeof left === 'number' ? left : undefined;
      }
      case 'turn/end':
        this.#turn = undefined;
        this.#queued = false;
        return undefined;
      case 'step/start':
        this.#step = true;
        this.#queued = false;
        return undefined;
      case 'step/end':
        this.#step = false;
        return undefined;
      case 'agent/inbox/spliced': {
        const { target, inserted } = data;
        if (target === 'next-turn' && Array.isArray(inserted) && inserted.length > 0) {
          this.#queued ||= this.#turn !== undefined && !this.#step;
        }
        return undefined;
      }
      default:
        return undefined;
    }
  }
}
