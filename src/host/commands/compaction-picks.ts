/** Choosing a compaction or prune, and looking through what it took out of the context. */
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import type { ReplacementInfo } from '../../protocol/index.ts';
import { REPLACEMENT } from '../../timeline/index.ts';
import type { Comparer } from '../documents/comparer.ts';
import type { SessionDocuments } from '../documents/session-documents.ts';
import { displayLocale, localise } from '../localise.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { inert } from './targets.ts';

/** The replacement an event belongs to or was removed by; where none is, the reader chooses among all of the session. */
export async function chooseReplacement(
  pool: SessionPool,
  path: string,
  seq: number | undefined,
): Promise<ReplacementInfo | undefined> {
  const ask = (args: { readonly seq?: number }): Promise<readonly ReplacementInfo[]> =>
    pool.use(path, async (lease) => {
      const { replacements } = await lease.call('replacements', args);
      return replacements.filter(({ kind }) => kind !== REPLACEMENT.system); // a new system prompt is no compaction
    });
  if (seq !== undefined) {
    const [own] = await ask({ seq });
    if (own) return own;
  }
  const all = await ask({});
  if (all.length <= 1) {
    if (all.length === 0)
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing was compacted or pruned in this session.'));
    return all[0];
  }
  const picks = all.map((replacement) => ({ ...pickOf(replacement), replacement }));
  return (await vscode.window.showQuickPick(picks, { title: vscode.l10n.t('Choose a compaction or prune') }))?.replacement;
}

function pickOf({ seq, kind, messages, firstSeq, lastSeq, tokensBefore }: ReplacementInfo): vscode.QuickPickItem {
  const name =
    kind === REPLACEMENT.compaction
      ? vscode.l10n.t('Compaction')
      : kind === REPLACEMENT.prune
        ? vscode.l10n.t('Prune')
        : vscode.l10n.t('Replacement');
  const n = new Intl.NumberFormat(displayLocale());
  const tokens = tokensBefore === undefined ? [] : [vscode.l10n.t('{n} tokens', { n: n.format(tokensBefore) })];
  return {
    label: `#${seq} ${name}`,
    description: [vscode.l10n.t('messages: {count}', { count: n.format(messages) }), ...tokens].join(' · '),
    detail:
      firstSeq === lastSeq
        ? vscode.l10n.t('#{first} replaced by #{seq}', { first: firstSeq, seq })
        : vscode.l10n.t('#{first} – #{last} replaced by #{seq}', { first: firstSeq, last: lastSeq, seq }),
  };
}

/** Lists what a replacement removed, with sizes: each message opens, and the whole can be compared with what stands there now. */
export async function showRemoved(
  {
    pool,
    comparer,
    documents,
  }: { readonly pool: SessionPool; readonly comparer: Comparer; readonly documents: SessionDocuments },
  path: string,
  { seq }: ReplacementInfo,
): Promise<void> {
  const { total, messages } = await pool.use(path, (lease) => lease.call('removed', { seq }));
  const n = new Intl.NumberFormat(displayLocale());
  const compare = {
    label: `$(diff) ${vscode.l10n.t('Compare with What Stands in Their Place')}`,
    description: vscode.l10n.t('messages: {count}', { count: n.format(total) }),
    message: undefined,
  };
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator, message: undefined };
  const rows = messages.map(({ seq: message, title, words, characters }) => ({
    label: `#${message} ${inert(localise(title))}`,
    description: vscode.l10n.t('{count} characters', { count: n.format(characters) }),
    ...(words === '' ? {} : { detail: inert(plainLine(localise(words), 120)) }),
    message,
  }));
  const pick = await vscode.window.showQuickPick([compare, separator, ...rows], {
    title: vscode.l10n.t('What #{seq} removed from the context', { seq }),
    matchOnDetail: true,
  });
  if (pick === undefined) return;
  if (pick.message === undefined)
    await comparer.show({ path, ref: { kind: 'removed', seq } }, { path, ref: { kind: 'message', seq } });
  else await documents.open(path, { kind: 'message', seq: pick.message });
}
