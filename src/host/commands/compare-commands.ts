/** "Select for Compare" and what can be compared without selecting: parent, compaction, next request, migration. */
import * as vscode from 'vscode';
import type { Comparer } from '../documents/comparer.ts';
import type { DocumentPlace } from '../documents/document-ref.ts';
import type { SessionDocuments } from '../documents/session-documents.ts';
import { localise } from '../localise.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { chooseParent } from './choose-log.ts';
import { chooseReplacement, showRemoved } from './compaction-picks.ts';
import { stepOf } from './log-commands.ts';
import { lastSeq, pointOf } from './point-of.ts';
import type { CommandRegistry } from './registry.ts';
import type { Target, Targets } from './targets.ts';

export interface CompareCommandsOptions {
  readonly registry: CommandRegistry;
  readonly targets: Targets;
  readonly model: SessionsModel;
  readonly comparer: Comparer;
  readonly documents: SessionDocuments;
  readonly pool: SessionPool;
  readonly titleOf: (path: string) => string;
}

const say = (sentence: string): void => void vscode.window.showInformationMessage(sentence);

export function registerCompareCommands(options: CompareCommandsOptions): void {
  const { registry, targets, comparer, pool, titleOf } = options;
  let selected: DocumentPlace | undefined;
  const onTarget = (name: string, title: () => string, run: (target: Target) => Promise<void>): void => {
    registry.add(name, async (arg) => {
      const target = await targets.resolve(arg, title());
      if (target) await run(target);
    });
  };

  onTarget(
    'selectForCompare',
    () => vscode.l10n.t('Select for Compare'),
    async (target) => {
      const seq = await pointOf(pool, target);
      selected = { path: target.path, ref: { kind: 'history', seq } };
      await vscode.commands.executeCommand('setContext', 'dshTimeline:compareSelected', true);
      const sentence = vscode.l10n.t('Selected for compare: #{seq} of {title}', { seq, title: titleOf(target.path) });
      vscode.window.setStatusBarMessage(sentence, 5000);
    },
  );
  onTarget(
    'compareWithSelected',
    () => vscode.l10n.t('Compare with Selected'),
    async (target) => {
      if (selected) await comparer.show(selected, await historyAt(pool, target));
      else say(vscode.l10n.t('Choose Select for Compare on the other place first.'));
    },
  );
  onTarget(
    'compareWithParent',
    () => vscode.l10n.t('Compare with Parent'),
    (target) => compareWithParent(options, target),
  );
  onTarget(
    'compareCompaction',
    () => vscode.l10n.t('Compare Before and After'),
    async ({ path, seq, lastSeq: last }) => {
      const replacement = await chooseReplacement(pool, path, seq ?? last);
      if (!replacement) return;
      const at = (point: number): DocumentPlace => ({ path, ref: { kind: 'history', seq: point } });
      await comparer.show(at(replacement.seq - 1), at(replacement.seq)); // it removes something, so it is not the first event
    },
  );
  onTarget(
    'whatWasRemoved',
    () => vscode.l10n.t('What Did This Compaction Remove?'),
    async ({ path, seq, lastSeq: last }) => {
      const replacement = await chooseReplacement(pool, path, seq ?? last);
      if (replacement) await showRemoved(options, path, replacement);
    },
  );
  onTarget(
    'compareNextRequest',
    () => vscode.l10n.t('Compare with Next Request'),
    async (target) => {
      const { path } = target;
      const step = await stepOf(pool, target);
      if (!step) {
        say(vscode.l10n.t('No model request belongs to this place. Choose a step, or an event inside one.'));
        return;
      }
      const { next } = await pool.use(path, (lease) => lease.call('nextRequest', step));
      if (next) await comparer.show({ path, ref: { kind: 'request', ...step } }, { path, ref: { kind: 'request', ...next } });
      else say(vscode.l10n.t('No request follows this one.'));
    },
  );
  onTarget(
    'compareMigrated',
    () => vscode.l10n.t('Compare with Migrated'),
    async ({ path }) => {
      const { outcome, text, reason } = await pool.use(path, (lease) => lease.call('migration', {}));
      if (outcome === 'accepted') {
        const seq = await lastSeq(pool, path);
        await comparer.show({ path, ref: { kind: 'history', seq } }, { path, ref: { kind: 'migrated', seq } });
        return;
      }
      const sentence = [text, ...(reason ? [reason] : [])].map(localise).join(' · ');
      if (outcome === 'refused') void vscode.window.showWarningMessage(sentence);
      else say(sentence);
    },
  );
}

async function historyAt(pool: SessionPool, target: Target): Promise<DocumentPlace> {
  return { path: target.path, ref: { kind: 'history', seq: await pointOf(pool, target) } };
}

async function compareWithParent({ model, pool, comparer, titleOf }: CompareCommandsOptions, target: Target): Promise<void> {
  const { path } = target;
  const { header, inheritedEventCount: cut } = await pool.use(path, (lease) => lease.call('overview', {}));
  const id = header?.parentSession;
  if (id === undefined) {
    say(vscode.l10n.t('This session has no parent.'));
    return;
  }
  const parent =
    target.parent ?? (await chooseParent({ model, pool, title: vscode.l10n.t('Compare with Parent') }, path, id, cut))?.path;
  if (parent === undefined) return;
  const [end, parentEnd] = await Promise.all([lastSeq(pool, path), lastSeq(pool, parent)]);
  const cutSeq = Math.min(cut - 1, parentEnd);
  const picks = [
    ...(cut > 0
      ? [
          {
            label: vscode.l10n.t('This session now | parent at the cut'),
            description: `#${end} | #${cutSeq}`,
            detail: vscode.l10n.t('What this session added to what it was given'),
            points: [end, cutSeq] as const,
          },
        ]
      : []),
    // A parent that ends at the cut is compared at both by the first.
    ...(cut > 0 && parentEnd === cutSeq
      ? []
      : [
          {
            label: vscode.l10n.t('Both at their ends'),
            description: `#${end} | #${parentEnd}`,
            detail: vscode.l10n.t('Where the two part, and how each went on'),
            points: [end, parentEnd] as const,
          },
        ]),
    ...(cut > 0
      ? [
          {
            label: vscode.l10n.t('Both at the cut'),
            description: `#${cut - 1} | #${cutSeq}`,
            detail: vscode.l10n.t('The inherited part; the same unless one file was changed'),
            points: [Math.min(cut - 1, end), cutSeq] as const,
          },
        ]
      : []),
  ];
  const title = vscode.l10n.t('Compare with Parent “{title}”', { title: titleOf(parent) });
  const pick = await vscode.window.showQuickPick(picks, { title });
  if (!pick) return;
  const [own, theirs] = pick.points;
  await comparer.show({ path, ref: { kind: 'history', seq: own } }, { path: parent, ref: { kind: 'history', seq: theirs } });
}
