/** The Sessions view: forest of sessions from the model, their turns from the logs' readers (design.md §5). */
import * as vscode from 'vscode';
import { text } from '../../core/index.ts';
import { counted, localise, reasonOf } from '../localise.ts';
import type { Output } from '../output.ts';
import { buildForest, type Forest, type ForestSession } from '../sessions/session-forest.ts';
import { pathRulesOf } from '../sessions/path-rules.ts';
import { rootProblemsOf } from '../sessions/session-facts.ts';
import { sessionKey } from '../sessions/session-key.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { changedSessions } from './forest-changes.ts';
import { callNodes, locate, stepNodes, turnNodes } from './outline.ts';
import { OutlinePages } from './outline-pages.ts';
import { treeItem } from './tree-items.ts';
import { nodeId, parentOf, type MoreNode, type NoteNode, type SessionNode, type TreeNode, type TurnNode } from './tree-nodes.ts';
import type { Scope, TreeSettings } from './tree-settings.ts';

export interface SessionsTreeOptions {
  readonly model: SessionsModel;
  readonly pool: SessionPool;
  readonly settings: TreeSettings;
  readonly output: Output;
}

/** Which welcome text an empty view shows; package.json asks for it as `dshTimeline:treeState`. `other`: none. */
type TreeState = 'loading' | 'noRoot' | 'emptyRoot' | 'noneHere' | 'allHidden' | 'other';

const pathRules = pathRulesOf(process.platform);

export class SessionsTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly view: vscode.TreeView<TreeNode>;
  readonly #options: SessionsTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode | TreeNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #pages = new OutlinePages();
  readonly #subscriptions: vscode.Disposable[];
  /** The node last handed out under each id: the editor knows nodes to be redrawn by identity only. */
  readonly #handedOut = new Map<string, TreeNode>();
  #forest: Forest | undefined;
  /** What the rows of the root's problems say. */
  #problems = '';
  #byKey = new Map<string, ForestSession>();
  #filter = '';
  #showHidden = false;
  #scheduled: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SessionsTreeOptions) {
    this.#options = options;
    this.view = vscode.window.createTreeView('dshTimeline.sessions', { treeDataProvider: this, showCollapseAll: true });
    this.#subscriptions = [
      this.view,
      this.#changed,
      options.model.onChange(() => this.#schedule()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#rebuild()),
    ];
    this.#rebuild();
  }

  dispose(): void {
    if (this.#scheduled !== undefined) clearTimeout(this.#scheduled);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get filter(): string {
    return this.#filter;
  }

  setFilter(filter: string): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.#rebuild();
  }

  setShowHidden(on: boolean): void {
    this.#showHidden = on;
    this.#rebuild();
  }

  async setScope(scope: Scope): Promise<void> {
    await this.#options.settings.setScope(scope);
    this.#rebuild();
  }

  async setPinned(session: ForestSession, on: boolean): Promise<void> {
    await this.#options.settings.setPinned(session.key, on);
    this.#rebuild();
  }

  async setHidden(session: ForestSession, on: boolean): Promise<void> {
    await this.#options.settings.setHidden(session.key, on);
    this.#rebuild();
  }

  showMore(node: MoreNode): void {
    this.#pages.more(nodeId(node.parent));
    this.#redraw(node.parent);
  }

  /** A log's reader has read more of it: its turns are asked for again. */
  logChanged(path: string): void {
    const session = this.sessionOf(path);
    if (session) this.#redraw({ kind: 'session', session });
  }

  /** Takes in the latest listing at once, for whoever is about to reveal something of it. */
  update(): void {
    if (this.#scheduled !== undefined) clearTimeout(this.#scheduled);
    this.#scheduled = undefined;
    this.#rebuild();
  }

  /** Draws the times again, which go stale by themselves. */
  refreshTimes(): void {
    const sessions = [...this.#handedOut.values()].filter(({ kind }) => kind === 'session');
    if (this.view.visible && sessions.length > 0) this.#changed.fire(sessions);
  }

  /** The session of a log in the current forest, if it is shown. */
  sessionOf(path: string): ForestSession | undefined {
    return this.#byKey.get(sessionKey(path));
  }

  /** Selects a session, or the turn or step of it that holds a seq. False if filter, scope or root leave it out. */
  async reveal(path: string, seq: number | undefined): Promise<boolean> {
    const session = this.sessionOf(path);
    if (!session) return false;
    let node: TreeNode = { kind: 'session', session };
    if (seq !== undefined) node = await this.#nodeAt(node, seq);
    await this.view.reveal(node, { select: true, focus: true, expand: false });
    return true;
  }

  /**
   * The row the keyboard is on, which then is selected. The editor tells of selected rows only, and arrows move between rows without
   * selecting them; so the row is selected by the editor's own command, which of a selected one takes that away.
   */
  async focused(): Promise<TreeNode | undefined> {
    const before = this.view.selection;
    await vscode.commands.executeCommand('list.toggleSelection');
    const after = this.view.selection;
    const node = after.find((each) => !before.includes(each)) ?? before.find((each) => !after.includes(each));
    if (node) await this.view.reveal(node, { select: true, focus: true });
    return node;
  }

  async #nodeAt(session: SessionNode, seq: number): Promise<TreeNode> {
    const place = await this.#options.pool.use(session.session.item.path, (lease) => locate(lease, seq));
    if (!place) return session;
    const turn: TurnNode = { kind: 'turn', session: session.session, turn: place.turn };
    if (this.#pages.include(nodeId(session), place.turnIndex)) this.#redraw(session);
    if (!place.step || place.stepIndex === undefined) return turn;
    if (this.#pages.include(nodeId(turn), place.stepIndex)) this.#redraw(turn);
    return { kind: 'step', parent: turn, step: place.step };
  }

  #redraw(node: TreeNode): void {
    const known = this.#handedOut.get(nodeId(node));
    if (known) this.#changed.fire(known);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    this.#handedOut.set(nodeId(node), node);
    const groups = this.#forest?.groups ?? [];
    const first = groups[0];
    return treeItem(node, {
      now: Date.now(),
      pathRules,
      filtered: this.#filter !== '',
      expandFirst: first && first.place !== 'workspace' ? first.key : undefined,
      isLive: (path) => this.#options.model.isLive(path),
    });
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return parentOf(node);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (!node) return this.#topNodes();
    switch (node.kind) {
      case 'group':
        return this.#sessionNodes(node.group.roots);
      case 'subagents':
        return this.#sessionNodes(node.session.subagents);
      case 'session':
        return this.#sessionChildren(node);
      case 'turn':
        return this.#outline(node, () =>
          this.#options.pool.use(node.session.item.path, (lease) => stepNodes(lease, node, this.#pages)),
        );
      case 'step':
        return callNodes(node);
      case 'rootProblems':
        return node.problems.map((problem) => ({ kind: 'rootProblem', parent: node, problem }));
      case 'call':
      case 'rootProblem':
      case 'more':
      case 'note':
      case 'action':
        return [];
    }
  }

  #topNodes(): TreeNode[] {
    const { groups } = this.#forest ?? { groups: [] };
    if (groups.length > 0 || this.view.message === '') {
      const problems = this.#filter === '' ? rootProblemsOf(this.#options.model.items) : [];
      const sessions = groups.map((group): TreeNode => ({ kind: 'group', group }));
      return problems.length === 0 ? sessions : [{ kind: 'rootProblems', problems }, ...sessions];
    }
    return [{ kind: 'action', action: this.#filter === '' ? 'refresh' : 'clearFilter' }];
  }

  #sessionNodes(sessions: readonly ForestSession[]): TreeNode[] {
    const unknown = sessions.filter(({ item }) => !item.titleIsComplete || !item.isChecked);
    this.#options.model.complete(unknown.map(({ item }) => item.path));
    return sessions.map((session) => {
      const node: SessionNode = { kind: 'session', session };
      this.#handedOut.set(nodeId(node), node); // at once: the next listing may come before its item is asked for
      return node;
    });
  }

  async #sessionChildren(node: SessionNode): Promise<TreeNode[]> {
    const { session } = node;
    const children = this.#sessionNodes(session.forks);
    if (session.subagents.length > 0) children.push({ kind: 'subagents', session });
    const { refusal } = session.item;
    if (refusal) children.push({ kind: 'note', parent: node, message: refusal.text, sign: 'warning' });
    if (refusal && refusal.kind !== 'unknown-event') return children;
    if (session.item.isEmpty && session.item.titleIsComplete) return children;
    const turns = await this.#outline(node, () =>
      this.#options.pool.use(session.item.path, (lease) => turnNodes(lease, node, this.#pages)),
    );
    return [...children, ...turns];
  }

  /** A log that cannot be read says so in its own place and hides no other. */
  async #outline(parent: SessionNode | TurnNode, load: () => Promise<TreeNode[]>): Promise<TreeNode[]> {
    try {
      return await load();
    } catch (error) {
      this.#options.output.error(`outline of ${nodeId(parent)}`, error);
      const note: NoteNode = {
        kind: 'note',
        parent,
        message: text('Cannot be read: {reason}', { reason: reasonOf(error) }),
        sign: 'warning',
      };
      return [note];
    }
  }

  /** Listings may come in a burst while a log is written: the tree is drawn at most a few times a second. */
  #schedule(): void {
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = undefined;
      this.#takeListing();
    }, 150);
  }

  #rebuild(): void {
    this.#build();
    this.#redrawAll();
  }

  /**
   * Draws no more again than a new listing changed: while the editor asks for all rows again it takes their old ones for gone, and does nothing
   * when one is clicked or chosen from its menu.
   */
  #takeListing(): void {
    const [before, problems] = [this.#forest, this.#problems];
    const after = this.#build();
    const changed = before && changedSessions(before, after);
    if (!changed || problems !== this.#problems) return this.#redrawAll();
    const groups = new Map(after.groups.map((group) => [group.key, group]));
    for (const node of this.#handedOut.values()) {
      if (node.kind === 'group') Object.assign(node, { group: groups.get(node.group.key) ?? node.group });
      else if ('session' in node) Object.assign(node, { session: this.#byKey.get(node.session.key) ?? node.session });
    }
    const rows = changed.flatMap((session): TreeNode[] => [
      { kind: 'session', session },
      { kind: 'subagents', session },
    ]);
    const known = rows.flatMap((row) => this.#handedOut.get(nodeId(row)) ?? []);
    if (known.length > 0) this.#changed.fire(known);
  }

  #redrawAll(): void {
    this.#handedOut.clear();
    this.#changed.fire(undefined);
  }

  #build(): Forest {
    const { model, settings } = this.#options;
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    this.#forest = buildForest(model.items, {
      workspaceFolders: folders.map(({ name, uri }) => ({ name, path: uri.fsPath })),
      pathRules,
      scope: settings.scope,
      filter: this.#filter,
      pinned: settings.pinned,
      hidden: settings.hidden,
      showHidden: this.#showHidden,
    });
    this.#byKey = indexOf(this.#forest);
    this.#problems = JSON.stringify(rootProblemsOf(model.items).map(({ item, damage }) => [item.path, damage]));
    this.#announce(this.#forest);
    return this.#forest;
  }

  #announce(forest: Forest): void {
    const { scope } = this.#options.settings;
    const { state } = this.#options.model;
    const isEmpty = forest.groups.length === 0;
    const lines: string[] = [];
    if (this.#filter !== '') {
      const { matching, total } = forest;
      lines.push(
        vscode.l10n.t('Filter “{filter}”: {matching} of {total}', {
          filter: this.#filter,
          matching: counted(matching),
          total: counted(total),
        }),
      );
    }
    if (state.status === 'failed')
      lines.push(vscode.l10n.t('The sessions cannot be listed: {reason}', { reason: localise(state.message) }));
    if (state.status === 'ready') lines.push(...state.problems.map(localise));
    // With a message the editor shows no welcome text, so an empty view has one only where it says more than that.
    if (!isEmpty && scope === 'workspace' && forest.outOfScope > 0) {
      lines.push(vscode.l10n.t('Only this workspace; sessions of other projects: {n}', { n: counted(forest.outOfScope) }));
    }
    if (!isEmpty && this.#showHidden && forest.hiddenCount > 0) {
      lines.push(vscode.l10n.t('Hidden sessions are shown: {n}', { n: counted(forest.hiddenCount) }));
    }
    this.view.message = lines.join(' · ');
    setContext('treeState', this.#stateOf(forest));
    setContext('filtered', this.#filter !== '');
    setContext('scope', scope);
    setContext('showHidden', this.#showHidden);
    setContext('hasHidden', forest.hiddenCount > 0);
  }

  #stateOf(forest: Forest): TreeState {
    const { state } = this.#options.model;
    if (state.status === 'loading') return 'loading';
    if (state.status === 'failed' || forest.groups.length > 0 || forest.total > 0) return 'other';
    if (!state.exists) return 'noRoot';
    if (state.items.length === 0) return 'emptyRoot';
    return forest.outOfScope > 0 ? 'noneHere' : 'allHidden';
  }
}

function indexOf(forest: Forest): Map<string, ForestSession> {
  const byKey = new Map<string, ForestSession>();
  const pending: ForestSession[] = forest.groups.flatMap((group) => group.roots);
  for (let session = pending.pop(); session; session = pending.pop()) {
    byKey.set(session.key, session);
    for (const child of session.forks) pending.push(child);
    for (const child of session.subagents) pending.push(child);
  }
  return byKey;
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand('setContext', `dshTimeline:${key}`, value);
}
