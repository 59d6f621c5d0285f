import { isPlaced } from './assemble.ts';
import { expandStream, streamProblem } from './codec/stream-records.ts';
import { dialectOf } from './dialects/dialect.ts';
import type { SessionEvent } from './events.ts';
import { isRecord } from './json.ts';
import type { AssistantStreamRecord, StreamChunk, TimedChunk } from './messages.ts';

/** What a replay shows next. `seq` of a chunk: its own event (v0, v1), or the answer or attempt that stores it (v2+). */
export type ReplayItem =
  | { readonly kind: 'event'; readonly time: number; readonly event: SessionEvent }
  | {
      readonly kind: 'chunk';
      readonly time: number;
      readonly seq: number;
      readonly turn: number;
      readonly step: number;
      readonly chunk: StreamChunk;
    };

/** Events by their dense seq, an array or something that makes them when asked. `at` is never called with a negative seq. */
export interface ReplaySource {
  readonly length: number;
  at(seq: number): SessionEvent | undefined;
}

/** What can only be logged while no stream is running: the chunks of an answer came after the last of these. */
const BETWEEN_STREAMS: ReadonlySet<string> = new Set([
  'step/start',
  'request/header',
  'request/context',
  'user/message',
  'system/message',
  'developer/message',
  'assistant/message',
  'assistant/attempt',
  'tool/call',
  'tool/result',
  'llm/retry',
  'llm/retry-started',
]);

type Settled = SessionEvent<'assistant/message'> | SessionEvent<'assistant/attempt'>;

/**
 * Events after `after` up to `until`, chunks among them, in the order they happened: events by seq, the chunks of an embedded stream
 * between the request and the event that stores them, earlier than what was logged later. Times are as recorded and may run backwards.
 */
export function* replayOrder(events: ReplaySource, version: number, after: number, until: number): Generator<ReplayItem, void> {
  const embedded = dialectOf(version).embeddedStreams;
  let running: Running | undefined;
  for (let seq = after + 1; seq <= until; seq++) {
    const event = events.at(seq);
    if (event === undefined) return;
    const data: unknown = event.data;
    // A chunk that is none is an event like any other.
    if (event.type === 'assistant/chunk' && isRecord(data) && isPlaced(data['chunk'])) {
      const { turn, step, chunk } = event.data;
      yield { kind: 'chunk', time: event.time, seq, turn, step, chunk };
      continue;
    }
    const isBetween = BETWEEN_STREAMS.has(event.type);
    // A replay may start while a stream runs.
    if (embedded && seq === after + 1) running = nextStream(events, seq, until);
    if (isSettled(event)) yield* (running ?? streamOf(event)).rest();
    else if (!isBetween && running !== undefined) yield* running.before(event.time);
    yield { kind: 'event', time: event.time, event };
    if (embedded && isBetween) running = nextStream(events, seq + 1, until);
  }
}

/** The stream whose settling event comes next, before anything that ends or precedes a stream. */
function nextStream(events: ReplaySource, from: number, until: number): Running | undefined {
  for (let seq = from; seq <= until; seq++) {
    const event = events.at(seq);
    if (event === undefined || event.type === 'step/end') return undefined;
    if (isSettled(event)) return streamOf(event);
    if (BETWEEN_STREAMS.has(event.type)) return undefined;
  }
  return undefined;
}

function isSettled(event: SessionEvent): event is Settled {
  return event.type === 'assistant/message' || event.type === 'assistant/attempt';
}

function streamOf(event: Settled): Running {
  const data: unknown = event.data;
  const stream = isRecord(data) ? data['stream'] : undefined;
  // A malformed stream is reported on reading; nothing of it can be told apart.
  if (streamProblem(stream) !== undefined) return new Running(event, []);
  return new Running(
    event,
    expandStream(stream as readonly AssistantStreamRecord[]).filter(({ chunk }) => isPlaced(chunk)),
  );
}

/** A stream being shown, chunk by chunk. */
class Running {
  readonly #event: Settled;
  readonly #chunks: readonly TimedChunk[];
  #next = 0;

  constructor(event: Settled, chunks: readonly TimedChunk[]) {
    this.#event = event;
    this.#chunks = chunks;
  }

  *before(time: number): Generator<ReplayItem, void> {
    for (let next = this.#chunks[this.#next]; next !== undefined && next.time < time; next = this.#chunks[this.#next]) {
      yield this.#take(next);
    }
  }

  *rest(): Generator<ReplayItem, void> {
    for (let next = this.#chunks[this.#next]; next !== undefined; next = this.#chunks[this.#next]) yield this.#take(next);
  }

  #take({ time, chunk }: TimedChunk): ReplayItem {
    this.#next++;
    const { seq, data } = this.#event;
    return { kind: 'chunk', time, seq, turn: data.turn, step: data.step, chunk };
  }
}
