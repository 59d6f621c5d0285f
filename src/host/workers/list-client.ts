/** The one worker that lists sessions. It holds nothing that cannot be read again, so it restarts by itself, within bounds. */
import { text, type Text } from '../../core/index.ts';
import { RpcError, type ArgsOf, type ListMethods, type ValueOf } from '../../protocol/index.ts';
import { WorkerClient, type SpawnWorker } from './worker-client.ts';

export interface ListClientOptions {
  readonly spawn: SpawnWorker;
  /** Restarts allowed within `windowMs`; after that only `restart` helps. */
  readonly maxRestarts: number;
  readonly windowMs: number;
  readonly now: () => number;
  /** Told of every crash; `givenUp` when no further restart will be tried. */
  onCrash(reason: Text | string, givenUp: boolean): void;
  onNoise?(what: string): void;
}

export class ListClient {
  readonly #options: ListClientOptions;
  #client: WorkerClient<ListMethods> | undefined;
  #crashes: number[] = [];
  #givenUp: Text | string | undefined;
  #disposed = false;

  constructor(options: ListClientOptions) {
    this.#options = options;
  }

  /** Starts the worker on first use. A call that dies with its worker is repeated once by a fresh worker. */
  async call<K extends keyof ListMethods>(
    method: K,
    args: ArgsOf<ListMethods[K]>,
    signal?: AbortSignal,
  ): Promise<ValueOf<ListMethods[K]>> {
    const client = this.#get();
    try {
      return await client.call(method, args, signal);
    } catch (error) {
      if (!client.ended || this.#disposed || this.#givenUp !== undefined) throw error;
      return this.#get().call(method, args, signal);
    }
  }

  /** Forgets the crashes so far; the next call starts a worker again. */
  restart(): void {
    this.#crashes = [];
    this.#givenUp = undefined;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#client?.dispose();
  }

  #get(): WorkerClient<ListMethods> {
    if (this.#disposed) throw new RpcError('closed', text('The session list was closed'));
    if (this.#givenUp !== undefined) throw new RpcError('closed', this.#givenUp);
    if (this.#client && !this.#client.ended) return this.#client;
    this.#client = new WorkerClient<ListMethods>(this.#options.spawn({ role: 'list' }), {
      onCrash: (reason) => this.#crashed(reason),
      onNoise: (what) => this.#options.onNoise?.(what),
    });
    return this.#client;
  }

  #crashed(reason: Text | string): void {
    const now = this.#options.now();
    this.#crashes = this.#crashes.filter((time) => now - time < this.#options.windowMs);
    this.#crashes.push(now);
    if (this.#crashes.length > this.#options.maxRestarts) this.#givenUp = reason;
    this.#options.onCrash(reason, this.#givenUp !== undefined);
  }
}
