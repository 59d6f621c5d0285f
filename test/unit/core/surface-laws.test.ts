import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/core/events.ts';
import { SurfaceFold, foldSurface } from '../../../src/core/surface.ts';

/** A program of appends and replaces, each replace given as two fractions of the current surface. */
const programs = fc.array(
  fc.option(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 0.999, noNaN: true }))),
  {
    maxLength: 40,
  },
);

/** The log a program makes, and the surface after each event by the plainest possible model: a list that is spliced. */
function run(program: readonly ([number, number] | null)[]): { log: SessionEvent[]; surfaces: number[][] } {
  const log: SessionEvent[] = [];
  const surfaces: number[][] = [];
  let nodes: number[] = [];
  for (const [seq, step] of program.entries()) {
    const data = { id: `m${String(seq)}`, role: 'user' as const, content: [], source: { kind: 'user' } };
    if (step === null || nodes.length === 0) {
      log.push({ type: 'user/message', seq, time: 0, data, surfaceOp: 'append' });
      nodes = [...nodes, seq];
    } else {
      const [a, b] = step.map((part) => Math.floor(part * nodes.length)).sort((x, y) => x - y);
      const removed = nodes.slice(a, (b ?? 0) + 1);
      const surfaceOp = { op: 'replace' as const, startSeq: removed[0] ?? 0, endSeq: removed.at(-1) ?? 0 };
      log.push({ type: 'user/message', seq, time: 0, data, sourceEventSeqs: removed, surfaceOp });
      nodes = [...nodes.slice(0, a), seq, ...nodes.slice((b ?? 0) + 1)];
    }
    surfaces.push(nodes);
  }
  return { log, surfaces };
}

describe('laws of the surface fold', () => {
  it('folding one by one equals folding all at once, at every seq', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const { log, surfaces } = run(program);
        const fold = new SurfaceFold(4, (seq) => log[seq]);
        for (const event of log) {
          expect(fold.apply(event)).toBeUndefined();
          expect([...fold.nodes]).toEqual(surfaces[event.seq]);
        }
        expect(foldSurface(log).nodes).toEqual(surfaces.at(-1) ?? []);
        for (const [seq, nodes] of surfaces.entries()) {
          expect(fold.nodesAt(seq)).toEqual(nodes);
          expect(foldSurface(log.slice(0, seq + 1)).nodes).toEqual(nodes);
        }
      }),
    );
  });

  it('a seq is current exactly while it is among the nodes, and names what shadowed it', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const { log, surfaces } = run(program);
        const fold = new SurfaceFold(4, (seq) => log[seq]);
        for (const event of log) fold.apply(event);
        for (const [at, nodes] of surfaces.entries()) {
          for (let seq = 0; seq < log.length; seq++) {
            const state = fold.nodeState(seq, at);
            if (seq > at) expect(state).toBe('log-only');
            else if (nodes.includes(seq)) expect(state).toBe('current');
            else expect(state).toEqual({ shadowedBy: log.find(({ sourceEventSeqs }) => sourceEventSeqs?.includes(seq))?.seq });
          }
        }
      }),
    );
  });
});
