/** One timeline tab: hands the view's questions to the log's reader and carries out its wishes. */
import * as vscode from 'vscode';
import { plainLine } from '../../core/index.ts';
import {
  isMessage,
  RpcError,
  serve,
  VIEW_PROTOCOL,
  viewChecks,
  type DocumentRef,
  type Message,
  type Served,
  type Service,
  type SessionMethods,
  type SessionOverview,
  type ValueOf,
  type ViewAct,
  type ViewEvents,
  type ViewMethods,
} from '../../protocol/index.ts';
import type { Output } from '../output.ts';
import { lastSegment } from '../sessions/path-rules.ts';
import type { SessionLease, SessionPool } from '../workers/session-pool.ts';

/** What a timeline asks of the rest of the extension. */
export interface TimelineActions {
  openDocument(path: string, ref: DocumentRef): Promise<void>;
  compare(path: string, left: DocumentRef, right: DocumentRef): Promise<void>;
  openSession(id: string, from: string): Promise<void>;
  revealInTree(path: string, seq: number): Promise<void>;
  /** Starts the command; what goes wrong in it, it says itself. */
  act(path: string, name: ViewAct, seq: number): void;
  /** What the list calls a session; undefined when it does not know it. */
  titleOf(path: string): string | undefined;
  /** What the list calls the session it was forked or started from. */
  parentTitleOf(path: string): string | undefined;
}

export interface TimelinePanelOptions {
  readonly path: string;
  readonly panel: vscode.WebviewPanel;
  readonly pool: SessionPool;
  readonly actions: TimelineActions;
  readonly output: Output;
  readonly reveal: number | undefined;
  readonly replay: number | undefined;
}

type Relayed =
  'table' | 'rows' | 'detail' | 'search' | 'salvaged' | 'attachment' | 'replayPoints' | 'replayMoment' | 'verifyReplay';

export class TimelinePanel implements vscode.Disposable {
  readonly path: string;
  readonly panel: vscode.WebviewPanel;
  readonly #options: TimelinePanelOptions;
  readonly #lease: SessionLease;
  readonly #listener: vscode.Disposable;
  readonly #looking: vscode.Disposable;
  #reveal: number | undefined;
  #replay: number | undefined;
  #selected: number | undefined;
  #parentTitle: string | undefined;
  #isReady = false;
  #isDisposed = false;

  constructor(options: TimelinePanelOptions) {
    this.#options = options;
    this.path = options.path;
    this.panel = options.panel;
    this.#reveal = options.reveal;
    this.#replay = options.replay;
    this.#parentTitle = options.actions.parentTitleOf(options.path);
    // Until the log has been read, what the list calls it; the file is called like every other one.
    this.panel.title = options.actions.titleOf(options.path) ?? this.panel.title;
    this.#lease = options.pool.acquire(options.path, {
      onEvent: (name, data) => this.#post({ kind: 'event', name, data }),
      onRestart: () => void this.#announceRestart(),
    });
    this.#lease.look(options.panel.visible);
    this.#looking = options.panel.onDidChangeViewState(() => this.#lease.look(options.panel.visible));
    // The log is read while the page is still loading; what goes wrong is answered again when the view asks.
    this.#overview({}).catch((error: unknown) => {
      if (!this.#isDisposed)
        options.output.warn(`reading ${options.path} ahead: ${error instanceof Error ? error.message : String(error)}`);
    });
    const answer = serve<ViewMethods>(this.#service(), (message) => this.#post(message));
    this.#listener = options.panel.webview.onDidReceiveMessage((message: unknown) => {
      if (isMessage(message)) answer(message);
      else options.output.warn(`the view of ${options.path} sent something that is no message`);
    });
  }

  /** The seq selected in the view, as far as it has said. */
  get selected(): number | undefined {
    return this.#selected;
  }

  get lease(): SessionLease {
    return this.#lease;
  }

  reveal(seq: number): void {
    this.#reveal = seq; // for a view that is not there yet, or is drawn anew
    if (this.#isReady) this.#emit('reveal', { seq });
  }

  /** Opens the replay bar at a seq. */
  replay(seq: number): void {
    if (this.#isReady) this.#emit('replay', { seq });
    else this.#replay = seq;
  }

  /** The list changed: the parent may have got a name, or another one. */
  listChanged(): void {
    const title = this.#options.actions.parentTitleOf(this.path);
    if (title === this.#parentTitle) return;
    this.#parentTitle = title;
    if (this.#isReady) this.#emit('parent', title === undefined ? {} : { title });
  }

  command(name: ViewEvents['command']['name']): void {
    this.#emit('command', { name });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listener.dispose();
    this.#looking.dispose();
    this.#lease.dispose();
  }

  #emit<K extends keyof ViewEvents>(name: K, data: ViewEvents[K]): void {
    this.#post({ kind: 'event', name, data });
  }

  /** What is still on its way when the tab closes has no one to go to: a disposed webview throws at being asked. */
  #post(message: Message): void {
    if (this.#isDisposed) return;
    void this.panel.webview.postMessage(message);
  }

  async #announceRestart(): Promise<void> {
    try {
      const { generation } = await this.#lease.call('overview', {});
      this.#emit('changed', { generation, cause: 'new-generation' });
    } catch (error) {
      this.#options.output.error(`reading ${this.path} again`, error);
    }
  }

  #service(): Service<ViewMethods> {
    const { actions } = this.#options;
    return {
      ready: { check: viewChecks.ready, run: ({ protocol }) => this.#boot(protocol) },
      overview: { check: viewChecks.overview, run: (args, signal) => this.#overview(args, signal) },
      table: this.#relay('table'),
      rows: this.#relay('rows'),
      detail: this.#relay('detail'),
      search: this.#relay('search'),
      salvaged: this.#relay('salvaged'),
      attachment: this.#relay('attachment'),
      replayPoints: this.#relay('replayPoints'),
      replayMoment: this.#relay('replayMoment'),
      verifyReplay: this.#relay('verifyReplay'),
      openDocument: { check: viewChecks.openDocument, run: ({ ref }) => done(actions.openDocument(this.path, ref)) },
      compare: { check: viewChecks.compare, run: ({ left, right }) => done(actions.compare(this.path, left, right)) },
      copy: { check: viewChecks.copy, run: ({ text }) => done(vscode.env.clipboard.writeText(text)) },
      selected: {
        check: viewChecks.selected,
        run: ({ seq }) => {
          this.#selected = seq;
          return {};
        },
      },
      openSession: { check: viewChecks.openSession, run: ({ id }) => done(actions.openSession(id, this.path)) },
      act: {
        check: viewChecks.act,
        run: ({ name, seq }) => {
          actions.act(this.path, name, seq);
          return {};
        },
      },
      revealInTree: { check: viewChecks.revealInTree, run: ({ seq }) => done(actions.revealInTree(this.path, seq)) },
    };
  }

  #relay<K extends Relayed>(method: K): Served<Parameters<SessionMethods[K]>[0], ValueOf<SessionMethods[K]>> {
    return {
      check: viewChecks[method], // same method in both tables
      run: (args, signal) => this.#lease.call(method, args as never, signal), // as above
    };
  }

  /** The tab is named after the session; its file is called like every other one. */
  async #overview(args: Record<never, never>, signal?: AbortSignal): Promise<SessionOverview> {
    const overview = await this.#lease.call('overview', args, signal);
    if (!this.#isDisposed) this.panel.title = plainLine(overview.title, 60) || lastSegment(this.path);
    return overview;
  }

  #boot(protocol: number): ValueOf<ViewMethods['ready']> {
    if (protocol !== VIEW_PROTOCOL)
      throw new RpcError('bad-request', `the view speaks protocol ${protocol}, the host ${VIEW_PROTOCOL}`);
    this.#isReady = true;
    const reveal = this.#reveal;
    const replay = this.#replay;
    this.#replay = undefined;
    this.#reveal = undefined; // a view drawn again later comes back to its own place
    return {
      locale: vscode.env.language,
      bundle: vscode.l10n.bundle ?? {},
      reveal,
      ...(replay === undefined ? {} : { replay }),
      ...(this.#parentTitle === undefined ? {} : { parentTitle: this.#parentTitle }),
      reducedMotion: vscode.workspace.getConfiguration('workbench').get('reduceMotion') === 'on',
      isTrusted: vscode.workspace.isTrusted,
    };
  }
}

async function done(work: PromiseLike<unknown>): Promise<Record<never, never>> {
  await work;
  return {};
}
