import type { Dialect } from './dialect.ts';
import { V2_DIALECT } from './v2.ts';

/** dsh 0.1.5: the system prompt becomes a node. */
export const V3_DIALECT: Dialect = {
  ...V2_DIALECT,
  version: 3,
  surfaceTypes: new Set([...V2_DIALECT.surfaceTypes, 'system/message']),
  replaceKeys: ['startSeq', 'endSeq'],
  answerSources: 'forbidden',
  protectedHead: true,
  imageOffload: true,
};
