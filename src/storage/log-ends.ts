import type { Damage } from '../core/index.ts';
import { text } from '../core/index.ts';
import type { BoundedBytes } from './bounded-read.ts';
import { REFUSES, REPAIRS, makeDamage } from './damage-list.ts';
import type { Encoding } from './generations.ts';
import { shrinksContext } from './line-facts.ts';
import { LineStore } from './line-store.ts';
import { LogEvents, type StoredLine } from './log-events.ts';
import { FrameLogReader, readPlainLog, type LineBatch } from './log-reader.ts';
import { misnamed, storedForm } from './stored-form.ts';
import { decodeFrame, decodeTornFrame, type FrameDecoder } from './zstd/decode.ts';
import { walkFrames, type FrameWalk } from './zstd/frames.ts';

/** The lines near either end of a log. */
export interface LogEnds {
  readonly headerLine: string | undefined;
  /** Lines after the header, from the start on. */
  readonly head: Iterable<string>;
  /** Lines from the end backwards, the header not among them. */
  readonly tail: Iterable<string>;
  /** Head and tail are all of the log. */
  readonly isWhole: boolean;
  readonly damage: readonly Damage[];
  /** What reading every event found, header included; absent where the lines are too many to do that for a list. */
  readonly events?: LogEvents;
  /** Turns of those events. */
  readonly turns?: number;
  /** Whether one of those events is a compaction or a prune. */
  readonly isCompacted?: boolean;
}

export interface LogEndsOptions {
  readonly encoding: Encoding;
  /** The version of the file name, where it has one. */
  readonly fileVersion: number | undefined;
  readonly decoder: FrameDecoder;
}

/** Plain bytes of a log whose every event is checked for the list: a few milliseconds a log. */
const CHECKED_BYTES = 2 ** 18;

/** Plain bytes taken from one frame. */
const MAX_PLAIN_BYTES = 2 ** 24;

/** Plain bytes taken from a whole log; a few kilobytes may hold more text than any memory. */
const MAX_GLANCE_BYTES = 2 ** 26;

/** Lines looked at from the start of a log that holds too many. */
const MAX_GLANCE_LINES = 2 ** 16;

const NEWLINE = 0x0a;

/** Splits the read ends of a log into lines. A file that was read whole has the damage an opened one has; else only its end is looked at. */
export function logEnds(bytes: BoundedBytes, options: LogEndsOptions): LogEnds {
  const form = storedForm(bytes.head, options.encoding);
  const read = { ...options, encoding: form };
  const ends =
    bytes.tailAt === 0 ? wholeLog(bytes.head, read, true) : form === 'zstd' ? frameEnds(bytes, read) : plainEnds(bytes);
  const wrong = misnamed(form, options.encoding, options.fileVersion);
  return wrong.length === 0 ? ends : { ...ends, damage: [...wrong, ...ends.damage] };
}

function wholeLog(bytes: Uint8Array, options: LogEndsOptions, isChecked = false): LogEnds {
  const store = new LineStore();
  const damage: Damage[] = [];
  const log = { bytes, version: options.fileVersion };
  const limits = { frameBytes: MAX_GLANCE_BYTES, logBytes: MAX_GLANCE_BYTES };
  const reader = options.encoding === 'zstd' ? new FrameLogReader(log, store, damage, options.decoder, limits) : undefined;
  const batches = reader === undefined ? readPlainLog(log, store, damage) : reader.batches();
  // Lines beyond a broken frame have no place in the log, so the latest of them tell nothing.
  let end = 0;
  const all: LineBatch[] = [];
  for (const batch of batches) {
    all.push(batch);
    if (batch.state !== 'salvaged') end = batch.to;
  }
  // What is too much for a glance may be fine for whoever opens the log; all that is known of its end is nothing.
  const isCutShort = reader?.isCutShort === true || store.isFull;
  const events = isChecked && !isCutShort && store.byteLength <= CHECKED_BYTES ? readEvents(store, all, options) : undefined;
  return {
    ...events,
    headerLine: end === 0 ? undefined : store.textOf(0),
    head: (function* () {
      const last = isCutShort ? Math.min(end, MAX_GLANCE_LINES) : end;
      for (let line = 1; line < last; line++) yield store.textOf(line);
    })(),
    tail: (function* () {
      if (isCutShort) return;
      for (let line = end - 1; line > 0; line--) yield store.textOf(line);
    })(),
    isWhole: !isCutShort,
    damage: isCutShort ? damage.filter(({ kind }) => kind !== 'frame-limit') : damage,
  };
}

function readEvents(
  store: LineStore,
  batches: readonly LineBatch[],
  options: LogEndsOptions,
): { readonly events: LogEvents; readonly turns: number; readonly isCompacted: boolean } {
  const { encoding, fileVersion } = options;
  let turns = 0;
  let isCompacted = false;
  const visit = ({ record }: StoredLine): void => {
    if (record.type === 'turn/start') turns++;
    isCompacted ||= shrinksContext(record);
  };
  const events = new LogEvents(store, { encoding, fileVersion, visit });
  for (const batch of batches) events.take(batch);
  events.finish();
  return { events, turns, isCompacted };
}

function plainEnds(bytes: BoundedBytes): LogEnds {
  const end = bytes.head.indexOf(NEWLINE);
  const isTorn = bytes.tail.at(-1) !== NEWLINE;
  const sentence = text('Torn tail: the last line has no line end, as it was still being written when the writer stopped');
  const byte = bytes.tailAt + bytes.tail.lastIndexOf(NEWLINE) + 1;
  return {
    headerLine: end < 0 ? undefined : textOf(bytes.head.subarray(0, end)),
    head: end < 0 ? [] : linesOf(bytes.head.subarray(end + 1)),
    tail: linesFromEnd(bytes.tail.subarray(bytes.tail.indexOf(NEWLINE) + 1)),
    isWhole: false,
    damage: isTorn ? [makeDamage('torn-line', sentence, REPAIRS, { byte })] : [],
  };
}

function frameEnds(bytes: BoundedBytes, options: LogEndsOptions): LogEnds {
  const walk = walkFrames(bytes.head);
  const headerFrame = wholeLog(bytes.head.subarray(0, walk.frames[0]?.end ?? bytes.head.length), options);
  const tailWalk = syncedWalk(bytes.tail, options.decoder);
  const frame = (source: Uint8Array, from: FrameWalk, index: number): Uint8Array => {
    const layout = from.frames[index];
    const plain =
      layout === undefined ? undefined : decodeFrame(source, layout, { decoder: options.decoder, maxBytes: MAX_PLAIN_BYTES });
    return plain?.ok === true ? plain.bytes : new Uint8Array(0);
  };
  const unfinished = (source: Uint8Array, { end }: FrameWalk): Uint8Array =>
    end.kind === 'torn' && end.frame !== undefined
      ? decodeTornFrame(source, end.frame, { decoder: options.decoder, maxBytes: MAX_PLAIN_BYTES })
      : new Uint8Array(0);
  return {
    headerLine: headerFrame.headerLine,
    isWhole: false,
    damage: [...headerFrame.damage, ...(tailWalk === undefined ? [] : endDamage(tailWalk, bytes.tailAt))],
    head: (function* () {
      yield* headerFrame.head;
      for (let i = 1; i < walk.frames.length; i++) yield* linesOf(frame(bytes.head, walk, i));
      // Cut by the bound of this read: what its complete blocks hold is text of the log.
      yield* linesOf(unfinished(bytes.head, walk));
    })(),
    tail: (function* () {
      if (tailWalk === undefined) return;
      yield* linesFromEnd(unfinished(bytes.tail, tailWalk));
      for (let i = tailWalk.frames.length - 1; i >= 0; i--) yield* linesFromEnd(frame(bytes.tail, tailWalk, i));
    })(),
  };
}

/**
 * The frames in the last bytes of a file whose earlier frames are not known. The magic may occur inside compressed data, so a place counts
 * as a boundary only when a whole frame decodes there and its checksum agrees; every frame after it follows from block lengths. Undefined
 * when no frame begins in these bytes.
 */
function syncedWalk(tail: Uint8Array, decoder: FrameDecoder): FrameWalk | undefined {
  const buffer = Buffer.from(tail.buffer, tail.byteOffset, tail.length);
  for (let at = buffer.indexOf(MAGIC); at >= 0; at = buffer.indexOf(MAGIC, at + 1)) {
    const walk = walkFrames(tail, { from: at });
    const first = walk.frames[0];
    if (first === undefined) continue;
    const decoded = decodeFrame(tail, first, { decoder, maxBytes: MAX_PLAIN_BYTES });
    // Without a checksum the text itself has to look like stored lines.
    if (decoded.ok && (first.checksum || (decoded.bytes[0] === 0x7b && decoded.bytes.at(-1) === NEWLINE))) return walk;
  }
  return undefined;
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Structural damage at the end of the frames; the middle of the file is not looked at. format/on-disk.md §4.1. */
function endDamage(walk: FrameWalk, base: number): Damage[] {
  const byte = base + walk.end.byte;
  switch (walk.end.kind) {
    case 'complete':
      return [];
    case 'torn': {
      const sentence = text(
        'Torn tail: the last frame, at byte {byte}, is unfinished, as it was still being written when the writer stopped',
        {
          byte,
        },
      );
      return [makeDamage('torn-frame', sentence, REPAIRS, { byte })];
    }
    case 'foreign':
      return [makeDamage('foreign-bytes', text('The bytes from {byte} on are not a zstd frame', { byte }), REFUSES, { byte })];
    case 'corrupt': {
      const sentence = text('The frame at byte {byte} has a header that no zstd writer makes', { byte });
      return [makeDamage('corrupt-frame', sentence, REFUSES, { byte })];
    }
  }
}

function* linesOf(piece: Uint8Array): Iterable<string> {
  let start = 0;
  for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
    yield textOf(piece.subarray(start, end));
    start = end + 1;
  }
}

function* linesFromEnd(piece: Uint8Array): Iterable<string> {
  let end = piece.lastIndexOf(NEWLINE);
  while (end >= 0) {
    const before = end === 0 ? -1 : piece.lastIndexOf(NEWLINE, end - 1);
    yield textOf(piece.subarray(before + 1, end));
    end = before;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
