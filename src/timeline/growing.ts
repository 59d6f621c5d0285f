import type { ColumnArray, ColumnKind, Schema, Table } from './tables.ts';

const FIRST_CAPACITY = 64;

function allocate(kind: ColumnKind, length: number): Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array {
  switch (kind) {
    case 'u8':
      return new Uint8Array(length);
    case 'u16':
      return new Uint16Array(length);
    case 'u32':
      return new Uint32Array(length);
    case 'f32':
      return new Float32Array(length);
    case 'f64':
      return new Float64Array(length);
  }
}

/** A table while it is being filled: columns double when full. Write through `columns`, which `push` may replace. */
export class GrowingTable<S extends Schema> {
  length = 0;
  columns: { readonly [K in keyof S]: ColumnArray<S[K]> };
  readonly #schema: S;
  #capacity = FIRST_CAPACITY;

  constructor(schema: S) {
    this.#schema = schema;
    this.columns = this.#columns(FIRST_CAPACITY);
  }

  /** Index of a new row, all zero. */
  push(): number {
    if (this.length === this.#capacity) {
      this.#capacity *= 2;
      this.columns = this.#columns(this.#capacity, this.columns);
    }
    return this.length++;
  }

  /** The rows in exactly sized arrays of their own, in the given order (all of them, once each) or as they are. */
  finish(order?: Uint32Array): Table<S> {
    const names = Object.keys(this.#schema);
    const from = this.columns as Readonly<Record<string, ColumnArray<ColumnKind>>>; // by name, as the schema has them
    const columns: Record<string, unknown> = {};
    for (const name of names) {
      const column = from[name];
      if (!column) continue;
      if (!order) {
        columns[name] = column.slice(0, this.length);
        continue;
      }
      const sorted = allocate(this.#schema[name] ?? 'u32', order.length);
      for (let i = 0; i < order.length; i++) sorted[i] = column[order[i] ?? 0] ?? 0;
      columns[name] = sorted;
    }
    return { length: this.length, columns: columns as Table<S>['columns'] }; // every name of the schema was filled above
  }

  #columns(capacity: number, old?: object): { readonly [K in keyof S]: ColumnArray<S[K]> } {
    const columns: Record<string, unknown> = {};
    for (const [name, kind] of Object.entries(this.#schema)) {
      const column = allocate(kind, capacity);
      const before = (old as Readonly<Record<string, ColumnArray<ColumnKind>>> | undefined)?.[name];
      if (before) column.set(before);
      columns[name] = column;
    }
    return columns as { readonly [K in keyof S]: ColumnArray<S[K]> }; // one array of its kind per name
  }
}
