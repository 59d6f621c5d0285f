import { text, type Damage, type Text } from '../core/index.ts';
import { ACCEPTS, REFUSES, REPAIRS, SKIPS, BREAKS_LIST, makeDamage } from './damage-list.ts';
import type { LineStore } from './line-store.ts';
import { decodeFrame, decodeTornFrame, type FrameDecoder, type FrameFault } from './zstd/decode.ts';
import { readFrame, walkFrames, type Frame, type FrameWalkEnd } from './zstd/frames.ts';

/** Plain bytes one log may decode to; what lies beyond is reported and not read. */
const MAX_LOG_BYTES = 2 ** 31;

const NEWLINE = 10;

/** How sure the lines of a batch are. `recovered`: from an unfinished last frame. `salvaged`: from beyond a broken frame. */
export type LineState = 'committed' | 'recovered' | 'salvaged';

/** One batch of whole lines, already in the store as lines `from` to `to` (exclusive). */
export interface LineBatch {
  readonly from: number;
  readonly to: number;
  readonly state: LineState;
}

/** Lines taken in before other work of the thread gets its turn: a millisecond or two. */
const LINES_PER_STRETCH = 128;

/** The same batches in pieces short enough to let others in between. */
export function* stretches(batches: Iterable<LineBatch>): Iterable<LineBatch> {
  for (const { from, to, state } of batches) {
    for (let first = from; first < to; first += LINES_PER_STRETCH)
      yield { from: first, to: Math.min(first + LINES_PER_STRETCH, to), state };
  }
}

/** How much of a log is taken at most, in plain bytes. */
export interface LogLimits {
  readonly frameBytes?: number;
  readonly logBytes?: number;
}

export interface LogBytes {
  readonly bytes: Uint8Array;
  /** Version by the file's name, as far as it has one: what dsh does with an unreadable header depends on it. */
  readonly version: number | undefined;
}

/**
 * Reads plain lines: everything up to the last newline; what follows it is a torn tail.
 * Yields batches of whole lines and collects damage. format/on-disk.md §4.2.
 */
export function* readPlainLog(log: LogBytes, store: LineStore, damage: Damage[]): Generator<LineBatch, void> {
  const { bytes } = log;
  if (bytes.length === 0) damage.push(emptyFile());
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end > 0) {
    store.add(bytes.subarray(0, end), 0);
    yield { from: 0, to: store.lineCount, state: 'committed' };
    if (store.isFull) {
      damage.push(tooManyLines(store, 0));
      return;
    }
  }
  if (end === bytes.length) return;
  const lines = store.lineCount;
  // A file that ends inside its first line has no header; the header check says so.
  if (lines === 0) return;
  damage.push(
    makeDamage(
      'torn-line',
      text('Torn tail: the last line has no line end, as it was still being written when the writer stopped'),
      REPAIRS,
      {
        byte: end,
        line: lines + 1,
      },
    ),
  );
}

/**
 * Reads joined zstd frames: walks them structurally, decodes one at a time and joins lines that cross frames. An unfinished last frame
 * gives what its complete blocks hold; beyond a broken frame lines are still read, as salvage. format/on-disk.md §4, §4.1.
 */
export class FrameLogReader {
  /** Byte at which each frame begins, by frame number. */
  readonly starts: number[] = [];
  readonly #log: LogBytes;
  readonly #store: LineStore;
  readonly #damage: Damage[];
  readonly #decoder: FrameDecoder;
  /** The part of a line that later frames must finish. */
  #fragments: Uint8Array[] = [];
  #fragmentFrame = 0;
  #state: LineState = 'committed';
  readonly #limits: LogLimits;
  #isCutShort = false;

  constructor(log: LogBytes, store: LineStore, damage: Damage[], decoder: FrameDecoder, limits: LogLimits = {}) {
    this.#limits = limits;
    this.#log = log;
    this.#store = store;
    this.#damage = damage;
    this.#decoder = decoder;
  }

  /** Whether a limit kept a part of the log from being read; the damage says so too. */
  get isCutShort(): boolean {
    return this.#isCutShort;
  }

  *batches(): Generator<LineBatch, void> {
    const { bytes } = this.#log;
    if (bytes.length === 0) {
      this.#damage.push(emptyFile());
      return;
    }
    const walk = walkFrames(bytes);
    for (const frame of walk.frames) {
      this.starts.push(frame.start);
      const batch = this.#frame(frame);
      if (batch === 'full') return;
      if (batch !== undefined) yield batch;
      if (this.#store.isFull) {
        this.#isCutShort = true;
        this.#damage.push(tooManyLines(this.#store, this.starts.length - 1));
        return;
      }
    }
    yield* this.#end(walk.end);
  }

  #frame(frame: Frame): LineBatch | 'full' | undefined {
    const number = this.starts.length - 1;
    const { frameBytes, logBytes = MAX_LOG_BYTES } = this.#limits;
    const cap = frameBytes === undefined ? {} : { maxBytes: frameBytes };
    const decoded = decodeFrame(this.#log.bytes, frame, { decoder: this.#decoder, ...cap });
    const place = { byte: frame.start, frame: number };
    if (!decoded.ok) {
      const verdict = number === 0 ? this.#unreadableHeader() : decoded.reason === 'content-too-large' ? ACCEPTS : REFUSES;
      const kind =
        decoded.reason === 'content-too-large' || decoded.reason === 'window-too-large' ? 'frame-limit' : 'corrupt-frame';
      if (decoded.reason === 'content-too-large') this.#isCutShort = true;
      this.#damage.push(makeDamage(kind, faultText(decoded.reason, number, frame.start), verdict, place));
      this.#break();
      return undefined;
    }
    if (this.#store.byteLength + decoded.bytes.length > logBytes) {
      this.#isCutShort = true;
      const sentence = text('The log holds more than {limit} bytes of text; what follows frame {frame} is not read', {
        limit: logBytes,
        frame: number,
      });
      this.#damage.push(makeDamage('frame-limit', sentence, ACCEPTS, place));
      this.#break();
      return 'full';
    }
    return this.#split(number === 0 ? this.#firstFrame(decoded.bytes, frame.start) : decoded.bytes, number);
  }

  *#end(end: FrameWalkEnd): Generator<LineBatch, void> {
    if (this.#fragments.length > 0) {
      const frame = this.#fragmentFrame;
      const place = { byte: this.starts[frame] ?? 0, frame, line: this.#store.lineCount + 1 };
      const sentence = text('The complete frames end in the middle of a line, which began in frame {frame}', { frame });
      this.#damage.push(makeDamage('torn-record', sentence, REFUSES, place));
    }
    if (end.kind === 'complete') return;
    if (end.kind === 'torn') {
      yield* this.#torn(end);
      return;
    }
    const verdict = this.starts.length === 0 ? this.#unreadableHeader() : REFUSES;
    const place = { byte: end.byte, frame: this.starts.length };
    const sentence =
      end.kind === 'foreign'
        ? text('The bytes from {byte} on are not a zstd frame', { byte: end.byte })
        : text('The frame at byte {byte} has a header that no zstd writer makes', { byte: end.byte });
    this.#damage.push(makeDamage(end.kind === 'foreign' ? 'foreign-bytes' : 'corrupt-frame', sentence, verdict, place));
    this.#break();
    yield* this.#resync(end.byte);
  }

  *#torn(end: FrameWalkEnd & { kind: 'torn' }): Generator<LineBatch, void> {
    const number = this.starts.length;
    this.starts.push(end.byte);
    const verdict = number === 0 ? SKIPS : REPAIRS;
    const sentence =
      number === 0
        ? text('The file ends inside its first frame')
        : text(
            'Torn tail: the last frame, at byte {byte}, is unfinished, as it was still being written when the writer stopped',
            {
              byte: end.byte,
            },
          );
    this.#damage.push(makeDamage('torn-frame', sentence, verdict, { byte: end.byte, frame: number }));
    if (this.#state === 'committed') this.#state = 'recovered';
    const plain = end.frame === undefined ? undefined : decodeTornFrame(this.#log.bytes, end.frame, { decoder: this.#decoder });
    const batch = plain === undefined ? undefined : this.#split(plain, number);
    if (batch !== undefined) yield batch;
  }

  /** The plain bytes of frame 0, checked for being exactly one line. */
  #firstFrame(plain: Uint8Array, byte: number): Uint8Array {
    if (plain.length > 0 && plain.indexOf(NEWLINE) === plain.length - 1) return plain;
    const sentence = text('The first frame does not hold exactly the header line');
    this.#damage.push(makeDamage('first-frame', sentence, this.#unreadableHeader(), { byte, frame: 0, line: 1 }));
    // Frame 0 is the header's own frame, so a header that only lacks its newline ends with it: format/open-questions.md, item 19.
    return plain.length > 0 && !plain.includes(NEWLINE) && isJson(plain) ? joined([plain, Uint8Array.of(NEWLINE)]) : plain;
  }

  /** v0 fails the whole list over a first frame it cannot read; later releases skip the session. */
  #unreadableHeader(): typeof SKIPS {
    return (this.#log.version ?? 0) >= 2 ? SKIPS : BREAKS_LIST;
  }

  /** Stores the whole lines of a frame, keeping what is left over for the next one. */
  #split(plain: Uint8Array, frame: number): LineBatch | undefined {
    const from = this.#store.lineCount;
    let rest = plain;
    if (this.#fragments.length > 0) {
      const first = plain.indexOf(NEWLINE) + 1;
      this.#fragments.push(first === 0 ? plain : plain.subarray(0, first));
      if (first === 0) return undefined;
      this.#store.add(joined(this.#fragments), this.#fragmentFrame);
      this.#fragments = [];
      rest = plain.subarray(first);
    }
    const end = rest.lastIndexOf(NEWLINE) + 1;
    this.#store.add(rest.subarray(0, end), frame);
    if (end < rest.length) {
      this.#fragments = [rest.subarray(end)];
      this.#fragmentFrame = frame;
    }
    const to = this.#store.lineCount;
    return to === from ? undefined : { from, to, state: this.#state };
  }

  /** Nothing beyond this point has a seq. A line that had begun is lost with the frame that would have finished it. */
  #break(): void {
    this.#state = 'salvaged';
    this.#fragments = [];
  }

  /**
   * Looks for frames beyond bytes that are none. The magic may occur by chance, so only a frame that is complete, decodes and carries a
   * checksum counts.
   */
  *#resync(from: number): Generator<LineBatch, void> {
    const { bytes } = this.#log;
    let at = from;
    while (!this.#store.isFull && (at = indexOfMagic(bytes, at + 1)) >= 0) {
      const frame = readFrame(bytes, at);
      if ('kind' in frame || !frame.checksum) continue;
      const decoded = decodeFrame(bytes, frame, { decoder: this.#decoder });
      if (!decoded.ok || this.#store.byteLength + decoded.bytes.length > MAX_LOG_BYTES) continue;
      this.starts.push(frame.start);
      const batch = this.#split(decoded.bytes, this.starts.length - 1);
      if (batch !== undefined) yield batch;
      at = frame.end - 1;
    }
  }
}

function tooManyLines(store: LineStore, frame: number): Damage {
  const sentence = text('The log holds more than {limit} lines; what follows is not read', { limit: store.lineCount });
  return makeDamage('frame-limit', sentence, ACCEPTS, { frame, line: store.lineCount });
}

function emptyFile(): Damage {
  return makeDamage('empty-file', text('The file is empty'), SKIPS, { byte: 0 });
}

function faultText(reason: FrameFault, frame: number, byte: number): Text {
  switch (reason) {
    case 'checksum':
      return text('Frame {frame} at byte {byte} fails its checksum', { frame, byte });
    case 'window-too-large':
      return text('Frame {frame} at byte {byte} asks for more memory than any decoder grants', { frame, byte });
    case 'content-too-large':
      return text('Frame {frame} at byte {byte} holds more text than this reader takes', { frame, byte });
    case 'dictionary':
      return text('Frame {frame} at byte {byte} needs a dictionary, which logs never have', { frame, byte });
    case 'data':
      return text('Frame {frame} at byte {byte} cannot be decompressed', { frame, byte });
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function isJson(plain: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

function indexOfMagic(bytes: Uint8Array, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(MAGIC, from);
}
