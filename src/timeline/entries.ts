import { familyOf } from './event-kinds.ts';
import { GrowingTable } from './growing.ts';
import { NONE, TABLES } from './tables.ts';

/** The list entries of a log, with their types, and the pairing of a first half with its second. */
export class Entries {
  readonly rows = new GrowingTable(TABLES.entries);
  readonly types: string[] = [];
  readonly #version: number;
  readonly #typeIds = new Map<string, number>();
  readonly #families: number[] = [];
  readonly #halves = new Map<string, number>(); // kind and id of an open first half -> entry

  constructor(version: number) {
    this.#version = version;
  }

  push(type: string, seq: number, time: number, flags: number, place: { readonly turn: number; readonly step: number }): number {
    let id = this.#typeIds.get(type);
    if (id === undefined) {
      id = this.types.push(type) - 1;
      this.#typeIds.set(type, id);
      this.#families.push(familyOf(type, this.#version));
    }
    const i = this.rows.push();
    const c = this.rows.columns;
    c.seq[i] = seq;
    c.count[i] = 1;
    c.time[i] = time;
    c.duration[i] = NaN;
    c.type[i] = id;
    c.family[i] = this.#families[id] ?? 0;
    c.turn[i] = place.turn;
    c.step[i] = place.step;
    c.shadowedBy[i] = NONE;
    c.pair[i] = NONE;
    c.flags[i] = flags;
    return i;
  }

  flag(entry: number, flag: number): void {
    this.rows.columns.flags[entry] = (this.rows.columns.flags[entry] ?? 0) | flag;
  }

  /** A question, command or bracket that something later answers, by its id. */
  first(kind: string, id: unknown, entry: number): void {
    if (typeof id === 'string') this.#halves.set(`${kind} ${id}`, entry);
  }

  /** The answer: paired with the open first half of that id, whose duration it ends. */
  second(kind: string, id: unknown, entry: number): void {
    if (typeof id !== 'string') return;
    const first = this.#halves.get(`${kind} ${id}`);
    if (first === undefined) return;
    this.#halves.delete(`${kind} ${id}`);
    const { time } = this.rows.columns;
    this.pair(first, entry, (time[entry] ?? NaN) - (time[first] ?? NaN));
  }

  pair(first: number, second: number, duration: number): void {
    const c = this.rows.columns;
    c.pair[first] = second;
    c.pair[second] = first;
    c.duration[first] = duration;
  }
}
