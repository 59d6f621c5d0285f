// Opens the bundled sample sessions, or with `--root PATH` another sessions folder, in a real VS Code with the extension
// installed. `--check` only proves that everything comes up, and ends.
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint, productFiles } from './lib/freshness.mjs';
import { ensureModules } from './lib/install.mjs';
import { cacheDir, extensionId, vsixPath } from './lib/paths.mjs';
import { must } from './lib/run.mjs';
import { editor, hasRegistryBinaries, modernNode, onPath, readStamp, systemPackages } from './lib/runtimes.mjs';

/** Where the editor that we start keeps its state, apart from any the user has. */
const stateDir = process.env['DSH_TIMELINE_STATE'] ?? path.join(cacheDir, 'start');
/** What to look for once the editor is there. */
const where = 'The sessions are in the view DSH Sessions, in the activity bar.';
const isRoot = process.getuid?.() === 0;
const { root: askedRoot, check } = readArguments(process.argv.slice(2));
const began = performance.now();

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

async function start() {
  mkdirSync(stateDir, { recursive: true });
  // VS Code's own launcher works for ordinary users only: as root it refuses to start.
  const found = ['code', 'code-insiders', 'codium'].map(onPath).find((file) => file !== undefined);
  if (isRoot && found !== undefined) say(`${found} does not start as root: taking the VS Code server instead`);
  const desktop = isRoot ? undefined : found;
  if (desktop === undefined && !hasRegistryBinaries) {
    throw new Error('No VS Code found: install it and put its command `code` on the PATH, then run npm start again.');
  }
  say('installing packages');
  await ensureModules(detail);
  say('building the extension');
  await buildPackage();
  const root = askedRoot ?? (await samples());
  const workspace = askedRoot === undefined ? path.join(stateDir, 'samples', 'workspace') : root;
  mkdirSync(workspace, { recursive: true });
  await (desktop === undefined ? startServer(root, workspace) : startDesktop(desktop, root, workspace));
}

function readArguments(args) {
  let root;
  let onlyCheck = false;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--check') onlyCheck = true;
    else if (args[i] === '--root' && args[i + 1] !== undefined) root = sessionsFolder(path.resolve(args[++i]));
    else {
      console.error('usage: npm start [-- --root PATH] [-- --check]');
      process.exit(2);
    }
  }
  return { root, check: onlyCheck };
}

/** A dsh home was meant when the folder itself holds one called `sessions`. */
function sessionsFolder(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(`${folder} is no folder`);
    process.exit(2);
  }
  const inner = path.join(folder, 'sessions');
  return existsSync(inner) ? inner : folder;
}

function say(text) {
  console.log(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${text}`);
}

function detail(text) {
  console.log(`        ${text}`);
}

async function buildPackage() {
  const stamp = path.join(stateDir, 'package.stamp');
  const wanted = fingerprint(productFiles);
  if (existsSync(vsixPath) && readStamp(stamp) === wanted) return;
  await must(process.execPath, ['scripts/package.mjs'], { show: true });
  writeFileSync(stamp, wanted);
}

/** Writes the sample sessions once; their session headers name the workspace beside them. */
async function samples() {
  const folder = path.join(stateDir, 'samples');
  const root = path.join(folder, 'home', 'sessions');
  const stamp = path.join(folder, 'samples.stamp');
  const wanted = fingerprint(['src/core', 'src/storage', 'test/support', 'scripts/samples.mjs']);
  if (existsSync(root) && readStamp(stamp) === wanted) return root;
  say('writing sample sessions');
  mkdirSync(path.join(folder, 'workspace'), { recursive: true });
  const output = await must(await modernNode(detail), ['scripts/samples.mjs', root, path.join(folder, 'workspace')]);
  detail(output.trim());
  writeFileSync(stamp, wanted);
  return root;
}

/** Our settings on top of what the user changed in this editor meanwhile. */
function writeSettings(file, root) {
  mkdirSync(path.dirname(file), { recursive: true });
  const own = {
    'workbench.startupEditor': 'none',
    'workbench.secondarySideBar.defaultVisibility': 'hidden', // the timeline has the width
    'telemetry.telemetryLevel': 'off',
    'update.mode': 'none',
    'extensions.autoUpdate': false,
    'extensions.ignoreRecommendations': true,
    'chat.disableAIFeatures': true,
    'git.openRepositoryInParentFolders': 'never',
  };
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, JSON.stringify({ ...own, ...before, 'dshTimeline.sessionsRoot': root }, null, 2));
}

/** Installs the package unless this very one is installed already. `command` runs the editor's command line. */
async function installExtension(command, before, extensions) {
  const stamp = path.join(stateDir, `${path.basename(extensions)}.stamp`);
  const { mtimeMs, size } = statSync(vsixPath);
  const wanted = `${mtimeMs} ${size}`;
  if (existsSync(extensions) && readStamp(stamp) === wanted) return;
  say('installing the extension');
  await must(command, [...before, '--install-extension', vsixPath, '--force'], { env: serverEnv() });
  writeFileSync(stamp, wanted);
}

async function startDesktop(command, root, workspace) {
  const data = path.join(stateDir, 'desktop-data');
  const extensions = path.join(stateDir, 'desktop-extensions');
  writeSettings(path.join(data, 'User', 'settings.json'), root);
  const folders = ['--user-data-dir', data, '--extensions-dir', extensions];
  await installExtension(command, folders, extensions);
  if (check) return say(`ready: ${extensionId} is installed in ${command}`);
  say(`opening ${workspace} in ${path.basename(command)}`);
  console.log(`\n  ${where}`);
  await must(command, [...folders, '--new-window', workspace]);
}

async function startServer(root, workspace) {
  say('preparing code-server');
  await systemPackages({ compiler: true }, detail);
  const { nodePath, entry } = await editor('newest', detail);
  const data = path.join(stateDir, 'server-data');
  const extensions = path.join(stateDir, 'server-extensions');
  const config = path.join(stateDir, 'code-server.yaml');
  writeFileSync(config, 'auth: password\n', { mode: 0o600 });
  // A machine-scoped setting is read from the machine's file in a server window, from the user's one elsewhere.
  writeSettings(path.join(data, 'Machine', 'settings.json'), root);
  writeSettings(path.join(data, 'User', 'settings.json'), root);
  const folders = [entry, '--config', config, '--user-data-dir', data, '--extensions-dir', extensions];
  await installExtension(nodePath, folders, extensions);
  say('starting code-server');
  const password = randomBytes(12).toString('base64url');
  const server = spawn(
    nodePath,
    [
      ...folders,
      ...['--auth', 'password', '--bind-addr', '127.0.0.1:0', '--ignore-last-opened', '--disable-workspace-trust'],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-proxy'],
    ],
    // Other users of this machine can reach the port too, so it asks for a password that only this terminal shows.
    { env: { ...serverEnv(), PASSWORD: password }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const stop = () => {
    try {
      process.kill(-server.pid, 'SIGTERM');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
  const ended = new Promise((resolve) => server.once('close', resolve));
  const url = await listening(server);
  const address = `${url}/?folder=${encodeURIComponent(workspace)}`;
  if (check) {
    const listed = await must(nodePath, [...folders, '--list-extensions'], { env: serverEnv() });
    const health = await fetch(`${url}/healthz`);
    const anonymous = await fetch(address, { redirect: 'manual' });
    stop();
    await ended;
    if (!listed.split('\n').includes(extensionId)) throw new Error(`${extensionId} is not installed`);
    if (!health.ok) throw new Error(`code-server answered ${health.status}`);
    if (anonymous.status !== 302) throw new Error(`code-server let a stranger in (${anonymous.status})`);
    return say(`ready: ${extensionId} is installed, code-server listens on ${url} and asks for a password`);
  }
  say('ready');
  console.log(`\n  Open      ${address}\n  Password  ${password}\n\n  ${where}\n  Ctrl+C ends it.`);
  await ended;
}

/** @returns {Promise<string>} the address */
function listening(server) {
  let output = '';
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`code-server was not listening after 60 s\n${output}`)), 60_000);
    const read = (chunk) => {
      output += chunk;
      const found = /HTTP server listening on (http:\/\/[\d.]+:\d+)/.exec(output);
      if (!found) return;
      clearTimeout(deadline);
      resolve(found[1]);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('exit', (code) => reject(new Error(`code-server ended with ${code}\n${output}`)));
  });
}

/** The editor gets none of the variables that another editor's terminal or npm left in ours. */
function serverEnv() {
  const entries = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/.test(name));
  return { ...Object.fromEntries(entries), EXTENSIONS_GALLERY: '{}' };
}
