import * as zlib from 'node:zlib';
import xxhash from 'xxhash-wasm';
import { hasNativeZstd } from './decode.ts';
import { MAX_BLOCK_BYTES } from './frames.ts';

/**
 * One frame as the harness writes it: checksum flag on, no dictionary, no content size, a window of 2 MiB, the library's default level
 * (format/on-disk.md §4). Without native zstd the blocks are stored uncompressed, which every reader accepts too.
 */
export async function encodeFrame(plain: Uint8Array): Promise<Uint8Array> {
  return hasNativeZstd() ? compress(plain) : encodeStoredFrame(plain);
}

/**
 * The streaming compressor, because the one-shot one stores a content size and shrinks the window to it.
 */
function compress(plain: Uint8Array): Promise<Uint8Array> {
  return new Promise((done, fail) => {
    const stream = zlib.createZstdCompress({ params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } });
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      done(Buffer.concat(parts));
    });
    stream.on('error', fail);
    // A write of its own, so that the compressor does not know the size when it makes the frame header.
    stream.write(plain);
    stream.end();
  });
}

const FRAME_HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58] as const;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;

/** A frame of stored blocks with the same header and a right checksum. */
export async function encodeStoredFrame(plain: Uint8Array): Promise<Uint8Array> {
  const hash = await xxhash();
  const blocks = Math.max(1, Math.ceil(plain.length / MAX_BLOCK_BYTES));
  const frame = new Uint8Array(FRAME_HEADER.length + blocks * BLOCK_HEADER_BYTES + plain.length + CHECKSUM_BYTES);
  frame.set(FRAME_HEADER);
  let at = FRAME_HEADER.length;
  for (let block = 0; block < blocks; block++) {
    const body = plain.subarray(block * MAX_BLOCK_BYTES, (block + 1) * MAX_BLOCK_BYTES);
    const header = (body.length << 3) | (block === blocks - 1 ? 1 : 0);
    frame.set([header & 0xff, (header >> 8) & 0xff, header >> 16], at);
    frame.set(body, at + BLOCK_HEADER_BYTES);
    at += BLOCK_HEADER_BYTES + body.length;
  }
  new DataView(frame.buffer).setUint32(at, Number(hash.h64Raw(plain) & 0xffffffffn), true);
  return frame;
}
