/** "Replay from Here" and "Verify Replay": a log played again in its timeline, and the proof that it comes out as stored. */
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import type { DocumentRef, ReplayProof } from '../../protocol/index.ts';
import type { SessionDocuments } from '../documents/session-documents.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import type { CommandRegistry } from './registry.ts';
import type { Target, Targets } from './targets.ts';

export interface ReplayCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly editor: TimelineEditor;
  readonly documents: SessionDocuments;
  readonly pool: SessionPool;
  readonly titleOf: (path: string) => string;
}

export function registerReplayCommands(options: ReplayCommandsOptions): void {
  const { registry, targets, editor } = options;
  registry.add('replayHere', async (arg) => {
    const target = await targets.resolve(arg, vscode.l10n.t('Replay from Here'));
    if (target) await editor.open(target.path, { replay: target.from ?? target.seq ?? 0, keep: true });
  });
  registry.add('verifyReplay', async (arg) => {
    const target = await targets.resolve(arg, vscode.l10n.t('Verify Replay'));
    if (target) await verify(options, target);
  });
}

async function verify(options: ReplayCommandsOptions, { path }: Target): Promise<void> {
  const title = plainLine(options.titleOf(path), 80);
  const proof = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: vscode.l10n.t('Verifying the replay of “{title}”', { title }),
    },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      try {
        return await options.pool.use(path, (lease) => lease.call('verifyReplay', {}, abort.signal));
      } catch (error) {
        if (abort.signal.aborted) return undefined;
        throw error;
      }
    },
  );
  if (!proof) return;
  if (proof.events === 0) throw new Error(vscode.l10n.t('This log has no events that can be played.'));
  const result = vscode.l10n.t('“{title}”: {result}', { title, result: wordsOf(proof) });
  if (proof.disagreeingCount === 0 && proof.historyAgrees) {
    void vscode.window.showInformationMessage(result);
    return;
  }
  const show = vscode.l10n.t('Show Differences');
  const answer = await vscode.window.showWarningMessage(result, ...(proof.disagreeing.length > 0 ? [show] : []));
  if (answer === show) await showDifference(options, path, proof.disagreeing);
}

function wordsOf(proof: ReplayProof): string {
  const { answers, disagreeingCount, disagreeing, historyAgrees, refused, events } = proof;
  const parts = [
    vscode.l10n.t('{n} of {all} answers equal what their chunks make', { n: answers - disagreeingCount, all: answers }),
    historyAgrees ? vscode.l10n.t('derived history equal') : vscode.l10n.t('derived history differs'),
  ];
  for (const seq of disagreeing.slice(0, 5)) parts.push(vscode.l10n.t('difference at #{seq}', { seq }));
  if (refused.length > 0) {
    const seqs = refused.slice(0, 5).map((seq) => `#${seq}`);
    parts.push(vscode.l10n.t('events the surface refuses: {seqs}', { seqs: seqs.join(', ') + (refused.length > 5 ? ' …' : '') }));
  }
  if (proof.stopsAt !== undefined) {
    parts.push(vscode.l10n.t('played up to #{seq}, where an unknown event stops deriving', { seq: events - 1 }));
  }
  return parts.join(' · ');
}

/** The stored answer beside the one its chunks make; asks which when there are several. */
async function showDifference({ documents }: ReplayCommandsOptions, path: string, seqs: readonly number[]): Promise<void> {
  const [only] = seqs;
  const picked =
    seqs.length === 1
      ? { seq: only }
      : await vscode.window.showQuickPick(
          seqs.map((seq) => ({ label: vscode.l10n.t('answer #{seq}', { seq }), seq })),
          { title: vscode.l10n.t('Choose a difference') },
        );
  if (picked?.seq === undefined) return;
  const { seq } = picked;
  const uri = (side: 'stored' | 'chunks'): vscode.Uri =>
    documents.uriOf(path, { kind: 'answer', seq, side } satisfies DocumentRef);
  const name = `#${seq} · ${vscode.l10n.t('as stored | what its chunks make')}`;
  await vscode.commands.executeCommand('vscode.diff', uri('stored'), uri('chunks'), name, { preview: true });
}
