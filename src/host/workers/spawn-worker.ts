import { Worker } from 'node:worker_threads';
import type { SpawnWorker, WorkerJob } from './worker-client.ts';

/** What every worker needs to speak the reader's language: BCP 47 tag and translations by English template. */
export interface WorkerLanguage {
  readonly locale: string;
  readonly bundle: Readonly<Record<string, string>>;
}

/**
 * Decoded bytes live outside the JavaScript heap, so these bound only objects: lines parsed at the moment, indexes and
 * strings. A log that needs more is stopped instead of taking every other extension of this process down with it.
 */
const heapMb: Readonly<Record<WorkerJob['role'], number>> = { list: 512, session: 2048 };

/** Starts workers from the bundle beside the host's own. */
export function workerSpawner(file: string, language: WorkerLanguage): SpawnWorker {
  return (job) =>
    new Worker(file, {
      workerData: { ...job, ...language },
      resourceLimits: { maxOldGenerationSizeMb: heapMb[job.role], maxYoungGenerationSizeMb: 64 },
      name: job.role === 'list' ? 'dsh sessions' : 'dsh log',
    });
}
