import { isRecord, type UnknownRecord } from '../json.ts';
import type { StreamChunk } from '../messages.ts';

/** The part that packed lines (v0/v1) and embedded stream records (v2+) share: deltas of one block, with relative times. */
export interface DeltaRun {
  readonly type: 'text-chunks' | 'reasoning-chunks' | 'tool-call-chunks';
  readonly time0: number;
  readonly index: number;
  readonly dt: readonly number[];
  /** `texts` or `args`. */
  readonly members: readonly string[];
  readonly id?: string;
  readonly name?: string;
}

export type DeltaKind = 'text-delta' | 'reasoning-delta' | 'tool-call-delta';

const ROW_TYPES = {
  'text-delta': 'text-chunks',
  'reasoning-delta': 'reasoning-chunks',
  'tool-call-delta': 'tool-call-chunks',
} as const;

export function isDeltaRunType(type: unknown): type is DeltaRun['type'] {
  return type === 'text-chunks' || type === 'reasoning-chunks' || type === 'tool-call-chunks';
}

export function runTypeOf(kind: DeltaKind): DeltaRun['type'] {
  return ROW_TYPES[kind];
}

/** Why the times or members of a run are malformed, or undefined. `members` is `texts` or `args`. */
export function deltaRunProblem(time0: unknown, dt: unknown, members: unknown): string | undefined {
  if (!Array.isArray(members) || members.length === 0) return 'its members are not a non-empty list of strings';
  for (const member of members as unknown[])
    if (typeof member !== 'string') return 'its members are not a non-empty list of strings';
  if (!Number.isSafeInteger(time0)) return 'its time is not a safe integer';
  if (!Array.isArray(dt) || dt.length !== members.length - 1) return 'it does not have one time step between each two members';
  let time = time0 as number;
  for (const step of dt as unknown[]) {
    if (!Number.isSafeInteger(step)) return 'a time step is not a safe integer';
    time += step as number;
    if (!Number.isSafeInteger(time)) return 'a running time is not a safe integer';
  }
  return undefined;
}

/** The chunk of member `k`. */
export function chunkOf(run: DeltaRun, k: number): StreamChunk {
  const member = run.members[k] ?? '';
  if (run.type === 'text-chunks') return { type: 'text-delta', index: run.index, text: member };
  if (run.type === 'reasoning-chunks') return { type: 'reasoning-delta', index: run.index, text: member };
  return {
    type: 'tool-call-delta',
    index: run.index,
    id: run.id ?? '',
    ...(run.name === undefined ? {} : { name: run.name }),
    argumentsDelta: member,
  };
}

/** A chunk that could join a run: exactly the keys and primitive types of a delta. */
export interface Delta {
  readonly kind: DeltaKind;
  readonly index: number;
  readonly member: string;
  readonly id?: string;
  readonly name?: string;
}

/** The delta a chunk is, or undefined for any other chunk or a delta with other keys or types. */
export function deltaOf(chunk: unknown): Delta | undefined {
  if (!isRecord(chunk) || typeof chunk['index'] !== 'number') return undefined;
  const keys = Object.keys(chunk).length;
  switch (chunk['type']) {
    case 'text-delta':
    case 'reasoning-delta':
      if (keys !== 3 || typeof chunk['text'] !== 'string') return undefined;
      return { kind: chunk['type'], index: chunk['index'], member: chunk['text'] };
    case 'tool-call-delta':
      return toolDelta(chunk, chunk['index'], keys);
    default:
      return undefined;
  }
}

function toolDelta(chunk: UnknownRecord, index: number, keys: number): Delta | undefined {
  const { id, name, argumentsDelta } = chunk;
  if (typeof id !== 'string' || typeof argumentsDelta !== 'string') return undefined;
  if (keys === 4) return { kind: 'tool-call-delta', index, member: argumentsDelta, id };
  if (keys !== 5 || typeof name !== 'string') return undefined;
  return { kind: 'tool-call-delta', index, member: argumentsDelta, id, name };
}

/** Whether two deltas may lie in one run, times and seqs aside. A name must agree in presence and value. */
export function sameBlock(a: Delta, b: Delta): boolean {
  return a.kind === b.kind && a.index === b.index && a.id === b.id && a.name === b.name;
}

export function hasExactly(record: UnknownRecord, keys: readonly string[]): boolean {
  return Object.keys(record).length === keys.length && keys.every((key) => Object.hasOwn(record, key));
}
