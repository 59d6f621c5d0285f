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
    open: () => comparer.show({ path, ref: { kind: 'removed', seq } }, { path, ref: { kind: 'message', seq } }),
  };
  const all = {
    label: `$(list-flat) ${vscode.l10n.t('Read All in One Document')}`,
    open: () => documents.open(path, { kind: 'removed', seq }),
  };
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator, open: undefined };
  const keep = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: vscode.l10n.t('Open in a Tab, Keep This List') };
  const rows = messages.map(({ seq: message, title, words, characters }) => ({
    label: `#${message} ${inert(localise(title))}`,
    description: vscode.l10n.t('{count} characters', { count: n.format(characters) }),
    ...(words === '' ? {} : { detail: inert(plainLine(localise(words), 120)) }),
    buttons: [keep],
    open: () => documents.open(path, { kind: 'message', seq: message }),
    openBehind: () => documents.open(path, { kind: 'message', seq: message }, { behind: true }),
  }));
  const items = [compare, ...(messages.length > 1 ? [all] : []), separator, ...rows];
  await pickAndOpen(vscode.l10n.t('What #{seq} removed from the context', { seq }), items);
}

interface RemovedPick extends vscode.QuickPickItem {
  readonly open: (() => Promise<void>) | undefined;
  /** By its button: the list stays. */
  readonly openBehind?: () => Promise<void>;
}

/** Fails with what fails in opening, by a button too. */
function pickAndOpen(title: string, items: readonly RemovedPick[]): Promise<void> {
  const list = vscode.window.createQuickPick<RemovedPick>();
  list.title = title;
  list.matchOnDetail = true;
  list.items = items;
  return new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
      list.hide();
    };
    list.onDidTriggerItemButton(({ item }) => void item.openBehind?.().catch(fail));
    list.onDidAccept(() => {
      const [picked] = list.selectedItems;
      resolve(picked?.open?.());
      list.hide();
    });
    list.onDidHide(() => {
      resolve();
      list.dispose();
    });
    list.show();
  });
}
