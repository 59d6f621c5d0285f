import { readFile } from 'node:fs/promises';
import type { Encoding } from './generations.ts';
import { activityOf, promptOf, recordOf, titleOf, turnOf, type SessionName } from './line-facts.ts';
import { storedForm } from './stored-form.ts';
import { decodeFrame, decodeTornFrame, type FrameDecoder } from './zstd/decode.ts';
import { walkFrames } from './zstd/frames.ts';

/** What a list wants to know of a log, from all of its lines. */
export interface WholeLogFacts {
  readonly title: SessionName | undefined;
  readonly prompt: SessionName | undefined;
  readonly activity: number | undefined;
  readonly turns: number;
}

export interface WholeLogOptions {
  readonly encoding: Encoding;
  readonly decoder: FrameDecoder;
  readonly signal?: AbortSignal;
}

/**
 * Reads a whole log, one frame's plain text in memory at a time; frames and lines that cannot be read are passed over. Only lines that can
 * matter are parsed. Throws what the file system throws, and the signal's reason.
 */
export async function scanWholeLog(path: string, options: WholeLogOptions): Promise<WholeLogFacts> {
  const { signal } = options;
  const bytes = await readFile(path, signal === undefined ? {} : { signal });
  const facts: { -readonly [K in keyof WholeLogFacts]: WholeLogFacts[K] } = {
    title: undefined,
    prompt: undefined,
    activity: undefined,
    turns: 0,
  };
  let pieces = 0;
  for (const piece of storedForm(bytes, options.encoding) === 'zstd' ? plainPieces(bytes, options.decoder) : [bytes]) {
    if (++pieces % PIECES_PER_PAUSE === 0) await new Promise(setImmediate);
    signal?.throwIfAborted();
    readPiece(piece, facts);
  }
  return facts;
}

/** No event fits into less, and a log may hold millions of empty lines. */
const SHORTEST_LINE = 16;
/** Other work of the worker gets a turn this often. */
const PIECES_PER_PAUSE = 256;

function readPiece(piece: Uint8Array, facts: { -readonly [K in keyof WholeLogFacts]: WholeLogFacts[K] }): void {
  const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  let start = 0;
  for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a, start)) {
    const from = start;
    start = end + 1;
    if (end - from < SHORTEST_LINE) continue;
    const line = buffer.toString('utf8', from, end);
    // Most lines of a log are chunks; the words of these types are looked for before anything is parsed.
    if (!/"(?:session\/title|turn\/(?:start|end)|user\/message|steering\/message|assistant\/message|tool\/result)"/.test(line))
      continue;
    const record = recordOf(line);
    if (record === undefined) continue;
    facts.title = titleOf(record) ?? facts.title;
    facts.prompt ??= promptOf(record);
    facts.activity = activityOf(record) ?? facts.activity;
    facts.turns = Math.max(facts.turns, turnOf(record) ?? 0);
  }
}

function* plainPieces(bytes: Uint8Array, decoder: FrameDecoder): Iterable<Uint8Array> {
  const { frames, end } = walkFrames(bytes);
  for (const frame of frames) {
    const plain = decodeFrame(bytes, frame, { decoder });
    if (plain.ok) yield plain.bytes;
  }
  if (end.kind === 'torn' && end.frame !== undefined) yield decodeTornFrame(bytes, end.frame, { decoder });
}
