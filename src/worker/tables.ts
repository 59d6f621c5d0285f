import { Transfer, type TableChunk } from '../protocol/index.ts';
import type { TableName } from '../timeline/index.ts';
import type { LoadedLog } from './loaded.ts';

/** A range of a table as exactly sized buffers of its own, which move to the asker. */
export function tableChunk(loaded: LoadedLog, table: TableName, from: number, to: number): Transfer<TableChunk> {
  const { length, columns } = loaded.timeline.tables[table];
  const first = Math.min(from, length);
  const end = Math.min(Math.max(to, first), length);
  const buffers: ArrayBuffer[] = [];
  const copies: Record<string, ArrayBuffer> = {};
  for (const [name, column] of Object.entries(columns)) {
    const copy = column.slice(first, end).buffer;
    copies[name] = copy;
    buffers.push(copy);
  }
  return new Transfer({ generation: loaded.generation, table, from: first, to: end, columns: copies }, buffers);
}
