/** "Replay from Here" and "Verify Replay": a log played again in its timeline, and the proof that it comes out as stored. */
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import type { DocumentRef, ReplayProof } from '../../protocol/index.ts';
import { counted } from '../localise.ts';
import type { Comparer } from '../documents/comparer.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { cancellable } from './notice.ts';
import type { CommandRegistry } from './registry.ts';
import type { Target, Targets } from './targets.ts';

export interface ReplayCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly editor: TimelineEditor;
  readonly comparer: Comparer;
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
  const proof = await cancellable(vscode.l10n.t('Verifying the replay of “{title}”', { title }), async (signal) => {
    try {
      return await options.pool.use(path, (lease) => lease.call('verifyReplay', {}, signal));
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
  if (!proof) return;
  if (proof.events === 0 && proof.stopsAt === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('“{title}” has no events, so there is nothing to verify.', { title }),
    );
    return;
  }
  if (proof.events === 0) throw new Error(vscode.l10n.t('This log has no events that can be played.'));
  const result = vscode.l10n.t('“{title}”: {result}', { title, result: wordsOf(proof) });
  if (proof.disagreeingCount === 0 && proof.historyAgrees) {
    void vscode.window.showInformationMessage(result);
    return;
  }
  const show = vscode.l10n.t('Show Differences');
  if ((await vscode.window.showWarningMessage(result, show)) === show) await showDifference(options, path, proof);
}

function wordsOf(proof: ReplayProof): string {
  const { answers, disagreeingCount, disagreeing, historyAgrees, differing, refused, events } = proof;
  const parts = [
    answers === 0
      ? vscode.l10n.t('no answer here was recorded as a stream, so there are no chunks to compare')
      : vscode.l10n.t('{n} of {all} answers equal what their chunks make', {
          n: counted(answers - disagreeingCount),
          all: counted(answers),
        }),
    historyAgrees ? vscode.l10n.t('derived history equal') : vscode.l10n.t('derived history differs'),
  ];
  for (const seq of disagreeing.slice(0, 5)) parts.push(vscode.l10n.t('difference at #{seq}', { seq }));
  if (disagreeingCount > 5) parts.push(vscode.l10n.t('{n} more', { n: counted(disagreeingCount - 5) }));
  if (differing.length > 0)
    parts.push(vscode.l10n.t('messages of the history that differ: {seqs}', { seqs: seqWords(differing) }));
  if (refused.length > 0) parts.push(vscode.l10n.t('events the surface refuses: {seqs}', { seqs: seqWords(refused) }));
  if (proof.stopsAt !== undefined) {
    parts.push(vscode.l10n.t('played up to #{seq}, where an unknown event stops deriving', { seq: events - 1 }));
  }
  return parts.join(' · ');
}

const seqWords = (seqs: readonly number[]): string =>
  seqs
    .slice(0, 5)
    .map((seq) => `#${seq}`)
    .join(', ') + (seqs.length > 5 ? ' …' : '');

/** What the chunks of an answer make beside the stored one, or the two histories; asks which when there are several differences. */
async function showDifference({ comparer }: ReplayCommandsOptions, path: string, proof: ReplayProof): Promise<void> {
  const { disagreeing, historyAgrees, events } = proof;
  const answers = disagreeing.map((seq) => ({
    label: vscode.l10n.t('answer #{seq}', { seq }),
    description: vscode.l10n.t('what its chunks make | as stored'),
    sides: [
      { kind: 'answer', seq, side: 'chunks' },
      { kind: 'answer', seq, side: 'stored' },
    ] as const satisfies readonly DocumentRef[],
  }));
  const seq = events - 1;
  const history = {
    label: vscode.l10n.t('derived history'),
    description: vscode.l10n.t('as replayed | derived at once'),
    sides: [
      { kind: 'replayed', seq },
      { kind: 'history', seq },
    ] as const satisfies readonly DocumentRef[],
  };
  const picks = [...(historyAgrees ? [] : [history]), ...answers];
  const picked =
    picks.length === 1
      ? picks[0]
      : await vscode.window.showQuickPick(picks, { title: vscode.l10n.t('Choose a difference'), matchOnDescription: true });
  if (!picked) return;
  const [left, right] = picked.sides;
  await comparer.show({ path, ref: left }, { path, ref: right });
}
