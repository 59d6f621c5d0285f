import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  decodeFrame,
  decodeTornFrame,
  hasNativeZstd,
  loadDecoder,
  type DecodeOptions,
  type FrameDecoder,
} from '../../../../src/storage/zstd/decode.ts';
import { encodeFrame, encodeStoredFrame } from '../../../../src/storage/zstd/encode.ts';
import { walkFrames, type Frame, type TornFrame } from '../../../../src/storage/zstd/frames.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function join(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;

/** A block header: last flag, type (0 stored, 1 repeated byte, 2 compressed), size. */
function block(last: boolean, type: number, size: number): number[] {
  const value = (size << 3) | (type << 1) | (last ? 1 : 0);
  return [value & 0xff, (value >> 8) & 0xff, value >> 16];
}

/** A frame of one stored block, without a checksum: no content size, window 1 KiB. */
function storedFrame(text: string): Uint8Array {
  const body = bytesOf(text);
  return join(MAGIC, [0x00, 0x00], block(true, 0, body.length), body);
}

const decoders: FrameDecoder[] = [];
beforeAll(async () => {
  decoders.push(await loadDecoder('portable'));
  if (hasNativeZstd()) decoders.push(await loadDecoder('native'));
});

/** Bytes as text, since the matcher is far too slow on megabytes of numbers. */
function comparable(answer: Uint8Array | ReturnType<typeof decodeFrame>): unknown {
  if (answer instanceof Uint8Array) return Buffer.from(answer).toString('latin1');
  return answer.ok ? comparable(answer.bytes) : answer;
}

/** Runs with each decoder and demands equal answers. */
function withEach<T extends Uint8Array | ReturnType<typeof decodeFrame>>(run: (options: DecodeOptions) => T): T {
  const answers = decoders.map((decoder) => run({ decoder }));
  const first = answers[0];
  if (first === undefined) throw new Error('no decoder is loaded');
  for (const answer of answers) expect(comparable(answer)).toEqual(comparable(first));
  return first;
}

function onlyFrame(bytes: Uint8Array): Frame {
  const walk = walkFrames(bytes);
  expect(walk.end.kind).toBe('complete');
  expect(walk.frames).toHaveLength(1);
  return walk.frames[0] as Frame;
}

function tornFrame(bytes: Uint8Array): TornFrame {
  const { end } = walkFrames(bytes);
  if (end.kind !== 'torn' || end.frame === undefined) throw new Error(`expected a torn frame, got ${JSON.stringify(end)}`);
  return end.frame;
}

const plainOf = (decoded: ReturnType<typeof decodeFrame>): string =>
  decoded.ok ? textOf(decoded.bytes) : `fault ${decoded.reason}`;

describe('walkFrames', () => {
  it('gives the layout of a frame as the harness writes it: no content size, window 2 MiB, checksum', async () => {
    const frame = onlyFrame(await encodeFrame(bytesOf('{"type":"session"}\n')));
    expect(frame.descriptor).toBe(0x04);
    expect(frame).toMatchObject({
      start: 0,
      headerEnd: 6,
      checksum: true,
      windowSize: 2 ** 21,
      contentSize: undefined,
      dictionaryId: 0,
    });
    expect(frame.end).toBe(frame.blocksEnd + 4);
  });

  it('reads every width of content size and dictionary id', () => {
    const body = [...block(true, 0, 1), 0x61];
    // descriptor: single segment | content flag << 6 | dictionary flag
    expect(onlyFrame(join(MAGIC, [0x20, 1], body))).toMatchObject({ headerEnd: 6, windowSize: 1, contentSize: 1 });
    expect(onlyFrame(join(MAGIC, [0x60, 0x01, 0x02], body))).toMatchObject({ headerEnd: 7, contentSize: 0x0201 + 256 });
    expect(onlyFrame(join(MAGIC, [0xa0, 1, 2, 3, 4], body))).toMatchObject({ headerEnd: 9, contentSize: 0x04030201 });
    expect(onlyFrame(join(MAGIC, [0xe0, 1, 0, 0, 0, 1, 0, 0, 0], body))).toMatchObject({
      headerEnd: 13,
      contentSize: 2 ** 32 + 1,
    });
    expect(onlyFrame(join(MAGIC, [0x01, 0x08, 7], body))).toMatchObject({ headerEnd: 7, windowSize: 2048, dictionaryId: 7 });
    expect(onlyFrame(join(MAGIC, [0x02, 0x01, 7, 1], body))).toMatchObject({ windowSize: 1024 + 128, dictionaryId: 263 });
    expect(onlyFrame(join(MAGIC, [0x03, 0, 0, 0, 0, 1], body))).toMatchObject({ headerEnd: 10, dictionaryId: 2 ** 24 });
  });

  it('counts one stored byte for a repeated-byte block', () => {
    const bytes = join(MAGIC, [0, 0], block(true, 1, 900), [0x78]);
    expect(onlyFrame(bytes)).toMatchObject({ end: 10, mostBytes: 900 });
    expect(plainOf(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options)))).toBe('x'.repeat(900));
  });

  it('is not misled by the magic inside a block or as a checksum', () => {
    const inner = storedFrame('inner');
    const bytes = join(MAGIC, [0x04, 0], block(true, 0, inner.length), inner, MAGIC, storedFrame('next'));
    const walk = walkFrames(bytes);
    expect(walk.frames.map((frame) => frame.start)).toEqual([0, 9 + inner.length + 4]);
    expect(walk.end).toEqual({ kind: 'complete', byte: bytes.length });
  });

  it('ends at bytes that are no frame, a skippable frame included', () => {
    const first = storedFrame('a\n');
    const skippable = [0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9];
    for (const tail of [[0, 0, 0, 0], skippable, [...bytesOf('{"seq":1}')]]) {
      const walk = walkFrames(join(first, tail, first));
      expect(walk.frames).toHaveLength(1);
      expect(walk.end).toEqual({ kind: 'foreign', byte: first.length });
    }
  });

  it('takes fewer than four trailing bytes as torn, whatever they are', () => {
    const first = storedFrame('a\n');
    for (const tail of [[0], [0, 0], [0, 0, 0], [0x28, 0xb5]]) {
      expect(walkFrames(join(first, tail)).end).toEqual({ kind: 'torn', byte: first.length, frame: undefined });
    }
  });

  it('reports a reserved header bit and a reserved block type as corrupt at the frame', () => {
    const first = storedFrame('a\n');
    expect(walkFrames(join(first, MAGIC, [0x08, 0])).end).toEqual({
      kind: 'corrupt',
      byte: first.length,
      reason: 'reserved-bit',
    });
    expect(walkFrames(join(first, MAGIC, [0x10, 0])).end).toMatchObject({ reason: 'reserved-bit' });
    const badBlock = join(first, MAGIC, [0, 0], block(false, 0, 1), [0x61], block(true, 3, 1), [0x61]);
    expect(walkFrames(badBlock).end).toEqual({ kind: 'corrupt', byte: first.length, reason: 'block-type' });
  });

  it('gives nothing for an empty file and stops where asked', () => {
    expect(walkFrames(new Uint8Array(0))).toEqual({ frames: [], end: { kind: 'complete', byte: 0 } });
    const two = join(storedFrame('a\n'), storedFrame('b\n'));
    expect(walkFrames(two, { maxFrames: 1 }).end).toEqual({ kind: 'complete', byte: 11 });
    expect(walkFrames(two, { from: 11 }).frames.map((frame) => frame.start)).toEqual([11]);
  });

  it('a cut file gives a prefix of the frames and names where the rest begins', async () => {
    const parts = await Promise.all(
      ['{"type":"session"}\n', 'one\n'.repeat(50), 'two\n'].map((text) => encodeFrame(bytesOf(text))),
    );
    const whole = join(...parts);
    const starts = [0, parts[0]?.length ?? 0, (parts[0]?.length ?? 0) + (parts[1]?.length ?? 0), whole.length];
    for (let cut = 0; cut <= whole.length; cut++) {
      const walk = walkFrames(whole.subarray(0, cut));
      const complete = starts.filter((start) => start <= cut).length - 1;
      expect(walk.frames).toHaveLength(complete);
      expect(walk.end.byte).toBe(starts[complete]);
      expect(walk.end.kind).toBe(starts.includes(cut) ? 'complete' : 'torn');
    }
  });

  it('never throws and never runs backwards on any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }), (parts) => {
        const bytes = join(...parts.map((part) => join(MAGIC, part)));
        let last = 0;
        for (const frame of walkFrames(bytes).frames) {
          expect(frame.start).toBe(last);
          expect(frame.end).toBeGreaterThan(frame.start);
          last = frame.end;
        }
        expect(walkFrames(bytes).end.byte).toBe(last);
      }),
    );
  });
});

describe('decodeFrame', () => {
  it('decodes frames with and without checksum and content size', () => {
    expect(plainOf(withEach((options) => decodeFrame(storedFrame('abc'), onlyFrame(storedFrame('abc')), options)))).toBe('abc');
    const sized = join(MAGIC, [0x20, 3], block(true, 0, 3), bytesOf('abc'));
    expect(plainOf(withEach((options) => decodeFrame(sized, onlyFrame(sized), options)))).toBe('abc');
  });

  it('gives back what was encoded, in both encoders', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ maxLength: 3000 }),
          fc.nat(400_000).map((n) => 'lorem ipsum '.repeat(n / 12)),
        ),
        async (text) => {
          for (const bytes of [await encodeFrame(bytesOf(text)), await encodeStoredFrame(bytesOf(text))]) {
            expect(plainOf(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options)))).toBe(textOf(bytesOf(text)));
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 30_000);

  it('reports every flipped bit of a checksummed frame, or reads the same text', async () => {
    const text = '{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'.repeat(3);
    for (const bytes of [await encodeFrame(bytesOf(text)), await encodeStoredFrame(bytesOf(text))]) {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const damaged = bytes.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const walk = walkFrames(damaged);
        if (walk.end.kind !== 'complete' || walk.frames.length !== 1) continue;
        const frame = walk.frames[0] as Frame;
        if (!frame.checksum) continue; // the flipped bit was the flag itself; four bytes then lie behind the frame
        for (const decoder of decoders) {
          const decoded = decodeFrame(damaged, frame, { decoder });
          if (decoded.ok) expect(textOf(decoded.bytes)).toBe(text);
        }
      }
    }
  });

  it('names a wrong checksum', async () => {
    const bytes = await encodeFrame(bytesOf('hello\n'));
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    expect(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options))).toEqual({ ok: false, reason: 'checksum' });
  });

  it('refuses a window above the cap before it allocates', () => {
    // exponent 18: 2^28 bytes
    const bytes = join(MAGIC, [0, 18 << 3], block(true, 0, 1), [0x61]);
    expect(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options))).toEqual({
      ok: false,
      reason: 'window-too-large',
    });
  });

  it('refuses a claimed content size above the cap: twelve bytes cannot ask for two gigabytes', () => {
    const bytes = join(MAGIC, [0x80, 0x58, 0, 0, 0, 0x80], block(true, 0, 0));
    expect(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options))).toEqual({
      ok: false,
      reason: 'content-too-large',
    });
  });

  it('stops on the bytes produced, whatever the header says', () => {
    const many = Array.from({ length: 64 }, (_, i) => [...block(i === 63, 1, 100_000), 0x61]).flat();
    const bytes = join(MAGIC, [0, 0x58], many);
    const frame = onlyFrame(bytes);
    expect(frame.mostBytes).toBe(6_400_000);
    expect(withEach((options) => decodeFrame(bytes, frame, { ...options, maxBytes: 1_000_000 }))).toEqual({
      ok: false,
      reason: 'content-too-large',
    });
    expect(withEach((options) => decodeFrame(bytes, frame, { ...options, maxBytes: 6_400_000 })).ok).toBe(true);
  });

  it('refuses a dictionary and a content size that is not met', () => {
    const dictionary = join(MAGIC, [0x01, 0x08, 7], block(true, 0, 1), [0x61]);
    expect(withEach((options) => decodeFrame(dictionary, onlyFrame(dictionary), options))).toEqual({
      ok: false,
      reason: 'dictionary',
    });
    const short = join(MAGIC, [0x80, 0x58, 9, 0, 0, 0], block(true, 0, 1), [0x61]);
    expect(withEach((options) => decodeFrame(short, onlyFrame(short), options))).toEqual({ ok: false, reason: 'data' });
  });

  it('refuses blocks that do not decode', () => {
    const bytes = join(MAGIC, [0, 0x58], block(true, 2, 5), [0xff, 0xff, 0xff, 0xff, 0xff]);
    expect(withEach((options) => decodeFrame(bytes, onlyFrame(bytes), options))).toEqual({ ok: false, reason: 'data' });
  });
});

describe('decodeTornFrame', () => {
  const stored = join(MAGIC, [0x04, 0x58], block(false, 0, 4), bytesOf('one\n'), block(true, 0, 8), bytesOf('two\nthre'));

  it.each([
    [6, ''], // the header alone
    [9, ''], // a block header without body
    [11, 'on'],
    [13, 'one\n'],
    [16, 'one\n'],
    [17, 'one\nt'],
    [20, 'one\ntwo\n'],
    [24, 'one\ntwo\nthre'], // all blocks, no checksum
  ])('%i bytes of stored blocks', (length, text) => {
    const cut = stored.subarray(0, length);
    expect(textOf(withEach((options) => decodeTornFrame(cut, tornFrame(cut), options)))).toBe(text);
  });

  it('keeps the complete blocks of a compressed frame, equal in both decoders, at every cut', async () => {
    // Noise and text in turn give several blocks of both kinds.
    let text = '';
    let state = 7;
    while (text.length < 300_000) {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      text +=
        text.length % 3000 < 1500 ? String.fromCharCode(0x4e00 + (state % 8000)) : `line ${String(state % 10)} of the log\n`;
    }
    const bytes = await encodeFrame(bytesOf(text));
    const whole = Buffer.from(text);
    const step = Math.max(1, Math.floor(bytes.length / 40));
    let most = 0;
    for (let cut = 6; cut < bytes.length; cut += step) {
      const part = bytes.subarray(0, cut);
      const [plain = new Uint8Array(0), other = plain] = decoders.map((decoder) =>
        decodeTornFrame(part, tornFrame(part), { decoder }),
      );
      // Compared as buffers: the matcher would walk every byte of megabytes.
      expect(Buffer.from(other).equals(plain)).toBe(true);
      expect(whole.subarray(0, plain.length).equals(plain)).toBe(true);
      expect(plain.length).toBeGreaterThanOrEqual(most);
      most = plain.length;
    }
    expect(most).toBeGreaterThan(100_000);
  });

  it('keeps everything when only checksum bytes are missing', async () => {
    const bytes = await encodeFrame(bytesOf('hello\n'));
    for (let missing = 1; missing <= 4; missing++) {
      const part = bytes.subarray(0, bytes.length - missing);
      expect(tornFrame(part).lastBlock).toBe(true);
      expect(textOf(withEach((options) => decodeTornFrame(part, tornFrame(part), options)))).toBe('hello\n');
    }
  });

  it('reads single-segment frames whose content size is not reached', () => {
    const cut = join(MAGIC, [0x60, 0, 1], block(false, 0, 4), bytesOf('one\n'), block(true, 0, 8), bytesOf('tw'));
    expect(textOf(withEach((options) => decodeTornFrame(cut, tornFrame(cut), options)))).toBe('one\ntw');
  });

  it('gives nothing when a complete block does not decode, or a cap is passed', () => {
    const bad = join(MAGIC, [0, 0x58], block(false, 2, 5), [0xff, 0xff, 0xff, 0xff, 0xff], block(true, 0, 9), bytesOf('x'));
    expect(withEach((options) => decodeTornFrame(bad, tornFrame(bad), options))).toHaveLength(0);
    const wide = join(MAGIC, [0, 18 << 3], block(true, 0, 4), [0x61]);
    expect(withEach((options) => decodeTornFrame(wide, tornFrame(wide), options))).toHaveLength(0);
    const cut = stored.subarray(0, 20);
    expect(textOf(withEach((options) => decodeTornFrame(cut, tornFrame(cut), { ...options, maxBytes: 6 })))).toBe('one\n');
  });
});
