/** What the sessions tree is made of. Nodes are rebuilt at every refresh; their ids keep expansion and selection. */
import type { OutlineCall, OutlineStep, OutlineTurn } from '../../protocol/index.ts';
import type { Text } from '../../core/index.ts';
import type { RootProblem } from '../sessions/session-facts.ts';
import type { ForestGroup, ForestSession } from '../sessions/session-forest.ts';

export interface GroupNode {
  readonly kind: 'group';
  readonly group: ForestGroup;
}
export interface SessionNode {
  readonly kind: 'session';
  readonly session: ForestSession;
}
export interface SubagentsNode {
  readonly kind: 'subagents';
  readonly session: ForestSession;
}
export interface TurnNode {
  readonly kind: 'turn';
  readonly session: ForestSession;
  readonly turn: OutlineTurn;
}
export interface StepNode {
  readonly kind: 'step';
  readonly parent: TurnNode;
  readonly step: OutlineStep;
}
export interface CallNode {
  readonly kind: 'call';
  readonly parent: StepNode;
  readonly call: OutlineCall;
  readonly index: number;
}
/** "Show more…" at the end of a page. */
export interface MoreNode {
  readonly kind: 'more';
  readonly parent: SessionNode | TurnNode;
  readonly left: number;
}
/** A sentence in place of children. */
export interface NoteNode {
  readonly kind: 'note';
  readonly parent: SessionNode | TurnNode | StepNode;
  readonly message: Text | string;
  readonly sign: 'info' | 'warning';
}
/** The only row of an empty view where a welcome text would hide the view's message (the editor shows one of the two). */
export interface ActionNode {
  readonly kind: 'action';
  readonly action: 'clearFilter' | 'refresh';
}
/** Above all sessions: logs that keep dsh from listing any of them. */
export interface RootProblemsNode {
  readonly kind: 'rootProblems';
  readonly problems: readonly RootProblem[];
}
export interface RootProblemNode {
  readonly kind: 'rootProblem';
  readonly parent: RootProblemsNode;
  readonly problem: RootProblem;
}
export type TreeNode =
  | GroupNode
  | SessionNode
  | SubagentsNode
  | TurnNode
  | StepNode
  | CallNode
  | MoreNode
  | NoteNode
  | ActionNode
  | RootProblemsNode
  | RootProblemNode;

/** Identity across refreshes. */
export function nodeId(node: TreeNode): string {
  switch (node.kind) {
    case 'group':
      return `group:${node.group.key}`;
    case 'session':
      return `session:${node.session.key}`;
    case 'subagents':
      return `subagents:${node.session.key}`;
    case 'turn':
      return `turn:${node.session.key}#${node.turn.index}`;
    case 'step':
      return `step:${node.parent.session.key}#${node.step.index}`;
    case 'call':
      return `call:${node.parent.parent.session.key}#${node.parent.step.index}.${node.index}`;
    case 'more':
      return `more:${nodeId(node.parent)}`;
    case 'note':
      return `note:${nodeId(node.parent)}`;
    case 'rootProblems':
      return 'rootProblems';
    case 'rootProblem':
      return `rootProblem:${node.problem.item.path}#${node.problem.damage.kind}`;
    case 'action':
      return `action:${node.action}`;
  }
}

/** The node one level up, undefined at the top. */
export function parentOf(node: TreeNode): TreeNode | undefined {
  switch (node.kind) {
    case 'group':
    case 'action':
    case 'rootProblems':
      return undefined;
    case 'session': {
      const { parent, group, item } = node.session;
      if (!parent) return { kind: 'group', group };
      return item.origin === 'subagent' ? { kind: 'subagents', session: parent } : { kind: 'session', session: parent };
    }
    case 'subagents':
    case 'turn':
      return { kind: 'session', session: node.session };
    case 'step':
    case 'call':
    case 'more':
    case 'note':
    case 'rootProblem':
      return node.parent;
  }
}
