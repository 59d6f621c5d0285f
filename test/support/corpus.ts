import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeStorageRecord } from '../../src/core/codec/chunk-rows.ts';
import type { SessionEvent, SessionHeader } from '../../src/core/events.ts';
import { decodeFrame, loadDecoder } from '../../src/storage/zstd/decode.ts';
import { walkFrames } from '../../src/storage/zstd/frames.ts';
import { hasSharedData, sharedPath } from './shared.ts';

/** A healthy log of the conformance data, taken apart without any of our reader's tolerance. */
export interface CorpusLog {
  readonly header: SessionHeader;
  readonly events: SessionEvent[];
}

/** One record of the corpus index. */
export interface CorpusEntry {
  readonly path: string;
  readonly version: number;
  readonly events: number;
  readonly oracle: string;
  readonly fault?: string;
}

/** The corpus index; empty when the data is not there. */
export function corpusIndex(): CorpusEntry[] {
  return hasSharedData ? (JSON.parse(readFileSync(sharedPath('corpus', 'INDEX.json'), 'utf8')) as CorpusEntry[]) : [];
}

/** A JSON file of the conformance data. */
export function sharedJson(...parts: string[]): unknown {
  return JSON.parse(readFileSync(sharedPath(...parts), 'utf8'));
}

/** Reads a healthy log by its path below the corpus. */
export async function readCorpusLog(...parts: string[]): Promise<CorpusLog> {
  const path = join(sharedPath('corpus'), ...parts);
  const bytes = readFileSync(path);
  const texts: string[] = [];
  if (path.endsWith('.zstd')) {
    const decoder = await loadDecoder();
    for (const frame of walkFrames(bytes).frames) {
      const decoded = decodeFrame(bytes, frame, { decoder });
      if (!decoded.ok) throw new Error(`${path}: frame at ${String(frame.start)} does not decode`);
      texts.push(Buffer.from(decoded.bytes).toString('utf8'));
    }
  } else texts.push(bytes.toString('utf8'));
  const [first, ...lines] = texts.join('').trimEnd().split('\n');
  const header = JSON.parse(first ?? '') as SessionHeader;
  const events: SessionEvent[] = [];
  for (const line of lines) for (const event of decodeStorageRecord(JSON.parse(line), header.version)) events.push(event);
  return { header, events };
}

/** Hash as the corpus defines it: SHA-256 over `JSON.stringify(value)`, in hex. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

const NOT_STARTED = 'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.';

/** Events with the free wording of closers replaced by `*`, as the corpus compares them. */
export function withoutFreeTexts(events: readonly SessionEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type !== 'tool/result' || !/^(?:interrupted|forked)-tool-result-/.test(event.data.message.id)) return event;
    return JSON.parse(JSON.stringify(event), (key, value: unknown) =>
      key === 'text' && value !== NOT_STARTED ? '*' : value,
    ) as unknown;
  });
}
