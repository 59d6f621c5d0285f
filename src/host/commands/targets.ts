/**
 * What a command is aimed at. The same commands come from the tree (a node), from a timeline's context menu (the merged
 * `data-vscode-context`), from the Explorer (a file) and from the palette (nothing: the timeline in front, else a pick).
 */
import { plainLine } from '../../core/index.ts';
import * as vscode from 'vscode';
import type { DocumentRef, SessionItem } from '../../protocol/index.ts';
import { decodePlace, documentScheme } from '../documents/document-ref.ts';
import { displayLocale } from '../localise.ts';
import { relativeTime } from '../sessions/formats.ts';
import { sessionLabel } from '../sessions/session-facts.ts';
import type { ForestSession } from '../sessions/session-forest.ts';
import { sessionTime } from '../sessions/session-key.ts';
import type { SessionsModel } from '../sessions/sessions-model.ts';
import { logOfMenu } from '../timeline/page-context.ts';
import type { TimelineEditor } from '../timeline/timeline-editor.ts';
import type { SessionsTree } from '../tree/sessions-tree.ts';
import type { TreeNode } from '../tree/tree-nodes.ts';

export interface Target {
  readonly path: string;
  /** Where to look: first event of the span. */
  readonly seq?: number;
  /** Where its replay begins, when that is not `seq`. */
  readonly from?: number;
  /** The inclusive seq that stands for the span as a whole: its last event (decisions.md "Fork target"). */
  readonly lastSeq?: number;
  readonly turn?: number; // numbers
  readonly step?: number;
  readonly attempt?: number;
  readonly session?: ForestSession;
  /** Path of its parent's log, where that is known. */
  readonly parent?: string;
  /** The seq is what is selected in a timeline: for a span, only its first event. */
  readonly isSelection?: boolean;
}

export class Targets {
  readonly #model: SessionsModel;
  readonly #editor: TimelineEditor;
  readonly #tree: SessionsTree;

  constructor(model: SessionsModel, editor: TimelineEditor, tree: SessionsTree) {
    this.#model = model;
    this.#editor = editor;
    this.#tree = tree;
  }

  /** The target of a command's first argument; asks when nothing names one. Undefined: the reader gave up. */
  async resolve(arg: unknown, title: string): Promise<Target | undefined> {
    const target = isKeyInTree(arg) ? targetOf(await this.#tree.focused()) : (this.named(arg) ?? this.active());
    return target ?? (await this.#pick(title));
  }

  /** The target an argument names, if it names one. */
  named(arg: unknown): Target | undefined {
    if (arg instanceof vscode.Uri) return arg.scheme === 'file' ? { path: arg.fsPath } : undefined;
    if (typeof arg !== 'object' || arg === null) return undefined;
    const fields = arg as Readonly<Record<string, unknown>>; // an object: reading a missing key gives undefined
    if (typeof fields['kind'] === 'string') return targetOfNode(arg as TreeNode); // nodes are handed out by our own tree only
    if (typeof fields['webviewSection'] === 'string') return this.#menuTarget(fields);
    if (typeof fields['path'] === 'string') {
      const { path, seq, parent } = fields as { readonly path: string; readonly seq?: unknown; readonly parent?: unknown }; // just checked
      return {
        path,
        ...count('seq', seq),
        ...count('lastSeq', seq),
        ...(typeof parent === 'string' ? { parent } : {}),
        ...(fields['isSelection'] === true ? { isSelection: true } : {}),
      };
    }
    return undefined;
  }

  /** What is in front: a document of ours, a timeline at its selection, else the node selected in the Sessions view. */
  active(): Target | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const isDiff = input instanceof vscode.TabInputTextDiff;
    const uri = isDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
    const place = uri?.scheme === documentScheme ? decodePlace(uri.query) : undefined;
    if (place) return { path: place.path, ...placeFields(place.ref) };
    const panel = this.#editor.active;
    if (!panel) return this.#selected();
    return { path: panel.path, ...count('seq', panel.selected), ...count('lastSeq', panel.selected), isSelection: true };
  }

  #selected(): Target | undefined {
    const { view } = this.#tree;
    return view.visible ? targetOf(view.selection[0]) : undefined;
  }

  #menuTarget(context: Readonly<Record<string, unknown>>): Target | undefined {
    const path = logOfMenu(context, this.#editor.openPaths) ?? this.#editor.active?.path;
    if (path === undefined) return undefined;
    return {
      path,
      ...count('seq', context['seq']),
      ...count('lastSeq', context['seq']),
      ...count('from', context['from']),
      ...count('turn', context['turn']),
      ...count('step', context['step']),
      ...count('attempt', context['attempt']),
    };
  }

  async #pick(title: string): Promise<Target | undefined> {
    if (this.#model.state.status === 'loading') await this.#model.refresh();
    const items = [...this.#model.items].sort((a, b) => sessionTime(b) - sessionTime(a));
    const now = Date.now();
    const picks = items.map((item) => ({ ...pickOf(item, now), item }));
    if (picks.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There are no sessions to choose from.'));
      return undefined;
    }
    const pick = await vscode.window.showQuickPick(picks, {
      title,
      placeHolder: vscode.l10n.t('Choose a session'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return pick ? { path: pick.item.path } : undefined;
  }
}

function pickOf(item: SessionItem, now: number): vscode.QuickPickItem {
  return {
    label: inert(sessionLabel(item)),
    description: relativeTime(sessionTime(item), now, displayLocale()),
    detail: item.cwd === undefined ? vscode.l10n.t('no project') : inert(plainLine(item.cwd, 200)),
  };
}

/** Quick picks draw `$(name)` as an icon; a title is not asked for one. */
export function inert(content: string): string {
  return content.replaceAll('$(', '$\u200b(');
}

/** The argument of our keys while the keyboard is in the Sessions view, where they mean the row it is on. */
function isKeyInTree(arg: unknown): boolean {
  return typeof arg === 'object' && arg !== null && (arg as Readonly<Record<string, unknown>>)['focused'] === 'sessions'; // an object
}

const targetOf = (node: TreeNode | undefined): Target | undefined => (node ? targetOfNode(node) : undefined);

function targetOfNode(node: TreeNode): Target | undefined {
  switch (node.kind) {
    case 'session':
      return { path: node.session.item.path, session: node.session };
    case 'turn':
      return {
        path: node.session.item.path,
        session: node.session,
        seq: node.turn.seq,
        lastSeq: node.turn.lastSeq,
        turn: node.turn.number,
      };
    case 'step': {
      const { session, turn } = node.parent;
      const { seq, lastSeq, number } = node.step;
      return { path: session.item.path, session, seq, lastSeq, turn: turn.number, step: number };
    }
    case 'call': {
      const { session, turn } = node.parent.parent;
      const { seq, lastSeq } = node.call;
      return { path: session.item.path, session, seq, lastSeq, turn: turn.number, step: node.parent.step.number };
    }
    default:
      return undefined;
  }
}

function placeFields(ref: DocumentRef): Omit<Target, 'path'> {
  if (ref.kind === 'request') return { turn: ref.turn, step: ref.step, attempt: ref.attempt };
  return 'seq' in ref ? { seq: ref.seq, lastSeq: ref.seq } : {};
}

function count<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? ({ [key]: value } as { readonly [P in K]?: number }) : {}; // just checked
}
