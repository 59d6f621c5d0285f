import { TABLES, type TableName, type Timeline } from '../timeline/index.ts';

/** Rows at the start of each table that are the same in two timelines; undefined where their numbers mean different strings. */
export function sameRows(before: Timeline, now: Timeline): Readonly<Record<TableName, number>> | undefined {
  for (const name of ['types', 'names', 'children'] as const)
    if (before.strings[name].some((word, i) => now.strings[name][i] !== word)) return undefined;
  const rows: Partial<Record<TableName, number>> = {};
  for (const name of Object.keys(TABLES) as TableName[]) rows[name] = sameStart(before.tables[name], now.tables[name]); // keys of the schema
  return rows as Readonly<Record<TableName, number>>; // every name was set
}

interface AnyTable {
  readonly length: number;
  readonly columns: Readonly<Record<string, ArrayLike<number>>>;
}

function sameStart(before: AnyTable, now: AnyTable): number {
  let same = Math.min(before.length, now.length);
  for (const [name, column] of Object.entries(now.columns)) {
    const old = before.columns[name];
    if (!old) return 0;
    // Values of a fixed kind: NaN, "not known", equals itself here.
    for (let i = 0; i < same; i++) if (!Object.is(old[i], column[i])) same = i;
  }
  return same;
}
