/** "Fork from Here" and "Replay as New Session": from the tree, a timeline's menu, the palette or a key. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import { RpcError, type BranchKind, type Branched } from '../../protocol/index.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionsTree } from '../tree/sessions-tree.ts';
import type { SessionLease, SessionPool } from '../workers/session-pool.ts';
import { chooseNearest, commandTitle, confirmBranch } from './branch-words.ts';
import { cancellable } from './notice.ts';
import type { CommandRegistry } from './registry.ts';
import { findOnPath, isSafeForShell, resumeProgram, type Program } from './resume-command.ts';
import type { Target, Targets } from './targets.ts';

export interface BranchCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly model: SessionsModel;
  readonly tree: SessionsTree;
  readonly editor: TimelineEditor;
  readonly pool: SessionPool;
  readonly titleOf: (path: string) => string;
}

export function registerBranchCommands(options: BranchCommandsOptions): void {
  const { registry, targets, pool } = options;
  const add = (name: string, kind: BranchKind): void => {
    registry.add(name, async (arg) => {
      const target = await targets.resolve(arg, commandTitle(kind));
      if (target) await pool.use(target.path, (lease) => branch(options, lease, kind, target));
    });
  };
  add('forkHere', 'fork');
  add('replayAsNew', 'replay');
}

async function branch(options: BranchCommandsOptions, lease: SessionLease, kind: BranchKind, target: Target): Promise<void> {
  const at = target.lastSeq === undefined ? {} : { seq: target.lastSeq, ...(target.isSelection === true ? { span: true } : {}) };
  let plan = await lease.call('branchPlan', { kind, ...at, closes: false });
  while (!plan.legal) {
    const point = await chooseNearest(kind, plan);
    if (!point) return;
    plan = await lease.call('branchPlan', { kind, seq: point.seq, closes: point.closes });
  }
  if (!(await confirmBranch(kind, options.titleOf(target.path), plan))) return;
  const { seq, closes } = plan.point;
  const made = await write(options, lease, kind, { seq, closes });
  if (!made) return;
  await options.model.refresh();
  options.tree.update();
  const isShown = await options.tree.reveal(made.path, undefined);
  await announce(options, { kind, made, source: target.path, isShown, seq, title: options.titleOf(target.path) });
}

/** Undefined: cancelled, and nothing is left. */
async function write(
  { model }: BranchCommandsOptions,
  lease: SessionLease,
  kind: BranchKind,
  place: { readonly seq: number; readonly closes: boolean },
): Promise<Branched | undefined> {
  const title = kind === 'fork' ? vscode.l10n.t('Writing the fork…') : vscode.l10n.t('Writing the new session…');
  return cancellable(title, async (signal) => {
    try {
      return await lease.call('branch', { kind, ...place }, signal);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== 'cancelled') throw error;
      // The last step may have been done when the word to stop arrived: the list shows which.
      await model.refresh();
      return undefined;
    }
  });
}

interface Outcome {
  readonly kind: BranchKind;
  readonly made: Branched;
  readonly source: string; // path of its log
  readonly seq: number;
  /** Of the source. */
  readonly title: string;
  readonly isShown: boolean;
}

/** A command of ours that may be there; a button for one that is not would be dead. */
const compareCommand = 'dshTimeline.compareWithParent';

async function announce({ editor, model }: BranchCommandsOptions, outcome: Outcome): Promise<void> {
  const { kind, made, source, seq, title, isShown } = outcome;
  const listed = model.byPath(made.path);
  const cwd = listed?.cwd;
  const resume = resumable(made.id, cwd);
  const canCompare = kind === 'fork' && (await vscode.commands.getCommands(true)).includes(compareCommand);
  const actions = new Map<string, () => unknown>([
    [vscode.l10n.t('Open Timeline'), () => editor.open(made.path, { keep: true })],
    ...(canCompare
      ? [
          [
            vscode.l10n.t('Compare with Parent'),
            () => vscode.commands.executeCommand(compareCommand, { path: made.path, parent: source }),
          ] as const,
        ]
      : []),
    [vscode.l10n.t('Copy Id'), () => copyId(made.id)],
    ...(resume ? [[vscode.l10n.t('Resume in Terminal'), () => runInTerminal(resume.program, { ...made, cwd })] as const] : []),
  ]);
  const args = { title: plainLine(title, 80), seq };
  const said =
    kind === 'fork'
      ? vscode.l10n.t('Forked “{title}” at #{seq}.', args)
      : vscode.l10n.t('Replayed “{title}” up to #{seq} as a new session.', args);
  const left = listed
    ? vscode.l10n.t('The filter or the scope of the Sessions view leaves it out.')
    : vscode.l10n.t('It lies outside the sessions root, so the Sessions view does not list it.');
  // What dsh takes to go on with one session is not settled, so the reader is told what it is that starts.
  const plain = vscode.l10n.t('Resume in Terminal starts dsh in the folder of the session, to choose it there.');
  const sentences = [said, ...(isShown ? [] : [left]), ...(resume?.isPlain ? [plain] : [])];
  const answer = await vscode.window.showInformationMessage(sentences.join(' '), ...actions.keys());
  if (answer !== undefined) await actions.get(answer)?.();
}

async function copyId(id: string): Promise<void> {
  await vscode.env.clipboard.writeText(id);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Session id copied'), 3000);
}

interface Resume {
  readonly program: Program;
  /** No command is set: dsh alone is started. */
  readonly isPlain: boolean;
}

/** The configured command, else dsh itself where it is installed; undefined leaves the button out. */
function resumable(sessionId: string, cwd: string | undefined): Resume | undefined {
  const template = vscode.workspace.getConfiguration('dshTimeline').get<string>('resumeCommand', '').trim();
  if (template === '') {
    const dsh = findOnPath('dsh', process.env, process.platform);
    return dsh === undefined ? undefined : { program: { file: dsh, args: [] }, isPlain: true };
  }
  const program = resumeProgram(template, { sessionId, cwd });
  if (program === undefined) return undefined;
  const file = /[\\/]/.test(program.file) ? program.file : findOnPath(program.file, process.env, process.platform);
  const found = file === undefined ? undefined : { ...program, file };
  return found !== undefined && isSafeForShell(found) ? { program: found, isPlain: false } : undefined;
}

/** The home the session lies in, which may be another than the one the editor was started with. format/on-disk.md §1. */
function environmentOf(log: string): { env?: Record<string, string> } {
  const root = dirname(dirname(dirname(log)));
  return basename(root) === 'sessions' ? { env: { DSH_HOME: dirname(root) } } : {};
}

function runInTerminal(program: Program, { path, cwd }: { readonly path: string; readonly cwd: string | undefined }): void {
  const folder = cwd !== undefined && existsSync(cwd) ? cwd : undefined;
  const terminal = vscode.window.createTerminal({
    name: 'dsh',
    shellPath: program.file,
    shellArgs: [...program.args],
    ...(folder === undefined ? {} : { cwd: folder }),
    ...environmentOf(path),
  });
  terminal.show();
}
