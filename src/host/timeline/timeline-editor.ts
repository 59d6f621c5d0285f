/** The custom readonly editor: any log file, picked in the Sessions view or in the Explorer (decisions.md "Custom editor"). */
import * as vscode from 'vscode';
import type { Output } from '../output.ts';
import type { SessionPool } from '../workers/session-pool.ts';
import { timelinePage } from './timeline-page.ts';
import { TimelinePanel, type TimelineActions } from './timeline-panel.ts';

/** Compressed logs open as timelines by default; raw ones on request, since their names belong to others too. */
export const timelineViewTypes = ['dshTimeline.timeline', 'dshTimeline.timelineRaw'] as const;

export interface TimelineEditorOptions {
  readonly dist: vscode.Uri;
  readonly pool: SessionPool;
  readonly actions: TimelineActions;
  readonly output: Output;
}

export class TimelineEditor implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  readonly #options: TimelineEditorOptions;
  readonly #panels = new Set<TimelinePanel>();
  readonly #pendingReveal = new Map<string, number>();
  readonly #pendingReplay = new Map<string, number>();
  #lastActive: TimelinePanel | undefined;

  constructor(options: TimelineEditorOptions) {
    this.#options = options;
  }

  /** Paths shown in some tab. */
  get openPaths(): ReadonlySet<string> {
    return new Set([...this.#panels].map((panel) => panel.path));
  }

  /** What the tab of a log is called, if it has one. */
  titleOf(path: string): string | undefined {
    return [...this.#panels].find((panel) => panel.path === path)?.panel.title;
  }

  /** The timeline in front; a click in a menu or the palette does not take that away. */
  get active(): TimelinePanel | undefined {
    return this.#lastActive?.panel.visible ? this.#lastActive : [...this.#panels].find((panel) => panel.panel.active);
  }

  /** Opens the timeline of a log, or brings it to the front, and selects a seq there, or replays from one. */
  async open(
    path: string,
    options: {
      readonly seq?: number | undefined;
      readonly replay?: number;
      readonly preserveFocus?: boolean;
      readonly keep?: boolean;
    } = {},
  ): Promise<void> {
    const shown = [...this.#panels].find((panel) => panel.path === path);
    if (shown) this.#options.pool.restart(path); // a reader that had stopped; one that runs is left alone
    if (options.seq !== undefined) {
      if (shown) shown.reveal(options.seq);
      else this.#pendingReveal.set(path, options.seq);
    }
    if (options.replay !== undefined) {
      if (shown) shown.replay(options.replay);
      else this.#pendingReplay.set(path, options.replay);
    }
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), viewTypeOf(path), {
      preview: options.keep !== true,
      preserveFocus: options.preserveFocus === true,
      ...(shown?.panel.viewColumn === undefined ? {} : { viewColumn: shown.panel.viewColumn }),
    });
  }

  /** The list of sessions is another one now. */
  listChanged(): void {
    for (const panel of this.#panels) panel.listChanged();
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor(document: vscode.CustomDocument, webviewPanel: vscode.WebviewPanel): void {
    const { dist, pool, actions, output } = this.#options;
    if (document.uri.scheme !== 'file') {
      throw new Error(
        vscode.l10n.t('A session log is read from this machine’s disk; “{scheme}” files cannot be opened as a timeline.', {
          scheme: document.uri.scheme,
        }),
      );
    }
    const path = document.uri.fsPath;
    webviewPanel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const panel = new TimelinePanel({
      path,
      panel: webviewPanel,
      pool,
      actions,
      output,
      reveal: this.#pendingReveal.get(path),
      replay: this.#pendingReplay.get(path),
    });
    this.#pendingReveal.delete(path);
    this.#pendingReplay.delete(path);
    this.#panels.add(panel);
    if (webviewPanel.active) this.#lastActive = panel;
    webviewPanel.onDidChangeViewState(() => {
      if (webviewPanel.active) this.#lastActive = panel;
    });
    webviewPanel.onDidDispose(() => {
      this.#panels.delete(panel);
      if (this.#lastActive === panel) this.#lastActive = undefined;
      panel.dispose();
    });
    webviewPanel.webview.html = timelinePage(webviewPanel.webview, dist, path);
  }

  dispose(): void {
    for (const panel of this.#panels) panel.dispose();
    this.#panels.clear();
  }
}

function viewTypeOf(path: string): (typeof timelineViewTypes)[number] {
  return path.endsWith('.zstd') ? 'dshTimeline.timeline' : 'dshTimeline.timelineRaw';
}
