import type { EventEnvelope, PackedChunkRow, SessionEvent, StorageRecord } from '../events.ts';
import { isRecord, isSeq, numberOf } from '../json.ts';
import { chunkOf, deltaOf, deltaRunProblem, hasExactly, isDeltaRunType, runTypeOf, sameBlock } from './chunk-runs.ts';
import type { Delta, DeltaRun } from './chunk-runs.ts';
import { decodeSourceSeqs } from './source-ranges.ts';

/** Packed lines of v0 and v1: runs of `assistant/chunk` events in one stored line. format/on-disk.md §6.1. */

/** Shortest run that is packed. */
const MIN_RUN = 3;

const ROW_KEYS = ['type', 'seq0', 'time0', 'data'];
const TEXT_KEYS = ['turn', 'step', 'index', 'dt', 'texts'];
const TOOL_KEYS = ['turn', 'step', 'index', 'dt', 'id', 'args'];
const NAMED_TOOL_KEYS = [...TOOL_KEYS, 'name'];

/** Whether a stored value claims to be a packed line; {@link packedRowProblem} says whether it is a good one. */
export function isPackedRow(value: unknown): value is PackedChunkRow {
  return isRecord(value) && isDeltaRunType(value['type']);
}

/** Why a packed line is malformed, in a few English words, or undefined. Looks at every member, makes none. */
export function packedRowProblem(row: unknown, version: number): string | undefined {
  if (version >= 2) return 'packed lines ended with format 1';
  if (!isRecord(row) || !hasExactly(row, ROW_KEYS)) return 'its keys are not type, seq0, time0 and data';
  const data = row['data'];
  if (!isRecord(data)) return 'its data is not a record';
  const isTool = row['type'] === 'tool-call-chunks';
  const keysFit = isTool ? hasExactly(data, TOOL_KEYS) || hasExactly(data, NAMED_TOOL_KEYS) : hasExactly(data, TEXT_KEYS);
  if (!keysFit) return 'the keys of its data are wrong';
  for (const key of ['turn', 'step', 'index']) {
    // v0 asks for numbers only; the codec released for v1 for counts.
    if (version === 0 ? typeof data[key] !== 'number' : !isSeq(data[key])) return 'turn, step or index is not a number';
  }
  if (isTool) {
    if (typeof data['id'] !== 'string' || (version === 1 && data['id'] === '')) return 'its call id is not a string';
    if (Object.hasOwn(data, 'name') && typeof data['name'] !== 'string') return 'its tool name is not a string';
  }
  const members = isTool ? data['args'] : data['texts'];
  const problem = deltaRunProblem(row['time0'], data['dt'], members);
  if (problem !== undefined) return problem;
  const { seq0 } = row;
  // deltaRunProblem has established that the members are a list.
  if (!isSeq(seq0) || !Number.isSafeInteger(seq0 + ((members as unknown[]).length - 1))) return 'its seqs are not safe integers';
  return undefined;
}

/** Number of events in a well-formed packed line. */
export function packedCount(row: PackedChunkRow): number {
  return row.type === 'tool-call-chunks' ? row.data.args.length : row.data.texts.length;
}

/** The times of all members of a well-formed packed line, by member. They are stored as steps, so one takes all before it. */
export function packedTimes(row: PackedChunkRow): Float64Array {
  const times = new Float64Array(packedCount(row));
  let time = row.time0;
  for (let k = 0; k < times.length; k++) {
    if (k > 0) time += row.data.dt[k - 1] ?? 0;
    times[k] = time;
  }
  return times;
}

/** Member `k` (from 0) of a well-formed packed line as an event, at its time by {@link packedTimes}. */
export function packedMember(row: PackedChunkRow, k: number, time: number): SessionEvent<'assistant/chunk'> {
  return memberEvent(row, runOf(row), k, time);
}

/** All members of a well-formed packed line. */
export function expandPackedRow(row: PackedChunkRow): SessionEvent<'assistant/chunk'>[] {
  const run = runOf(row);
  const events: SessionEvent<'assistant/chunk'>[] = [];
  for (const [k, time] of packedTimes(row).entries()) events.push(memberEvent(row, run, k, time));
  return events;
}

/**
 * The events of one stored line: a packed line expanded, any other record as it stands, cited ranges expanded. Throws on a malformed
 * packed line or malformed sources, and on a packed line in v2 and later.
 */
export function decodeStorageRecord(record: unknown, version: number): SessionEvent[] {
  if (isPackedRow(record)) {
    const problem = packedRowProblem(record, version);
    if (problem !== undefined) throw new Error(`packed line: ${problem}`);
    return expandPackedRow(record);
  }
  // Whether a record is an event of its dialect is for the gates and the fold to say, not for the codec.
  return [expandSources(record) as SessionEvent];
}

/** The record with its cited ranges expanded, itself when it cites none. Throws on malformed sources. */
export function expandSources(record: unknown): unknown {
  if (!isRecord(record) || !Array.isArray(record['sourceEventSeqs']) || !record['sourceEventSeqs'].some(Array.isArray))
    return record;
  return { ...record, sourceEventSeqs: decodeSourceSeqs(record['sourceEventSeqs'], numberOf(record['seq'])) };
}

/**
 * The stored records of one append batch (v0, v1): runs of three and more neighbouring deltas of one block become one packed line,
 * everything else stays as it is. Runs never cross a batch, so the caller passes one batch at a time.
 */
export function packChunkRuns(events: readonly SessionEvent[]): StorageRecord[] {
  const records: StorageRecord[] = [];
  let run: Packable[] = [];
  const flush = (): void => {
    if (run.length >= MIN_RUN) records.push(rowOf(run));
    else for (const member of run) records.push(member.event);
    run = [];
  };
  for (const event of events) {
    const next = packable(event);
    if (next === undefined) {
      flush();
      records.push(event);
      continue;
    }
    const last = run.at(-1);
    if (last !== undefined && !joins(last, next)) flush();
    run.push(next);
  }
  flush();
  return records;
}

interface Packable {
  readonly event: EventEnvelope<'assistant/chunk', SessionEvent<'assistant/chunk'>['data']>;
  readonly delta: Delta;
}

function packable(event: SessionEvent): Packable | undefined {
  if (event.type !== 'assistant/chunk' || !isRecord(event) || !hasExactly(event, ['type', 'seq', 'time', 'data']))
    return undefined;
  if (!isSeq(event.seq) || !Number.isSafeInteger(event.time)) return undefined;
  const data: unknown = event.data;
  if (!isRecord(data) || !hasExactly(data, ['turn', 'step', 'chunk'])) return undefined;
  if (typeof data['turn'] !== 'number' || typeof data['step'] !== 'number') return undefined;
  const delta = deltaOf(data['chunk']);
  return delta === undefined ? undefined : { event, delta };
}

function joins(last: Packable, next: Packable): boolean {
  return (
    next.event.seq === last.event.seq + 1 &&
    Number.isSafeInteger(next.event.time - last.event.time) &&
    next.event.data.turn === last.event.data.turn &&
    next.event.data.step === last.event.data.step &&
    sameBlock(last.delta, next.delta)
  );
}

function rowOf(run: readonly Packable[]): PackedChunkRow {
  const first = run[0];
  if (first === undefined) throw new Error('an empty run has no row');
  const { turn, step } = first.event.data;
  const { kind, index, id, name } = first.delta;
  const dt: number[] = [];
  for (let i = 1; i < run.length; i++) dt.push((run[i]?.event.time ?? 0) - (run[i - 1]?.event.time ?? 0));
  const members = run.map((member) => member.delta.member);
  const place = { seq0: first.event.seq, time0: first.event.time };
  if (kind === 'tool-call-delta') {
    const call = { id: id ?? '', ...(name === undefined ? {} : { name }) };
    return { type: 'tool-call-chunks', ...place, data: { turn, step, index, dt, ...call, args: members } };
  }
  const type = runTypeOf(kind);
  if (type === 'tool-call-chunks') throw new Error('a text run has no tool row');
  return { type, ...place, data: { turn, step, index, dt, texts: members } };
}

function runOf(row: PackedChunkRow): DeltaRun {
  const { type, time0 } = row;
  const { index, dt } = row.data;
  if (row.type !== 'tool-call-chunks') return { type, time0, index, dt, members: row.data.texts };
  const { id, name, args } = row.data;
  return { type, time0, index, dt, members: args, id, ...(name === undefined ? {} : { name }) };
}

function memberEvent(row: PackedChunkRow, run: DeltaRun, k: number, time: number): SessionEvent<'assistant/chunk'> {
  const { turn, step } = row.data;
  return { type: 'assistant/chunk', seq: row.seq0 + k, time, data: { turn, step, chunk: chunkOf(run, k) } };
}
