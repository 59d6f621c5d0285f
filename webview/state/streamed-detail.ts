/** What the inspector may show of an answer that is still streaming at the playhead of a replay. */
import { text } from '../../src/core/text.ts';
import type { EventDetail, Section } from '../../src/protocol/index.ts';
import type { TimelineModel } from './model.ts';

/** An answer's detail, or as much of it as has streamed; undefined until that is known. */
export interface ShownDetail {
  readonly value: EventDetail | undefined;
  /** It is not in the log yet at the playhead, so there is no stored line and nobody has been given it. */
  readonly isPending: boolean;
}

export function detailAtPlayhead(model: TimelineModel, value: EventDetail | undefined): ShownDetail {
  const { replay, tables } = model;
  const seq = tables?.entries.columns.seq[replay.streamingEntry];
  if (value === undefined || seq === undefined || value.seq !== seq) return { value, isPending: false };
  const streamed = replay.streaming;
  if (!streamed) return { value: undefined, isPending: false };
  const isPending = seq >= (replay.playedTo ?? Infinity);
  const { row } = streamed;
  const nothing: Section = { kind: 'note', tone: 'info', text: text('Nothing has streamed yet.') };
  const pretty = streamed.pretty.length > 0 ? streamed.pretty : [nothing];
  const seen = isPending ? { ...value.model, sections: [], requests: [], requestCount: 0 } : value.model;
  const sources = isPending ? [] : value.sources; // what cites it comes later still
  return { value: { ...value, row, pretty, model: seen, sources, damage: [] }, isPending };
}
