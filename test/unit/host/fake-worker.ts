import type { SpawnWorker, WorkerJob, WorkerPort } from '../../../src/host/workers/worker-client.ts';
import type { Message } from '../../../src/protocol/index.ts';

/** A worker thread that exists only as its messages. */
export class FakeWorker implements WorkerPort {
  readonly job: WorkerJob;
  readonly received: Message[] = [];
  terminated = false;
  readonly #listeners = new Map<string, ((value: never) => void)[]>();

  constructor(job: WorkerJob) {
    this.job = job;
  }

  postMessage(message: Message): void {
    this.received.push(message);
  }

  on(event: string, listener: (value: never) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  terminate(): Promise<number> {
    this.terminated = true;
    this.emit('exit', 1);
    return Promise.resolve(1);
  }

  emit(event: 'message' | 'error' | 'exit', value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value as never); // as the thread would
  }

  /** Answers the latest call. */
  answer(value: unknown): void {
    const call = this.received.findLast((message) => message.kind === 'call');
    if (call?.kind !== 'call') throw new Error('nothing was asked');
    this.emit('message', { kind: 'reply', id: call.id, ok: true, value });
  }

  crash(reason: string): void {
    this.emit('error', new Error(reason));
    this.emit('exit', 1);
  }
}

export function fakeWorkers(): { readonly spawn: SpawnWorker; readonly workers: FakeWorker[] } {
  const workers: FakeWorker[] = [];
  return {
    workers,
    spawn: (job) => {
      const worker = new FakeWorker(job);
      workers.push(worker);
      return worker;
    },
  };
}
