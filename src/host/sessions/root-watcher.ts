/** Asks for a new listing when logs change: by file events where the disk sends them, by polling where it does not. */
import * as vscode from 'vscode';

const debounceMs = 300;
const latestMs = 2000; // a log written without pause is listed this often
const pollMs = 10_000; // network drives, WSL, a root that does not exist yet

export interface RootWatcherOptions {
  readonly refresh: () => void;
  /** Polling costs a directory walk, so only while somebody looks. */
  readonly isWatched: () => boolean;
}

export class RootWatcher implements vscode.Disposable {
  readonly #options: RootWatcherOptions;
  readonly #poll: ReturnType<typeof setInterval>;
  #root: string | undefined;
  #watcher: vscode.FileSystemWatcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingSince = 0;

  constructor(options: RootWatcherOptions) {
    this.#options = options;
    this.#poll = setInterval(() => {
      if (options.isWatched()) options.refresh();
    }, pollMs);
  }

  /** Follows another root; the same root again changes nothing. */
  watch(root: string): void {
    if (root === this.#root) return;
    this.#root = root;
    this.#watcher?.dispose();
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.file(root), '**/session*.jsonl*'),
    );
    const changed = (): void => this.#schedule();
    watcher.onDidCreate(changed);
    watcher.onDidChange(changed);
    watcher.onDidDelete(changed);
    this.#watcher = watcher;
  }

  dispose(): void {
    clearInterval(this.#poll);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#watcher?.dispose();
  }

  #schedule(): void {
    const now = Date.now();
    if (this.#timer === undefined) this.#waitingSince = now;
    else if (now - this.#waitingSince > latestMs)
      return; // the pending one fires soon enough
    else clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#options.refresh();
    }, debounceMs);
  }
}
