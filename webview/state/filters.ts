/** Which entries the list keeps: kinds, states, and a stretch of the axis. Pure; every part narrows what the others leave. */
import { ENTRY_FLAG, FAMILY, NONE, type TimelineTables } from '../../src/timeline/index.ts';

export const filterKinds = ['conversation', 'settings', 'context', 'state', 'structure'] as const;
export type FilterKind = (typeof filterKinds)[number];
export const filterStates = ['errors', 'current', 'shadowed', 'own'] as const;
export type FilterState = (typeof filterStates)[number];

/** A stretch of the axis, in its values (epoch ms, or seqs; `to` exclusive for seqs). */
export interface FilterRange {
  readonly axis: 'time' | 'seq';
  readonly from: number;
  readonly to: number;
}

export interface Filter {
  /** None: every kind. */
  readonly kinds: ReadonlySet<FilterKind>;
  readonly states: ReadonlySet<FilterState>;
  readonly range: FilterRange | undefined;
}

export const noFilter: Filter = { kinds: new Set(), states: new Set(), range: undefined };

export const isFiltering = (filter: Filter): boolean =>
  filter.kinds.size > 0 || filter.states.size > 0 || filter.range !== undefined;

/** Events of unknown types go with structure: both are what is left when the four kinds with a meaning are taken away. */
const kindOf: Readonly<Record<number, FilterKind>> = {
  [FAMILY.structure]: 'structure',
  [FAMILY.conversation]: 'conversation',
  [FAMILY.settings]: 'settings',
  [FAMILY.context]: 'context',
  [FAMILY.state]: 'state',
  [FAMILY.unknown]: 'structure',
};

export function keeps(tables: TimelineTables, filter: Filter): (entry: number) => boolean {
  const { family, flags, shadowedBy, seq, count, time, duration } = tables.entries.columns;
  const { kinds, states, range } = filter;
  return (entry) => {
    const flag = flags[entry]!;
    if (kinds.size > 0 && !kinds.has(kindOf[family[entry]!] ?? 'structure')) return false;
    if (states.has('errors') && (flag & (ENTRY_FLAG.error | ENTRY_FLAG.finding)) === 0) return false;
    const onSurface = (flag & ENTRY_FLAG.surface) !== 0 && (flag & ENTRY_FLAG.invalid) === 0;
    if (states.has('current') || states.has('shadowed')) {
      const state = !onSurface ? undefined : shadowedBy[entry] === NONE ? 'current' : 'shadowed';
      if (state === undefined || !states.has(state)) return false;
    }
    if (states.has('own') && (flag & ENTRY_FLAG.inherited) !== 0) return false;
    if (!range) return true;
    if (range.axis === 'seq') return seq[entry]! < range.to && seq[entry]! + count[entry]! > range.from;
    const end = time[entry]! + (duration[entry]! > 0 ? duration[entry]! : 0);
    return time[entry]! <= range.to && end >= range.from;
  };
}

/** What lies in a filter: entries, top-level calls, and the tokens of the attempts that ended in it. */
export interface FilterSums {
  readonly entries: number;
  readonly calls: number;
  readonly tokens: number;
}

export function sumsOf(tables: TimelineTables, keep: (entry: number) => boolean): FilterSums {
  let entries = 0;
  for (let i = 0; i < tables.entries.length; i++) if (keep(i)) entries++;
  const isKept = (entry: number): boolean => entry < tables.entries.length && keep(entry);
  let calls = 0;
  const { entry: callEntry, parent } = tables.calls.columns;
  for (let i = 0; i < tables.calls.length; i++) if (parent[i] === NONE && isKept(callEntry[i]!)) calls++;
  let tokens = 0;
  const attempts = tables.attempts.columns;
  for (let i = 0; i < tables.attempts.length; i++) {
    if (attempts.hasUsage[i] !== 1 || !isKept(attempts.entry[i]!)) continue;
    tokens += attempts.input[i]! + attempts.cacheRead[i]! + attempts.cacheWrite[i]! + attempts.output[i]!;
  }
  return { entries, calls, tokens };
}
