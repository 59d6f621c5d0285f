import { packStream } from '../codec/stream-records.ts';
import type { SessionHeader, StoredEvent } from '../events.ts';
import { seedCount } from '../cut.ts';
import { isRecord, isSeq, type UnknownRecord } from '../json.ts';
import type { StreamChunk, TimedChunk } from '../messages.ts';
import { text } from '../text.ts';
import { SeqMap, refuse, type Edge, type Sink } from './edge.ts';
import { migratedHeader } from './header.ts';
import { InterruptedTurn } from './interrupted-turn.ts';
import { remapReferences } from './remap.ts';

/** An event on its way out. `inserted`: it has no source event of its own, so no seq maps to it. */
interface Outgoing {
  readonly event: StoredEvent;
  readonly origin: number;
  readonly inserted: boolean;
}

/** Chunks of one model attempt that nothing has settled yet. */
interface Attempt {
  readonly turn: unknown;
  readonly step: unknown;
  readonly chunks: TimedChunk[];
  readonly seqs: number[];
  finished: boolean;
  /** The fork cut came after its first chunk: it may still end as an attempt, but take no more events. */
  crossedCut: boolean;
}

const SETTLING: ReadonlySet<string> = new Set(['llm/retry', 'llm/retry-started', 'step/end', 'turn/end']);

/** v1 → v2: chunks move into the answer or attempt they belong to, the cut becomes a tagged marker. format/migrations.md §2. */
export class V1ToV2 implements Edge {
  readonly from = 1;
  readonly header: SessionHeader;
  readonly seqs = new SeqMap();
  readonly #sink: Sink;
  readonly #cut: number | undefined;
  readonly #turns = new InterruptedTurn();
  #attempt: Attempt | undefined;
  /** Events after the last chunk of the open attempt: they follow it if it ends as an attempt of its own. */
  #held: Outgoing[] = [];
  #next = 0;
  #sourceCount = 0;
  #lastTime: number;
  #marker: number | undefined;

  constructor(header: SessionHeader, sink: Sink) {
    this.#sink = sink;
    this.#cut = seedCount(header);
    this.#lastTime = header.createdAt;
    this.header = migratedHeader(header);
  }

  get inheritedEventCount(): number {
    return this.#marker ?? 0;
  }

  push(event: StoredEvent): void {
    this.#sourceCount = event.seq + 1;
    this.#lastTime = event.time;
    if (event.seq === this.#cut) {
      if (this.#attempt !== undefined) this.#attempt.crossedCut = true;
      if (event.type === 'session/end-seed') {
        this.#hold({ event: { ...event, data: { inherited: true } }, origin: event.seq, inserted: false });
        return;
      }
      this.#hold(this.#newMarker(event.time, event.seq));
    }
    if (event.type === 'assistant/chunk') this.#chunk(event);
    else if (event.type === 'assistant/message') this.#answer(event);
    else {
      if (SETTLING.has(event.type)) this.#settleAttempt();
      this.#hold({ event, origin: event.seq, inserted: false });
    }
  }

  finish(): void {
    this.#settleAttempt();
    if (this.#cut !== this.#sourceCount) return;
    this.#emit(this.#newMarker(this.#lastTime, Math.max(0, this.#sourceCount - 1)));
  }

  #newMarker(time: number, origin: number): Outgoing {
    return { event: { type: 'session/end-seed', seq: origin, time, data: { inherited: true } }, origin, inserted: true };
  }

  #chunk(event: StoredEvent): void {
    const data = isRecord(event.data) ? event.data : {};
    const chunk = data['chunk'];
    const open = this.#attempt;
    if (open === undefined || open.finished || open.turn !== data['turn'] || open.step !== data['step']) {
      this.#settleAttempt();
      this.#attempt = {
        turn: data['turn'],
        step: data['step'],
        chunks: [],
        seqs: [],
        finished: false,
        crossedCut: false,
      };
    } else {
      this.#refuseSplit(open, event.seq);
      this.#flushHeld();
    }
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    // The payload check has seen a record with a type; a stream keeps whatever else it holds.
    attempt.chunks.push({ time: event.time, chunk: chunk as StreamChunk });
    attempt.seqs.push(event.seq);
    attempt.finished = isRecord(chunk) && chunk['type'] === 'finish';
  }

  #answer(event: StoredEvent): void {
    const data = isRecord(event.data) ? event.data : {};
    const attempt = this.#attempt;
    const owns = attempt !== undefined && attempt.turn === data['turn'] && attempt.step === data['step'];
    if (!owns) this.#settleAttempt();
    const cited: unknown = event.sourceEventSeqs ?? [];
    const seqs = owns ? attempt.seqs : [];
    if (!sameSeqs(cited, seqs)) {
      const sentence =
        Array.isArray(cited) && cited.length === 0
          ? text('The answer at #{seq} cites no sources, though its step has chunks before it', { seq: event.seq })
          : text('The sources of the answer at #{seq} are not exactly the chunks of its attempt', { seq: event.seq });
      refuse(1, event.seq, sentence);
    }
    if (owns) this.#refuseSplit(attempt, event.seq);
    const stream = packStream(owns ? attempt.chunks : []);
    this.#attempt = undefined;
    this.#flushHeld();
    const { sourceEventSeqs: _dropped, ...envelope } = event;
    this.#emit({ event: { ...envelope, data: { ...data, stream } }, origin: event.seq, inserted: false });
  }

  /** Ends the open attempt as an event of its own, at the place and time of its last chunk; what was held follows. */
  #settleAttempt(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    const last = attempt?.chunks.at(-1);
    if (attempt !== undefined && last !== undefined) {
      const data = { turn: attempt.turn, step: attempt.step, stream: packStream(attempt.chunks) };
      const origin = attempt.seqs.at(-1) ?? 0;
      this.#emit({ event: { type: 'assistant/attempt', seq: origin, time: last.time, data }, origin, inserted: true });
    }
    this.#flushHeld();
  }

  #refuseSplit(attempt: Attempt, seq: number): void {
    if (attempt.crossedCut) refuse(1, seq, text('The cut of the fork divides the model attempt that goes on at #{seq}', { seq }));
  }

  #hold(item: Outgoing): void {
    if (this.#attempt === undefined) this.#emit(item);
    else this.#held.push(item);
  }

  #flushHeld(): void {
    const held = this.#held;
    if (held.length === 0) return;
    this.#held = [];
    for (const item of held) this.#emit(item);
  }

  #emit(item: Outgoing): void {
    const { event, origin } = item;
    const left = this.#turns.before(event);
    if (left !== undefined) this.#write(interruptedTurnEnd(left, event.time), origin);
    const change = goalChangeOf(event);
    if (change !== undefined) {
      this.#write({ type: 'goal/change', seq: origin, time: event.time, data: change }, origin);
    }
    const moved = remapReferences(change === undefined ? event : withoutGoalChange(event), this.seqs, 1);
    if (!item.inserted) this.seqs.set(origin, this.#next);
    if (isTagged(event) && (item.inserted || origin === this.#cut)) this.#marker = this.#next;
    this.#write(moved, origin);
  }

  #write(event: StoredEvent, origin: number): void {
    const seq = this.#next++;
    this.#sink(event.seq === seq ? event : { ...event, seq }, origin);
  }
}

/** The event that closes a turn a crash left open. `seq` is set where it is written. */
export function interruptedTurnEnd(turn: number, time: number): StoredEvent {
  return { type: 'turn/end', seq: -1, time, data: { turn, reason: { kind: 'interrupted' } } };
}

function isTagged(event: StoredEvent): boolean {
  return event.type === 'session/end-seed' && isRecord(event.data) && event.data['inherited'] === true;
}

/** The goal state an old injected prompt carried in its source. */
function goalChangeOf(event: StoredEvent): UnknownRecord | undefined {
  if (event.type !== 'user/message' || !isRecord(event.data)) return undefined;
  const { source } = event.data;
  if (!isRecord(source) || source['kind'] !== 'goal' || !isRecord(source['change'])) return undefined;
  return source['change'];
}

function withoutGoalChange(event: StoredEvent): StoredEvent {
  const data = isRecord(event.data) ? event.data : {};
  return { ...event, data: { ...data, source: { kind: 'plugin', plugin: 'goal' } } };
}

function sameSeqs(cited: unknown, seqs: readonly number[]): boolean {
  if (!Array.isArray(cited) || cited.length !== seqs.length) return false;
  for (let i = 0; i < seqs.length; i++) if (!isSeq(cited[i]) || cited[i] !== seqs[i]) return false;
  return true;
}
