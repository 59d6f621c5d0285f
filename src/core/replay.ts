import { BlockAssembler, contentAgrees } from './assemble.ts';
import { rawMessageOf } from './derive.ts';
import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import type { SessionEvent } from './events.ts';
import { equalJson } from './json.ts';
import type { Block, Message, StreamChunk } from './messages.ts';
import { replayOrder, type ReplayItem, type ReplaySource } from './replay-order.ts';
import { SurfaceFold, deriveMessages } from './surface.ts';
import { english } from './text.ts';

/** Where the time of a replay comes from. Both in milliseconds; `wait` ends early, by rejecting, when the signal aborts. */
export interface ReplayClock {
  now(): number;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface ReplayOptions {
  readonly clock: ReplayClock;
  readonly version?: number;
  /** The state to start from is the one after this seq; -1, the default, starts from nothing. */
  readonly after?: number;
  /** Last seq shown; the log's last when absent. */
  readonly until?: number;
  /** Recorded milliseconds per millisecond of the clock; 1 when absent. */
  readonly speed?: number;
  /** Recorded pauses longer than this many milliseconds are cut down to it. */
  readonly longestPause?: number;
  readonly signal?: AbortSignal;
}

/** One thing shown. `at` is its recorded time, held back where the recording clock ran backwards. */
export type ReplayFrame =
  | {
      readonly kind: 'chunk';
      readonly at: number;
      readonly seq: number;
      readonly turn: number;
      readonly step: number;
      readonly chunk: StreamChunk;
      /** The blocks of the attempt so far. */
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: 'event';
      readonly at: number;
      readonly event: SessionEvent;
      /** For an answer with a stream: whether its stored content is what the chunks made. */
      readonly agrees?: boolean;
      /** The model history after this event. Messages are shared between frames; an assembled answer stands in for the stored one. */
      readonly history: () => readonly Message[];
    };

/** What a replay proved. format/fork-resume.md §6. */
export interface ReplayReport {
  /** Answers whose chunks were recorded, and the seqs of those whose stored content differs from them. */
  readonly answers: number;
  readonly disagreeing: readonly number[];
  /** Whether the history as replayed equals the history derived from the log at once. */
  readonly historyAgrees: boolean;
}

/**
 * Shows a log again from the state at a seq: chunks and events in their order, each when its recorded time has come by the given clock,
 * nothing executed. A frame is due a pause after the one before was taken, so whoever stops taking frames pauses the replay. Throws on the
 * first event the surface rules refuse.
 */
export async function* replay(
  events: readonly SessionEvent[],
  options: ReplayOptions,
): AsyncGenerator<ReplayFrame, ReplayReport> {
  const { clock, signal, speed = 1, longestPause = Infinity } = options;
  const { version = SESSION_FORMAT_VERSION, after = -1, until = events.length - 1 } = options;
  const run = new ReplayRun(events, version, after);
  let at = events[after]?.time;
  let shown = clock.now();
  for (const item of replayOrder(events, version, after, until)) {
    signal?.throwIfAborted();
    const due = Math.max(at ?? item.time, item.time);
    const pause = Math.min(due - (at ?? due), longestPause) / speed - (clock.now() - shown);
    if (pause > 0) await clock.wait(pause, signal);
    at = due;
    shown = clock.now();
    yield run.show(item, at);
  }
  return run.report(until);
}

/** The proof of a {@link replay} without the waiting. */
export function verifyReplay(events: readonly SessionEvent[], version: number = SESSION_FORMAT_VERSION): ReplayReport {
  const run = new ReplayRun(events, version, -1);
  for (const item of replayOrder(events, version, -1, events.length - 1)) run.show(item, item.time);
  return run.report(events.length - 1);
}

/** The proof of a log that may hold events the surface rules refuse: they are named and have no effect, as for any reader. */
export interface TolerantReport extends ReplayReport {
  readonly refused: readonly number[];
  /** The history as replayed, and the places in it, from 0, whose message is another one or missing in the history it was compared with. */
  readonly history: readonly Message[];
  readonly differing: readonly number[];
}

/**
 * {@link verifyReplay} in small pieces, for logs too long to hold the thread for: it yields after every chunk and event. `direct` is the
 * history after the last event, derived by other means.
 */
export function* verifyInPieces(
  events: ReplaySource,
  version: number,
  direct: () => readonly Message[],
): Generator<void, TolerantReport> {
  const refused: number[] = [];
  const run = new ReplayRun(events, version, -1, refused);
  for (const item of replayOrder(events, version, -1, events.length - 1)) {
    run.show(item, item.time);
    yield;
  }
  const expected = direct();
  const history = run.historyAt(events.length - 1);
  return { ...run.report(events.length - 1, expected), refused, history, differing: differing(history, expected) };
}

function differing(one: readonly Message[], other: readonly Message[]): number[] {
  const places: number[] = [];
  for (let i = 0; i < Math.max(one.length, other.length); i++) if (!equalJson(one[i], other[i])) places.push(i);
  return places;
}

class ReplayRun {
  readonly #events: ReplaySource;
  readonly #version: number;
  readonly #fold: SurfaceFold;
  /** Events with the assembled content in place of the stored one, by seq. */
  readonly #assembled = new Map<number, SessionEvent>();
  readonly #disagreeing: number[] = [];
  #answers = 0;
  #attempt: Attempt | undefined;
  readonly #refused: number[] | undefined;

  /** Without a list for refused events, the first one is thrown. */
  constructor(events: ReplaySource, version: number, after: number, refused?: number[]) {
    this.#events = events;
    this.#version = version;
    this.#refused = refused;
    this.#fold = new SurfaceFold(version, (seq) => this.#assembled.get(seq) ?? events.at(seq));
    for (let seq = 0; seq <= after; seq++) this.#admit(events.at(seq));
    this.#pickUp(after);
  }

  show(item: ReplayItem, at: number): ReplayFrame {
    const agrees = this.#follow(item);
    if (item.kind === 'chunk') {
      const { seq, turn, step, chunk } = item;
      const own = this.#events.at(seq);
      if (own?.type === 'assistant/chunk') this.#admit(own);
      return { kind: 'chunk', at, seq, turn, step, chunk, blocks: this.#attempt?.assembler.content() ?? [] };
    }
    this.#admit(item.event);
    const { seq } = item.event;
    const history = (): readonly Message[] => this.#fold.messagesAt(seq);
    return { kind: 'event', at, event: item.event, history, ...(agrees === undefined ? {} : { agrees }) };
  }

  report(until: number, direct: readonly Message[] = this.#derived(until)): ReplayReport {
    return {
      answers: this.#answers,
      disagreeing: this.#disagreeing,
      historyAgrees: equalJson(this.historyAt(until), direct),
    };
  }

  historyAt(seq: number): Message[] {
    return this.#fold.messagesAt(seq);
  }

  #derived(until: number): Message[] {
    const events: SessionEvent[] = [];
    for (let seq = 0; seq <= until; seq++) {
      const event = this.#events.at(seq);
      if (event !== undefined) events.push(event);
    }
    return deriveMessages(events, { version: this.#version });
  }

  /** A v0 attempt may be under way at the start: its earlier chunks belong to it, though nobody is shown them. */
  #pickUp(after: number): void {
    let from = after;
    while (from >= 0 && this.#events.at(from)?.type !== 'step/start') from--;
    for (const item of replayOrder(this.#events, this.#version, from, after)) this.#follow(item);
    this.#answers = 0;
    this.#disagreeing.length = 0;
  }

  #admit(event: SessionEvent | undefined): void {
    const problem = event === undefined ? undefined : this.#fold.apply(event);
    if (problem === undefined || event === undefined) return;
    if (this.#refused === undefined) throw new Error(english(problem));
    this.#refused.push(event.seq);
  }

  /** Collects chunks; at an answer, says whether they made it. */
  #follow(item: ReplayItem): boolean | undefined {
    if (item.kind === 'chunk') {
      const { turn, step, chunk } = item;
      if (this.#attempt?.accepts(turn, step) !== true) this.#attempt = new Attempt(turn, step);
      this.#attempt.apply(chunk);
      return undefined;
    }
    const { event } = item;
    switch (event.type) {
      case 'assistant/message':
        return this.#settle(event);
      case 'assistant/attempt':
      case 'llm/retry':
      case 'llm/retry-started':
      case 'step/end':
      case 'turn/end':
        this.#attempt = undefined;
        return undefined;
      default:
        return undefined;
    }
  }

  #settle(event: SessionEvent<'assistant/message'>): boolean | undefined {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    // An answer without a message is reported on reading; there is nothing its chunks could agree with.
    if (rawMessageOf(event) === undefined) return undefined;
    const { turn, step, message, interrupted } = event.data;
    if (attempt === undefined || attempt.turn !== turn || attempt.step !== step) return undefined;
    this.#answers++;
    const agrees = contentAgrees(message.content, attempt.assembler, interrupted === true);
    if (!agrees) this.#disagreeing.push(event.seq);
    if (agrees && interrupted !== true) {
      const content = attempt.assembler.content();
      this.#assembled.set(event.seq, { ...event, data: { ...event.data, message: { ...message, content } } });
    }
    return agrees;
  }
}

/** The chunks of one model call. A chunk after its finish begins the next. format/migrations.md §2. */
class Attempt {
  readonly turn: number;
  readonly step: number;
  readonly assembler = new BlockAssembler();
  #finished = false;

  constructor(turn: number, step: number) {
    this.turn = turn;
    this.step = step;
  }

  accepts(turn: number, step: number): boolean {
    return !this.#finished && this.turn === turn && this.step === step;
  }

  apply(chunk: StreamChunk): void {
    this.assembler.apply(chunk);
    if (chunk.type === 'finish') this.#finished = true;
  }
}
