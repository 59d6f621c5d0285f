/**
 * The structural walk over a file of joined zstd frames: where each frame begins and ends, without decompressing anything.
 *
 * It reads the magic, the frame header and the three-byte block headers (format/on-disk.md §4), so it never mistakes the magic inside
 * compressed data, or a checksum that happens to equal it, for a frame.
 */

/** Largest window a frame may ask for: what the reference decoder takes by default (128 MiB). */
export const MAX_WINDOW_BYTES = 2 ** 27;

/** Largest number of plain bytes a block may hold, whatever the window. */
export const MAX_BLOCK_BYTES = 2 ** 17;

const MAGIC = 0xfd2fb528;
const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;

/** Byte lengths of the dictionary id and the content size, by their flags in the frame's descriptor byte. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;

/** Whether bytes begin as a frame does. */
export function beginsWithMagic(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC_BYTES && uint32(bytes, 0) === MAGIC;
}

/** What a frame header says, and where the frame's blocks lie. All positions are absolute byte offsets. */
export interface FrameLayout {
  /** First byte of the magic. */
  readonly start: number;
  /** First byte of the first block header. */
  readonly headerEnd: number;
  /** The byte after the last complete block. */
  readonly blocksEnd: number;
  readonly descriptor: number;
  readonly checksum: boolean;
  /** Bytes of history a decoder must keep; the content size for a single-segment frame. */
  readonly windowSize: number;
  readonly contentSize: number | undefined;
  readonly dictionaryId: number;
  /** No decoder can produce more than this many plain bytes from the complete blocks. */
  readonly mostBytes: number;
}

/** A structurally complete frame. */
export interface Frame extends FrameLayout {
  /** The byte after the frame, checksum included. */
  readonly end: number;
}

/** The last frame of a file that ends inside it. */
export interface TornFrame extends FrameLayout {
  /** Plain bytes of a stored (raw) block that had begun: absolute range, absent when the file does not end inside one. */
  readonly partialRaw: { readonly start: number; readonly end: number } | undefined;
  /** The last block was complete; only (part of) the checksum is missing. */
  readonly lastBlock: boolean;
}

/**
 * How the walk ended. `torn` starts an unfinished last frame (`frame` is absent when not even its header is complete), `foreign` at bytes
 * that are not a frame, `corrupt` at the frame whose header or block header no zstd writer makes.
 */
export type FrameWalkEnd =
  | { readonly kind: 'complete'; readonly byte: number }
  | { readonly kind: 'torn'; readonly byte: number; readonly frame: TornFrame | undefined }
  | { readonly kind: 'foreign'; readonly byte: number }
  | { readonly kind: 'corrupt'; readonly byte: number; readonly reason: 'reserved-bit' | 'block-type' };

export interface FrameWalk {
  readonly frames: readonly Frame[];
  readonly end: FrameWalkEnd;
}

export interface FrameWalkOptions {
  /** Where the first frame starts; 0 when absent. */
  readonly from?: number;
  /** Stop after this many frames; the end is then `complete` at the next frame's start. */
  readonly maxFrames?: number;
}

/** Walks the frames of `bytes` to their end or to the first place that is not a frame. Never throws. */
export function walkFrames(bytes: Uint8Array, options: FrameWalkOptions = {}): FrameWalk {
  const frames: Frame[] = [];
  const maxFrames = options.maxFrames ?? Infinity;
  let position = options.from ?? 0;
  while (position < bytes.length && frames.length < maxFrames) {
    const step = readFrame(bytes, position);
    if ('kind' in step) return { frames, end: step };
    frames.push(step);
    position = step.end;
  }
  return { frames, end: { kind: 'complete', byte: position } };
}

/** The frame that starts at `start`, or how the walk ends there. */
export function readFrame(bytes: Uint8Array, start: number): Frame | Exclude<FrameWalkEnd, { kind: 'complete' }> {
  const torn: FrameWalkEnd = { kind: 'torn', byte: start, frame: undefined };
  if (start + MAGIC_BYTES > bytes.length) return torn;
  if (uint32(bytes, start) !== MAGIC) return { kind: 'foreign', byte: start };
  if (start + MAGIC_BYTES >= bytes.length) return torn;

  const descriptor = byteAt(bytes, start + MAGIC_BYTES);
  if ((descriptor & 0b11000) !== 0) return { kind: 'corrupt', byte: start, reason: 'reserved-bit' };
  const singleSegment = (descriptor & 0b100000) !== 0;
  const contentFlag = descriptor >> 6;
  const dictionaryBytes = DICTIONARY_ID_BYTES[(descriptor & 0b11) as 0 | 1 | 2 | 3];
  const contentBytes = contentFlag === 0 ? (singleSegment ? 1 : 0) : CONTENT_SIZE_BYTES[contentFlag as 1 | 2 | 3];
  const windowAt = start + MAGIC_BYTES + 1;
  const dictionaryAt = windowAt + (singleSegment ? 0 : 1);
  const contentAt = dictionaryAt + dictionaryBytes;
  const headerEnd = contentAt + contentBytes;
  if (headerEnd > bytes.length) return torn;

  const contentSize =
    contentBytes === 0 ? undefined : littleEndian(bytes, contentAt, contentBytes) + (contentBytes === 2 ? 256 : 0);
  const layout = {
    start,
    headerEnd,
    descriptor,
    checksum: (descriptor & 0b100) !== 0,
    windowSize: singleSegment ? (contentSize ?? 0) : windowOf(byteAt(bytes, windowAt)),
    contentSize,
    dictionaryId: littleEndian(bytes, dictionaryAt, dictionaryBytes),
  };

  let position = headerEnd;
  let mostBytes = 0;
  for (;;) {
    if (position + BLOCK_HEADER_BYTES > bytes.length) {
      return tornAt(layout, { blocksEnd: position, mostBytes, lastBlock: false, partialRaw: undefined });
    }
    const header = littleEndian(bytes, position, BLOCK_HEADER_BYTES);
    const type = (header >> 1) & 0b11;
    const size = header >> 3;
    if (type === 3) return { kind: 'corrupt', byte: start, reason: 'block-type' };
    const bodyAt = position + BLOCK_HEADER_BYTES;
    const bodyEnd = bodyAt + (type === 1 ? 1 : size);
    if (bodyEnd > bytes.length) {
      const partialRaw = type === 0 && bodyAt < bytes.length ? { start: bodyAt, end: bytes.length } : undefined;
      return tornAt(layout, { blocksEnd: position, mostBytes, lastBlock: false, partialRaw });
    }
    mostBytes += type === 2 ? MAX_BLOCK_BYTES : size;
    position = bodyEnd;
    if ((header & 1) === 1) break;
  }
  const end = position + (layout.checksum ? CHECKSUM_BYTES : 0);
  if (end > bytes.length) {
    return tornAt(layout, { blocksEnd: position, mostBytes, lastBlock: true, partialRaw: undefined });
  }
  return { ...layout, blocksEnd: position, mostBytes, end };
}

type Header = Omit<FrameLayout, 'blocksEnd' | 'mostBytes'>;

function tornAt(header: Header, rest: Omit<TornFrame, keyof Header>): FrameWalkEnd & { kind: 'torn' } {
  return { kind: 'torn', byte: header.start, frame: { ...header, ...rest } };
}

/** A window descriptor byte: five bits of exponent over 1 KiB, three bits of eighths. */
function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 0b111);
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function uint32(bytes: Uint8Array, at: number): number {
  return (byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24)) >>> 0;
}

/** Up to eight bytes; beyond 2^53 the value is only good for comparing with a cap, which is all it is used for. */
function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + byteAt(bytes, at + i);
  return value;
}
