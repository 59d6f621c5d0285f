import type { StoredEvent } from '../events.ts';
import { isRecord, isSeq, wordOf, type UnknownRecord } from '../json.ts';
import { text } from '../text.ts';
import { refuse, type SeqMap } from './edge.ts';

/**
 * An event with every structured reference to another event moved to the target numbering; key order is kept. Seqs inside captured
 * text, session references and delivery markers stay as they are. A reference to an event that is gone refuses the log.
 * format/migrations.md §2.
 */
export function remapReferences(event: StoredEvent, seqs: SeqMap, from: number): StoredEvent {
  const move = (value: unknown): number => {
    const target = isSeq(value) ? seqs.get(value) : undefined;
    if (target !== undefined) return target;
    return refuse(
      from,
      event.seq,
      text('#{seq} ({type}) refers to {target}, which the next format does not keep', {
        seq: event.seq,
        type: event.type,
        target: isSeq(value) ? `#${value}` : wordOf(value),
      }),
    );
  };
  const data = remapPayload(event.type, event.data, move);
  const surfaceOp: unknown = event.surfaceOp;
  const sources: unknown = event.sourceEventSeqs;
  if (data === event.data && !isRecord(surfaceOp) && !Array.isArray(sources)) return event;
  return {
    ...event,
    data,
    ...(Array.isArray(sources) ? { sourceEventSeqs: sources.map(move) } : {}),
    // The target's surface check looks at the shape of the operation; here only its places move.
    ...(isRecord(surfaceOp) ? { surfaceOp: moveMembers(surfaceOp, OP_PLACES, move) as StoredEvent['surfaceOp'] & object } : {}),
  };
}

const OP_PLACES = ['start', 'end', 'startSeq', 'endSeq'];

function remapPayload(type: string, data: unknown, move: (value: unknown) => number): unknown {
  if (!isRecord(data)) return data;
  switch (type) {
    case 'command/done':
      return moveMembers(data, ['sourceEventSeq'], move);
    case 'compaction/summary':
    case 'compaction/prune': {
      const { shadowedRange } = data;
      const moved = moveLists(data, ['shadowedSeqs'], move);
      return isRecord(shadowedRange) ? { ...moved, shadowedRange: moveMembers(shadowedRange, ['start', 'end'], move) } : moved;
    }
    case 'session/title':
    case 'session/title-llm-request':
      return moveLists(data, ['messageSeqs'], move);
    case 'image/offload': {
      const { targets } = data;
      if (!Array.isArray(targets)) return data;
      const moved = (targets as unknown[]).map((target) => (isRecord(target) ? moveMembers(target, ['seq'], move) : target));
      return { ...data, targets: moved };
    }
    case 'developer/message':
      return moveMembers(data, ['headerSeq'], move);
    default:
      return data;
  }
}

function moveMembers(record: UnknownRecord, names: readonly string[], move: (value: unknown) => number): UnknownRecord {
  let moved = record;
  for (const name of names) if (isSeq(record[name])) moved = { ...moved, [name]: move(record[name]) };
  return moved;
}

function moveLists(record: UnknownRecord, names: readonly string[], move: (value: unknown) => number): UnknownRecord {
  let moved = record;
  for (const name of names) {
    const list = record[name];
    if (Array.isArray(list)) moved = { ...moved, [name]: (list as unknown[]).map(move) };
  }
  return moved;
}
