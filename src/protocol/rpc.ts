/**
 * The envelope every channel speaks (host <-> worker, host <-> webview): a call is always answered, with a value, an
 * error or "cancelled"; events go one way. Method names are text; arguments are checked where they arrive.
 */
import { english, type Text } from '../core/index.ts';

export type ArgsOf<F> = F extends (args: infer A) => unknown ? A : never;
export type ValueOf<F> = F extends (args: never) => infer R ? Awaited<R> : never;

/** Why a call failed. `stale`: the caller's generation is gone, ask for the overview again. */
export type ErrorCode = 'bad-request' | 'stale' | 'cancelled' | 'not-found' | 'closed' | 'failed';
export interface CallError {
  readonly code: ErrorCode;
  /** English, for logs. */
  readonly message: string;
  /** The same sentence for the reader's language, where it is meant for a reader. */
  readonly text?: Text;
}

export type Message =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly args: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'reply'; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly ok: false; readonly error: CallError }
  | { readonly kind: 'event'; readonly name: string; readonly data: unknown };

export class RpcError extends Error {
  readonly code: ErrorCode;
  readonly text: Text | undefined;
  /** A `Text` is meant for a reader, a string for whoever mends the program. */
  constructor(code: ErrorCode, sentence: Text | string) {
    super(typeof sentence === 'string' ? sentence : english(sentence));
    this.name = 'RpcError';
    this.code = code;
    this.text = typeof sentence === 'string' ? undefined : sentence;
  }
}

/** Structural check of an arriving message; anything else is dropped by the receiver, which reports it. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false;
  const m = value as Record<string, unknown>; // an object: reading a missing key gives undefined
  switch (m['kind']) {
    case 'call':
      return Number.isSafeInteger(m['id']) && typeof m['method'] === 'string' && 'args' in m;
    case 'cancel':
      return Number.isSafeInteger(m['id']);
    case 'reply':
      return Number.isSafeInteger(m['id']) && (m['ok'] === true || (m['ok'] === false && isCallError(m['error'])));
    case 'event':
      return typeof m['name'] === 'string';
    default:
      return false;
  }
}

function isCallError(value: unknown): value is CallError {
  if (typeof value !== 'object' || value === null) return false;
  const e = value as Record<string, unknown>; // as above
  return typeof e['code'] === 'string' && typeof e['message'] === 'string' && (e['text'] === undefined || isText(e['text']));
}

function isText(value: unknown): value is Text {
  if (typeof value !== 'object' || value === null) return false;
  const { template, args } = value as Record<string, unknown>; // as above
  return typeof template === 'string' && typeof args === 'object' && args !== null;
}

export interface Caller<M> {
  call<K extends keyof M & string>(method: K, args: ArgsOf<M[K]>, signal?: AbortSignal): Promise<ValueOf<M[K]>>;
  /** Hand in every reply that arrives. Unknown ids are ignored: the call was cancelled before. */
  accept(message: Message): void;
  /** Reject everything outstanding, e.g. because the worker died. */
  close(reason: RpcError): void;
}

/** The calling side of a channel; `post` sends one message. */
export function createCaller<M>(post: (message: Message) => void): Caller<M> {
  let next = 1;
  let closed: RpcError | undefined;
  const pending = new Map<number, { resolve: (value: never) => void; reject: (error: RpcError) => void }>();
  return {
    call(method, args, signal) {
      if (closed) return Promise.reject(closed);
      if (signal?.aborted) return Promise.reject(new RpcError('cancelled', `${method} was cancelled`));
      const id = next++;
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          if (!pending.delete(id)) return;
          post({ kind: 'cancel', id });
          reject(new RpcError('cancelled', `${method} was cancelled`));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        const settle =
          <T>(done: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener('abort', onAbort);
            done(value);
          };
        pending.set(id, { resolve: settle(resolve as (value: never) => void), reject: settle(reject) });
        post({ kind: 'call', id, method, args });
      });
    },
    accept(message) {
      if (message.kind !== 'reply') return;
      const waiting = pending.get(message.id);
      if (!waiting) return;
      pending.delete(message.id);
      if (message.ok)
        waiting.resolve(message.value as never); // typed by the method table of the callee
      else waiting.reject(new RpcError(message.error.code, message.error.text ?? message.error.message));
    },
    close(reason) {
      closed = reason;
      for (const waiting of pending.values()) waiting.reject(reason);
      pending.clear();
    },
  };
}

/** A value with the buffers that move instead of being copied. */
export class Transfer<T> {
  readonly value: T;
  readonly buffers: readonly ArrayBuffer[];
  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

/** How one method is served: its arguments checked (undefined = refused), then run. */
export interface Served<A, R> {
  readonly check: (args: unknown) => A | undefined;
  readonly run: (args: A, signal: AbortSignal) => R | Transfer<R> | Promise<R | Transfer<R>>;
}
export type Service<M> = { readonly [K in keyof M]: Served<ArgsOf<M[K]>, ValueOf<M[K]>> };

/** The answering side of a channel. Every call gets exactly one reply; a throw becomes an error reply. */
export function serve<M>(
  service: Service<M>,
  post: (message: Message, buffers: readonly ArrayBuffer[]) => void,
): (message: Message) => void {
  const running = new Map<number, AbortController>();
  const table = service as Readonly<Record<string, Served<unknown, unknown>>>; // by name, names are text on the wire
  return (message) => {
    if (message.kind === 'cancel') {
      running.get(message.id)?.abort();
      return;
    }
    if (message.kind !== 'call') return;
    const { id, method } = message;
    const fail = (code: ErrorCode, message: string, text?: Text): void => {
      post({ kind: 'reply', id, ok: false, error: { code, message, ...(text ? { text } : {}) } }, []);
    };
    const served = Object.hasOwn(table, method) ? table[method] : undefined;
    if (!served) {
      fail('bad-request', `unknown method ${method}`);
      return;
    }
    const args = served.check(message.args);
    if (args === undefined) {
      fail('bad-request', `${method} was called with arguments of the wrong shape`);
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    void (async () => {
      try {
        const result = await served.run(args, controller.signal);
        const moved: Transfer<unknown> = result instanceof Transfer ? result : new Transfer<unknown>(result, []);
        post({ kind: 'reply', id, ok: true, value: moved.value }, moved.buffers);
      } catch (error) {
        if (error instanceof RpcError) fail(error.code, error.message, error.text);
        else fail('failed', error instanceof Error ? error.message : String(error));
      } finally {
        running.delete(id);
      }
    })();
  };
}
