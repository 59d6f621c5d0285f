/** What lies under a point of the lanes canvas. */
import { NONE, type TimelineTables } from '../../src/timeline/index.ts';
import type { Geometry } from '../../src/timeline/layout/geometry.ts';
import { laneAt, stackedLaneAt, type LaneLayout } from '../../src/timeline/layout/lanes.ts';
import { hitSpan, type SpanIndex } from '../../src/timeline/layout/spans.ts';
import { fromPixel, type PixelScale } from '../../src/timeline/layout/viewport.ts';

export interface LaneHit {
  readonly kind: 'turn' | 'step' | 'attempt' | 'call' | 'agent' | 'node';
  /** Row of its table; entry index for a node. */
  readonly row: number;
  readonly seq: number;
}

/** How far beside a thin bar still counts, px. */
const reach = 4;

export function hitLanes(
  tables: TimelineTables,
  geometry: Geometry,
  layout: LaneLayout,
  scale: PixelScale,
  x: number,
  y: number,
): LaneHit | undefined {
  const unit = fromPixel(scale, x);
  const slack = reach / scale.perUnit;
  const rowOf = (index: SpanIndex, extra = 0, accept?: (row: number) => boolean): number => {
    const at = hitSpan(index, unit - extra / 2 / scale.perUnit, slack + extra / 2 / scale.perUnit, accept);
    return at < 0 ? NONE : index.row[at]!;
  };
  const hit = (kind: LaneHit['kind'], row: number, seqs: Uint32Array): LaneHit | undefined =>
    row === NONE || seqs[row] === NONE ? undefined : { kind, row, seq: seqs[row]! };
  switch (laneAt(layout, y)?.name) {
    case 'turns':
      return hit('turn', rowOf(geometry.turns), tables.turns.columns.firstSeq);
    case 'steps':
      return hit('step', rowOf(geometry.steps), tables.steps.columns.firstSeq);
    case 'model':
      return hit('attempt', rowOf(geometry.attempts), tables.attempts.columns.seq);
    case 'calls': {
      const lane = stackedLaneAt(layout, 'calls', y);
      return hit(
        'call',
        rowOf(geometry.calls, 0, (row) => tables.calls.columns.lane[row] === lane),
        tables.calls.columns.seq,
      );
    }
    case 'agents': {
      const lane = stackedLaneAt(layout, 'agents', y);
      return hit(
        'agent',
        rowOf(geometry.agents, 0, (row) => geometry.agentLane[row] === lane),
        tables.children.columns.seq,
      );
    }
    case 'surface':
      // Nodes are drawn to the right of their moment.
      return hit('node', rowOf(geometry.surface, 10), tables.entries.columns.seq);
    default:
      return undefined;
  }
}
