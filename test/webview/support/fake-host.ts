/** What the extension's host does for the view, done in this process: a log's service, and answers to what only VS Code could do. */
import { serve, viewChecks, type Message, type Service, type ViewMethods } from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { createSessionService } from '../../../src/worker/session-service.ts';

export interface HostOptions {
  readonly locale?: string;
  readonly parentTitle?: string;
  readonly bundle?: Readonly<Record<string, string>>;
  readonly reveal?: number;
}

export type FileChange = 'appended' | 'truncated' | 'deleted';

export interface FakeHost {
  /** A channel for one document: takes its messages, and answers each of its calls once. */
  connect(reply: (message: Message) => void): (message: Message) => void;
  /** What a watcher would report of the log's file. */
  fileChanged(kind: FileChange): void;
  dispose(): Promise<void>;
}

export function createFakeHost(log: string, options: HostOptions, tell: (event: Message) => void): FakeHost {
  let onChange: ((change: { readonly kind: FileChange }) => void) | undefined;
  const session = createSessionService(log, {
    open: openSession,
    follow: (_path, listener) => {
      onChange = listener;
      return { dispose: () => (onChange = undefined) };
    },
    emit: (name, data) => {
      tell({ kind: 'event', name, data });
    },
  });
  return {
    connect: (reply) => serve<ViewMethods>(viewService(session.service, options), reply),
    fileChanged: (kind) => {
      onChange?.({ kind });
    },
    dispose: () => session.dispose(),
  };
}

type SessionService = ReturnType<typeof createSessionService>['service'];

function viewService(session: SessionService, options: HostOptions): Service<ViewMethods> {
  const { overview, table, rows, detail, search, salvaged, attachment, replayPoints, replayMoment, verifyReplay } = session;
  const { locale = 'en', bundle = {}, reveal, parentTitle } = options;
  const done = { run: () => ({}) };
  return {
    overview,
    table,
    rows,
    detail,
    search,
    salvaged,
    attachment,
    replayPoints,
    replayMoment,
    verifyReplay,
    ready: {
      check: viewChecks.ready,
      run: () => ({
        locale,
        bundle,
        reveal,
        ...(parentTitle === undefined ? {} : { parentTitle }),
        reducedMotion: true,
        isTrusted: true,
      }),
    },
    openDocument: { check: viewChecks.openDocument, ...done },
    compare: { check: viewChecks.compare, ...done },
    copy: { check: viewChecks.copy, ...done },
    selected: { check: viewChecks.selected, ...done },
    openSession: { check: viewChecks.openSession, ...done },
    revealInTree: { check: viewChecks.revealInTree, ...done },
    act: { check: viewChecks.act, ...done },
  };
}

/** A message as JSON text with buffers as base64; a `Uint32Array` keeps its kind. */
export const packMessage = (message: Message): string => JSON.stringify(message, pack);

function pack(_key: string, value: unknown): unknown {
  if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Uint32Array) {
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'), $array: 'Uint32Array' };
  }
  return value;
}

/** Bytes of a message as a structured clone would carry them: its buffers, and the rest as JSON text. */
export function sizeOf(message: Message): number {
  let buffers = 0;
  const rest = JSON.stringify(message, (_key, value: unknown) => {
    if (!(value instanceof ArrayBuffer) && !ArrayBuffer.isView(value)) return value;
    buffers += value.byteLength;
    return undefined;
  });
  return buffers + Buffer.byteLength(rest);
}
