import { dialectOf, replayOrder, type ReplayItem, type ReplaySource } from '../../core/index.ts';
import { POINT, RpcError, Transfer, type ReplayPoints } from '../../protocol/index.ts';
import { NONE, timeOf } from '../../timeline/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { Slices } from './slices.ts';

/** The points of a log in columns, see ReplayPoints; `chunk`: which chunk of its stream a point shows, from 0. */
export interface ReplayPlan {
  readonly length: number;
  readonly seq: Uint32Array;
  readonly landed: Uint32Array;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
  readonly chunk: Uint32Array;
}

const plans = new WeakMap<LoadedLog, ReplayPlan>();

/** Points a call may ask for: about 1 MB. */
const POINTS_PER_CALL = 60_000;

/** The events that can be derived: all before the one that stops it, none without a header we interpret. */
export function playable(loaded: LoadedLog): ReplaySource {
  const { log } = loaded;
  const stop = log.refusal === undefined ? log.eventCount : (log.refusal.seq ?? 0);
  return { length: Math.min(stop, log.eventCount), at: (seq) => log.viewAt(seq) };
}

export async function planOf(loaded: LoadedLog, signal: AbortSignal): Promise<ReplayPlan> {
  const made = plans.get(loaded);
  if (made !== undefined) return made;
  const events = playable(loaded);
  // A version that is not known has no dialect, and nothing to play.
  const plan = events.length === 0 ? new PlanBuilder(false).finish() : await buildPlan(events, loaded.version, signal);
  plans.set(loaded, plan);
  return plan;
}

async function buildPlan(events: ReplaySource, version: number, signal: AbortSignal): Promise<ReplayPlan> {
  const slices = new Slices(signal);
  const builder = new PlanBuilder(dialectOf(version).embeddedStreams);
  for (const item of replayOrder(events, version, -1, events.length - 1)) {
    builder.add(item);
    if (slices.isOver) await slices.pause();
  }
  return builder.finish();
}

export async function replayPoints(
  loaded: LoadedLog,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Transfer<ReplayPoints>> {
  if (to - from > POINTS_PER_CALL) throw new RpcError('bad-request', `more than ${POINTS_PER_CALL} points at once`);
  const plan = await planOf(loaded, signal);
  const first = Math.min(from, plan.length);
  const end = Math.min(to, plan.length);
  const seq = plan.seq.slice(first, end).buffer;
  const landed = plan.landed.slice(first, end).buffer;
  const time = plan.time.slice(first, end).buffer;
  const kind = plan.kind.slice(first, end).buffer;
  const { generation } = loaded;
  return new Transfer({ generation, total: plan.length, from: first, to: end, seq, landed, time, kind }, [
    seq,
    landed,
    time,
    kind,
  ]);
}

/** Columns that grow as the points come. */
class PlanBuilder {
  readonly #embedded: boolean;
  #length = 0;
  #seq = new Uint32Array(1024);
  #landed = new Uint32Array(1024);
  #time = new Float64Array(1024);
  #kind = new Uint8Array(1024);
  #chunk = new Uint32Array(1024);
  #last = NONE;
  /** Block of the chunk before; undefined after an event. */
  #block: string | undefined;
  #stream = NONE;
  #chunks = 0;

  constructor(embedded: boolean) {
    this.#embedded = embedded;
  }

  add(item: ReplayItem): void {
    if (this.#length === this.#seq.length) this.#grow();
    const at = this.#length++;
    const isChunk = item.kind === 'chunk';
    const seq = isChunk ? item.seq : item.event.seq;
    // A chunk stored with its answer is shown before that answer is in the log.
    if (!isChunk || !this.#embedded) this.#last = seq;
    this.#seq[at] = seq;
    this.#landed[at] = this.#last;
    this.#time[at] = timeOf(item.time);
    if (!isChunk) {
      this.#kind[at] = item.event.type === 'step/start' ? POINT.step : 0;
      this.#block = undefined;
      return;
    }
    const { chunk } = item;
    const block = 'index' in chunk ? String(chunk.index) : chunk.type;
    this.#kind[at] = POINT.chunk | (block === this.#block ? 0 : POINT.group);
    this.#block = block;
    if (this.#stream !== seq) this.#chunks = 0;
    this.#stream = seq;
    this.#chunk[at] = this.#chunks++;
  }

  finish(): ReplayPlan {
    const length = this.#length;
    return {
      length,
      seq: this.#seq.slice(0, length),
      landed: this.#landed.slice(0, length),
      time: this.#time.slice(0, length),
      kind: this.#kind.slice(0, length),
      chunk: this.#chunk.slice(0, length),
    };
  }

  #grow(): void {
    const size = this.#length * 2;
    const seq = new Uint32Array(size);
    seq.set(this.#seq);
    const landed = new Uint32Array(size);
    landed.set(this.#landed);
    const time = new Float64Array(size);
    time.set(this.#time);
    const kind = new Uint8Array(size);
    kind.set(this.#kind);
    const chunk = new Uint32Array(size);
    chunk.set(this.#chunk);
    [this.#seq, this.#landed, this.#time, this.#kind, this.#chunk] = [seq, landed, time, kind, chunk];
  }
}
