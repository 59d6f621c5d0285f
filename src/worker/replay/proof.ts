import { verifyInPieces } from '../../core/index.ts';
import type { ReplayProof } from '../../protocol/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { playable } from './plan.ts';
import { Slices } from './slices.ts';

/** Seqs named of each kind of difference. */
const NAMED = 200;

/** Plays a whole log without waiting and says whether it came out as stored. format/fork-resume.md §6. */
export async function replayProof(loaded: LoadedLog, signal: AbortSignal): Promise<ReplayProof> {
  const events = playable(loaded);
  const { log } = loaded;
  const stopsAt = log.refusal?.seq;
  if (events.length === 0) {
    const nothing = { answers: 0, disagreeing: [], disagreeingCount: 0, historyAgrees: true, refused: [] };
    return { ...nothing, events: 0, stopsAt };
  }
  const slices = new Slices(signal);
  const direct = log.deriveMessages(events.length - 1);
  const run = verifyInPieces(events, loaded.version, () => direct);
  let step = run.next();
  while (step.done !== true) {
    if (slices.isOver) await slices.pause();
    step = run.next();
  }
  const { answers, disagreeing, historyAgrees, refused } = step.value;
  return {
    answers,
    disagreeing: disagreeing.slice(0, NAMED),
    disagreeingCount: disagreeing.length,
    historyAgrees,
    refused: refused.slice(0, NAMED),
    events: events.length,
    stopsAt,
  };
}
