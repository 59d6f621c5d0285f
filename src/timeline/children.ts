import { GrowingTable } from './growing.ts';
import { NONE, TABLES, type TableOf } from './tables.ts';

/** Sessions started from a log, in the order they were announced. */
export class Children {
  readonly ids: string[] = [];
  readonly #rows = new GrowingTable(TABLES.children);
  readonly #known = new Map<string, number>();

  add(
    id: string | undefined,
    at: { readonly seq: number; readonly entry: number; readonly call: number; readonly time: number },
  ): void {
    if (id === undefined) return;
    let child = this.#known.get(id);
    if (child === undefined) {
      child = this.ids.push(id) - 1;
      this.#known.set(id, child);
    }
    const i = this.#rows.push();
    const c = this.#rows.columns;
    c.seq[i] = at.seq;
    c.entry[i] = at.entry;
    c.call[i] = at.call;
    c.child[i] = child;
    c.time[i] = at.time;
  }

  /** `moved`: where each row of the calls has moved to. */
  finish(moved: Uint32Array): TableOf<'children'> {
    const { call } = this.#rows.columns;
    for (let i = 0; i < this.#rows.length; i++) call[i] = moved[call[i] ?? NONE] ?? NONE;
    return this.#rows.finish();
  }
}
