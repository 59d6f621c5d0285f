import { isSeq, type Damage, type Refusal, type SessionHeader } from '../core/index.ts';
import { readBounded, type BoundedBytes } from './bounded-read.ts';
import { readHeader } from './header-check.ts';
import { activityOf, markerOf, promptOf, recordOf, subagentLabelOf, titleOf, turnOf, type SessionName } from './line-facts.ts';
import { logEnds, type LogEndsOptions } from './log-ends.ts';

/** What a bounded look at a log tells; the rest of the file is not read. */
export interface LogGlance {
  readonly size: number;
  /** Epoch milliseconds. */
  readonly mtime: number;
  readonly header: SessionHeader | undefined;
  /** The latest title, else the first human prompt. */
  readonly title: SessionName | undefined;
  /** False: a later title may lie in the part that was not read. */
  readonly titleIsComplete: boolean;
  /** Inherited events of a fork, where the part that was read tells. */
  readonly cut: number | undefined;
  /** The label a subagent was started under. */
  readonly label: string | undefined;
  /** Last human or model act, epoch ms. */
  readonly lastActivity: number | undefined;
  /** Undefined when the part that was read does not tell. */
  readonly turns: number | undefined;
  /** Undefined when the part that was read does not tell. */
  readonly isCompacted: boolean | undefined;
  /** Every event was read, so the damage is all there is. */
  readonly isChecked: boolean;
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
}

/** Bytes read from either end of a log. */
const PIECE_BYTES = 64 * 1024;

/** Bytes of either end read once more where the first piece holds no header. */
const HEADER_BYTES = 2 ** 20;

/** A log of one huge frame has no boundary near its end; up to this size it is read whole instead. */
const WHOLE_BYTES = 512 * 1024;

/** Reads the ends of a log. Throws only what the file system throws. */
export async function glanceAtLog(path: string, options: LogEndsOptions): Promise<LogGlance> {
  const bytes = await readBounded(path, { piece: PIECE_BYTES, whole: 2 * PIECE_BYTES });
  const glance = glanceAtBytes(bytes, options);
  if (glance.header === undefined && bytes.tailAt > 0) {
    // The header line may be longer than the piece; what goes on beyond this one is none.
    return glanceAtBytes(await readBounded(path, { piece: HEADER_BYTES, whole: 2 * HEADER_BYTES }), options);
  }
  if (glance.turns !== undefined || bytes.tailAt === 0 || bytes.size > WHOLE_BYTES) return glance;
  return glanceAtBytes(await readBounded(path, { piece: PIECE_BYTES, whole: WHOLE_BYTES }), options);
}

/** The same, from bytes in hand. */
function glanceAtBytes(bytes: BoundedBytes, options: LogEndsOptions): LogGlance {
  const ends = logEnds(bytes, options);
  const { header, refusal, damage } = ends.events ?? readHeader(ends.headerLine, options.fileVersion);
  const file = { size: bytes.size, mtime: bytes.mtime, header, refusal };
  // An event that is not known ends deriving, not what is told of the log.
  if (refusal !== undefined && refusal.kind !== 'unknown-event') {
    const nothing = {
      title: undefined,
      titleIsComplete: true,
      cut: undefined,
      label: undefined,
      lastActivity: undefined,
      turns: undefined,
      isCompacted: undefined,
      isChecked: true, // there is nothing in it that a list could read
    };
    // Where the container is broken, that is the reason; the missing header only follows from it.
    return { ...file, ...nothing, damage: header === undefined && ends.damage.length > 0 ? ends.damage : damage };
  }
  const late = factsFromEnd(ends.tail, header?.isSeeded === true);
  const early = late.title !== undefined && header?.origin === undefined ? undefined : factsFromStart(ends.head);
  return {
    ...file,
    title: late.title ?? early?.title ?? early?.prompt,
    titleIsComplete: late.title !== undefined || ends.isWhole,
    cut: cutOf(header, late.marker),
    label: early?.label,
    lastActivity: late.activity,
    turns: ends.turns ?? late.turn ?? (ends.isWhole ? 0 : undefined),
    isCompacted: ends.isCompacted,
    isChecked: ends.events !== undefined,
    damage: [...damage, ...ends.damage],
  };
}

/** format/on-disk.md §7. */
function cutOf(header: SessionHeader | undefined, marker: number | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (header.version < 2) return isSeq(header.seedLength) ? header.seedLength : undefined;
  return header.isSeeded === true ? marker : undefined;
}

interface EarlyFacts {
  title: SessionName | undefined;
  prompt: SessionName | undefined;
  label: string | undefined;
}

function factsFromStart(lines: Iterable<string>): EarlyFacts {
  const facts: EarlyFacts = { title: undefined, prompt: undefined, label: undefined };
  for (const line of lines) {
    if (facts.prompt !== undefined && !line.includes('session/title')) continue;
    const record = recordOf(line);
    if (record === undefined) continue;
    facts.title = titleOf(record) ?? facts.title;
    facts.prompt ??= promptOf(record);
    facts.label ??= subagentLabelOf(record);
  }
  return facts;
}

interface LateFacts {
  title: SessionName | undefined;
  activity: number | undefined;
  turn: number | undefined;
  /** Seq of the last event that marks an inherited part. */
  marker: number | undefined;
}

function factsFromEnd(lines: Iterable<string>, isSeeded: boolean): LateFacts {
  const facts: LateFacts = { title: undefined, activity: undefined, turn: undefined, marker: undefined };
  for (const line of lines) {
    const known = facts.activity !== undefined && facts.turn !== undefined;
    const wantsMarker = isSeeded && facts.marker === undefined;
    if (known && facts.title !== undefined && !wantsMarker) break;
    if (known && !line.includes('session/title') && !(wantsMarker && line.includes('session/end-seed'))) continue;
    const record = recordOf(line);
    if (record === undefined) continue;
    facts.title ??= titleOf(record);
    facts.activity ??= activityOf(record);
    facts.turn ??= turnOf(record);
    facts.marker ??= markerOf(record);
  }
  return facts;
}
