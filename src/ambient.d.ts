/**
 * The few globals that exist in Node, in workers and in browsers alike. The pure layers compile against these alone, so
 * that a use of anything else (process, Buffer, document) is a type error there.
 */
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare const crypto: { randomUUID(): string };
declare const console: { warn(...data: unknown[]): void };
declare const performance: { now(): number };
declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(callback: () => void): void;
declare function setTimeout(callback: () => void, delayMs?: number): unknown;
declare function clearTimeout(handle: unknown): void;
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
