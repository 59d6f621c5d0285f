export { TimelineBuilder } from './build.ts';
export { compactCount, oneDecimal } from './compact-count.ts';
export { durationText } from './durations.ts';
export { citedSeqs } from './citations.ts';
export { entryOf, type LogFacts, type Timeline } from './finish.ts';
export * from './tables.ts';
export { countOf, fields, isHuman, items, messageOf, numberOf, stringOf, timeOf, toolOutcomeOf, type Fields } from './payload.ts';
