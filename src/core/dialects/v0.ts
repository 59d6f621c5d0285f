import type { Dialect } from './dialect.ts';

/** dsh 0.0.1 to 0.1.2. */
export const V0_DIALECT: Dialect = {
  version: 0,
  surfaceTypes: new Set(['user/message', 'assistant/message', 'tool/result']),
  replaceKeys: ['start', 'end'],
  packedRows: true,
  embeddedStreams: false,
  answerSources: 'optional',
  protectedHead: false,
  imageOffload: false,
  toolMessage: 'wrapped',
  cut: 'seed-length',
  openTurnFork: 'refused',
};
