import { isUtf8 } from 'node:buffer';
import {
  expandPackedRow,
  expandSources,
  isPackedRow,
  isRecord,
  isSeq,
  packedCount,
  packedMember,
  packedRowProblem,
  packedTimes,
  text,
  type Damage,
  type DamageKind,
  type PackedChunkRow,
  type Refusal,
  type SessionHeader,
  type StoredEvent,
  type Text,
  type UnknownRecord,
} from '../core/index.ts';
import { Uint32Column } from './columns.ts';
import { ACCEPTS, REFUSES, REPAIRS, makeDamage } from './damage-list.ts';
import { EventFolds } from './event-folds.ts';
import type { Encoding } from './generations.ts';
import { readHeader } from './header-check.ts';
import { LineCache } from './line-cache.ts';
import type { LineStore } from './line-store.ts';
import type { LineBatch } from './log-reader.ts';

/** One readable line of a log as it is read: an event, or a packed line holding `count` of them. */
export interface StoredLine {
  /** From 1; the header is line 1. */
  readonly line: number;
  readonly frame: number;
  /** Of the log, by its header. */
  readonly version: number;
  readonly seq0: number;
  readonly count: number;
  /** As parsed: a packed line is not expanded, cited ranges are not either. */
  readonly record: StoredEvent | PackedChunkRow;
  /** False for lines recovered from an unfinished last frame. */
  readonly committed: boolean;
}

/** One stored line of events as bytes. */
export interface StoredBytes {
  readonly seq0: number;
  /** Events it holds. */
  readonly count: number;
  /** Without its line end; a view that must not be written to. */
  readonly bytes: Uint8Array;
}

export interface LogEventsOptions {
  readonly encoding: Encoding;
  /** Version by the file's name. */
  readonly fileVersion: number | undefined;
  readonly visit: ((line: StoredLine) => void) | undefined;
}

/** Longest line that is read: a JavaScript string ends at twice this. */
const MAX_LINE_BYTES = 2 ** 28;
const OPENING_BRACE = 0x7b;
/** The first letter of `null`. */
const LETTER_N = 0x6e;
/** Parsed lines kept, by the length of their text. */
const CACHE_UNITS = 2 ** 23;

/** Where reading by seq came to its end before the lines did. */
interface Stop {
  readonly kind: DamageKind;
  readonly text: Text;
  /** Index in the store. */
  readonly line: number;
  readonly state: LineBatch['state'];
  /** dsh's reader fails on such a line wherever it stands. */
  fatal: boolean;
  /** A turn/end in this line or a later one makes what lies before it committed. */
  turnEndFollows: boolean;
}

/**
 * Lines to events: the header, then the dense run of seqs. Lines that cannot be given a seq are kept as salvage. Parsed once on the way in;
 * afterwards lines are parsed again on demand. format/on-disk.md §4.1, §6.
 */
export class LogEvents {
  readonly damage: Damage[] = [];
  header: SessionHeader | undefined;
  refusal: Refusal | undefined;
  /** Absent without a header this reader interprets. */
  folds: EventFolds | undefined;
  eventCount = 0;
  /** Events of complete frames, or of a plain log. */
  committedCount = 0;

  readonly #store: LineStore;
  readonly #options: LogEventsOptions;
  /** First seq of event line i, which is line i + 1 of the store. */
  readonly #seq0 = new Uint32Column();
  readonly #salvage = new Uint32Column();
  readonly #cache = new LineCache<unknown>(CACHE_UNITS);
  /** Member times of the packed line last asked for. */
  #times: { readonly line: number; readonly times: Float64Array } | undefined;
  #version = 0;
  #stop: Stop | undefined;

  constructor(store: LineStore, options: LogEventsOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Takes in the lines of one batch, in order. */
  take(batch: LineBatch): void {
    for (let line = batch.from; line < batch.to; line++) {
      if (line === 0 && batch.state !== 'salvaged') this.#header(this.#isTooLong(0) ? undefined : this.#store.textOf(0));
      else if (batch.state === 'salvaged' || this.#stop !== undefined || this.folds === undefined) this.#salvageLine(line);
      else this.#event(line, batch.state);
    }
  }

  /** Says what only the end of the lines can say. */
  finish(): void {
    if (this.header === undefined && this.refusal === undefined) this.#header(undefined);
    this.#reportStop();
    if (this.folds !== undefined) {
      this.folds.finish();
      this.damage.push(...this.folds.damage);
      this.refusal ??= this.folds.refusal;
    }
  }

  get version(): number {
    return this.#version;
  }

  /** Whether something that reading by seq could not get past lies behind the last event. */
  get stoppedEarly(): boolean {
    return this.#stop !== undefined || this.#salvage.length > 0;
  }

  /** Store index of the line that holds an event. */
  lineOf(seq: number): number {
    return this.#seq0.lastAtMost(seq) + 1;
  }

  recordAt(line: number): unknown {
    return this.#cache.get(line, () => {
      const stored = this.#store.textOf(line);
      return { value: JSON.parse(stored) as unknown, length: stored.length };
    });
  }

  /** The event at a readable seq, cited ranges expanded, otherwise as stored. */
  eventAt(seq: number): StoredEvent {
    const line = this.lineOf(seq);
    const record = this.recordAt(line);
    if (isPackedRow(record)) {
      const k = seq - this.#seq0.at(line - 1);
      if (this.#times?.line !== line) this.#times = { line, times: packedTimes(record) };
      return packedMember(record, k, this.#times.times[k] ?? 0);
    }
    return expanded(record);
  }

  /** The events of a range of readable seqs. Does not touch the cache: a scan would only flush it. */
  *events(from: number, toExclusive: number): Generator<StoredEvent, void> {
    if (from >= toExclusive) return;
    for (let line = this.lineOf(from), seq = from; seq < toExclusive; line++) {
      const record: unknown = JSON.parse(this.#store.textOf(line));
      if (!isPackedRow(record)) {
        yield expanded(record);
        seq++;
        continue;
      }
      const first = this.#seq0.at(line - 1);
      const members = expandPackedRow(record);
      for (; seq < toExclusive && seq - first < members.length; seq++) {
        const member = members[seq - first];
        if (member !== undefined) yield member;
      }
    }
  }

  /** Event lines from the first to the one that holds `last`. */
  *linesUpTo(last: number): Generator<StoredBytes, void> {
    const end = this.lineOf(last);
    for (let line = 1; line <= end; line++) {
      const seq0 = this.#seq0.at(line - 1);
      const next = line < this.#seq0.length ? this.#seq0.at(line) : this.eventCount;
      yield { seq0, count: next - seq0, bytes: this.#store.bytesOf(line) };
    }
  }

  *salvage(): Generator<{ frame: number; line: number; text: string }, void> {
    for (let i = 0; i < this.#salvage.length; i++) {
      const line = this.#salvage.at(i);
      yield { frame: this.#store.frameOf(line), line: line + 1, text: this.#store.textOf(line) };
    }
  }

  forget(): void {
    this.#cache.clear();
    this.#times = undefined;
  }

  #header(line: string | undefined): void {
    const reading = readHeader(line, this.#options.fileVersion);
    this.header = reading.header;
    this.refusal = reading.refusal;
    this.damage.push(...reading.damage);
    if (line !== undefined && reading.refusal !== undefined && isRecord(parsed(line))) this.#salvage.push(0);
    if (reading.header === undefined || reading.refusal !== undefined) return;
    this.#version = reading.header.version;
    this.folds = new EventFolds(reading.header, (seq) => this.eventAt(seq));
  }

  #event(line: number, state: LineBatch['state']): void {
    if (this.#isTooLong(line)) {
      const sentence = text('Line {line} is longer than {limit} bytes and is not read', {
        line: line + 1,
        limit: MAX_LINE_BYTES,
      });
      this.#stopAt(line, state, 'frame-limit', sentence);
      return;
    }
    const stored = this.#store.textOf(line);
    const value = parsed(stored);
    if (value === undefined) {
      this.#stopAt(line, state, 'bad-line', text('Line {line} is not JSON', { line: line + 1 }));
      return;
    }
    if (!isRecord(value)) {
      this.#stopAt(line, state, 'bad-line', text('Line {line} is not a JSON object', { line: line + 1 }), value);
      return;
    }
    const packed = isPackedRow(value) ? value : undefined;
    const problem = packed === undefined ? undefined : packedRowProblem(packed, this.#version);
    if (problem !== undefined) {
      this.#stopAt(line, state, 'bad-packed-line', text('Line {line} is a malformed packed line', { line: line + 1 }));
      return;
    }
    const seq0: unknown = packed === undefined ? value['seq'] : packed.seq0;
    if (seq0 !== this.eventCount) {
      const found = shown(seq0);
      const sentence = text('Line {line} has the seq {found} where {expected} is due', {
        line: line + 1,
        found,
        expected: this.eventCount,
      });
      this.#stopAt(line, state, 'wrong-seq', sentence, value);
      // Two writers that gave one seq to two events: neither is more in the right, so no fork may hold either.
      if (isSeq(seq0) && seq0 < this.eventCount && stored !== this.#store.textOf(this.lineOf(seq0))) this.folds?.distrust(seq0);
      return;
    }
    this.#accept(line, state, value, packed, stored);
  }

  #accept(
    line: number,
    state: LineBatch['state'],
    value: UnknownRecord,
    packed: PackedChunkRow | undefined,
    stored: string,
  ): void {
    const seq0 = this.eventCount;
    const count = packed === undefined ? 1 : packedCount(packed);
    this.#seq0.push(seq0);
    this.eventCount += count;
    if (state === 'committed') this.committedCount = this.eventCount;
    if (stored.includes('\ufffd') && !isUtf8(this.#store.bytesOf(line))) {
      const sentence = text('Line {line} holds bytes that are not UTF-8; they are shown as replacement characters', {
        line: line + 1,
      });
      this.damage.push(makeDamage('invalid-utf8', sentence, ACCEPTS, { line: line + 1, seq: seq0 }));
    }
    // What the value lacks of an event is reported by the folds, which trust nothing but the seq.
    const record = packed ?? (value as unknown as StoredEvent);
    if (packed === undefined) this.folds?.apply(value, line + 1);
    else this.folds?.applyPacked(packed);
    this.#options.visit?.({
      line: line + 1,
      frame: this.#store.frameOf(line),
      version: this.#version,
      seq0,
      count,
      record,
      committed: state === 'committed',
    });
  }

  #stopAt(line: number, state: LineBatch['state'], kind: DamageKind, sentence: Text, value?: unknown): void {
    this.#stop = { kind, text: sentence, line, state, fatal: value === null, turnEndFollows: isTurnEnd(value) };
    if (isRecord(value)) this.#salvage.push(line);
  }

  #isTooLong(line: number): boolean {
    return this.#store.lengthOf(line) > MAX_LINE_BYTES;
  }

  #salvageLine(line: number): void {
    // Only a record is salvage and only a null is fatal: nothing else is worth parsing, and there may be millions of such lines.
    const first = this.#store.firstByteOf(line);
    if ((first !== OPENING_BRACE && first !== LETTER_N) || this.#isTooLong(line)) return;
    const value = parsed(this.#store.textOf(line));
    if (isRecord(value)) this.#salvage.push(line);
    const stop = this.#stop;
    if (stop === undefined) return;
    stop.fatal ||= value === null;
    stop.turnEndFollows ||= isTurnEnd(value);
  }

  #reportStop(): void {
    const stop = this.#stop;
    if (stop === undefined) return;
    const place = { line: stop.line + 1, frame: this.#store.frameOf(stop.line), seq: this.eventCount };
    const inFrames = this.#options.encoding === 'zstd' && stop.state === 'committed';
    if (stop.fatal || inFrames || stop.turnEndFollows) {
      this.damage.push(makeDamage(stop.kind, stop.text, REFUSES, place));
      return;
    }
    const sentence = text(
      'From line {line} to its end the log is an uncommitted tail, which dsh drops: that line cannot be read',
      { line: stop.line + 1 },
    );
    this.damage.push(makeDamage('uncommitted-tail', sentence, REPAIRS, place));
  }
}

function expanded(record: unknown): StoredEvent {
  try {
    return expandSources(record) as StoredEvent;
  } catch {
    // Reported as surface damage on reading; the event is shown as it is stored.
    return record as StoredEvent;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A value that stands where a seq should, in a few characters; it may be nested without end. */
function shown(value: unknown): string | number {
  if (value === undefined) return '?';
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : value === null ? 'null' : typeof value;
}

function isTurnEnd(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'turn/end';
}
