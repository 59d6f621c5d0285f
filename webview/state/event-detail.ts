/** The one event whose details are shown: asked for as the selection moves, and given up when it moves on. */
import type { EventDetail } from '../../src/protocol/index.ts';
import { isObsolete, type SessionClient } from '../api/session-client.ts';

export interface DetailState {
  readonly seq: number;
  readonly value: EventDetail | undefined;
  readonly problem: string | undefined;
}

export class DetailLoader {
  state: DetailState | undefined;
  readonly #client: SessionClient;
  readonly #onArrival: () => void;
  #running: AbortController | undefined;

  constructor(client: SessionClient, onArrival: () => void) {
    this.#client = client;
    this.#onArrival = onArrival;
  }

  clear(): void {
    this.state = undefined;
  }

  async load(generation: number, seq: number): Promise<void> {
    this.#running?.abort();
    const controller = new AbortController();
    this.#running = controller;
    // The former detail stays on screen until the new one is here: nothing blinks while arrowing through the list.
    this.state = { seq, value: this.state?.value, problem: undefined };
    try {
      const value = await this.#client.call('detail', { generation, seq }, controller.signal);
      this.state = { seq, value, problem: undefined };
    } catch (error) {
      if (isObsolete(error)) return;
      this.state = { seq, value: undefined, problem: error instanceof Error ? error.message : String(error) };
    }
    this.#onArrival();
  }
}
