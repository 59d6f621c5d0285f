/**
 * The one event whose details are shown. One is asked for at a time, and when its answer comes, what is selected by then: a key held
 * down leaves no queue of answers behind that nobody waits for any more.
 */
import { reasonOf } from '../l10n/strings.ts';
import type { EventDetail } from '../../src/protocol/index.ts';
import { isObsolete, type SessionClient } from '../api/session-client.ts';

export interface DetailState {
  readonly seq: number;
  readonly value: EventDetail | undefined;
  readonly problem: string | undefined;
}

interface Wanted {
  readonly generation: number;
  readonly seq: number;
  /** As it was known before the event at this seq; absent: all there is. */
  readonly until?: number;
}

export class DetailLoader {
  state: DetailState | undefined;
  readonly #client: SessionClient;
  readonly #onArrival: () => void;
  #wanted: Wanted | undefined;
  #isAsking = false;

  constructor(client: SessionClient, onArrival: () => void) {
    this.#client = client;
    this.#onArrival = onArrival;
  }

  /** Up to where the one asked for last was known. */
  get until(): number | undefined {
    return this.#wanted?.until;
  }

  clear(): void {
    this.state = undefined;
    this.#wanted = undefined;
  }

  async load(generation: number, seq: number, until?: number): Promise<void> {
    // The former detail stays on screen until the new one is here: nothing blinks while arrowing through the list.
    this.state = { seq, value: this.state?.value, problem: undefined };
    this.#wanted = { generation, seq, ...(until === undefined ? {} : { until }) };
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let asked: Wanted | undefined; this.#wanted && this.#wanted !== asked;) {
      asked = this.#wanted;
      await this.#ask(asked);
    }
    this.#isAsking = false;
  }

  async #ask(wanted: Wanted): Promise<void> {
    const { seq } = wanted;
    let answer: DetailState | undefined;
    try {
      answer = { seq, value: await this.#client.call('detail', wanted), problem: undefined };
    } catch (error) {
      // Obsolete: the log was read again, and what is selected is asked for again as soon as the view has it.
      if (!isObsolete(error)) answer = { seq, value: undefined, problem: reasonOf(error) };
    }
    if (!answer || this.#wanted !== wanted) return;
    this.state = answer;
    this.#onArrival();
  }
}
