/** Opens two parts of logs in the editor's own diff, with what they differ in said in their first lines. */
import * as vscode from 'vscode';
import type { Comparison, DocumentDigest, DocumentRef, SessionItem, SideName } from '../../protocol/index.ts';
import { localise } from '../localise.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { compareDigests, headingFor, type ComparedNames } from './compare-digests.ts';
import type { DocumentPlace } from './document-ref.ts';
import { labelOf, type SessionDocuments } from './session-documents.ts';
import { sideNames, type ComparedSession } from './side-names.ts';

/** A document that can be digested. */
type Digestible = Extract<DocumentRef, { kind: 'history' | 'replayed' | 'request' | 'migrated' }>;

export interface ComparerOptions {
  readonly pool: SessionPool;
  readonly documents: SessionDocuments;
  readonly titleOf: (path: string) => string;
  /** As listed, where it is. */
  readonly itemOf: (path: string) => SessionItem | undefined;
}

export class Comparer {
  readonly #options: ComparerOptions;

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  /** Fails, with the reader's reason, where one of the two cannot be derived. */
  async show(left: DocumentPlace, right: DocumentPlace): Promise<void> {
    const [a, b] = [digestible(left.ref), digestible(right.ref)];
    const names = this.#names(left, right);
    const title = titleOf(names);
    if (!a || !b) {
      await this.#options.documents.diff(left, right, title);
      return;
    }
    const [one, other] = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Comparing…') },
      () => Promise.all([this.#digest(left.path, a), this.#digest(right.path, b)]),
    );
    const heading =
      a.kind === 'migrated' || b.kind === 'migrated' ? 'id' : left.path === right.path ? 'seq' : headingFor(one, other);
    const compared = compareDigests(one, other, names, heading);
    await this.#options.documents.diff(placeWith(left.path, a, compared), placeWith(right.path, b, compared), title);
  }

  #digest(path: string, ref: Digestible): Promise<DocumentDigest> {
    return this.#options.pool.use(path, (lease) => lease.call('digest', { ref }));
  }

  #names(left: DocumentPlace, right: DocumentPlace): ComparedNames {
    const { titleOf, itemOf } = this.#options;
    const session = (path: string): ComparedSession => ({ path, title: titleOf(path), item: itemOf(path) });
    const nobody = { session: '', role: undefined };
    const [a, b] = left.path === right.path ? [nobody, nobody] : sideNames(session(left.path), session(right.path));
    const name = (side: typeof a, ref: DocumentRef): SideName => ({
      session: side.session,
      role: side.role ? localise(side.role) : '',
      point: pointName(ref),
    });
    return { subject: subject(left.ref, right.ref), left: name(a, left.ref), right: name(b, right.ref) };
  }
}

/** "#120 | #188 · derived history", with the sessions where there are two, and what they are to each other. */
function titleOf({ subject: what, left, right }: ComparedNames): string {
  const sides = `${sideTitle(left)} | ${sideTitle(right)}`;
  return what === '' ? sides : `${sides} · ${what}`;
}

function sideTitle({ session, role, point }: SideName): string {
  if (session === '') return point;
  return role === '' ? `${session} ${point}` : vscode.l10n.t('{role} “{session}” {point}', { role, session, point });
}

function subject(left: DocumentRef, right: DocumentRef): string {
  const refs = [left, right];
  if (refs.every(({ kind }) => kind === 'request')) return vscode.l10n.t('request');
  return refs.every(({ kind }) => kind === 'history' || kind === 'replayed' || kind === 'migrated')
    ? vscode.l10n.t('derived history')
    : '';
}

function digestible(ref: DocumentRef): Digestible | undefined {
  return ref.kind === 'history' || ref.kind === 'replayed' || ref.kind === 'request' || ref.kind === 'migrated' ? ref : undefined;
}

function placeWith(path: string, ref: Digestible, compared: Comparison): DocumentPlace {
  return { path, ref: { ...ref, compared } };
}

/** Of a later attempt with its number, and with that said. */
function requestName({ turn, step, attempt }: Extract<DocumentRef, { kind: 'request' }>): string {
  return attempt > 1 ? vscode.l10n.t('{turn}.{step} attempt {attempt}', { turn, step, attempt }) : `${turn}.${step}`;
}

function pointName(ref: DocumentRef): string {
  switch (ref.kind) {
    case 'history':
      return `#${ref.seq}`;
    case 'request':
      return requestName(ref);
    case 'replayed':
      return vscode.l10n.t('#{seq} as replayed', { seq: ref.seq });
    case 'migrated':
      return vscode.l10n.t('migrated');
    default:
      return labelOf(ref);
  }
}
