/** How each node of the sessions tree looks and sounds. Colour never stands alone: the words are in the description. */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { plainLine, SESSION_FORMAT_VERSION, text, type Text } from '../../core/index.ts';
import type { RowText } from '../../protocol/index.ts';
import { durationText, OUTCOME } from '../../timeline/index.ts';
import { counted, displayLocale, localise } from '../localise.ts';
import { relativeTime } from '../sessions/formats.ts';
import { withTilde, type PathRules } from '../sessions/path-rules.ts';
import {
  alarmsOf,
  badgesOf,
  dshSays,
  rowLabel,
  sessionLabel,
  signOf,
  tooltipOf,
  type SessionSign,
} from '../sessions/session-facts.ts';
import type { ForestSession } from '../sessions/session-forest.ts';
import { sessionTime } from '../sessions/session-key.ts';
import { dimmedUri } from './dimmed-sessions.ts';
import {
  nodeId,
  type CallNode,
  type GroupNode,
  type RootProblemNode,
  type RootProblemsNode,
  type SessionNode,
  type StepNode,
  type TreeNode,
  type TurnNode,
} from './tree-nodes.ts';

export interface ItemContext {
  readonly now: number;
  readonly pathRules: PathRules;
  /** Set while a filter is on: the tree is another one then, opened down to what was found. */
  readonly filtered: boolean;
  readonly expandFirst: string | undefined; // key of a group to show open besides this workspace
  isLive(path: string): boolean;
}

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export function treeItem(node: TreeNode, context: ItemContext): vscode.TreeItem {
  const item = makeItem(node, context);
  item.id = context.filtered ? `filtered:${nodeId(node)}` : nodeId(node);
  return item;
}

function makeItem(node: TreeNode, context: ItemContext): vscode.TreeItem {
  switch (node.kind) {
    case 'group':
      return groupItem(node, context);
    case 'session':
      return sessionItem(node, context);
    case 'subagents':
      return subagentsItem(node.session, context);
    case 'turn':
      return turnItem(node);
    case 'step':
      return stepItem(node);
    case 'call':
      return callItem(node);
    case 'rootProblems':
      return rootProblemsItem(node);
    case 'rootProblem':
      return rootProblemItem(node);
    case 'more': {
      const item = new vscode.TreeItem(vscode.l10n.t('Show more…'), None);
      item.description = node.left === 1 ? vscode.l10n.t('1 more') : vscode.l10n.t('{n} more', { n: counted(node.left) });
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.contextValue = 'more';
      item.command = { command: 'dshTimeline.showMore', title: vscode.l10n.t('Show more…'), arguments: [node] };
      return item;
    }
    case 'action': {
      const clears = node.action === 'clearFilter';
      const label = clears ? vscode.l10n.t('Clear Filter') : vscode.l10n.t('Try Again');
      const item = new vscode.TreeItem(label, None);
      item.iconPath = new vscode.ThemeIcon(clears ? 'clear-all' : 'refresh');
      item.contextValue = 'action';
      item.command = { command: `dshTimeline.${node.action}`, title: label };
      return item;
    }
    case 'note': {
      const message = localise(node.message);
      const item = new vscode.TreeItem(message, None);
      item.tooltip = message;
      item.iconPath =
        node.sign === 'warning'
          ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
          : new vscode.ThemeIcon('info');
      item.contextValue = 'note';
      return item;
    }
  }
}

function rootProblemsItem({ problems }: RootProblemsNode): vscode.TreeItem {
  const n = problems.length;
  const item = new vscode.TreeItem(vscode.l10n.t('dsh cannot list these sessions'), Collapsed);
  const count = n === 1 ? vscode.l10n.t('1 problem') : vscode.l10n.t('{n} problems', { n: counted(n) });
  item.description = count;
  item.tooltip = vscode.l10n.t(
    'While the logs named here lie where they are, dsh’s own list of the whole sessions folder fails. This view and the timelines work all the same.',
  );
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = 'rootProblems';
  item.accessibilityInformation = { label: [vscode.l10n.t('dsh cannot list these sessions'), count].join(', ') };
  return item;
}

function rootProblemItem({ problem }: RootProblemNode): vscode.TreeItem {
  const name = sessionLabel(problem.item, 32); // the reason behind it is what is to be read
  const reason = plainLine(localise(problem.damage.text), 400);
  const item = new vscode.TreeItem(name, None);
  item.description = reason;
  item.tooltip = [name, reason, ...dshSays(problem.damage).map(localise), plainLine(problem.item.path, 600)].join('\n');
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = 'rootProblem';
  item.accessibilityInformation = { label: [name, reason].join(', ') };
  item.command = {
    command: 'dshTimeline.showDamage',
    title: vscode.l10n.t('Show Damage Report'),
    arguments: [{ path: problem.item.path }],
  };
  return item;
}

function groupItem({ group }: GroupNode, context: ItemContext): vscode.TreeItem {
  const open = group.place === 'workspace' || context.filtered || context.expandFirst === group.key;
  const name =
    group.place === 'none' ? vscode.l10n.t('no project') : plainLine(group.name, 120) || plainLine(group.cwd ?? '', 120);
  const item = new vscode.TreeItem(name, open ? Expanded : Collapsed);
  const count = sessionCount(group.count);
  const folder = group.cwd === undefined ? '' : plainLine(withTilde(group.cwd, homedir(), context.pathRules), 400);
  const place = group.place === 'workspace' ? vscode.l10n.t('this workspace') : folder;
  item.description = [place, count].filter((part) => part !== '' && part !== name).join(' · ');
  item.tooltip =
    group.cwd === undefined ? vscode.l10n.t('Sessions whose log names no project folder') : plainLine(group.cwd, 600);
  item.iconPath = new vscode.ThemeIcon(
    group.place === 'workspace' ? 'root-folder' : group.place === 'project' ? 'folder' : 'circle-slash',
  );
  item.contextValue = group.cwd === undefined ? 'group' : group.place === 'workspace' ? 'group folder here' : 'group folder';
  item.accessibilityInformation = { label: [name, place, count].filter(Boolean).join(', ') };
  return item;
}

function sessionCount(n: number): string {
  return n === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{n} sessions', { n: counted(n) });
}

const signs: Readonly<Record<SessionSign, readonly [icon: string, color?: string]>> = {
  session: ['comment-discussion'],
  fork: ['repo-forked'],
  subagent: ['type-hierarchy-sub'],
  live: ['pulse', 'charts.green'],
  empty: ['comment', 'disabledForeground'],
  damaged: ['warning', 'list.warningForeground'],
  newer: ['versions', 'list.warningForeground'],
  unreadable: ['error', 'list.errorForeground'],
};

function sessionItem({ session }: SessionNode, context: ItemContext): vscode.TreeItem {
  const { item: log } = session;
  const live = context.isLive(log.path);
  const label = rowLabel(session, 64); // a first prompt as title must leave room for what is wrong
  const item = new vscode.TreeItem(label, sessionState(session, context));
  const time = relativeTime(sessionTime(log), context.now, displayLocale());
  const words = [...alarmsOf(session).map(localise), time, ...badgesOf(session, live, displayLocale()).map(localise)];
  item.description = words.join(' · ');
  item.tooltip = tooltipOf(session, live, displayLocale()).map(localise).join('\n');
  const [icon, color] = signs[signOf(log, live)];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  if (log.isEmpty || session.isHidden || (context.filtered && !session.matches)) item.resourceUri = dimmedUri(session.key);
  item.contextValue = sessionTokens(session).join(' ');
  item.accessibilityInformation = { label: [label, ...words].join(', ') };
  item.command = {
    command: 'dshTimeline.openTimeline',
    title: vscode.l10n.t('Open Timeline'),
    arguments: [{ kind: 'session', session }],
  };
  return item;
}

function sessionState(session: ForestSession, context: ItemContext): vscode.TreeItemCollapsibleState {
  const nested = [...session.forks, ...session.subagents];
  if (context.filtered && nested.length > 0) return Expanded;
  const hasTurns = !session.item.isEmpty && (session.item.turns ?? 1) > 0;
  return nested.length > 0 || hasTurns || session.item.refusal ? Collapsed : None;
}

/** Words the menus of package.json ask for in `viewItem`. */
function sessionTokens({ item, isPinned, isHidden }: ForestSession): string[] {
  const tokens = ['session'];
  if (item.id !== undefined) tokens.push('identified');
  if (item.refusal === undefined || item.refusal.kind === 'unknown-event') tokens.push('derivable');
  if (item.isCompacted !== false) tokens.push('compacted'); // or not known yet: then it is offered, and says what there is
  if (item.parentSession !== undefined) tokens.push('child');
  if (item.version !== undefined && item.version < SESSION_FORMAT_VERSION) tokens.push('migratable');
  if (item.damage.length > 0 || item.refusal) tokens.push('damage');
  if (item.olderCopies.length > 0) tokens.push('older');
  tokens.push(isPinned ? 'pinned' : 'unpinned', isHidden ? 'hidden' : 'shown');
  return tokens;
}

function subagentsItem(session: ForestSession, context: ItemContext): vscode.TreeItem {
  const n = counted(session.subagents.length);
  const item = new vscode.TreeItem(vscode.l10n.t('Subagents ({n})', { n }), context.filtered ? Expanded : Collapsed);
  item.iconPath = new vscode.ThemeIcon('type-hierarchy');
  item.contextValue = 'subagents';
  item.accessibilityInformation = { label: vscode.l10n.t('Subagents of {name}: {n}', { name: sessionLabel(session.item), n }) };
  return item;
}

function turnItem(node: TurnNode): vscode.TreeItem {
  const { turn } = node;
  const item = outlineItem(turn.row, turn.outcome, turn.end - turn.start, turn.steps > 0 ? Collapsed : None, 'comment');
  item.contextValue = 'turn';
  return opening(item, node);
}

function stepItem(node: StepNode): vscode.TreeItem {
  const { step } = node;
  const item = outlineItem(step.row, step.outcome, step.end - step.start, step.callCount > 0 ? Collapsed : None, 'sparkle');
  item.contextValue = 'step';
  return opening(item, node);
}

function callItem(node: CallNode): vscode.TreeItem {
  const item = outlineItem(node.call.row, node.call.outcome, NaN, None, 'tools');
  item.contextValue = 'call';
  return opening(item, node);
}

function opening(item: vscode.TreeItem, node: TurnNode | StepNode | CallNode): vscode.TreeItem {
  item.command = { command: 'dshTimeline.openTimeline', title: vscode.l10n.t('Open Timeline'), arguments: [node] };
  return item;
}

function outlineItem(
  row: RowText,
  outcome: number,
  ms: number,
  state: vscode.TreeItemCollapsibleState,
  icon: string,
): vscode.TreeItem {
  const title = plainLine(localise(row.title), 120);
  const detail = plainLine(localise(row.detail), 240);
  const notes = [
    row.note ? localise(row.note) : '',
    outcomeWord(outcome, row.note !== undefined),
    Number.isFinite(ms) && ms >= 0 ? localise(durationText(ms)) : '', // no end yet, or a clock that went backwards
  ];
  const item = new vscode.TreeItem(title, state);
  item.description = [detail, ...notes].filter(Boolean).join(' · ');
  item.tooltip = [title, detail, notes.filter(Boolean).join(' · ')].filter(Boolean).join('\n');
  item.iconPath = outcomeIcon(outcome, icon);
  item.accessibilityInformation = { label: [title, detail, ...notes].filter(Boolean).join(', ') };
  return item;
}

function outcomeIcon(outcome: number, icon: string): vscode.ThemeIcon {
  if (outcome === OUTCOME.error) return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  if (outcome === OUTCOME.completed || outcome === OUTCOME.open) return new vscode.ThemeIcon(icon);
  return new vscode.ThemeIcon(icon, new vscode.ThemeColor('list.warningForeground'));
}

const outcomeWords: Readonly<Record<number, Text>> = {
  [OUTCOME.open]: text('open'),
  [OUTCOME.error]: text('failed'),
  [OUTCOME.aborted]: text('aborted'),
  [OUTCOME.interrupted]: text('interrupted'),
  [OUTCOME.maxTokens]: text('token limit'),
  [OUTCOME.blocked]: text('blocked'),
  [OUTCOME.forked]: text('closed by a fork'),
  [OUTCOME.abandoned]: text('abandoned'),
};

/** How it ended, unless it ended well or the row's own note says it already. */
function outcomeWord(outcome: number, hasNote: boolean): string {
  const word = outcomeWords[outcome];
  return word === undefined || hasNote ? '' : localise(word);
}
