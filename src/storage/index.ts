/** Sessions on disk. May use node:*, never vscode. */
export type { Damage, DshOutcome } from '../core/index.ts';
export { openSession, type OpenSession, type OpenSessionOptions } from './open-session.ts';
export type { StoredLine } from './log-events.ts';
export { expandHome, resolveSessionsRoot } from './home.ts';
export { projectDirectoryName, sessionDirectoryName } from './names.ts';
export {
  generationFilename,
  isFlatLogName,
  parseGenerationFilename,
  sortGenerations,
  type Encoding,
  type Generation,
} from './generations.ts';
export {
  createSessionLister,
  listSessions,
  type OlderGeneration,
  type RootListing,
  type SessionLister,
  type SessionSummary,
} from './session-list.ts';
export { followSession, type FollowOptions, type LogChange } from './tail.ts';
export {
  createSessionLog,
  LogWriteError,
  targetProblem,
  type CreateLogOptions,
  type NewLog,
  type WriterFs,
} from './log-writer.ts';
export { projectDirectoryOf } from './fork-build.ts';
export { branchRefusal, forkSession, replayAsNewSession, rootOfLog, type ForkOptions } from './fork-session.ts';
export { ForkSessionError, type ForkFailure } from './fork-error.ts';
export {
  boundariesBefore,
  lastBoundary,
  nearestBoundaries,
  placeOf,
  type ForkPoint,
  type NearestBoundaries,
} from './fork-points.ts';
export type { ForkSource } from './fork-source.ts';
export { JsonlPersistence, type PersistenceOptions } from './persistence.ts';
export { readImage } from './attachment.ts';
