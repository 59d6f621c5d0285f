/** The view's end of the channel to the host: typed calls out, replies and events in. */
import {
  createCaller,
  isMessage,
  RpcError,
  type ArgsOf,
  type Caller,
  type ValueOf,
  type ViewEvents,
  type ViewMethods,
} from '../../src/protocol/index.ts';
import type { VsCodeApi } from './vscode-api.ts';

type EventName = keyof ViewEvents;
const eventNames: ReadonlySet<string> = new Set<EventName>([
  'changed',
  'deleted',
  'unreadable',
  'reveal',
  'replay',
  'parent',
  'command',
]);

export interface SessionClient {
  call<K extends keyof ViewMethods>(
    method: K,
    args: ArgsOf<ViewMethods[K]>,
    signal?: AbortSignal,
  ): Promise<ValueOf<ViewMethods[K]>>;
}

/** `onEvent` gets the host's events; their payloads are checked where they are used. */
export function connect(api: VsCodeApi, onEvent: (name: EventName, data: unknown) => void): SessionClient {
  const caller: Caller<ViewMethods> = createCaller<ViewMethods>((message) => {
    api.postMessage(message);
  });
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (!isMessage(message)) return; // the workbench posts messages of its own into the same window
    if (message.kind === 'event' && eventNames.has(message.name)) onEvent(message.name as EventName, message.data);
    else caller.accept(message);
  });
  return caller;
}

/** Failures that are part of normal life: what was asked for is no longer wanted or no longer there. */
export const isObsolete = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === 'cancelled' || error.code === 'stale');
