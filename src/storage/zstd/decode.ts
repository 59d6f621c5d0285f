import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import xxhash, { type XXHashAPI } from 'xxhash-wasm';
import { MAX_BLOCK_BYTES, MAX_WINDOW_BYTES, type Frame, type FrameLayout, type TornFrame } from './frames.ts';

/**
 * Two decoders behind one function, one frame per call. Neither is trusted: the frame's header is checked against caps before anything is
 * allocated, the output is capped on the bytes produced, and the checksum and the content size are compared afterwards.
 */

export type DecoderKind = 'native' | 'portable';

/** Plain bytes one frame may produce when no cap is given: what one typed array and one string pass can still hold. */
const MAX_FRAME_BYTES = 2 ** 29;

export type FrameFault =
  /** Asks for more history than {@link MAX_WINDOW_BYTES}. */
  | 'window-too-large'
  /** Claims or produces more than the cap. */
  | 'content-too-large'
  /** Names a dictionary; the format has none. */
  | 'dictionary'
  | 'checksum'
  /** The blocks do not decode, or not to the size the header states. */
  | 'data';

export type DecodedFrame =
  { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: FrameFault };

export interface DecodeOptions {
  readonly decoder: FrameDecoder;
  /** Cap on the plain bytes; {@link MAX_FRAME_BYTES} when absent. */
  readonly maxBytes?: number;
}

/** A loaded decoder; make one with {@link loadDecoder} and keep it. */
export interface FrameDecoder {
  readonly kind: DecoderKind;
  /** @internal Decodes one well-formed frame; throws {@link CapExceeded} past the cap and anything else on bad data. */
  readonly run: (frame: Uint8Array, maxBytes: number) => Uint8Array;
  /** @internal Low 32 bits of XXH64 where the decoder itself verifies no checksum. */
  readonly checksumOf: ((bytes: Uint8Array) => number) | undefined;
}

class CapExceeded extends Error {}

/** Whether this runtime has zstd of its own (Node ≥ 22.15, VS Code ≥ 1.101). */
export function hasNativeZstd(): boolean {
  return typeof (zlib as Partial<typeof zlib>).zstdDecompressSync === 'function';
}

/** The asked-for decoder, or the best one of this runtime. Throws when `native` is asked for and absent. */
export async function loadDecoder(kind?: DecoderKind): Promise<FrameDecoder> {
  const chosen = kind ?? (hasNativeZstd() ? 'native' : 'portable');
  if (chosen === 'native') {
    if (!hasNativeZstd()) throw new Error('This runtime has no native zstd decoder');
    return nativeDecoder;
  }
  hashing ??= xxhash();
  const api = await hashing;
  return { kind: 'portable', run: runPortable, checksumOf: (bytes) => lowHash(api, bytes) };
}

let hashing: Promise<XXHashAPI> | undefined;

/** Decodes one structurally complete frame of `bytes`. Never throws for what the bytes hold. */
export function decodeFrame(bytes: Uint8Array, frame: Frame, options: DecodeOptions): DecodedFrame {
  const maxBytes = options.maxBytes ?? MAX_FRAME_BYTES;
  const refused = refuseHeader(frame, maxBytes);
  if (refused !== undefined) return { ok: false, reason: refused };
  const { decoder } = options;
  try {
    if (decoder.checksumOf === undefined) {
      // The native decoder checks the blocks, the content size and the checksum of the frame as it stands.
      return checkSize(frame, decoder.run(bytes.subarray(frame.start, frame.end), maxBytes));
    }
    const plain = decoder.run(plainFrame(bytes, frame, true), maxBytes);
    if (frame.checksum && decoder.checksumOf(plain) !== storedChecksum(bytes, frame)) return { ok: false, reason: 'checksum' };
    return checkSize(frame, plain);
  } catch (error) {
    return { ok: false, reason: error instanceof CapExceeded ? 'content-too-large' : faultOf(error) };
  }
}

/**
 * What can be read of an unfinished last frame: its complete blocks, then the finished part of a stored block. Both decoders give the same
 * bytes. Nothing readable gives no bytes; a complete block that does not decode takes the whole frame with it.
 */
export function decodeTornFrame(bytes: Uint8Array, frame: TornFrame, options: DecodeOptions): Uint8Array {
  const maxBytes = options.maxBytes ?? MAX_FRAME_BYTES;
  if (refuseHeader({ ...frame, contentSize: undefined }, maxBytes) !== undefined) return EMPTY;
  let plain: Uint8Array;
  try {
    plain =
      frame.blocksEnd === frame.headerEnd ? EMPTY : options.decoder.run(plainFrame(bytes, frame, frame.lastBlock), maxBytes);
  } catch {
    // There is no checksum to tell good blocks from bad ones, so no part of such a frame can be believed.
    return EMPTY;
  }
  const raw = frame.partialRaw;
  if (raw === undefined || plain.length + (raw.end - raw.start) > maxBytes) return plain;
  const joined = new Uint8Array(plain.length + (raw.end - raw.start));
  joined.set(plain);
  joined.set(bytes.subarray(raw.start, raw.end), plain.length);
  return joined;
}

const EMPTY = new Uint8Array(0);
const MINIMAL_HEADER_BYTES = 6;
/** An empty stored block marked as the last one. */
const CLOSING_BLOCK = [1, 0, 0] as const;

function refuseHeader(frame: FrameLayout, maxBytes: number): FrameFault | undefined {
  if (frame.dictionaryId !== 0) return 'dictionary';
  if (frame.windowSize > MAX_WINDOW_BYTES) return 'window-too-large';
  if (frame.contentSize !== undefined && frame.contentSize > maxBytes) return 'content-too-large';
  return undefined;
}

function checkSize(frame: FrameLayout, plain: Uint8Array): DecodedFrame {
  if (frame.contentSize !== undefined && plain.length !== frame.contentSize) return { ok: false, reason: 'data' };
  return { ok: true, bytes: plain };
}

/**
 * The frame's complete blocks under a header of our own: no checksum, no content size, and a window no larger than what the blocks can
 * produce. So an unfinished frame becomes a finished one, and the portable decoder neither allocates nor moves megabytes for each of
 * thousands of tiny frames whose header asks for the writer's usual 2 MiB.
 */
function plainFrame(bytes: Uint8Array, frame: FrameLayout, closed: boolean): Uint8Array {
  const blocks = bytes.subarray(frame.headerEnd, frame.blocksEnd);
  const made = new Uint8Array(MINIMAL_HEADER_BYTES + blocks.length + (closed ? 0 : CLOSING_BLOCK.length));
  const window = Math.min(frame.windowSize, Math.max(frame.mostBytes, MAX_BLOCK_BYTES));
  const exponent = Math.max(10, Math.ceil(Math.log2(Math.max(window, 1))));
  made.set([0x28, 0xb5, 0x2f, 0xfd, 0, (exponent - 10) << 3]);
  made.set(blocks, MINIMAL_HEADER_BYTES);
  if (!closed) made.set(CLOSING_BLOCK, MINIMAL_HEADER_BYTES + blocks.length);
  return made;
}

const nativeDecoder: FrameDecoder = {
  kind: 'native',
  checksumOf: undefined,
  run(frame, maxBytes) {
    try {
      const plain = zlib.zstdDecompressSync(frame, { maxOutputLength: Math.max(maxBytes, 1) });
      return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
    } catch (error) {
      throw isCode(error, 'ERR_BUFFER_TOO_LARGE') ? new CapExceeded() : error;
    }
  },
};

function runPortable(frame: Uint8Array, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw new CapExceeded();
    if (chunk.length > 0) chunks.push(chunk);
  });
  stream.push(frame, true);
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const plain = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    plain.set(chunk, at);
    at += chunk.length;
  }
  return plain;
}

/** Hashing in pieces keeps the WebAssembly memory, which never shrinks, at one piece. */
const HASH_PIECE_BYTES = 2 ** 20;

function lowHash(api: XXHashAPI, bytes: Uint8Array): number {
  if (bytes.length <= HASH_PIECE_BYTES) return Number(api.h64Raw(bytes) & 0xffffffffn);
  const state = api.create64();
  for (let at = 0; at < bytes.length; at += HASH_PIECE_BYTES) state.update(bytes.subarray(at, at + HASH_PIECE_BYTES));
  return Number(state.digest() & 0xffffffffn);
}

function storedChecksum(bytes: Uint8Array, frame: Frame): number {
  return new DataView(bytes.buffer, bytes.byteOffset + frame.blocksEnd, 4).getUint32(0, true);
}

function faultOf(error: unknown): FrameFault {
  if (isCode(error, 'ZSTD_error_checksum_wrong')) return 'checksum';
  if (isCode(error, 'ZSTD_error_frameParameter_windowTooLarge')) return 'window-too-large';
  return 'data';
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
