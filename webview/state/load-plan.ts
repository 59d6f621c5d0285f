/** Pulls the points of a replay in pieces of about 1 MB and puts them together (design.md §3). */
import { RpcError } from '../../src/protocol/index.ts';
import type { SessionClient } from '../api/session-client.ts';

export interface ReplayPlan {
  readonly generation: number;
  readonly length: number;
  readonly seq: Uint32Array;
  readonly landed: Uint32Array;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
}

const piece = 50_000;

export async function loadPlan(client: SessionClient, generation: number, signal: AbortSignal): Promise<ReplayPlan> {
  let plan: ReplayPlan | undefined;
  let from = 0;
  do {
    const part = await client.call('replayPoints', { generation, from, to: from + piece }, signal);
    plan ??= {
      generation,
      length: part.total,
      seq: new Uint32Array(part.total),
      landed: new Uint32Array(part.total),
      time: new Float64Array(part.total),
      kind: new Uint8Array(part.total),
    };
    if (part.from !== from || part.total !== plan.length || (part.to <= from && from < plan.length)) {
      throw new RpcError('failed', `points ${part.from} to ${part.to} of ${part.total} came for ${from}`);
    }
    plan.seq.set(new Uint32Array(part.seq), from);
    plan.landed.set(new Uint32Array(part.landed), from);
    plan.time.set(new Float64Array(part.time), from);
    plan.kind.set(new Uint8Array(part.kind), from);
    from = part.to;
  } while (from < plan.length);
  return plan;
}
