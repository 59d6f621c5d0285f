/** The time of a replay: when its points are due, where the playhead is, and where the next step leads. Pure; the clock is handed in. */
import { upperBound } from './axis.ts';

/** Longest pause between two points, ms at 1×: what took longer is cut down to it. */
const longestGap = 1500;

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32] as const;

export interface Schedule {
  /** When each point is due, ms from the first one at 1×; ascending. */
  readonly due: Float64Array;
  /** Recorded time of each point, epoch ms, held back where the recording clock ran backwards. */
  readonly at: Float64Array;
}

/** `time`: epoch ms as recorded; a time that is no number counts as the one before. */
export function scheduleOf(time: Float64Array, longestPause = longestGap): Schedule {
  const due = new Float64Array(time.length);
  const at = new Float64Array(time.length);
  let held = NaN;
  let passed = 0;
  for (let i = 0; i < time.length; i++) {
    const own = time[i]!;
    if (Number.isNaN(held)) held = own;
    else if (own > held) {
      passed += Math.min(own - held, longestPause);
      held = own;
    }
    due[i] = passed;
    at[i] = held;
  }
  return { due, at };
}

/** The last point due at an offset; the first one before anything is due. */
export const pointAt = (due: Float64Array, offset: number): number => Math.max(0, upperBound(due, offset) - 1);

export type StepUnit = 'event' | 'group' | 'step';

/** Bits of POINT in the protocol, which this layer does not import. */
export interface PointBits {
  readonly chunk: number;
  readonly group: number;
  readonly step: number;
}

/** Point one event, chunk group or step further on or back; the last or first one where there is none. */
export function stepFrom(kind: Uint8Array, bits: PointBits, at: number, unit: StepUnit, direction: 1 | -1): number {
  for (let i = at + direction; i >= 0 && i < kind.length; i += direction) {
    const own = kind[i]!;
    const isEvent = (own & bits.chunk) === 0;
    if (unit === 'step' ? (own & bits.step) !== 0 : isEvent || (unit === 'group' && (own & bits.group) !== 0)) return i;
  }
  return direction === 1 ? Math.max(0, kind.length - 1) : 0;
}

/** Points looked at on either side of an event for the stream that it came into. */
const streamSearch = 256;

/** Columns of a replay's points, see ReplayPoints in the protocol. */
interface PointColumns {
  readonly seq: Uint32Array;
  readonly landed: Uint32Array;
  readonly kind: Uint8Array;
}

/** The last chunk shown at a point while its stream is under way, also where another event comes in between; -1 when none is. */
export function runningChunk({ seq, landed, kind }: PointColumns, bits: PointBits, at: number): number {
  const isChunk = (i: number): boolean => (kind[i]! & bits.chunk) !== 0;
  if (at < 0 || at >= kind.length) return -1;
  if (isChunk(at)) return at;
  let before = at;
  while (before >= 0 && at - before < streamSearch && !isChunk(before)) before--;
  // Chunks that are events of their own are in the log at once, and an event between them ends their row.
  if (before < 0 || !isChunk(before) || landed[before] === seq[before]) return -1;
  let after = at;
  while (after < kind.length && after - at < streamSearch && !isChunk(after)) after++;
  return after < kind.length && isChunk(after) && seq[after] === seq[before] ? before : -1;
}

/** A playhead that moves with a given clock. Offsets in ms of the replay at 1×. */
export class PlayClock {
  readonly #now: () => number;
  #length = 0;
  #offset = 0;
  #speed = 1;
  #since: number | undefined;

  /** `now` in ms, from any start. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isPlaying(): boolean {
    return this.#since !== undefined;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Where the playhead is; never past the end. */
  get offset(): number {
    if (this.#since === undefined) return this.#offset;
    return Math.min(this.#length, this.#offset + Math.max(0, this.#now() - this.#since) * this.#speed);
  }

  get isAtEnd(): boolean {
    return this.offset >= this.#length;
  }

  setLength(length: number): void {
    this.#length = length;
    this.seek(Math.min(this.offset, length));
  }

  play(): void {
    this.#since ??= this.#now();
  }

  pause(): void {
    this.#offset = this.offset;
    this.#since = undefined;
  }

  seek(offset: number): void {
    this.#offset = Math.min(this.#length, Math.max(0, offset));
    if (this.#since !== undefined) this.#since = this.#now();
  }

  setSpeed(speed: number): void {
    this.seek(this.offset);
    this.#speed = speed;
  }
}
