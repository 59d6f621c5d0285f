import type { Dialect } from './dialect.ts';
import { V3_DIALECT } from './v3.ts';

/** dsh 0.1.7 and later: a tool role, developer messages, and forks that close an open turn. */
export const V4_DIALECT: Dialect = {
  ...V3_DIALECT,
  version: 4,
  surfaceTypes: new Set([...V3_DIALECT.surfaceTypes, 'developer/message']),
  toolMessage: 'direct',
  openTurnFork: 'closed',
};
