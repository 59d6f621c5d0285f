import { familyOf } from './event-kinds.ts';
import { GrowingTable } from './growing.ts';
import { LONGEST_NAME, NONE, TABLES } from './tables.ts';

/** What stands for a type that is no text, and for all beyond the ones a column can number. */
const UNNAMED = '?';
const MOST_TYPES = 2 ** 16;

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

  /** `type` is what the log has in its place: it may be of any length, or no text at all. */
  push(type: unknown, seq: number, time: number, flags: number, place: { readonly turn: number; readonly step: number }): number {
    const id = this.#typeId(typeof type === 'string' ? type.slice(0, LONGEST_NAME) : UNNAMED);
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

  #typeId(type: string): number {
    const known = this.#typeIds.get(type);
    if (known !== undefined) return known;
    if (this.types.length === MOST_TYPES - 1 && type !== UNNAMED) return this.#typeId(UNNAMED);
    const id = this.types.push(type) - 1;
    this.#typeIds.set(type, id);
    this.#families.push(familyOf(type, this.#version));
    return id;
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
