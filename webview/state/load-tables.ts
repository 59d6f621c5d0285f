/** Pulls the timeline's tables in pieces of about 1 MB and puts them together (design.md §3). */
import { RpcError, type SessionOverview, type TableChunk } from '../../src/protocol/index.ts';
import { TABLES, type ColumnKind, type TableName, type TimelineTables } from '../../src/timeline/index.ts';
import type { SessionClient } from '../api/session-client.ts';

const pieceBytes = 1_000_000;
const bytesOf: Readonly<Record<ColumnKind, number>> = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 };
const arrayOf = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array } as const;

type AnyArray = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;
interface AnyTable {
  readonly length: number;
  readonly columns: Record<string, AnyArray>;
}

const tableNames = Object.keys(TABLES) as readonly TableName[]; // the keys of a constant

function emptyTable(name: TableName, length: number): AnyTable {
  const columns: Record<string, AnyArray> = {};
  for (const [column, kind] of Object.entries(TABLES[name])) columns[column] = new arrayOf[kind](length);
  return { length, columns };
}

/** What the view has already: the tables of a generation. */
export interface KnownTables {
  readonly generation: number;
  readonly tables: TimelineTables;
}

/** Asks for what is not known: of a log that has only grown, that is what was appended. */
export async function loadTables(
  client: SessionClient,
  overview: SessionOverview,
  signal: AbortSignal,
  known?: KnownTables,
): Promise<TimelineTables> {
  const tables: Partial<Record<TableName, AnyTable>> = {};
  await Promise.all(
    tableNames.map(async (name) => {
      const kept = known !== undefined && known.generation === overview.since?.generation ? overview.since.rows[name] : 0;
      tables[name] = await loadTable(client, overview, name, signal, { rows: kept, table: known?.tables[name] });
    }),
  );
  return tables as unknown as TimelineTables; // every name was filled with the columns of its own schema
}

async function loadTable(
  client: SessionClient,
  overview: SessionOverview,
  table: TableName,
  signal: AbortSignal,
  kept: { readonly rows: number; readonly table: AnyTable | undefined },
): Promise<AnyTable> {
  const length = overview.tables[table];
  const whole = emptyTable(table, length);
  const first = Math.min(kept.rows, kept.table?.length ?? 0, length);
  for (const [name, column] of Object.entries(kept.table?.columns ?? {})) whole.columns[name]?.set(column.subarray(0, first));
  let rowBytes = 0;
  for (const kind of Object.values(TABLES[table])) rowBytes += bytesOf[kind];
  const rows = Math.max(1, Math.floor(pieceBytes / rowBytes));
  for (let from = first; from < length; from += rows) {
    const to = Math.min(length, from + rows);
    const chunk = await client.call('table', { generation: overview.generation, table, from, to }, signal);
    if (chunk.generation !== overview.generation) throw new RpcError('stale', `${table} is of another generation`);
    copyPiece(whole, chunk, from, to);
  }
  return whole;
}

function copyPiece(whole: AnyTable, chunk: TableChunk, from: number, to: number): void {
  for (const [name, kind] of Object.entries(TABLES[chunk.table])) {
    const buffer = chunk.columns[name];
    if (buffer?.byteLength !== (to - from) * bytesOf[kind]) {
      throw new RpcError('failed', `${chunk.table}.${name} has ${String(buffer?.byteLength)} bytes for rows ${from} to ${to}`);
    }
    whole.columns[name]!.set(new arrayOf[kind](buffer), from);
  }
}
