/** Commands of the Sessions view and of the timeline in front. */
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { ViewEvents } from '../../protocol/index.ts';
import type { Output } from '../output.ts';
import type { ForestSession } from '../sessions/session-forest.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionsTree } from '../tree/sessions-tree.ts';
import type { MoreNode, TreeNode } from '../tree/tree-nodes.ts';
import type { CommandRegistry } from './registry.ts';
import type { Targets } from './targets.ts';

export interface TreeCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly model: SessionsModel;
  readonly tree: SessionsTree;
  readonly editor: TimelineEditor;
  readonly output: Output;
  /** Starts list reading again if it had been given up. */
  readonly relist: () => Promise<void>;
}

const viewCommands: readonly ViewEvents['command']['name'][] = [
  'find',
  'expandAll',
  'collapseAll',
  'toggleAxis',
  'toggleIdle',
  'back',
  'forward',
];

export function registerTreeCommands(options: TreeCommandsOptions): void {
  const { registry, targets, model, tree, editor, output, relist } = options;
  registry.add('refresh', relist);
  registry.add('filter', () => editFilter(tree));
  registry.add('clearFilter', () => tree.setFilter(''));
  registry.add('showThisWorkspace', () => tree.setScope('workspace'));
  registry.add('showAllProjects', () => tree.setScope('all'));
  registry.add('showHidden', () => tree.setShowHidden(true));
  registry.add('concealHidden', () => tree.setShowHidden(false));
  registry.add('showMore', (node) => tree.showMore(node as MoreNode)); // the argument of our own tree item
  registry.add('showLog', () => output.show());
  registry.add('chooseRoot', () => chooseRoot(model));
  registry.add('openSettings', () =>
    vscode.commands.executeCommand('workbench.action.openSettings', '@ext:dsh-session-timeline.dsh-session-timeline'),
  );

  const onSession = (name: string, run: (session: ForestSession) => Promise<void>): void => {
    registry.add(name, async (arg) => {
      const session = targets.named(arg)?.session ?? selectedSession(tree);
      if (session) await run(session);
      else void vscode.window.showInformationMessage(vscode.l10n.t('Select a session in the Sessions view first.'));
    });
  };
  onSession('pin', (session) => tree.setPinned(session, true));
  onSession('unpin', (session) => tree.setPinned(session, false));
  onSession('hide', (session) => tree.setHidden(session, true));
  onSession('unhide', (session) => tree.setHidden(session, false));

  onFolder(registry, 'copyFolderPath', async (folder) => {
    await vscode.env.clipboard.writeText(folder);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Path copied'), 3000);
  });
  onFolder(registry, 'revealFolder', (folder) => vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder)));
  onFolder(registry, 'openFolder', async (folder) => {
    if (!existsSync(folder)) throw new Error(vscode.l10n.t('The folder {path} is not on this machine.', { path: folder }));
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), { forceNewWindow: true });
  });

  registry.add('revealInTree', async (arg) => {
    const target = targets.named(arg) ?? targets.active();
    if (target) await revealInTree(tree, model, target.path, target.seq);
    else void vscode.window.showInformationMessage(vscode.l10n.t('Open a timeline first.'));
  });
  for (const name of viewCommands) {
    registry.add(`timeline${name.charAt(0).toUpperCase()}${name.slice(1)}`, () => {
      if (editor.active) editor.active.command(name);
      else void vscode.window.showInformationMessage(vscode.l10n.t('Open a timeline first.'));
    });
  }
}

/** A command on a project's row: its folder is what the headers of its logs name, of any machine they came from. */
function onFolder(registry: CommandRegistry, name: string, run: (folder: string) => Thenable<unknown>): void {
  registry.add(name, async (arg) => {
    const node = arg as TreeNode | undefined; // handed over by our own tree, as the menus say
    if (node?.kind === 'group' && node.group.cwd !== undefined) await run(node.group.cwd);
  });
}

/** Shows a log's node; says why it cannot where filter or scope hide it, and offers to lift them. */
export async function revealInTree(
  tree: SessionsTree,
  model: SessionsModel,
  path: string,
  seq: number | undefined,
): Promise<void> {
  await vscode.commands.executeCommand('dshTimeline.sessions.focus');
  if (await tree.reveal(path, seq)) return;
  if (!model.byPath(path)) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This log is not below the sessions root.'));
    return;
  }
  const showAll = vscode.l10n.t('Show All Sessions');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('The filter or the scope of the Sessions view leaves this session out.'),
    showAll,
  );
  if (answer !== showAll) return;
  tree.setFilter('');
  tree.setShowHidden(true);
  await tree.setScope('all');
  await tree.reveal(path, seq);
}

function selectedSession(tree: SessionsTree): ForestSession | undefined {
  const node = tree.view.selection[0];
  return node?.kind === 'session' ? node.session : undefined;
}

/** A live input box: the tree follows every key; Escape brings the earlier filter back. */
function editFilter(tree: SessionsTree): void {
  const before = tree.filter;
  const input = vscode.window.createInputBox();
  input.title = vscode.l10n.t('Filter Sessions');
  input.placeholder = vscode.l10n.t('Words of the title, id or folder');
  input.prompt = vscode.l10n.t('Shows the sessions that have every word.');
  input.value = before;
  let kept = false;
  input.onDidChangeValue((value) => tree.setFilter(value.trim()));
  input.onDidAccept(() => {
    kept = true;
    input.hide();
  });
  input.onDidHide(() => {
    if (!kept) tree.setFilter(before);
    input.dispose();
  });
  input.show();
}

async function chooseRoot(model: SessionsModel): Promise<void> {
  const root = model.root;
  const picked = await vscode.window.showOpenDialog({
    canSelectFolders: true,
    canSelectFiles: false,
    canSelectMany: false,
    openLabel: vscode.l10n.t('Use as Sessions Root'),
    ...(root === undefined ? {} : { defaultUri: vscode.Uri.file(root) }),
  });
  const folder = picked?.[0];
  if (!folder) return;
  await vscode.workspace.getConfiguration('dshTimeline').update('sessionsRoot', folder.fsPath, vscode.ConfigurationTarget.Global);
}
