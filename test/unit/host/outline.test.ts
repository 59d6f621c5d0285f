import { describe, expect, it } from 'vitest';
import { text } from '../../../src/core/index.ts';
import { OutlinePages } from '../../../src/host/tree/outline-pages.ts';
import { callNodes, locate, stepNodes, turnNodes } from '../../../src/host/tree/outline.ts';
import { nodeId, parentOf, type SessionNode, type StepNode, type TurnNode } from '../../../src/host/tree/tree-nodes.ts';
import type { ForestSession } from '../../../src/host/sessions/session-forest.ts';
import type { SessionLease } from '../../../src/host/workers/session-pool.ts';
import type { OutlineStep, OutlineTurn } from '../../../src/protocol/index.ts';
import { sessionItem } from './session-items.ts';

const row = { title: text('Turn'), detail: '' };
const span = { row, outcome: 1, start: 0, end: 1 };

/** Turns of ten events each (seqs 10n … 10n+8, one event between turns), two steps a turn: n0…n3 and n4…n7. */
const turn = (index: number): OutlineTurn => ({
  ...span,
  index,
  number: index + 1,
  seq: 10 * index,
  lastSeq: 10 * index + 8,
  steps: 2,
});
const step = (of: number, index: number): OutlineStep => ({
  ...span,
  index: 2 * of + index,
  number: index + 1,
  seq: 10 * of + 4 * index,
  lastSeq: 10 * of + 4 * index + 3,
  calls: [],
  callCount: 0,
});

function log(total: number, most = 1000): { lease: SessionLease; asked: string[] } {
  const asked: string[] = [];
  const call = (
    method: string,
    args: { readonly from: number; readonly to: number; readonly turn?: number },
  ): Promise<unknown> => {
    asked.push(`${method} ${args.from} ${args.to}`);
    const range = (length: number): number[] =>
      Array.from({ length: Math.max(0, Math.min(args.to, length, args.from + most) - args.from) }, (_, i) => args.from + i);
    const of = args.turn ?? 0;
    return Promise.resolve(
      method === 'turns' ? { total, turns: range(total).map(turn) } : { total: 2, steps: range(2).map((i) => step(of, i)) },
    );
  };
  return { asked, lease: { path: '/log', call: call as SessionLease['call'], look: () => undefined, dispose: () => undefined } };
}

const group = { key: 'g', place: 'project', name: 'p', cwd: '/p', roots: [], count: 1 } as const;
const session: ForestSession = {
  item: sessionItem('a'),
  key: '/root/--p--/a',
  isPinned: false,
  isHidden: false,
  isDuplicate: false,
  isNamesake: false,
  matches: true,
  origin: undefined,
  parent: undefined,
  group,
  forks: [],
  subagents: [],
};
const node: SessionNode = { kind: 'session', session };

describe('pages of turns', () => {
  it('show a hundred and what is left, then a hundred more', async () => {
    const pages = new OutlinePages();
    const first = await turnNodes(log(250).lease, node, pages);
    expect(first).toHaveLength(101);
    expect(first.at(-1)).toMatchObject({ kind: 'more', left: 150 });
    pages.more(nodeId(node));
    expect((await turnNodes(log(250).lease, node, pages)).at(-1)).toMatchObject({ kind: 'more', left: 50 });
    pages.more(nodeId(node));
    const all = await turnNodes(log(250).lease, node, pages);
    expect(all).toHaveLength(250);
    expect(all.every(({ kind }) => kind === 'turn')).toBe(true);
  });

  it('go on where the reader answers less than was asked for', async () => {
    const pages = new OutlinePages();
    const { lease, asked } = log(90, 40);
    expect(await turnNodes(lease, node, pages)).toHaveLength(90);
    expect(asked).toEqual(['turns 0 100', 'turns 40 100', 'turns 80 100']);
  });

  it('are widened for a child that must be seen, never narrowed', () => {
    const pages = new OutlinePages();
    expect(pages.include('x', 99)).toBe(false);
    expect(pages.include('x', 100)).toBe(true);
    expect(pages.shown('x')).toBe(200);
    expect(pages.include('x', 5)).toBe(false);
    expect(pages.shown('x')).toBe(200);
  });

  it('of a log without turns are empty', async () => {
    expect(await turnNodes(log(0).lease, node, new OutlinePages())).toEqual([]);
  });
});

describe('finding a seq', () => {
  it('gives turn and step, with their indexes', async () => {
    const { lease, asked } = log(250);
    expect(await locate(lease, 2345)).toMatchObject({ turnIndex: 234, turn: { number: 235 }, stepIndex: 1, step: { number: 2 } });
    expect(asked).toEqual(['turns 0 100', 'turns 100 200', 'turns 200 300', 'steps 0 100']);
  });

  it('gives the turn alone between its steps, nothing between turns or past the end', async () => {
    const { lease } = log(250);
    expect(await locate(lease, 8)).toEqual({ turn: turn(0), turnIndex: 0 });
    expect(await locate(lease, 9)).toBeUndefined();
    expect(await locate(lease, 9999)).toBeUndefined();
    expect(await locate(log(0).lease, 0)).toBeUndefined();
  });
});

describe('nodes', () => {
  it('know the way up', async () => {
    const pages = new OutlinePages();
    const [first] = (await turnNodes(log(1).lease, node, pages)) as TurnNode[];
    const [inner] = (await stepNodes(log(1).lease, first!, pages)) as StepNode[];
    const call = { seq: 1, lastSeq: 2, row, outcome: 1 };
    const [leaf, note] = callNodes({ ...inner!, step: { ...inner!.step, calls: [call], callCount: 7 } });
    expect(note).toMatchObject({ kind: 'note', message: { template: '{n} more calls are in the timeline', args: { n: 6 } } });
    const way: string[] = [];
    for (let at = parentOf(leaf!); at; at = parentOf(at)) way.push(nodeId(at));
    expect(way).toEqual(['step:/root/--p--/a#0', 'turn:/root/--p--/a#0', 'session:/root/--p--/a', 'group:g']);
  });

  it('lead from a subagent through its folder to its parent', () => {
    const child: ForestSession = { ...session, key: 'c', item: sessionItem('c', { origin: 'subagent' }), parent: session };
    const fork: ForestSession = { ...session, key: 'f', item: sessionItem('f'), parent: session };
    expect(parentOf({ kind: 'session', session: child })).toMatchObject({ kind: 'subagents', session: { key: session.key } });
    expect(parentOf({ kind: 'session', session: fork })).toMatchObject({ kind: 'session', session: { key: session.key } });
  });
});
