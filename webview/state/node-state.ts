import { ENTRY_FLAG, NONE, type TimelineTables } from '../../src/timeline/index.ts';

/** How a node of the surface stands at the end of the log; what is not derived is said to be neither in the context nor out of it. */
export type NodeState = 'current' | 'shadowed' | 'not-derived';

export function nodeState({ entries }: Pick<TimelineTables, 'entries'>, entry: number): NodeState {
  const { flags, shadowedBy } = entries.columns;
  if ((flags[entry]! & ENTRY_FLAG.refused) !== 0) return 'not-derived';
  return shadowedBy[entry] === NONE && (flags[entry]! & ENTRY_FLAG.invalid) === 0 ? 'current' : 'shadowed';
}
