import { text } from '../../core/index.ts';
import { RpcError, type EventDetail } from '../../protocol/index.ts';
import { fields, NONE, numberOf, stringOf, toolOutcomeOf } from '../../timeline/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { entryRow } from '../rows.ts';
import { spanEnd } from '../span-end.ts';
import { clip } from './bounds.ts';
import { modelView } from './model-view.ts';
import { prettySections } from './pretty.ts';
import { sourceSections } from './sources.ts';

/** Longest stored line shown; the event document has the rest. */
const RAW_LENGTH = 262_144;

/** Everything the inspector shows of the event at a seq. */
export function eventDetail(loaded: LoadedLog, seq: number): EventDetail {
  const event = loaded.event(seq);
  const entry = loaded.entryAt(seq);
  if (!event || entry === NONE) throw new RpcError('not-found', text('There is no readable event #{seq}', { seq }));
  const { entries, turns, steps, attempts } = loaded.timeline.tables;
  const turn = turns.columns.number[entries.columns.turn[entry] ?? NONE];
  const step = steps.columns.number[entries.columns.step[entry] ?? NONE];
  const { line, frame } = loaded.log.lineOf(seq);
  const forkSeq = spanEnd(loaded, seq);
  return {
    generation: loaded.generation,
    seq,
    type: loaded.timeline.strings.types[entries.columns.type[entry] ?? 0] ?? '',
    time: numberOf(event.time) ?? NaN,
    turn,
    step,
    attempt: attempts.columns.number[attempts.columns.entry.indexOf(entry)],
    callId:
      stringOf(fields(event.data)['callId']) ?? (event.type === 'tool/result' ? toolOutcomeOf(event.data).callId : undefined),
    line,
    frame: loaded.log.encoding === 'zstd' ? frame : undefined, // plain lines have none
    row: entryRow(loaded, entry),
    pretty: prettySections(loaded, event, entry),
    raw: clip(loaded.log.rawLineOf(seq), RAW_LENGTH),
    model: modelView(loaded, event, entry),
    sources: sourceSections(loaded, event, entry),
    fork: loaded.log.forkBoundary(forkSeq),
    forkSeq,
    damage: loaded.log.damage.filter((damage) => damage.seq === seq || damage.line === line),
  };
}
