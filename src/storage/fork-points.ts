import { isRecord, text, type Text } from '../core/index.ts';
import type { OpenSession } from './open-session.ts';

type PointSource = Pick<OpenSession, 'viewAt' | 'turnEdges' | 'forkableCount' | 'forkBoundary'>;

/** A place a fork may be made at, in words. */
export interface ForkPoint {
  /** Inclusive boundary. */
  readonly seq: number;
  /** "End of turn 3". */
  readonly label: Text;
  /** v4: the open turn is closed in the child. */
  readonly closes: boolean;
}

export interface NearestBoundaries {
  /** The nearest ordinary boundaries, those that need no closers. */
  readonly before?: ForkPoint;
  readonly after?: ForkPoint;
  /** The place itself, where it is legal: as it is, or in v4 with the open turn closed. */
  readonly here?: ForkPoint;
}

/** Where a fork is possible at a seq and around it. format/fork-resume.md §2. */
export function nearestBoundaries(source: PointSource, seq: number): NearestBoundaries {
  const { turnEdges, forkableCount } = source;
  if (turnEdges === undefined || forkableCount === 0) return {};
  const here = source.forkBoundary(seq);
  const inReach = seq < forkableCount;
  let around: { readonly before?: number; readonly after?: number } = {};
  if (!inReach) around = turnEdges.lastClosedBefore(forkableCount);
  else if (turnEdges.isOpenAt(seq)) around = turnEdges.neighbours(seq, forkableCount);
  return {
    ...(around.before === undefined ? {} : { before: pointAt(source, around.before, false) }),
    ...(around.after === undefined ? {} : { after: pointAt(source, around.after, false) }),
    ...(here.legal ? { here: pointAt(source, seq, here.closes) } : {}),
  };
}

/** The nearest boundaries before an event: the last ordinary one, and in v4 the event before, its open turn closed. */
export function boundariesBefore(source: PointSource, seq: number): readonly ForkPoint[] {
  const last = Math.min(seq, source.forkableCount) - 1;
  if (last < 0) return [];
  const before = source.turnEdges?.lastClosedBefore(last + 1).before;
  const here = source.forkBoundary(last);
  return [
    ...(before === undefined ? [] : [pointAt(source, before, false)]),
    ...(here.legal && here.closes ? [pointAt(source, last, true)] : []),
  ];
}

/** The last boundary of a log that needs no closers: what forking a session as a whole means. */
export function lastBoundary(source: PointSource): number | undefined {
  return source.turnEdges?.lastClosedBefore(source.forkableCount).before;
}

function pointAt(source: PointSource, seq: number, closes: boolean): ForkPoint {
  return { seq, label: placeOf(source, seq, closes), closes };
}

/** Which place of the conversation a boundary is. */
export function placeOf(source: PointSource, seq: number, closes: boolean): Text {
  const edges = source.turnEdges;
  if (closes) {
    const turn = turnNumber(source, edges?.lastStartAt(seq));
    return text('Here, closing the open turn {turn} as dsh does', { turn });
  }
  const end = edges?.lastEndAt(seq);
  if (end === undefined) return text('Before the first turn');
  const turn = turnNumber(source, end);
  return end === seq ? text('End of turn {turn}', { turn }) : text('After turn {turn}', { turn });
}

function turnNumber(source: PointSource, seq: number | undefined): string {
  const data: unknown = seq === undefined ? undefined : source.viewAt(seq)?.data;
  const turn = isRecord(data) ? data['turn'] : undefined;
  return typeof turn === 'number' ? String(turn) : '?';
}
