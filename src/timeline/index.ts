export { TimelineBuilder, type BuilderOptions } from './build.ts';
export { citedSeqs } from './citations.ts';
export { entryOf, type LogFacts, type Timeline, type TimelineIndex, type UsageSums } from './finish.ts';
export * from './tables.ts';
export {
  countOf,
  fields,
  isHuman,
  items,
  messageOf,
  numberOf,
  stringOf,
  toolOutcomeOf,
  type Fields,
  type ToolOutcome,
} from './payload.ts';
