/** What is said before and after a new session is made of a log. */
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import type { BranchKind, BranchPlan, BranchPoint } from '../../protocol/index.ts';
import { counted, localise } from '../localise.ts';

type LegalPlan = Extract<BranchPlan, { readonly legal: true }>;
type RefusedPlan = Extract<BranchPlan, { readonly legal: false }>;

export function commandTitle(kind: BranchKind): string {
  return kind === 'fork' ? vscode.l10n.t('Fork from Here') : vscode.l10n.t('Replay as New Session');
}

/** A short modal question: what is copied, where it goes, that the source stays as it is. */
export async function confirmBranch(kind: BranchKind, title: string, plan: LegalPlan): Promise<boolean> {
  const args = { title: plainLine(title, 80), seq: plan.point.seq };
  const question =
    kind === 'fork'
      ? vscode.l10n.t('Fork “{title}” at #{seq}?', args)
      : vscode.l10n.t('Replay “{title}” up to #{seq} as a new session?', args);
  const button = kind === 'fork' ? vscode.l10n.t('Fork') : vscode.l10n.t('Replay');
  const answer = await vscode.window.showInformationMessage(question, { modal: true, detail: detailOf(kind, plan) }, button);
  return answer === button;
}

function detailOf(kind: BranchKind, plan: LegalPlan): string {
  const { point, version, directory, agentPreset } = plan;
  const place = localise(point.label);
  const turns = plan.turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{n} turns', { n: counted(plan.turns) });
  const events = plan.events === 1 ? vscode.l10n.t('1 event') : vscode.l10n.t('{n} events', { n: counted(plan.events) });
  const lines = [
    vscode.l10n.t('{place}: {turns} and {events} are copied.', { place, turns, events }),
    plan.encoding === 'zstd'
      ? vscode.l10n.t('The new session is written to {directory} in format v{version}.', { directory, version })
      : vscode.l10n.t('The new session is written to {directory} in format v{version}, uncompressed.', { directory, version }),
    kind === 'fork'
      ? vscode.l10n.t('This session stays untouched and becomes its parent.')
      : vscode.l10n.t('This session stays untouched; the new one has no parent. Nothing is run.'),
  ];
  if (agentPreset !== undefined) lines.push(vscode.l10n.t('Agent preset: {name}', { name: plainLine(agentPreset, 120) }));
  return [...lines, ...plan.warnings.map((warning) => `⚠ ${localise(warning)}`)].join('\n');
}

/** Why not, and the nearest places where it would do. Undefined: there is none, or the reader gave up. */
export async function chooseNearest(kind: BranchKind, plan: RefusedPlan): Promise<BranchPoint | undefined> {
  const reason = localise(plan.reason);
  if (plan.nearest.length === 0) {
    void vscode.window.showWarningMessage(reason);
    return undefined;
  }
  const picks = plan.nearest.map((point) => ({
    label: localise(point.label),
    description: `#${point.seq}`,
    iconPath: new vscode.ThemeIcon(point.closes ? 'debug-stop' : 'repo-forked'),
    point,
  }));
  const pick = await vscode.window.showQuickPick(picks, { title: commandTitle(kind), placeHolder: reason, ignoreFocusOut: true });
  return pick?.point;
}
