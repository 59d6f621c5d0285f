/**
 * `dsh-session:` documents: read-only text over a log, made by its reader, so that search, copy and diff are the editor's
 * own. A file system and not a content provider: the editor restores tabs after a reload only for the former.
 */
import * as vscode from 'vscode';
import type { DocumentRef } from '../../protocol/index.ts';
import { reasonOf } from '../localise.ts';
import type { Output } from '../output.ts';
import { isGenerationName } from '../sessions/session-key.ts';
import { pathRulesOf, isSameOrBelow, lastSegment } from '../sessions/path-rules.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { decodePlace, documentScheme, encodePlace, tabTitle, type DocumentPlace } from './document-ref.ts';

export interface SessionDocumentsOptions {
  readonly pool: SessionPool;
  readonly output: Output;
  /** Logs below it may be read; also those in `openPaths` and files named like a log of dsh. */
  readonly root: () => string | undefined;
  readonly openPaths: () => ReadonlySet<string>;
  readonly titleOf: (path: string) => string;
}

/** A text that was made, until its document is closed or the log changes. */
interface MadeText {
  readonly bytes: Promise<Uint8Array>;
  readonly mtime: number;
}

/** Texts kept that no document may hold yet: the editor asks for size and content in two calls. */
const maxTexts = 8;

export class SessionDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: SessionDocumentsOptions;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #texts = new Map<string, MadeText>();
  readonly #closing: vscode.Disposable;
  /** Documents that show a reason instead of their text. */
  readonly #failed = new Set<string>();

  constructor(options: SessionDocumentsOptions) {
    this.#options = options;
    this.#closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri.toString()));
  }

  uriOf(path: string, ref: DocumentRef): vscode.Uri {
    const title = tabTitle(labelOf(ref), this.#options.titleOf(path), extensionOf(ref));
    return vscode.Uri.from({ scheme: documentScheme, path: `${folderOf(ref)}/${title}`, query: encodePlace({ path, ref }) });
  }

  /** In the editor's preview tab; `behind` in one of its own, the keyboard staying where it is. */
  async open(path: string, ref: DocumentRef, { behind = false } = {}): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.uriOf(path, ref));
    await vscode.window.showTextDocument(document, { preview: !behind, preserveFocus: behind });
  }

  async diff(left: DocumentPlace, right: DocumentPlace, title: string): Promise<void> {
    const [a, b] = [this.uriOf(left.path, left.ref), this.uriOf(right.path, right.ref)];
    // With a place to go to, the editor leaves out going to the first change, which of a large one shows the end: the first lines say most.
    const selection = new vscode.Range(0, 0, 0, 0);
    await vscode.commands.executeCommand('vscode.diff', a, b, title, { preview: true, selection });
  }

  /** A log changed on disk. What is fixed by a seq stays; what covers the whole log, or could not be shown, is made anew. */
  logChanged(path: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== documentScheme) continue;
      const place = decodePlace(uri.query);
      if (place?.path !== path || !(coversWholeLog(place.ref) || this.#failed.has(uri.toString()))) continue;
      this.#texts.delete(uri.toString());
      this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // changes come from the logs, see logChanged
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = this.#made(uri);
    const { byteLength } = await bytes;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: byteLength, permissions: vscode.FilePermission.Readonly };
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#made(uri).bytes;
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #made(uri: vscode.Uri): MadeText {
    const key = uri.toString();
    const known = this.#texts.get(key);
    if (known) return known;
    const made: MadeText = { bytes: this.#textOf(uri).then(encoded), mtime: Date.now() };
    this.#texts.set(key, made);
    for (const old of this.#texts.keys()) {
      if (this.#texts.size <= maxTexts) break;
      this.#texts.delete(old); // made again if it is asked for again
    }
    return made;
  }

  #forget(key: string): void {
    this.#texts.delete(key);
    this.#failed.delete(key);
  }

  async #textOf(uri: vscode.Uri): Promise<string> {
    const key = uri.toString();
    const place = decodePlace(uri.query);
    if (!place) return vscode.l10n.t('This address names no part of a session log: {address}', { address: key });
    if (!this.#mayRead(place.path)) {
      return vscode.l10n.t('“{path}” is not a session log: it is neither below the sessions root nor open as a timeline.', {
        path: place.path,
      });
    }
    try {
      const { text, complete } = await this.#options.pool.use(place.path, (lease) => lease.call('document', { ref: place.ref }));
      this.#failed.delete(key);
      if (!complete) this.#options.output.info(`${key} was cut at the size limit of a document`);
      return text;
    } catch (error) {
      this.#failed.add(key);
      this.#options.output.error(`document ${key}`, error);
      return vscode.l10n.t('This part of “{path}” cannot be shown: {reason}', { path: place.path, reason: reasonOf(error) });
    }
  }

  dispose(): void {
    this.#closing.dispose();
    this.#changed.dispose();
  }

  /** An address can come from anywhere, e.g. a link in somebody's file: it does not make us read just any file. */
  #mayRead(path: string): boolean {
    const { root, openPaths } = this.#options;
    if (path.split(/[/\\]/).includes('..')) return false;
    if (isGenerationName(lastSegment(path)) || openPaths().has(path)) return true;
    const top = root();
    return top !== undefined && isSameOrBelow(path, top, pathRulesOf(process.platform));
  }
}

/**
 * With a mark for UTF-8, which outweighs the reader's own `files.encoding`; NUL, which would make the editor call the text
 * binary, as its picture.
 */
function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(`\ufeff${text.replaceAll('\0', '\u2400')}`);
}

function coversWholeLog(ref: DocumentRef): boolean {
  if (ref.kind === 'migrated') return ref.seq === undefined;
  return ref.kind === 'jsonl' || ref.kind === 'transcript' || ref.kind === 'damage';
}

/** What the tab calls the document. */
export function labelOf(ref: DocumentRef): string {
  switch (ref.kind) {
    case 'history':
      return vscode.l10n.t('#{seq} history', { seq: ref.seq });
    case 'replayed':
      return vscode.l10n.t('#{seq} history as replayed', { seq: ref.seq });
    case 'event':
      return vscode.l10n.t('#{seq} event', { seq: ref.seq });
    case 'answer':
      return ref.side === 'stored'
        ? vscode.l10n.t('#{seq} answer as stored', { seq: ref.seq })
        : vscode.l10n.t('#{seq} answer of its chunks', { seq: ref.seq });
    case 'request':
      return ref.attempt <= 1
        ? vscode.l10n.t('{turn}.{step} request', { turn: ref.turn, step: ref.step })
        : vscode.l10n.t('{turn}.{step} request, attempt {attempt}', { turn: ref.turn, step: ref.step, attempt: ref.attempt });
    case 'migrated':
      return vscode.l10n.t('migrated history');
    case 'removed':
      return vscode.l10n.t('removed by #{seq}', { seq: ref.seq });
    case 'message':
      return vscode.l10n.t('#{seq} message', { seq: ref.seq });
    case 'jsonl':
      return 'JSONL';
    case 'transcript':
      return vscode.l10n.t('transcript');
    case 'damage':
      return vscode.l10n.t('damage report');
  }
}

/** Where the manifest finds what is to be read, whose long lines it has wrapped; stored lines keep their ending's language. */
const folderOf = (ref: DocumentRef): string => (extensionOf(ref) === '' ? '/dsh-session' : '');

/** The ending by which the editor knows the language. */
function extensionOf(ref: DocumentRef): string {
  if (ref.kind === 'jsonl') return '.jsonl';
  return ref.kind === 'event' ? '.json' : '';
}
