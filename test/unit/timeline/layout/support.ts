import {
  TABLES,
  type ColumnArray,
  type ColumnKind,
  type Schema,
  type Table,
  type TableName,
  type TableOf,
} from '../../../../src/timeline/index.ts';

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** A table written out row by row; columns left out are 0. */
export function tableOf<N extends TableName>(
  name: N,
  rows: readonly Partial<Record<keyof (typeof TABLES)[N], number>>[],
): TableOf<N> {
  const schema: Schema = TABLES[name];
  const columns: Record<string, ColumnArray<ColumnKind>> = {};
  for (const [column, kind] of Object.entries(schema)) {
    columns[column] = arrays[kind].from(rows.map((row) => (row as Record<string, number>)[column] ?? 0));
  }
  return { length: rows.length, columns } as Table<Schema> as unknown as TableOf<N>; // built from that table's own schema
}
