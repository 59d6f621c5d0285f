/** "Export…": a part of a log as a file of the reader's choice, whole (decisions.md "Documents"). */
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ExportPart } from '../../protocol/index.ts';
import { displayLocale } from '../localise.ts';
import { byteSize } from '../sessions/formats.ts';
import { pathRulesOf } from '../sessions/path-rules.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { exportToFile } from './export-file.ts';
import { exportName, targetProblem } from './export-target.ts';
import { cancellable } from './notice.ts';
import { derivableEnd, pointOf } from './point-of.ts';
import type { CommandRegistry } from './registry.ts';
import type { Target, Targets } from './targets.ts';

export interface ExportCommandOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly model: SessionsModel;
  readonly pool: SessionPool;
  readonly titleOf: (path: string) => string;
}

interface Choice extends vscode.QuickPickItem {
  readonly part: ExportPart;
  /** Behind the title in the file's name. */
  readonly name: string;
  readonly extension: 'jsonl' | 'md' | 'txt';
}

export function registerExportCommand(options: ExportCommandOptions): void {
  const { registry, targets } = options;
  registry.add('export', async (arg) => {
    const target = await targets.resolve(arg, vscode.l10n.t('Export'));
    if (target) await exportPart(options, target);
  });
}

async function exportPart(options: ExportCommandOptions, target: Target): Promise<void> {
  const { model, pool, titleOf } = options;
  const title = titleOf(target.path);
  const choice = await vscode.window.showQuickPick(await choicesFor(pool, target), {
    title: vscode.l10n.t('Export “{title}”', { title }),
    placeHolder: vscode.l10n.t('Choose what the file holds'),
  });
  if (!choice) return;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export “{title}”', { title }),
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: vscode.Uri.file(path.join(defaultFolder(), exportName(title, choice.name, choice.extension))),
    filters: { [choice.label]: [choice.extension] },
  });
  if (!uri) return;
  if (uri.scheme !== 'file')
    throw new Error(vscode.l10n.t('An export is written to the disk of the machine the logs are on; choose a folder there.'));
  await refuseLogs(uri.fsPath, model);
  const size = await write(pool, target.path, choice.part, uri.fsPath);
  if (size !== undefined) await announce(uri, size);
}

async function choicesFor(pool: SessionPool, target: Target): Promise<Choice[]> {
  const jsonl: Choice = {
    label: vscode.l10n.t('Log as JSONL'),
    detail: vscode.l10n.t('Every stored line, decompressed, as it stands in the log'),
    part: { kind: 'jsonl' },
    name: '',
    extension: 'jsonl',
  };
  // Where nothing can be derived the lines are left.
  const seq = target.lastSeq === undefined ? await derivableEnd(pool, target.path) : await pointOf(pool, target);
  if (seq === undefined) return [jsonl];
  return [
    {
      label: vscode.l10n.t('Transcript as Markdown'),
      detail: vscode.l10n.t('What was said and done, turn by turn'),
      part: { kind: 'transcript' },
      name: 'transcript',
      extension: 'md',
    },
    {
      label: vscode.l10n.t('History at #{seq} as Markdown', { seq }),
      detail: vscode.l10n.t('What the model saw after this event'),
      part: { kind: 'history', seq, as: 'markdown' },
      name: `history-${seq}`,
      extension: 'md',
    },
    {
      label: vscode.l10n.t('History at #{seq} as text', { seq }),
      detail: vscode.l10n.t('The same as “Show History Here”, with nothing left out'),
      part: { kind: 'history', seq, as: 'text' },
      name: `history-${seq}`,
      extension: 'txt',
    },
    jsonl,
  ];
}

function defaultFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  return folder?.uri.fsPath ?? homedir();
}

async function refuseLogs(file: string, model: SessionsModel): Promise<void> {
  if (model.state.status === 'loading') await model.refresh(); // the root is not known before
  const problem = await targetProblem(file, model.root === undefined ? [] : [model.root], pathRulesOf(process.platform));
  if (problem === 'in-root')
    throw new Error(vscode.l10n.t('Nothing is exported into the sessions root, which belongs to dsh: choose another folder.'));
  if (problem === 'log-name')
    throw new Error(vscode.l10n.t('A file of this name would be taken for a session log: choose another name.'));
}

/** Undefined: cancelled, and nothing is left. */
async function write(pool: SessionPool, log: string, part: ExportPart, file: string): Promise<number | undefined> {
  return cancellable(vscode.l10n.t('Exporting…'), async (signal, onShare) => {
    try {
      return await pool.use(log, (lease) => exportToFile(lease, part, file, { signal, onShare }));
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}

async function announce(uri: vscode.Uri, size: number): Promise<void> {
  const open = vscode.l10n.t('Open');
  const sentence = vscode.l10n.t('Exported to {path} ({size}).', { path: uri.fsPath, size: byteSize(size, displayLocale()) });
  if ((await vscode.window.showInformationMessage(sentence, open)) === open)
    await vscode.commands.executeCommand('vscode.open', uri);
}
