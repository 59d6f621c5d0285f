/** Turns, steps and calls of a log as tree nodes, page by page, from the log's reader. */
import { text } from '../../core/index.ts';
import type { OutlineStep, OutlineTurn } from '../../protocol/index.ts';
import type { SessionLease } from '../workers/session-pool.ts';
import { outlinePage, type OutlinePages } from './outline-pages.ts';
import {
  nodeId,
  type CallNode,
  type MoreNode,
  type NoteNode,
  type SessionNode,
  type StepNode,
  type TurnNode,
} from './tree-nodes.ts';

export async function turnNodes(lease: SessionLease, parent: SessionNode, pages: OutlinePages): Promise<(TurnNode | MoreNode)[]> {
  const { total, spans } = await firstSpans(turnPages(lease), pages.shown(nodeId(parent)));
  const nodes: (TurnNode | MoreNode)[] = spans.map((turn) => ({ kind: 'turn', session: parent.session, turn }));
  if (total > spans.length) nodes.push({ kind: 'more', parent, left: total - spans.length });
  return nodes;
}

export async function stepNodes(lease: SessionLease, parent: TurnNode, pages: OutlinePages): Promise<(StepNode | MoreNode)[]> {
  const { total, spans } = await firstSpans(stepPages(lease, parent.turn), pages.shown(nodeId(parent)));
  const nodes: (StepNode | MoreNode)[] = spans.map((step) => ({ kind: 'step', parent, step }));
  if (total > spans.length) nodes.push({ kind: 'more', parent, left: total - spans.length });
  return nodes;
}

export function callNodes(parent: StepNode): (CallNode | NoteNode)[] {
  const { calls, callCount } = parent.step;
  const nodes: (CallNode | NoteNode)[] = calls.map((call, index) => ({ kind: 'call', parent, call, index }));
  const left = callCount - calls.length;
  if (left > 0)
    nodes.push({ kind: 'note', parent, message: text('{n} more calls are in the timeline', { n: left }), sign: 'info' });
  return nodes;
}

/** The deepest of turn, step and call whose events hold a seq, with its index among its siblings; undefined between turns. */
export async function locate(
  lease: SessionLease,
  seq: number,
): Promise<
  { readonly turn: OutlineTurn; readonly turnIndex: number; readonly step?: OutlineStep; readonly stepIndex?: number } | undefined
> {
  const found = await findSpan(seq, turnPages(lease));
  if (!found) return undefined;
  const { span: turn, index: turnIndex } = found;
  const inner = await findSpan(seq, stepPages(lease, turn));
  return inner ? { turn, turnIndex, step: inner.span, stepIndex: inner.index } : { turn, turnIndex };
}

/** Reads a range of siblings; the reader may answer less than was asked for. */
type Pages<S> = (from: number, to: number) => Promise<{ readonly total: number; readonly spans: readonly S[] }>;

function turnPages(lease: SessionLease): Pages<OutlineTurn> {
  return async (from, to) => {
    const { total, turns } = await lease.call('turns', { from, to });
    return { total, spans: turns };
  };
}

function stepPages(lease: SessionLease, turn: OutlineTurn): Pages<OutlineStep> {
  return async (from, to) => {
    const { total, steps } = await lease.call('steps', { turn: turn.index, from, to });
    return { total, spans: steps };
  };
}

async function firstSpans<S>(pages: Pages<S>, wanted: number): Promise<{ readonly total: number; readonly spans: readonly S[] }> {
  const spans: S[] = [];
  for (;;) {
    const page = await pages(spans.length, wanted);
    for (const span of page.spans) spans.push(span);
    if (page.spans.length === 0 || spans.length >= Math.min(wanted, page.total)) return { total: page.total, spans };
  }
}

async function findSpan<S extends { readonly seq: number; readonly lastSeq: number }>(
  seq: number,
  pages: Pages<S>,
): Promise<{ readonly span: S; readonly index: number } | undefined> {
  for (let from = 0; ;) {
    const { total, spans } = await pages(from, from + outlinePage);
    const at = spans.findIndex((span) => span.seq <= seq && seq <= span.lastSeq);
    if (at >= 0) return { span: spans[at]!, index: from + at }; // findIndex gave it
    from += spans.length;
    if (spans.length === 0 || from >= total) return undefined;
  }
}
