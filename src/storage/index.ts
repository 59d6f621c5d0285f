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
  logPathOf,
  LogWriteError,
  targetProblem,
  type CreateLogOptions,
  type NewLog,
  type WriterFs,
} from './log-writer.ts';
export { JsonlPersistence, type PersistenceOptions } from './persistence.ts';
