import { V0_DIALECT } from './v0.ts';
import { V1_DIALECT } from './v1.ts';
import { V2_DIALECT } from './v2.ts';
import { V3_DIALECT } from './v3.ts';
import { V4_DIALECT } from './v4.ts';

/** What differs between the format versions, as far as reading, folding and forking are concerned. format/events.md §1. */
export interface Dialect {
  readonly version: number;
  /** Types that may stand on the surface. */
  readonly surfaceTypes: ReadonlySet<string>;
  /** Spelling of a replaced range; the other one is refused. */
  readonly replaceKeys: readonly [start: 'start', end: 'end'] | readonly [start: 'startSeq', end: 'endSeq'];
  /** Whether one stored line may pack many chunk events. */
  readonly packedRows: boolean;
  /** Whether an answer carries its stream in `data.stream`. */
  readonly embeddedStreams: boolean;
  /** `optional`: an answer may cite its chunks, or nothing with an empty list. */
  readonly answerSources: 'optional' | 'forbidden';
  /** Whether a system message at node 0 is protected from replacement by anything but a system message. */
  readonly protectedHead: boolean;
  /** Whether `image/offload` changes the content of nodes. */
  readonly imageOffload: boolean;
  /** `wrapped`: role user, one tool-result block. `direct`: role tool, content in the message. */
  readonly toolMessage: 'wrapped' | 'direct';
  /** Where the number of inherited events is recorded. */
  readonly cut: 'seed-length' | 'marker';
  /** What a fork inside an open turn is. */
  readonly openTurnFork: 'refused' | 'closed';
}

const DIALECTS: readonly Dialect[] = [V0_DIALECT, V1_DIALECT, V2_DIALECT, V3_DIALECT, V4_DIALECT];

/** The dialect of a version this reader interprets (0–4). Throws a RangeError for any other. */
export function dialectOf(version: number): Dialect {
  const dialect = DIALECTS[version];
  if (dialect === undefined) throw new RangeError(`there is no dialect of format ${version}`);
  return dialect;
}
