import { readFile, stat } from 'node:fs/promises';
import type { Damage, Refusal } from '../core/index.ts';
import type { Encoding } from './generations.ts';
import { activityOf, promptOf, shrinksContext, titleOf } from './line-facts.ts';
import { LineStore } from './line-store.ts';
import { LogEvents, type StoredLine } from './log-events.ts';
import { FrameLogReader, readPlainLog, stretches } from './log-reader.ts';
import { misnamed, storedForm } from './stored-form.ts';
import type { WholeLogFacts } from './whole-log-facts.ts';
import type { FrameDecoder } from './zstd/decode.ts';

/** What reading every event of a log tells a list: its damage inside as well, and the turns as they are when it is opened. */
export interface WholeLogCheck extends WholeLogFacts {
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
  /** Whether there is a compaction or a prune. */
  readonly isCompacted: boolean;
}

export interface WholeLogCheckOptions {
  readonly encoding: Encoding;
  /** The version of the file name, where it has one. */
  readonly fileVersion: number | undefined;
  readonly decoder: FrameDecoder;
  readonly signal?: AbortSignal;
}

/** Files looked at in passing; a larger one tells its damage when it is opened. */
const MAX_FILE_BYTES = 2 ** 26;
/** Plain text held at most while one log is looked at. */
const MAX_PLAIN_BYTES = 2 ** 28;
/**
 * Reads a whole log as opening it does, in short stretches so that a listing is answered in between. Undefined where the log is too large to
 * be looked at in passing. Throws what the file system throws, and the signal's reason.
 */
export async function checkWholeLog(path: string, options: WholeLogCheckOptions): Promise<WholeLogCheck | undefined> {
  const { fileVersion, decoder, signal } = options;
  if ((await stat(path)).size > MAX_FILE_BYTES) return undefined;
  const bytes = await readFile(path, signal === undefined ? {} : { signal });
  const encoding = storedForm(bytes, options.encoding);
  const store = new LineStore();
  const damage: Damage[] = misnamed(encoding, options.encoding, fileVersion);
  const facts: { -readonly [K in keyof WholeLogFacts]: WholeLogFacts[K] } = {
    title: undefined,
    prompt: undefined,
    activity: undefined,
    turns: 0,
  };
  let isCompacted = false;
  const visit = (line: StoredLine): void => {
    note(facts, line);
    isCompacted ||= shrinksContext(line.record);
  };
  const events = new LogEvents(store, { encoding, fileVersion, visit });
  const log = { bytes, version: fileVersion };
  const limits = { frameBytes: MAX_PLAIN_BYTES, logBytes: MAX_PLAIN_BYTES };
  const reader = encoding === 'zstd' ? new FrameLogReader(log, store, damage, decoder, limits) : undefined;
  for (const part of stretches(reader === undefined ? readPlainLog(log, store, damage) : reader.batches())) {
    events.take(part);
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  if (reader?.isCutShort === true || store.isFull) return undefined;
  events.finish();
  return { ...facts, damage: [...damage, ...events.damage], refusal: events.refusal, isCompacted };
}

/** Turns are counted by what opens them, as whoever opens the log sees them. */
function note(facts: { -readonly [K in keyof WholeLogFacts]: WholeLogFacts[K] }, { record }: StoredLine): void {
  const stored = { ...record };
  facts.title = titleOf(stored) ?? facts.title;
  facts.prompt ??= promptOf(stored);
  facts.activity = activityOf(stored) ?? facts.activity;
  if (stored.type === 'turn/start') facts.turns++;
}
