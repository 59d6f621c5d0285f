import { Float64Column, Uint32Column } from './columns.ts';

const NEWLINE = 10;
/** White space of JSON within a line. */
const BLANKS: ReadonlySet<number> = new Set([9, 13, 32]);
/** Lines kept at most; the longest logs known have a tenth of it. Every line costs twenty bytes, and an empty one is a byte of text. */
const MAX_LINES = 2 ** 23;
/** Small batches are collected into blocks of this size; larger ones stay where they were decoded. */
const BLOCK_BYTES = 2 ** 22;
const ADOPT_BYTES = 2 ** 18;

interface Block {
  readonly bytes: Buffer;
  used: number;
}

/**
 * The plain text of a log as bytes off the heap, with the place of every line. Lines are numbered from 0 here; a `line` in a report is one
 * more.
 */
export class LineStore {
  readonly #blocks: Block[] = [];
  /** Start of a line inside its block. */
  readonly #starts = new Float64Column();
  /** Length without the newline. */
  readonly #lengths = new Uint32Column();
  readonly #frames = new Uint32Column();
  readonly #blockOf = new Uint32Column();
  #bytes = 0;
  #isFull = false;

  get lineCount(): number {
    return this.#starts.length;
  }

  /** Whether lines had to be left out: there are as many as are kept. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Plain bytes held, newlines included. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** Adds whole lines, each ending in a newline. The bytes may be kept, so they must not change afterwards. */
  add(lines: Uint8Array, frame: number): void {
    if (lines.length === 0) return;
    this.#bytes += lines.length;
    const block = this.#place(lines);
    const index = this.#blocks.length - 1;
    let start = block.used - lines.length;
    while (start < block.used) {
      if (this.#starts.length === MAX_LINES) {
        this.#isFull = true;
        return;
      }
      const end = block.bytes.indexOf(NEWLINE, start);
      this.#starts.push(start);
      this.#lengths.push(end - start);
      this.#frames.push(frame);
      this.#blockOf.push(index);
      start = end + 1;
    }
  }

  frameOf(line: number): number {
    return this.#frames.at(line);
  }

  /** Bytes of a line without its newline. */
  lengthOf(line: number): number {
    return this.#lengths.at(line);
  }

  /** The first byte of a line that is no white space; NaN for a blank line. */
  firstByteOf(line: number): number {
    const block = this.#blocks[this.#blockOf.at(line)];
    const start = this.#starts.at(line);
    const end = start + this.#lengths.at(line);
    let at = start;
    while (at < end && BLANKS.has(block?.bytes[at] ?? 0)) at++;
    return at < end ? (block?.bytes[at] ?? NaN) : NaN;
  }

  /** The stored line as text, without its newline; bytes that are no UTF-8 become replacement characters. */
  textOf(line: number): string {
    const block = this.#blocks[this.#blockOf.at(line)];
    const start = this.#starts.at(line);
    return block === undefined ? '' : block.bytes.toString('utf8', start, start + this.#lengths.at(line));
  }

  /** The stored line as bytes, without its newline; a view, not a copy. */
  bytesOf(line: number): Uint8Array {
    const block = this.#blocks[this.#blockOf.at(line)];
    const start = this.#starts.at(line);
    return block === undefined ? new Uint8Array(0) : block.bytes.subarray(start, start + this.#lengths.at(line));
  }

  #place(lines: Uint8Array): Block {
    if (lines.length >= ADOPT_BYTES) {
      const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
      const adopted: Block = { bytes, used: lines.length };
      this.#blocks.push(adopted);
      return adopted;
    }
    let block = this.#blocks.at(-1);
    if (block === undefined || block.used + lines.length > block.bytes.length) {
      // The first block is small: most logs are.
      const size = block === undefined ? ADOPT_BYTES : BLOCK_BYTES;
      block = { bytes: Buffer.from(new ArrayBuffer(size)), used: 0 };
      this.#blocks.push(block);
    }
    block.bytes.set(lines, block.used);
    block.used += lines.length;
    return block;
  }
}
