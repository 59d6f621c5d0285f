import * as nodeFs from 'node:fs/promises';
import { SessionStore, type SessionEvent, type SessionEventMap, type SurfaceOp } from '../../src/core/index.ts';
import type { Encoding } from '../../src/storage/generations.ts';
import type { WriterFs } from '../../src/storage/log-writer.ts';
import { JsonlPersistence } from '../../src/storage/persistence.ts';
import type { LogBuilder } from './log-builder.ts';
import { batchesOf } from './write-log.ts';

/**
 * Writes a built log the way a live session is written: a session of a store, event by event, its batches flushed where a live one's fall;
 * a fork starts from its parent's events. Gives the same bytes as `writeLog`. Only for logs whose events a session takes, so not for
 * unknown ones.
 */
export async function writeThroughStore(root: string, log: LogBuilder, encoding: Encoding = 'zstd'): Promise<void> {
  let now = log.header.createdAt;
  const store = new SessionStore({ now: () => now });
  const persistence = new JsonlPersistence(store, { root, encoding, fs: hasty });
  const events = log.events as readonly SessionEvent[];
  const cut = log.header.seedLength ?? taggedCut(events);
  // The constructor of a fork writes the marker itself, at the time the builder gave it.
  if (cut !== undefined) now = events[cut]?.time ?? now;
  const { seedLength: _seedLength, isSeeded: _isSeeded, ...meta } = log.header;
  const session = store.create(log.header.id, {
    meta,
    ...(cut === undefined ? {} : { seed: events.slice(0, cut), inheritedEventCount: cut }),
  });
  for (const batch of batchesOf(log.events)) {
    for (const event of batch) {
      if (event.seq < session.seq) continue;
      now = event.time;
      append(session.append.bind(session), event as SessionEvent);
    }
    if ((batch.at(-1)?.seq ?? 0) === session.seq - 1) await store.flush(session);
  }
  if (events.length === 0) await store.flush(session);
  await persistence.dispose();
}

/** The file system without waiting for the disk: hundreds of small batches are written, none of which has to survive a power cut. */
const hasty: WriterFs = {
  ...nodeFs,
  open: async (...args) => {
    const file = await nodeFs.open(...args);
    file.sync = file.datasync = () => Promise.resolve();
    return file;
  },
};

type Append = (
  type: keyof SessionEventMap,
  data: never,
  options?: { surfaceOp: SurfaceOp; sourceEventSeqs?: readonly number[] },
) => unknown;

function append(to: Append, { type, data, surfaceOp, sourceEventSeqs }: SessionEvent): void {
  if (surfaceOp === undefined) to(type, data as never);
  else to(type, data as never, { surfaceOp, ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }) });
}

function taggedCut(events: readonly SessionEvent[]): number | undefined {
  const marker = events.findLast((event) => event.type === 'session/end-seed' && event.data.inherited === true);
  return marker?.seq;
}
