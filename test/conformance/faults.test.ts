import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/core/events.ts';
import { openSession } from '../../src/storage/index.ts';
import { hasNativeZstd } from '../../src/storage/zstd/decode.ts';
import { corpusIndex, hashOf } from '../support/corpus.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';

/** Every damaged root of the corpus: what is readable, and what dsh itself says on list and on open. */

interface Failure {
  readonly error?: { readonly class: string; readonly about: string };
}

interface Fault {
  readonly reads: {
    readonly list?: Failure & { readonly count?: number };
    readonly readFrom0?: Failure & { readonly eventCount?: number; readonly eventsSha256Normalised?: string };
    readonly inspect?: Failure;
  };
  readonly loadOnCopy?: { readonly fileChanged?: boolean };
}

const NOT_STARTED = 'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.';
/** Faults that leave whole lines beyond the point where reading by seq ends. */
const SALVAGEABLE = new Set([
  'corrupt-mid-payload',
  'corrupt-mid-checksum',
  'corrupt-mid-magic',
  'reserved-bit-mid',
  'skippable-frame-mid',
  'missing-mid-frame',
  'duplicate-mid-frame',
  'swapped-last-frames',
  'row-nonjson-committed',
  'row-blank',
  'row-array',
  'none-bad-middle',
  'none-gap-tail',
]);

const faults = corpusIndex().filter((entry) => entry.fault !== undefined);
const decoders = hasNativeZstd() ? (['native', 'portable'] as const) : (['portable'] as const);

describe.runIf(hasSharedData)('every damaged log reads as far as it can', () => {
  it('finds the faults of the corpus', () => {
    expect(faults.length).toBeGreaterThan(65);
  });

  describe.each(decoders)('through the %s decoder', (decoder) => {
    it.each(faults.map((entry) => [entry.fault ?? '', entry] as const))('%s', async (name, entry) => {
      const oracle = JSON.parse(readFileSync(sharedPath('corpus', entry.oracle), 'utf8')) as Fault;
      const { list, readFrom0, inspect } = oracle.reads;
      const session = await openSession(sharedPath('corpus', entry.path), { decoder });
      const events = [...session.events()];
      expect(events.every((event, seq) => event.seq === seq)).toBe(true);
      expect(events.length).toBe(session.eventCount);

      if (readFrom0?.eventCount !== undefined) {
        expect(session.eventCount).toBe(readFrom0.eventCount);
        if (readFrom0.eventsSha256Normalised !== undefined)
          expect(hashOf(events.map(starred))).toBe(readFrom0.eventsSha256Normalised);
      }
      const about = readFrom0?.error?.about ?? '';
      const expected = /expected (\d+), found/.exec(about)?.[1];
      if (expected !== undefined) expect(session.eventCount).toBe(Number(expected));
      const byte = /at byte (\d+)/.exec(about)?.[1];
      if (byte !== undefined) {
        // dsh names the byte inside the frame header it stumbles over; ours is the frame's first.
        const near = session.damage.some(
          (damage) => damage.byte !== undefined && Number(byte) - damage.byte <= 4 && damage.byte <= Number(byte),
        );
        expect(near).toBe(true);
      }
      const line = /, line (\d+)/.exec(about)?.[1];
      // dsh counts the lines after the header.
      if (line !== undefined) expect(session.damage.map((damage) => damage.line)).toContain(Number(line) + 1);

      const refuses =
        session.refusal !== undefined || session.damage.some(({ dsh }) => dsh.open === 'refuses' || dsh.open === 'breaks-root');
      expect(refuses).toBe(inspect?.error !== undefined);
      const repairs = session.damage.some(({ dsh }) => dsh.open === 'repairs');
      // A writer also rewrites a file that is whole but ends in an open turn, so only this direction holds.
      if (repairs && !refuses) expect(oracle.loadOnCopy?.fileChanged).toBe(true);
      if (inspect?.error?.class !== 'SessionFormatUnsupportedError') {
        const skips = session.damage.some(({ dsh }) => dsh.list === 'skips' || dsh.list === 'refuses');
        const breaks = session.damage.some(({ dsh }) => dsh.list === 'breaks-root');
        const wanted = list?.error !== undefined ? 'breaks-root' : list?.count === 0 ? 'skips' : 'lists';
        expect(breaks ? 'breaks-root' : skips ? 'skips' : 'lists').toBe(wanted);
      }
      for (const damage of session.damage) expect(damage.message.length).toBeGreaterThan(5);
      if (SALVAGEABLE.has(name)) expect([...session.salvagedLines()].length).toBeGreaterThan(0);
      await session.close();
    });
  });
});

/** The free wording of closers, starred as the corpus README defines it. */
function starred(event: SessionEvent): unknown {
  if (event.type !== 'tool/result' || !/^(interrupted|forked)-tool-result-/.test(event.data.message.id)) return event;
  const copy = structuredClone(event);
  const pending: unknown[] = [copy.data.message.content];
  while (pending.length > 0) {
    const blocks = pending.pop();
    if (!Array.isArray(blocks)) continue;
    for (const block of blocks as { type?: string; text?: string; content?: unknown }[]) {
      if (block.type === 'text' && block.text !== NOT_STARTED) block.text = '*';
      pending.push(block.content);
    }
  }
  return copy;
}
