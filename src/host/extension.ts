/** Where the editor starts us: everything is made and connected here. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { registerBranchCommands } from './commands/branch-commands.ts';
import { chooseParent, chooseSession } from './commands/choose-log.ts';
import { registerCompareCommands } from './commands/compare-commands.ts';
import { registerExportCommand } from './commands/export-command.ts';
import { registerLogCommands } from './commands/log-commands.ts';
import { CommandRegistry } from './commands/registry.ts';
import { registerReplayCommands } from './commands/replay-commands.ts';
import { Targets } from './commands/targets.ts';
import { registerTreeCommands, revealInTree } from './commands/tree-commands.ts';
import { Comparer } from './documents/comparer.ts';
import { documentScheme } from './documents/document-ref.ts';
import { SessionDocuments } from './documents/session-documents.ts';
import { english, type Text } from '../core/index.ts';
import { localise, reasonOf } from './localise.ts';
import { Output } from './output.ts';
import { lastSegment } from './sessions/path-rules.ts';
import { RootWatcher } from './sessions/root-watcher.ts';
import { sessionLabel } from './sessions/session-facts.ts';
import { SessionsModel } from './sessions/sessions-model.ts';
import { TimelineEditor, timelineViewTypes } from './timeline/timeline-editor.ts';
import { registerDimmedSessions } from './tree/dimmed-sessions.ts';
import { SessionsTree } from './tree/sessions-tree.ts';
import { TreeSettings } from './tree/tree-settings.ts';
import { ListClient } from './workers/list-client.ts';
import { SessionPool } from './workers/session-pool.ts';
import { workerSpawner } from './workers/spawn-worker.ts';

const minuteMs = 60_000;

export function activate(context: vscode.ExtensionContext): void {
  const output = new Output();
  context.subscriptions.push(output);
  try {
    start(context, output);
  } catch (error) {
    output.error('activation', error);
    void vscode.window.showErrorMessage(
      vscode.l10n.t('DSH Session Timeline could not start: {reason}', { reason: reasonOf(error) }),
    );
    throw error;
  }
}

function start(context: vscode.ExtensionContext, output: Output): void {
  const dist = vscode.Uri.joinPath(context.extensionUri, 'dist');
  const spawn = workerSpawner(path.join(dist.fsPath, 'worker.cjs'), {
    locale: vscode.env.language,
    bundle: vscode.l10n.bundle ?? {},
  });
  const crashes = new CrashReports(output);
  const list = new ListClient({
    spawn,
    maxRestarts: 3,
    windowMs: minuteMs,
    now: Date.now,
    onCrash: (reason, givenUp) => {
      output.warn(`the list reader stopped: ${inEnglish(reason)}`);
      if (givenUp)
        void crashes.say(
          'list',
          vscode.l10n.t('The session list reader keeps stopping: {reason}', { reason: localise(reason) }),
          () => void relist(),
        );
    },
    onNoise: (what) => output.warn(`the list reader sent a ${what} that is no message`),
  });
  const model = new SessionsModel({
    source: list,
    configuredRoot: () => vscode.workspace.getConfiguration('dshTimeline').get<string>('sessionsRoot', ''),
    now: Date.now,
    rest: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    onError: (error) => output.error('listing sessions', error),
  });
  const relist = async (): Promise<void> => {
    list.restart();
    await model.refresh();
  };
  const titleOf = (log: string): string => {
    const item = model.byPath(log);
    return item ? sessionLabel(item) : (editor.titleOf(log) ?? lastSegment(log)); // a log outside the root is in no list
  };
  const pool = new SessionPool({
    spawn,
    idleMs: 2 * minuteMs,
    maxIdle: 2,
    onCrash: (log, reason) => {
      output.warn(`the reader of ${log} stopped: ${inEnglish(reason)}`);
      const sentence = vscode.l10n.t('The reader of “{title}” stopped: {reason}', {
        title: titleOf(log),
        reason: localise(reason),
      });
      void crashes.say(log, sentence, () => pool.restart(log));
    },
    onEvent: (log, name) => {
      if (name !== 'changed') return;
      tree.logChanged(log);
      documents.logChanged(log);
    },
    onNoise: (log, what) => output.warn(`the reader of ${log} sent a ${what} that is no message`),
  });
  const documents: SessionDocuments = new SessionDocuments({
    pool,
    output,
    root: () => model.root,
    openPaths: () => editor.openPaths,
    titleOf,
  });
  const comparer = new Comparer({ pool, documents, titleOf, itemOf: (log) => model.byPath(log) });
  const editor: TimelineEditor = new TimelineEditor({
    dist,
    pool,
    output,
    actions: {
      openDocument: (log, ref) => documents.open(log, ref),
      compare: (log, left, right) => comparer.show({ path: log, ref: left }, { path: log, ref: right }),
      openSession: (id, from) => openNamed(model, pool, editor, id, from),
      revealInTree: (log, seq) => revealInTree(tree, model, log, seq),
      act: (path, name, seq) => void vscode.commands.executeCommand(`dshTimeline.${name}`, { path, seq, isSelection: true }),
      titleOf: (log) => {
        const item = model.byPath(log);
        return item && sessionLabel(item, 60);
      },
      parentTitleOf: (log) => parentTitle(model, log),
    },
  });
  const tree: SessionsTree = new SessionsTree({
    model,
    pool,
    settings: new TreeSettings(context.globalState, context.workspaceState),
    output,
  });
  const watcher = new RootWatcher({ refresh: () => void model.refresh(), isWatched: () => tree.view.visible });
  const registry = new CommandRegistry(output);
  const targets = new Targets(model, editor, tree);
  registerLogCommands({ registry, targets, model, editor, documents, pool });
  registerExportCommand({ registry, targets, model, pool, titleOf });
  registerCompareCommands({ registry, targets, model, comparer, documents, pool, titleOf });
  registerBranchCommands({ registry, targets, model, tree, editor, pool, titleOf });
  registerReplayCommands({ registry, targets, editor, comparer, pool, titleOf });
  registerTreeCommands({ registry, targets, model, tree, editor, output, relist });
  const times = setInterval(() => tree.refreshTimes(), minuteMs);

  context.subscriptions.push(
    ...timelineViewTypes.map((viewType) =>
      vscode.window.registerCustomEditorProvider(viewType, editor, { supportsMultipleEditorsPerDocument: true }),
    ),
    vscode.workspace.registerFileSystemProvider(documentScheme, documents, { isReadonly: true, isCaseSensitive: true }),
    vscode.languages.registerColorProvider({ scheme: documentScheme }, noColors),
    registerDimmedSessions(),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dshTimeline.sessionsRoot')) void model.refresh();
    }),
    model.onChange((changed) => {
      if (model.state.status === 'ready') watcher.watch(model.state.root);
      for (const log of changed) documents.logChanged(log);
      editor.listChanged();
    }),
    model,
    registry,
    watcher,
    tree,
    editor,
    documents,
    { dispose: () => clearInterval(times) },
    { dispose: () => void pool.dispose() },
    { dispose: () => void list.dispose() },
  );
  output.info(`started; VS Code ${vscode.version}, Node ${process.version}`);
  void model.refresh();
}

/** The editor takes "#120" for a colour and sets a swatch before it, unless a provider answers for the document. */
const noColors: vscode.DocumentColorProvider = { provideDocumentColors: () => [], provideColorPresentations: () => [] };

/** The label of the session that a log names as its parent, where that is in the same root and all that have its id are called the same. */
function parentTitle(model: SessionsModel, log: string): string | undefined {
  const id = model.byPath(log)?.parentSession;
  const labels = new Set((id === undefined ? [] : model.byId(id)).map((parent) => sessionLabel(parent, 40))); // one chip among others
  return labels.size === 1 ? [...labels][0] : undefined;
}

/** A parent or child named in a log, opened from the sessions of the root. */
async function openNamed(
  model: SessionsModel,
  pool: SessionPool,
  editor: TimelineEditor,
  id: string,
  from: string,
): Promise<void> {
  const title = vscode.l10n.t('Open Timeline');
  const child = model.byPath(from);
  const isParent = child?.parentSession === id && child.cut !== undefined;
  const meant = isParent
    ? await chooseParent({ model, pool, title }, from, id, child.cut)
    : await chooseSession({ model, title }, id);
  if (meant) await editor.open(meant.path, { keep: true });
}

const inEnglish = (sentence: Text | string): string => (typeof sentence === 'string' ? sentence : english(sentence));

/** One message a crash; the next one of the same reader only after this one was answered. */
class CrashReports {
  readonly #output: Output;
  readonly #shown = new Set<string>();

  constructor(output: Output) {
    this.#output = output;
  }

  async say(key: string, sentence: string, restart: () => void): Promise<void> {
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    const restartLabel = vscode.l10n.t('Restart');
    const logLabel = vscode.l10n.t('Show Log');
    try {
      const answer = await vscode.window.showErrorMessage(sentence, restartLabel, logLabel);
      if (answer === restartLabel) restart();
      else if (answer === logLabel) this.#output.show();
    } finally {
      this.#shown.delete(key);
    }
  }
}
