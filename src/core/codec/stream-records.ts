import { isRecord, isSeq } from '../json.ts';
import type { AssistantStreamRecord, TimedChunk } from '../messages.ts';
import { chunkOf, deltaOf, deltaRunProblem, hasExactly, isDeltaRunType, runTypeOf, sameBlock } from './chunk-runs.ts';
import type { Delta, DeltaRun } from './chunk-runs.ts';

/** Embedded stream records of v2 and later: `data.stream` of an answer or attempt. format/on-disk.md §6.2. */

const TEXT_KEYS = ['type', 'time0', 'index', 'dt', 'texts'];
const TOOL_KEYS = ['type', 'time0', 'index', 'dt', 'id', 'args'];
const NAMED_TOOL_KEYS = [...TOOL_KEYS, 'name'];
const CHUNK_KEYS = ['type', 'time', 'chunk'];

/** Why a stored stream is malformed, in a few English words, or undefined. */
export function streamProblem(stream: unknown): string | undefined {
  if (!Array.isArray(stream)) return 'its stream is not a list';
  for (const record of stream as unknown[]) {
    const problem = recordProblem(record);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The chunks of a stream with their times, in arrival order. Throws on a malformed record. */
export function expandStream(records: readonly AssistantStreamRecord[]): TimedChunk[] {
  const chunks: TimedChunk[] = [];
  for (const record of records) {
    const problem = recordProblem(record);
    if (problem !== undefined) throw new Error(`stream record: ${problem}`);
    if (record.type === 'chunk') {
      chunks.push({ time: record.time, chunk: record.chunk });
      continue;
    }
    const run = runOf(record);
    let time = run.time0;
    for (let k = 0; k < run.members.length; k++) {
      if (k > 0) time += run.dt[k - 1] ?? 0;
      chunks.push({ time, chunk: chunkOf(run, k) });
    }
  }
  return chunks;
}

/**
 * The records of a stream: neighbouring deltas of one block join while the time between them is a safe integer; every other chunk, and
 * a tool delta without id or with an empty name, is a record of its own and separates what lies around it.
 */
export function packStream(chunks: readonly TimedChunk[]): AssistantStreamRecord[] {
  const records: AssistantStreamRecord[] = [];
  let run:
    | { readonly delta: Delta; readonly time0: number; time: number; readonly dt: number[]; readonly members: string[] }
    | undefined;
  const flush = (): void => {
    if (run !== undefined) records.push(recordOf(run.delta, run.time0, run.dt, run.members));
    run = undefined;
  };
  for (const { time, chunk } of chunks) {
    const delta = storableDelta(chunk);
    if (delta === undefined || !Number.isSafeInteger(time)) {
      flush();
      records.push({ type: 'chunk', time, chunk });
      continue;
    }
    if (run !== undefined && sameBlock(run.delta, delta) && Number.isSafeInteger(time - run.time)) {
      run.dt.push(time - run.time);
      run.members.push(delta.member);
      run.time = time;
      continue;
    }
    flush();
    run = { delta, time0: time, time, dt: [], members: [delta.member] };
  }
  flush();
  return records;
}

function storableDelta(chunk: unknown): Delta | undefined {
  const delta = deltaOf(chunk);
  return delta === undefined || !isSeq(delta.index) || delta.id === '' || delta.name === '' ? undefined : delta;
}

function recordOf(delta: Delta, time0: number, dt: number[], members: string[]): AssistantStreamRecord {
  const { kind, index, id, name } = delta;
  const type = runTypeOf(kind);
  if (type !== 'tool-call-chunks') return { type, time0, index, dt, texts: members };
  return { type, time0, index, dt, id: id ?? '', ...(name === undefined ? {} : { name }), args: members };
}

function recordProblem(record: unknown): string | undefined {
  if (!isRecord(record)) return 'a stream record is not a record';
  if (record['type'] === 'chunk') {
    if (!hasExactly(record, CHUNK_KEYS)) return 'the keys of a chunk record are wrong';
    if (!Number.isSafeInteger(record['time'])) return 'the time of a chunk record is not a safe integer';
    const chunk = record['chunk'];
    return isRecord(chunk) && typeof chunk['type'] === 'string' ? undefined : 'a chunk record holds no chunk';
  }
  if (!isDeltaRunType(record['type'])) return 'a stream record has an unknown type';
  const isTool = record['type'] === 'tool-call-chunks';
  const keysFit = isTool ? hasExactly(record, TOOL_KEYS) || hasExactly(record, NAMED_TOOL_KEYS) : hasExactly(record, TEXT_KEYS);
  if (!keysFit) return 'the keys of a stream record are wrong';
  if (!isSeq(record['index'])) return 'the index of a stream record is not a count';
  if (isTool && (typeof record['id'] !== 'string' || record['id'] === '')) return 'a tool record has no call id';
  if (Object.hasOwn(record, 'name') && (typeof record['name'] !== 'string' || record['name'] === ''))
    return 'a tool record has an empty name';
  return deltaRunProblem(record['time0'], record['dt'], isTool ? record['args'] : record['texts']);
}

function runOf(record: Exclude<AssistantStreamRecord, { type: 'chunk' }>): DeltaRun {
  const { type, time0, index, dt } = record;
  if (record.type !== 'tool-call-chunks') return { type, time0, index, dt, members: record.texts };
  const { id, name, args } = record;
  return { type, time0, index, dt, members: args, id, ...(name === undefined ? {} : { name }) };
}
