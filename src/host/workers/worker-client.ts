/**
 * One worker thread and the calls made of it. The host never decodes a log itself: everything it knows comes through
 * here (design.md §2). Knows no editor, so that crashes can be rehearsed in unit tests.
 */
import { text, type Text } from '../../core/index.ts';
import { createCaller, isMessage, RpcError, type ArgsOf, type Caller, type Message, type ValueOf } from '../../protocol/index.ts';

/** What of `worker_threads.Worker` is used; tests hand in their own. */
export interface WorkerPort {
  postMessage(message: Message): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

/** Job of a worker, handed over as its `workerData`. */
export type WorkerJob = { readonly role: 'list' } | { readonly role: 'session'; readonly path: string };
export type SpawnWorker = (job: WorkerJob) => WorkerPort;

export interface WorkerClientEvents {
  onEvent?(name: string, data: unknown): void;
  /** The thread ended without being asked to. Called once; every pending call has been rejected. */
  onCrash?(reason: Text | string): void;
  /** Something arrived that is no message of the protocol. */
  onNoise?(what: string): void;
}

export class WorkerClient<M> {
  readonly #port: WorkerPort;
  readonly #caller: Caller<M>;
  #ended = false;

  constructor(port: WorkerPort, events: WorkerClientEvents) {
    this.#port = port;
    this.#caller = createCaller<M>((message) => {
      if (!this.#ended) port.postMessage(message);
    });
    let fault: Text | string | undefined;
    port.on('message', (message) => {
      if (!isMessage(message)) events.onNoise?.(typeof message);
      else if (message.kind === 'event') events.onEvent?.(message.name, message.data);
      else this.#caller.accept(message);
    });
    port.on('error', (error) => {
      const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      fault = isFull ? text('It needed more memory than one reader may take') : error.message || error.name;
    });
    // `error` is always followed by `exit`; a plain process.exit() in the thread gives `exit` alone.
    port.on('exit', (code) => {
      if (this.#ended) return;
      this.#ended = true;
      const reason = fault ?? text('exit code {code}', { code });
      this.#caller.close(new RpcError('closed', reason));
      events.onCrash?.(reason);
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  call<K extends keyof M & string>(method: K, args: ArgsOf<M[K]>, signal?: AbortSignal): Promise<ValueOf<M[K]>> {
    return this.#caller.call(method, args, signal);
  }

  async dispose(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#caller.close(new RpcError('closed', text('The log was closed')));
    await this.#port.terminate();
  }
}
