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

export async function turnNodes(
  lease: SessionLease,
  parent: SessionNode,
  pages: OutlinePages,
): Promise<(TurnNode | MoreNode | NoteNode)[]> {
  const { total, turns } = await lease.call('turns', { from: 0, to: pages.shown(nodeId(parent)) });
  const nodes: (TurnNode | MoreNode | NoteNode)[] = turns.map((turn) => ({ kind: 'turn', session: parent.session, turn }));
  if (total > turns.length) nodes.push({ kind: 'more', parent, left: total - turns.length });
  return nodes;
}

export async function stepNodes(lease: SessionLease, parent: TurnNode, pages: OutlinePages): Promise<(StepNode | MoreNode)[]> {
  const { total, steps } = await lease.call('steps', { turn: parent.turn.index, from: 0, to: pages.shown(nodeId(parent)) });
  const nodes: (StepNode | MoreNode)[] = steps.map((step) => ({ kind: 'step', parent, step }));
  if (total > steps.length) nodes.push({ kind: 'more', parent, left: total - steps.length });
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
  const found = await findSpan(seq, async (from, to) => {
    const { total, turns } = await lease.call('turns', { from, to });
    return { total, spans: turns };
  });
  if (!found) return undefined;
  const { span: turn, index: turnIndex } = found;
  const inner = await findSpan(seq, async (from, to) => {
    const { total, steps } = await lease.call('steps', { turn: turn.index, from, to });
    return { total, spans: steps };
  });
  return inner ? { turn, turnIndex, step: inner.span, stepIndex: inner.index } : { turn, turnIndex };
}

async function findSpan<S extends { readonly seq: number; readonly lastSeq: number }>(
  seq: number,
  page: (from: number, to: number) => Promise<{ readonly total: number; readonly spans: readonly S[] }>,
): Promise<{ readonly span: S; readonly index: number } | undefined> {
  for (let from = 0, total = 1; from < total; from += outlinePage) {
    const answer = await page(from, from + outlinePage);
    total = answer.total;
    const at = answer.spans.findIndex((span) => span.seq <= seq && seq <= span.lastSeq);
    if (at >= 0) return { span: answer.spans[at]!, index: from + at }; // findIndex gave it
    if (answer.spans.length === 0) return undefined;
  }
  return undefined;
}
