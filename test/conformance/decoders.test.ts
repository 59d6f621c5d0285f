import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeFrame, decodeTornFrame, hasNativeZstd, loadDecoder } from '../../src/storage/zstd/decode.ts';
import { walkFrames } from '../../src/storage/zstd/frames.ts';
import { hasSharedData, sharedLogs, sharedPath } from '../support/shared.ts';

const logs = hasSharedData ? [...sharedLogs('corpus'), ...sharedLogs('cases')].filter((path) => path.endsWith('.zstd')) : [];

describe.runIf(hasSharedData && hasNativeZstd())('native and portable decoders agree on every frame', () => {
  it.each(logs.map((path) => [relative(sharedPath(), path), path]))('%s', async (_, path) => {
    const native = await loadDecoder('native');
    const portable = await loadDecoder('portable');
    const bytes = readFileSync(path);
    const { frames, end } = walkFrames(bytes);
    for (const frame of frames) {
      const a = decodeFrame(bytes, frame, { decoder: native });
      const b = decodeFrame(bytes, frame, { decoder: portable });
      expect(b.ok).toBe(a.ok);
      if (a.ok && b.ok) expect(Buffer.from(a.bytes).equals(b.bytes)).toBe(true);
    }
    if (end.kind === 'torn' && end.frame !== undefined) {
      const a = decodeTornFrame(bytes, end.frame, { decoder: native });
      const b = decodeTornFrame(bytes, end.frame, { decoder: portable });
      expect(Buffer.from(a).equals(b)).toBe(true);
    }
  });
});

interface Oracle {
  readonly physical?: {
    /** A frame that does not decode has an error in place of its last two numbers. */
    readonly frames?: readonly (readonly unknown[])[];
  };
}

describe.runIf(hasSharedData)('frames as the oracles record them', () => {
  const index = hasSharedData
    ? (JSON.parse(readFileSync(sharedPath('corpus', 'INDEX.json'), 'utf8')) as { path: string; oracle: string }[])
    : [];

  it('start, end, descriptor, plain bytes and lines', async () => {
    const decoder = await loadDecoder();
    let compared = 0;
    for (const { path, oracle } of index) {
      const expected = (JSON.parse(readFileSync(sharedPath('corpus', oracle), 'utf8')) as Oracle).physical?.frames;
      if (expected === undefined || expected.length === 0 || !path.endsWith('.zstd')) continue;
      const bytes = readFileSync(sharedPath('corpus', path));
      const got = walkFrames(bytes).frames.map((frame) => {
        const decoded = decodeFrame(bytes, frame, { decoder });
        const place = [frame.start, frame.end, frame.descriptor];
        if (!decoded.ok) return [...place, expect.objectContaining({ class: 'Error' }) as unknown];
        let lines = 0;
        for (const byte of decoded.bytes) if (byte === 0x0a) lines++;
        return [...place, decoded.bytes.length, lines];
      });
      expect(expected, path).toEqual(got);
      compared++;
    }
    expect(compared).toBeGreaterThan(20);
  });
});
