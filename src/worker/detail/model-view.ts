import { deriveEventMessage, text, type Message, type SessionEvent, type StoredEvent } from '../../core/index.ts';
import type { EventDetail, Section } from '../../protocol/index.ts';
import { ENTRY_FLAG, fields, NONE } from '../../timeline/index.ts';
import { historyOf } from '../documents/history.ts';
import { lowerBound, type LoadedLog } from '../loaded.ts';
import { contentSections } from './blocks.ts';
import { bounded, json } from './bounds.ts';
import { citingSeqs } from './sources.ts';

const REQUESTS = 50;

/** What the model saw of an event: its state, its derived message, and the requests that contained it. */
export function modelView(loaded: LoadedLog, event: StoredEvent, entry: number): EventDetail['model'] {
  const { flags, shadowedBy } = loaded.timeline.tables.entries.columns;
  const f = flags[entry] ?? 0;
  const later = shadowedBy[entry] ?? NONE;
  const by = later < loaded.until ? later : NONE;
  const onSurface = (f & ENTRY_FLAG.surface) !== 0 && (f & ENTRY_FLAG.refused) === 0;
  const state = (f & ENTRY_FLAG.refused) !== 0 ? 'refused' : !onSurface ? 'log-only' : by === NONE ? 'current' : 'shadowed';
  const shadower = state === 'shadowed' ? by : undefined;
  if (!onSurface) return { state, shadowedBy: undefined, sections: [absence(f)], requests: [], requestCount: 0 };
  const message = derivedMessage(loaded, event, by);
  const sections: Section[] =
    message === null
      ? [{ kind: 'note', tone: 'info', text: text('The node stands on the surface but gives no message: its content is empty') }]
      : [...contentSections(fields(message)['content'], 'prose'), json(message, text('Derived message'))];
  return { state, shadowedBy: shadower, sections: bounded(sections), ...requestsWith(loaded, event.seq, by) };
}

/** The event's own message; as the fold sees it where images of it were removed from the context (format/surface.md §6). */
function derivedMessage(loaded: LoadedLog, event: StoredEvent, shadowedBy: number): Message | null {
  const offloaded = citingSeqs(loaded, event.seq).some((seq) => loaded.event(seq)?.type === 'image/offload');
  if (offloaded) {
    const end = shadowedBy === NONE ? Math.min(loaded.log.refusal?.seq ?? loaded.log.eventCount, loaded.until) : shadowedBy;
    const found = historyOf(loaded, end).find(({ seq }) => seq === event.seq);
    if (found) return found.message;
  }
  return deriveEventMessage(event as SessionEvent, loaded.version); // a surface event the fold has accepted
}

function absence(flags: number): Section {
  if (flags & ENTRY_FLAG.refused) {
    return {
      kind: 'note',
      tone: 'warning',
      text: text('Nothing can be derived from here on, because an earlier event is unknown'),
    };
  }
  if (flags & ENTRY_FLAG.invalid) {
    return { kind: 'note', tone: 'error', text: text('This surface event is invalid and has no effect on the history') };
  }
  return { kind: 'note', tone: 'info', text: text('Log only: the model never sees this event') };
}

/** Requests whose history held the node: dispatched after it landed and before it was shadowed. */
function requestsWith(
  loaded: LoadedLog,
  seq: number,
  shadowedBy: number,
): Pick<EventDetail['model'], 'requests' | 'requestCount'> {
  const { index, tables } = loaded.timeline;
  const a = tables.attempts.columns;
  const s = tables.steps.columns;
  const from = lowerBound(index.requestEnds, seq + 1);
  let to = shadowedBy === NONE ? index.requestEnds.length : lowerBound(index.requestEnds, shadowedBy + 1);
  if (loaded.until !== Infinity) while (to > from && (a.seq[to - 1] ?? NONE) >= loaded.until) to--; // not answered yet
  const requests: { turn: number; step: number; attempt: number; seq: number }[] = [];
  for (let i = from; i < to && requests.length < REQUESTS; i++) {
    const step = a.step[i] ?? NONE;
    if (step === NONE) continue;
    requests.push({
      turn: tables.turns.columns.number[s.turn[step] ?? NONE] ?? 0,
      step: s.number[step] ?? 0,
      attempt: a.number[i] ?? 1,
      seq: a.seq[i] ?? 0,
    });
  }
  return { requests, requestCount: to - from };
}
