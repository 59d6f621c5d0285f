/** Commands about one log: open it, read parts of it as documents, find its file. */
import * as vscode from 'vscode';
import type { SessionDocuments } from '../documents/session-documents.ts';
import { lastSegment } from '../sessions/path-rules.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { lastSeq, pointOf } from './point-of.ts';
import type { CommandRegistry } from './registry.ts';
import { requestOf, type RequestPlace } from './request-of.ts';
import type { Target, Targets } from './targets.ts';

export interface LogCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly model: SessionsModel;
  readonly editor: TimelineEditor;
  readonly documents: SessionDocuments;
  readonly pool: SessionPool;
}

export function registerLogCommands(options: LogCommandsOptions): void {
  const { registry, targets, model, editor, documents, pool } = options;
  const onTarget = (name: string, title: () => string, run: (target: Target) => Promise<unknown>): void => {
    registry.add(name, async (arg) => {
      const target = await targets.resolve(arg, title());
      if (target) await run(target);
    });
  };

  onTarget(
    'openTimeline',
    () => vscode.l10n.t('Open Timeline'),
    ({ path, seq }) => editor.open(path, { seq }),
  );
  registry.add('openFile', async (arg) => {
    const uri = arg instanceof vscode.Uri ? arg : activeFile();
    if (uri?.scheme !== 'file') throw new Error(vscode.l10n.t('Choose a session log on this machine’s disk first.'));
    await editor.open(uri.fsPath, { keep: true });
  });
  registry.add('goToEvent', async () => {
    const timeline = editor.active;
    if (!timeline) throw new Error(vscode.l10n.t('Open a timeline first.'));
    const { eventCount } = await timeline.lease.call('overview', {});
    if (eventCount === 0) throw new Error(vscode.l10n.t('This log has no readable events.'));
    const wrong = vscode.l10n.t('A number from 0 to {last}', { last: eventCount - 1 });
    const answer = await vscode.window.showInputBox({
      title: vscode.l10n.t('Go to Event'),
      prompt: wrong,
      validateInput: (typed) => (seqOf(typed, eventCount) === undefined ? wrong : undefined),
    });
    const seq = answer === undefined ? undefined : seqOf(answer, eventCount);
    if (seq !== undefined) timeline.reveal(seq);
  });
  onTarget(
    'showHistory',
    () => vscode.l10n.t('Show History Here'),
    async (target) => {
      await documents.open(target.path, { kind: 'history', seq: await pointOf(pool, target) });
    },
  );
  onTarget(
    'showRequest',
    () => vscode.l10n.t('Show Request'),
    async (target) => {
      const step = await stepOf(pool, target);
      if (step) await documents.open(target.path, { kind: 'request', ...step });
      else
        void vscode.window.showInformationMessage(
          vscode.l10n.t('No model request belongs to this place. Choose a step, or an event inside one.'),
        );
    },
  );
  onTarget(
    'showEvent',
    () => vscode.l10n.t('Show Raw Event'),
    async (target) => {
      const seq = target.seq ?? (await lastSeq(pool, target.path));
      await documents.open(target.path, { kind: 'event', seq });
    },
  );
  onTarget(
    'showTranscript',
    () => vscode.l10n.t('Show Transcript'),
    ({ path }) => documents.open(path, { kind: 'transcript' }),
  );
  onTarget(
    'openAsJsonl',
    () => vscode.l10n.t('Open as JSONL'),
    ({ path }) => documents.open(path, { kind: 'jsonl' }),
  );
  onTarget(
    'showDamage',
    () => vscode.l10n.t('Show Damage Report'),
    ({ path }) => documents.open(path, { kind: 'damage' }),
  );
  onTarget(
    'openOlderCopy',
    () => vscode.l10n.t('Open Older Copy'),
    async ({ path }) => {
      const older = model.byPath(path)?.olderCopies ?? (await pool.use(path, (lease) => lease.call('overview', {}))).olderCopies;
      const copy = await chooseCopy(older);
      if (copy !== undefined) await editor.open(copy, { keep: true });
    },
  );
  onTarget(
    'copySessionId',
    () => vscode.l10n.t('Copy Session Id'),
    async ({ path }) => {
      const id = model.byPath(path)?.id ?? (await pool.use(path, (lease) => lease.call('overview', {}))).header?.id;
      if (id === undefined) throw new Error(vscode.l10n.t('This log names no session id.'));
      await vscode.env.clipboard.writeText(id);
      vscode.window.setStatusBarMessage(vscode.l10n.t('Session id copied'), 3000);
    },
  );
  onTarget(
    'copyPath',
    () => vscode.l10n.t('Copy Path of Log'),
    async ({ path }) => {
      await vscode.env.clipboard.writeText(path);
      vscode.window.setStatusBarMessage(vscode.l10n.t('Path copied'), 3000);
    },
  );
  onTarget(
    'revealFile',
    () => vscode.l10n.t('Reveal File'),
    async ({ path }) => {
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
    },
  );
}

/** A seq as it is typed, with or without its `#`. */
function seqOf(typed: string, eventCount: number): number | undefined {
  const digits = /^\s*#?(\d{1,10})\s*$/.exec(typed)?.[1];
  return digits !== undefined && Number(digits) < eventCount ? Number(digits) : undefined;
}

/** File of the tab in front, whatever editor shows it. */
function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}

/** The request a target stands for, see {@link requestOf}; of a target that names no place, that of the log's last event. */
export async function stepOf(pool: SessionPool, target: Target): Promise<RequestPlace | undefined> {
  const isNamed = target.turn !== undefined && target.step !== undefined;
  const seq = target.seq ?? (isNamed ? undefined : await lastSeq(pool, target.path));
  return pool.use(target.path, (lease) => requestOf(lease, seq === undefined ? target : { ...target, seq }));
}

async function chooseCopy(older: readonly string[]): Promise<string | undefined> {
  if (older.length === 0) throw new Error(vscode.l10n.t('There is no older copy beside this log.'));
  if (older.length === 1) return older[0];
  const picks = older.map((path) => ({ label: lastSegment(path), path }));
  return (await vscode.window.showQuickPick(picks, { title: vscode.l10n.t('Open Older Copy') }))?.path;
}
