import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { vsixPath } from '../../../scripts/lib/paths.mjs';
import { editor } from '../../../scripts/lib/runtimes.mjs';

/** Settings that keep a window quiet and quick: nothing pops up, nothing is looked up. */
const quietSettings = {
  '[dsh-session]': { 'editor.wordWrap': 'off' }, // tests read documents line by line
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'diffEditor.renderSideBySide': true,
  'diffEditor.useInlineViewWhenSpaceIsLimited': false,
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'extensions.webWorker': false,
  'files.simpleDialog.enable': true,
  'git.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'window.menuBarVisibility': 'compact',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.enableExperiments': false,
  'workbench.list.smoothScrolling': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

export interface ServerOptions {
  /** `newest` unless the test is about the oldest supported editor. */
  readonly editor?: 'newest' | 'oldest';
  /** Becomes `DSH_HOME`: the sessions are in its folder `sessions`. */
  readonly dshHome: string;
  /** The folder opened as workspace; an empty one when absent. */
  readonly workspace?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of machine scope, which a server window reads from a file of their own. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Display language such as `zh-cn`; registers a stand-in language pack for it. */
  readonly locale?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the editor asks for trust in a workspace; without it every one is trusted. */
  readonly asksForTrust?: boolean;
  /** A script that every process of the server runs first. */
  readonly preload?: string;
}

export interface Server {
  readonly url: string;
  readonly workspace: string;
  /** `HOME` of the server and parent of everything it writes. */
  readonly home: string;
  /** What the server printed so far. */
  log(): string;
  /** Addresses other than this machine's own that a process of the server tried to reach, and the processes that were watched. */
  network(): { attempts: string[]; watched: string[] };
  stop(): Promise<void>;
}

const watcher = path.join(path.dirname(fileURLToPath(import.meta.url)), 'network-watch.cjs');

/** Starts code-server with the packed extension installed, all state in a fresh folder, on a port the kernel picks. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const which = options.editor ?? 'newest';
  const { nodePath, entry, builtinDir } = await editor(which);
  const home = mkdtempSync(path.join(tmpdir(), 'dsh-timeline-e2e-'));
  const workspace = options.workspace ?? path.join(home, 'workspace');
  const userData = path.join(home, 'data');
  const networkLog = path.join(home, 'network.log');
  mkdirSync(workspace, { recursive: true });
  mkdirSync(path.join(userData, 'User'), { recursive: true });
  writeFileSync(networkLog, '');
  writeFileSync(path.join(home, 'config.yaml'), 'auth: none\n');
  writeFileSync(path.join(userData, 'User', 'settings.json'), JSON.stringify({ ...quietSettings, ...options.settings }, null, 2));
  if (options.machineSettings !== undefined) {
    mkdirSync(path.join(userData, 'Machine'), { recursive: true });
    writeFileSync(path.join(userData, 'Machine', 'settings.json'), JSON.stringify(options.machineSettings));
  }
  const env = {
    ...cleanEnv(),
    HOME: home,
    DSH_HOME: options.dshHome,
    EXTENSIONS_GALLERY: '{}',
    DSH_TIMELINE_NETWORK_LOG: networkLog,
    ...options.env,
  };
  const folders = [
    '--config',
    path.join(home, 'config.yaml'),
    '--user-data-dir',
    userData,
    '--extensions-dir',
    path.join(home, 'extensions'),
  ];
  const installed = spawnSync(nodePath, [entry, ...folders, '--install-extension', vsixPath, '--force'], {
    env,
    encoding: 'utf8',
  });
  if (installed.status !== 0 || !installed.stdout.includes('successfully installed')) {
    throw new Error(`installing ${vsixPath} ended with ${installed.status}\n${installed.stdout}\n${installed.stderr}`);
  }
  if (options.locale !== undefined) registerLanguage(userData, options.locale);
  const child = spawn(
    nodePath,
    [
      // As an option of the process, since the workbench takes NODE_OPTIONS away from extension hosts but hands these on.
      ...['--require', watcher],
      ...(options.preload === undefined ? [] : ['--require', options.preload]),
      entry,
      ...folders,
      ...[
        '--auth',
        'none',
        '--bind-addr',
        '127.0.0.1:0',
        ...(which === 'oldest' ? [] : ['--vscode-option', `builtin-extensions-dir=${builtinDir}`]),
      ],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      ...(options.asksForTrust === true ? [] : ['--disable-workspace-trust']),
      ...['--disable-proxy', '--disable-file-downloads', '--ignore-last-opened'],
      ...(options.locale === undefined ? [] : ['--locale', options.locale]),
    ],
    // A group of its own, so that stopping it takes the extension hosts along.
    { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let log = '';
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
        resolve();
      };
      if (child.exitCode !== null || child.pid === undefined) return done();
      const group = -child.pid;
      const kill = setTimeout(() => signalGroup(group, 'SIGKILL'), 5_000);
      child.once('close', () => {
        clearTimeout(kill);
        signalGroup(group, 'SIGKILL');
        done();
      });
      signalGroup(group, 'SIGTERM');
    });
  const url = await new Promise<string>((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`code-server was not listening after 60 s\n${log}`)), 60_000);
    const read = (chunk: Buffer): void => {
      log += chunk.toString();
      const listening = /HTTP server listening on (http:\/\/[\d.]+:\d+)/.exec(log);
      if (!listening) return;
      clearTimeout(deadline);
      resolve(listening[1]!);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`code-server ended with ${code}\n${log}`)));
  });
  return { url, workspace, home, log: () => log, network: () => readNetworkLog(networkLog), stop };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(group, signal);
  } catch (error) {
    // No process of the group is left: what we wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Our environment without what an editor's terminal or a test runner leaves in it. */
function cleanEnv(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|VITEST|NODE_OPTIONS$|npm_)/.test(name));
  return Object.fromEntries(entries);
}

function readNetworkLog(file: string): { attempts: string[]; watched: string[] } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const tagged = (tag: string): string[] => lines.filter((line) => line.startsWith(tag)).map((line) => line.slice(tag.length));
  return { attempts: tagged('attempt '), watched: tagged('watch ') };
}

/**
 * The editor shows a language only when it knows a pack for it. This stand-in registers an empty one: the editor itself stays
 * English, and extensions are told the language and given their translations.
 */
function registerLanguage(userData: string, locale: string): void {
  const translations = path.join(userData, `${locale}.i18n.json`);
  writeFileSync(translations, JSON.stringify({ version: '1.0.0', contents: {} }));
  const pack = {
    hash: 'stand-in',
    extensions: [{ extensionIdentifier: { id: 'dsh-session-timeline.stand-in' }, version: '1.0.0' }],
    translations: { vscode: translations },
    label: locale,
  };
  writeFileSync(path.join(userData, 'languagepacks.json'), JSON.stringify({ [locale]: pack }));
}
