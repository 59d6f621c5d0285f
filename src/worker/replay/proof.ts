import { verifyInPieces, type Message, type ReplaySource, type TolerantReport } from '../../core/index.ts';
import type { ReplayProof } from '../../protocol/index.ts';
import { historyOf, withSeqs, type HistoryMessage } from '../documents/history.ts';
import type { LoadedLog } from '../loaded.ts';
import { playable } from './plan.ts';
import { Slices } from './slices.ts';

/** Seqs named of each kind of difference. */
const NAMED = 200;

/** Plays a whole log without waiting and says whether it came out as stored. format/fork-resume.md §6. */
export async function replayProof(loaded: LoadedLog, signal: AbortSignal): Promise<ReplayProof> {
  const events = playable(loaded);
  const stopsAt = loaded.log.refusal?.seq;
  if (events.length === 0) {
    const nothing = { answers: 0, disagreeing: [], disagreeingCount: 0, historyAgrees: true, differing: [], refused: [] };
    return { ...nothing, events: 0, stopsAt };
  }
  const slices = new Slices(signal);
  const run = runOf(loaded, events);
  let step = run.next();
  while (step.done !== true) {
    if (slices.isOver) await slices.pause();
    step = run.next();
  }
  const { answers, disagreeing, historyAgrees, refused, history } = step.value;
  keep(loaded, events.length, history);
  return {
    answers,
    disagreeing: disagreeing.slice(0, NAMED),
    disagreeingCount: disagreeing.length,
    historyAgrees,
    differing: historyAgrees ? [] : differingSeqs(loaded, events.length, step.value),
    refused: refused.slice(0, NAMED),
    events: events.length,
    stopsAt,
  };
}

function runOf(loaded: LoadedLog, events: ReplaySource): Generator<void, TolerantReport> {
  const direct = loaded.log.deriveMessages(events.length - 1);
  return verifyInPieces(events, loaded.version, () => direct);
}

/** The message that stands at a place in either history is named by its node in the log; a place neither log nor replay knows has none. */
function differingSeqs(loaded: LoadedLog, eventCount: number, { differing, history }: TolerantReport): number[] {
  const direct = historyOf(loaded, eventCount);
  const replayed = withSeqs(loaded, eventCount, history);
  const seqs: number[] = [];
  for (const place of differing) {
    const seq = direct[place]?.seq ?? replayed[place]?.seq;
    if (seq !== undefined && seqs.length < NAMED) seqs.push(seq);
  }
  return seqs;
}

const kept = new WeakMap<LoadedLog, { readonly eventCount: number; readonly history: readonly Message[] }>();

function keep(loaded: LoadedLog, eventCount: number, history: readonly Message[]): readonly Message[] {
  kept.set(loaded, { eventCount, history });
  return history;
}

/** The history after the first events as their replay makes it; of those that can be played at all. */
export function replayedHistory(loaded: LoadedLog, eventCount: number): readonly HistoryMessage[] {
  const all = playable(loaded);
  const length = Math.min(all.length, eventCount);
  if (length === 0) return [];
  const known = kept.get(loaded);
  if (known?.eventCount === length) return withSeqs(loaded, length, known.history);
  const run = runOf(loaded, { length, at: (seq) => all.at(seq) });
  let step = run.next();
  while (step.done !== true) step = run.next();
  return withSeqs(loaded, length, keep(loaded, length, step.value.history));
}
