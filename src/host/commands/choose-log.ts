/** Asking which session is meant where several have its id. */
import { dirname, relative } from 'node:path';
import * as vscode from 'vscode';
import type { SessionItem } from '../../protocol/index.ts';
import { displayLocale } from '../localise.ts';
import { relativeTime } from '../sessions/formats.ts';
import { sessionLabel } from '../sessions/session-facts.ts';
import { sessionTime } from '../sessions/session-key.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { prefixOwners } from './prefix-owners.ts';
import { inert } from './targets.ts';

interface Chooser {
  readonly model: SessionsModel;
  readonly title: string;
}

/** The session of an id. Undefined: the reader, who was asked which one, gave up. */
export async function chooseSession({ model, title }: Chooser, id: string): Promise<SessionItem | undefined> {
  if (model.state.status === 'loading') await model.refresh();
  const items = model.byId(id);
  if (items.length === 0) throw new Error(vscode.l10n.t('The session {id} is not in this root.', { id }));
  return chooseOf(items, model.root, title);
}

/** The parent of a fork at `cut`, by its id and, where several have that, by what the fork shares with them. Undefined: as above. */
export async function chooseParent(
  { model, pool, title }: Chooser & { readonly pool: SessionPool },
  fork: string,
  id: string,
  cut: number,
): Promise<SessionItem | undefined> {
  if (model.state.status === 'loading') await model.refresh();
  const own = model.byPath(fork);
  const items = model.byId(id).filter((item) => item !== own);
  if (items.length === 0) throw new Error(vscode.l10n.t('The parent {id} is not in this root.', { id }));
  const paths = items.map((item) => item.path);
  const owners = await prefixOwners(pool, fork, cut, paths);
  return chooseOf(
    items.filter((item) => owners.includes(item.path)),
    model.root,
    title,
  );
}

async function chooseOf(
  items: readonly SessionItem[],
  root: string | undefined,
  title: string,
): Promise<SessionItem | undefined> {
  if (items.length < 2) return items[0];
  const now = Date.now();
  const picks = items.map((item) => ({
    label: inert(sessionLabel(item)),
    description: relativeTime(sessionTime(item), now, displayLocale()),
    detail: inert(root === undefined ? dirname(item.path) : relative(root, dirname(item.path))),
    item,
  }));
  const placeHolder = vscode.l10n.t('Several sessions have this id. Choose the one that is meant');
  return (await vscode.window.showQuickPick(picks, { title, placeHolder, matchOnDetail: true }))?.item;
}
