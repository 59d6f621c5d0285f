import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionHeader, StoredEvent } from '../../../src/core/index.ts';
import { SurfaceFold } from '../../../src/core/surface.ts';
import { openSession, type Encoding, type OpenSession } from '../../../src/storage/index.ts';
import { hasNativeZstd } from '../../../src/storage/zstd/decode.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { logBytes, logPath } from '../../support/write-log.ts';

/** Laws of reading that hold for every log: style.md "Tests". */

const temp = tempRoot();
const decoders = hasNativeZstd() ? (['native', 'portable'] as const) : (['portable'] as const);
const encodings: Encoding[] = ['zstd', 'none'];

function chat(version: Version): LogBuilder {
  const builder = new LogBuilder({ version, id: 'law', createdAt: 1000, cwd: '/work' });
  builder.prompt('one');
  builder.work({ text: 'looking', calls: [{ name: 'bash', args: {}, result: 'output '.repeat(40) }] });
  builder.reply('an answer with some words in it');
  builder.compact('what came before');
  builder.title('a title');
  builder.prompt('two');
  builder.reply('another answer');
  return builder;
}

interface Sample {
  readonly header: SessionHeader;
  readonly events: readonly StoredEvent[];
  readonly bytes: Readonly<Record<Encoding, Buffer>>;
}

const samples: Sample[] = [];

beforeAll(async () => {
  for (const version of [0, 2, 4] as Version[]) {
    const { header, events } = chat(version);
    const zstd = await logBytes(header, events, { batch: 7 });
    samples.push({ header, events, bytes: { zstd, none: await logBytes(header, events, { encoding: 'none' }) } });
  }
});

const chosen = fc.tuple(fc.nat(2), fc.constantFrom(...encodings));
const sampleAt = (index: number): Sample => {
  const sample = samples[index];
  if (sample === undefined) throw new Error('no such sample');
  return sample;
};

let path = '';

async function read(
  bytes: Uint8Array,
  sample: Sample,
  encoding: Encoding,
  decoder: (typeof decoders)[number],
): Promise<OpenSession> {
  path = logPath(temp.path, sample.header, encoding);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return openSession(path, { decoder, placement: false });
}

/** What two readings must agree on. */
function facts(session: OpenSession): unknown {
  const derivable = session.refusal === undefined;
  return {
    count: session.eventCount,
    uncommitted: session.uncommittedEvents,
    cut: session.inheritedEventCount,
    header: session.header,
    refusal: session.refusal?.kind,
    // The two decoders word the fault of a broken frame alike, but not for the same reason.
    damage: session.damage.map(({ kind, byte, frame, line, seq, dsh }) => ({ kind, byte, frame, line, seq, dsh })),
    events: [...session.events()],
    salvage: [...session.salvagedLines()],
    nodes: derivable ? session.surfaceNodes() : [],
    messages: derivable ? session.deriveMessages() : [],
  };
}

describe.each(decoders)('through the %s decoder', (decoder) => {
  it('a file cut anywhere gives a prefix of its events, and says so unless it ends between batches', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, fc.double({ min: 0, max: 1, noNaN: true }), async ([index, encoding], where) => {
        const sample = sampleAt(index);
        const whole = sample.bytes[encoding];
        const end = Math.floor(where * whole.length);
        const session = await read(whole.subarray(0, end), sample, encoding, decoder);
        const events = [...session.events()];
        expect(events).toEqual(sample.events.slice(0, events.length));
        expect([...session.salvagedLines()]).toEqual([]);
        if (session.header === undefined) expect(session.refusal?.kind).toBe('no-header');
        const longer = await read(whole, sample, encoding, decoder);
        expect(longer.damage).toEqual([]);
        if (events.length < sample.events.length && session.damage.length === 0) {
          // Nothing is missing that a writer had begun: what is there ends with a complete line or frame.
          const rest = await read(whole.subarray(0, end - 1), sample, encoding, decoder);
          expect(rest.damage.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a flipped bit in a checksummed file changes nothing or is reported', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.double({ min: 0, max: 0.999999, noNaN: true }), fc.nat(7), async (index, where, bit) => {
        const sample = sampleAt(index);
        const bytes = Buffer.from(sample.bytes.zstd);
        const at = Math.floor(where * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const session = await read(bytes, sample, 'zstd', decoder);
        const events = [...session.events()];
        expect(events).toEqual(sample.events.slice(0, events.length));
        if (session.damage.length === 0) expect(events).toEqual(sample.events);
      }),
      { numRuns: 120 },
    );
  });

  it('one by one equals all at once', async () => {
    for (const sample of samples) {
      const session = await read(sample.bytes.zstd, sample, 'zstd', decoder);
      const all = [...session.events()];
      expect(all.map(({ seq }) => session.eventAt(seq))).toEqual(all);
      expect(all.flatMap(({ seq }) => [...session.events(seq, seq + 1)])).toEqual(all);
      const fold = new SurfaceFold(sample.header.version, (seq) => all[seq]);
      for (const event of all) {
        expect(fold.apply(event)).toBeUndefined();
        expect(session.surfaceNodes(event.seq)).toEqual([...fold.nodes]);
        expect(session.deriveMessages(event.seq)).toEqual(fold.messagesAt(event.seq));
      }
    }
  });

  it('how events are batched into frames changes nothing', async () => {
    for (const sample of samples) {
      const whole = await read(sample.bytes.zstd, sample, 'zstd', decoder);
      const expected = facts(whole);
      for (const batch of [1, 3, 'one'] as const) {
        const session = await read(await logBytes(sample.header, sample.events, { batch }), sample, 'zstd', decoder);
        expect(facts(session)).toEqual(expected);
      }
    }
  });
});

// A runtime without a decoder of its own has nothing to compare.
if (decoders.length === 2)
  describe('both decoders', () => {
    it('read any file the same way: whole, cut, and with a flipped bit', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(2),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.option(fc.tuple(fc.double({ min: 0, max: 0.999999, noNaN: true }), fc.nat(7))),
          async (index, where, flip) => {
            const sample = sampleAt(index);
            const bytes = Buffer.from(sample.bytes.zstd.subarray(0, Math.ceil(where * sample.bytes.zstd.length)));
            if (flip !== null && bytes.length > 0) {
              const at = Math.floor(flip[0] * bytes.length);
              bytes[at] = (bytes[at] ?? 0) ^ (1 << flip[1]);
            }
            const [native, portable] = [
              await read(bytes, sample, 'zstd', 'native'),
              await read(bytes, sample, 'zstd', 'portable'),
            ];
            expect(facts(portable)).toEqual(facts(native));
          },
        ),
        { numRuns: 150 },
      );
    });
  });

it('whatever bytes a file holds, opening it answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...encodings), fc.uint8Array({ maxLength: 200 }), async (encoding, bytes) => {
      const session = await read(bytes, sampleAt(0), encoding, 'portable');
      expect(session.refusal?.kind).toBe('no-header');
      expect(session.damage.length).toBeGreaterThan(0);
    }),
  );
});
