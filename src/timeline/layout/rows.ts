/**
 * The rows of the list as arrays: turn heads, step heads and entries in log order, without one object per row. A row is a
 * code: kind in the upper two bits, index into its table below.
 */
import { ENTRY_FLAG, NONE, type TableOf } from '../tables.ts';

export const ROW = { turn: 0, step: 1, entry: 2 } as const;

export interface RowTables {
  readonly entries: TableOf<'entries'>;
  readonly turns: TableOf<'turns'>;
  readonly steps: TableOf<'steps'>;
}

export interface RowList {
  readonly length: number;
  readonly codes: Uint32Array;
  /** Row of the group head above, NONE at the top level. */
  readonly parent: Uint32Array;
  /** 1-based place among its siblings, and how many there are. */
  readonly position: Uint32Array;
  readonly setSize: Uint32Array;
  /** Row that shows an entry: its own, else that of the group it is folded into; NONE when filtered out. */
  readonly rowOfEntry: Uint32Array;
}

export interface RowOptions {
  readonly isTurnFolded: (turn: number) => boolean;
  readonly isStepFolded: (step: number) => boolean;
  /** Entries to keep; group heads stay while anything in them is kept. Absent: all. */
  readonly keep?: (entry: number) => boolean;
}

const indexMask = 0x3fffffff;
export const rowKind = (code: number): number => code >>> 30;
export const rowIndex = (code: number): number => code & indexMask;
const codeOf = (kind: number, index: number): number => ((kind << 30) | index) >>> 0;

export function buildRows({ entries, turns, steps }: RowTables, options: RowOptions): RowList {
  const capacity = entries.length + turns.length + steps.length;
  const codes = new Uint32Array(capacity);
  const parent = new Uint32Array(capacity);
  const rowOfEntry = new Uint32Array(entries.length).fill(NONE);
  const { turn: turnOf, step: stepOf, flags } = entries.columns;
  let length = 0;
  let turn = NONE;
  let step = NONE;
  let turnRow = NONE;
  let stepRow = NONE;
  const push = (kind: number, index: number, under: number): number => {
    codes[length] = codeOf(kind, index);
    parent[length] = under;
    return length++;
  };
  for (let e = 0; e < entries.length; e++) {
    if (options.keep && !options.keep(e)) continue;
    const t = turnOf[e]!;
    const s = stepOf[e]!;
    if (t !== turn) {
      turn = t;
      turnRow = t === NONE ? NONE : push(ROW.turn, t, NONE);
      step = NONE;
      stepRow = NONE;
    }
    const turnFolded = turnRow !== NONE && options.isTurnFolded(t);
    if (turnFolded) {
      rowOfEntry[e] = turnRow;
      continue;
    }
    if (s === NONE) stepRow = NONE;
    else if (s !== step) {
      step = s;
      stepRow = push(ROW.step, s, turnRow);
    } else if (stepRow === NONE) stepRow = lastStepRow(codes, length, s);
    if ((flags[e]! & ENTRY_FLAG.headOf) !== 0 && (stepRow !== NONE || turnRow !== NONE)) {
      rowOfEntry[e] = stepRow !== NONE ? stepRow : turnRow;
    } else if (stepRow !== NONE && options.isStepFolded(s)) {
      rowOfEntry[e] = stepRow;
    } else {
      rowOfEntry[e] = push(ROW.entry, e, stepRow !== NONE ? stepRow : turnRow);
    }
  }
  return { length, codes: codes.slice(0, length), parent: parent.slice(0, length), rowOfEntry, ...siblings(parent, length) };
}

/** A step that is come back to after entries outside of it keeps its one head. */
function lastStepRow(codes: Uint32Array, length: number, step: number): number {
  const code = codeOf(ROW.step, step);
  for (let i = length - 1; i >= 0; i--) if (codes[i] === code) return i;
  return NONE;
}

function siblings(parent: Uint32Array, length: number): Pick<RowList, 'position' | 'setSize'> {
  const position = new Uint32Array(length);
  const setSize = new Uint32Array(length);
  const children = new Uint32Array(length + 1); // the last one counts the top level
  const slot = (row: number): number => (parent[row] === NONE ? length : parent[row]!);
  for (let i = 0; i < length; i++) position[i] = ++children[slot(i)]!;
  for (let i = 0; i < length; i++) setSize[i] = children[slot(i)]!;
  return { position, setSize };
}

/** Level of a row, from 1. */
export function rowLevel(rows: RowList, row: number): number {
  let level = 1;
  for (let at = rows.parent[row]!; at !== NONE; at = rows.parent[at]!) level++;
  return level;
}

/** Index of the entry that holds a seq; NONE outside. */
export function entryOfSeq(entries: TableOf<'entries'>, seq: number): number {
  const { seq: first, count } = entries.columns;
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (first[middle]! <= seq) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  return at >= 0 && seq < first[at]! + Math.max(1, count[at]!) ? at : NONE;
}
