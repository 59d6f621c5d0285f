import type { ForkBoundary } from './boundary.ts';
import { dialectOf } from './dialects/dialect.ts';
import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import { SessionForkError, type SessionForkErrorCode } from './errors.ts';
import type { SessionEvent } from './events.ts';
import { isSeq } from './json.ts';
import { OpenTail, closersOf } from './repair.ts';
import { english, text, type Text } from './text.ts';

/** The turn edges of a log: which boundaries lie in an open turn, and the nearest ones that do not. Two numbers per turn. */
export class TurnEdges {
  /** Seqs of `turn/start` and `turn/end`, ascending; a start is stored as its bitwise complement, hence negative. */
  readonly #edges: number[] = [];

  apply(event: { readonly type: string; readonly seq: number }): void {
    if (event.type === 'turn/start') this.#edges.push(~event.seq);
    else if (event.type === 'turn/end') this.#edges.push(event.seq);
  }

  /** Whether the last turn edge at or before `seq` is a `turn/start`. */
  isOpenAt(seq: number): boolean {
    const edge = this.#edges[this.#lastAtOrBefore(seq)];
    return edge !== undefined && edge < 0;
  }

  /** The nearest boundaries outside open turns before and after one that lies inside; `end` is the number of usable events. */
  neighbours(seq: number, end: number): { before?: number; after?: number } {
    const at = this.#lastAtOrBefore(seq);
    let opening = at;
    while (opening > 0 && (this.#edges[opening - 1] ?? 0) < 0) opening--;
    const before = seqOf(this.#edges[opening] ?? 0) - 1;
    let closing = at + 1;
    while (closing < this.#edges.length && (this.#edges[closing] ?? 0) < 0) closing++;
    const after = this.#edges[closing];
    return { ...(before < 0 ? {} : { before }), ...(after === undefined || after >= end ? {} : { after }) };
  }

  /** The last boundary outside open turns among the first `end` events. */
  lastClosedBefore(end: number): { before?: number } {
    const last = end - 1;
    if (last < 0) return {};
    if (!this.isOpenAt(last)) return { before: last };
    const { before } = this.neighbours(last, end);
    return before === undefined ? {} : { before };
  }

  /** The last `turn/end` at or before a seq. */
  lastEndAt(seq: number): number | undefined {
    for (let at = this.#lastAtOrBefore(seq); at >= 0; at--) {
      const edge = this.#edges[at] ?? 0;
      if (edge >= 0) return edge;
    }
    return undefined;
  }

  /** The last `turn/start` at or before a seq. */
  lastStartAt(seq: number): number | undefined {
    for (let at = this.#lastAtOrBefore(seq); at >= 0; at--) {
      const edge = this.#edges[at] ?? 0;
      if (edge < 0) return ~edge;
    }
    return undefined;
  }

  /** Turns begun at or before a seq. */
  turnsUpTo(seq: number): number {
    let turns = 0;
    for (let at = this.#lastAtOrBefore(seq); at >= 0; at--) if ((this.#edges[at] ?? 0) < 0) turns++;
    return turns;
  }

  #lastAtOrBefore(seq: number): number {
    let low = 0;
    let high = this.#edges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (seqOf(this.#edges[middle] ?? 0) <= seq) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }
}

function seqOf(edge: number): number {
  return edge < 0 ? ~edge : edge;
}

/** Whether a fork at `seq` is legal in a log of `eventCount` events with these turns. format/fork-resume.md §2. */
export function boundaryAt(edges: TurnEdges, eventCount: number, seq: number, version: number): ForkBoundary {
  if (!isSeq(seq) || seq >= eventCount) {
    const sentence =
      eventCount === 0
        ? text('There is no event to fork at: the session is empty')
        : text('#{seq} is not the seq of an event; the session has {count}', { seq: String(seq), count: eventCount });
    return refusedBoundary('INVALID_BOUNDARY', sentence);
  }
  if (!edges.isOpenAt(seq)) return { legal: true, closes: false };
  if (dialectOf(version).openTurnFork === 'closed') return { legal: true, closes: true };
  const sentence = text('#{seq} lies inside an open turn, and sessions of format {version} cannot be forked there', {
    seq,
    version,
  });
  return refusedBoundary('OPEN_TURN', sentence, edges.neighbours(seq, eventCount));
}

export function refusedBoundary(
  code: SessionForkErrorCode | 'UNREADABLE',
  sentence: Text,
  neighbours: { before?: number; after?: number } = {},
): ForkBoundary {
  return { legal: false, code, message: english(sentence), text: sentence, ...neighbours };
}

/** Whether a log may be forked at an inclusive seq, and if not, why and where instead. format/fork-resume.md §2. */
export function forkBoundary(
  events: readonly SessionEvent[],
  seq: number,
  version: number = SESSION_FORMAT_VERSION,
): ForkBoundary {
  const edges = new TurnEdges();
  let index = 0;
  for (const event of events) {
    if (event.seq !== index++) {
      return refusedBoundary(
        'INVALID_BOUNDARY',
        text('#{seq} stands where #{expected} is due', { seq: event.seq, expected: index - 1 }),
      );
    }
    edges.apply(event);
  }
  return boundaryAt(edges, events.length, seq, version);
}

/**
 * The events of a fork's child: the prefix up to the inclusive boundary, the marker of the cut, and in v4 the closers of an open turn.
 * v0 and v1 get no marker when the prefix ends in one. `cut` counts the inherited events. Throws a SessionForkError.
 * format/fork-resume.md §2, §2.1.
 */
export function buildForkSeed(
  events: readonly SessionEvent[],
  boundary: number,
  options: { version: number; now: number },
): { events: SessionEvent[]; cut: number } {
  const { version } = options;
  const legality = forkBoundary(events, boundary, version);
  if (!legality.legal) {
    throw new SessionForkError(legality.code === 'UNREADABLE' ? 'INVALID_BOUNDARY' : legality.code, legality.text);
  }
  const seed = events.slice(0, boundary + 1);
  const cut = seed.length;
  const last = seed.at(-1);
  const marker = last === undefined ? undefined : forkMarker(last, options);
  if (marker === undefined) return { events: seed, cut };
  seed.push(marker);
  if (!legality.closes) return { events: seed, cut };
  const tail = new OpenTail();
  for (const event of seed) tail.apply(event);
  for (const closer of closersOf(tail, marker, { version, cause: 'forked' })) seed.push(closer);
  return { events: seed, cut };
}

/**
 * The event a fork writes after its last inherited one, or undefined in v0 and v1 when that is an end-seed already. format/fork-resume.md §2.
 */
export function forkMarker(
  last: Pick<SessionEvent, 'type' | 'seq' | 'time'>,
  options: { version: number; now: number },
): SessionEvent<'session/end-seed'> | undefined {
  const dialect = dialectOf(options.version);
  if (dialect.cut === 'seed-length' && last.type === 'session/end-seed') return undefined;
  return {
    type: 'session/end-seed',
    seq: last.seq + 1,
    time: dialect.openTurnFork === 'closed' ? last.time : options.now,
    data: dialect.cut === 'marker' ? { inherited: true } : {},
  };
}
