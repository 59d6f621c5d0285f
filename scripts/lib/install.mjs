import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { must, repoRoot } from './run.mjs';
import { npmCli, npmEnv, readStamp } from './runtimes.mjs';

/** Runs `npm ci` unless node_modules already holds what the lock file says. */
export async function ensureModules(log = console.log) {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(repoRoot, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(repoRoot, 'node_modules', '.dsh-timeline-lock');
  if (readStamp(stamp) === lock) return;
  // A tree that npm itself calls complete needs no second installation.
  if (existsSync(path.join(repoRoot, 'node_modules')) && isInstalled()) {
    writeFileSync(stamp, lock);
    return;
  }
  log('npm ci …');
  const began = performance.now();
  await must(process.execPath, [npmCli(), 'ci', '--no-audit', '--no-fund', '--loglevel=error'], { env: npmEnv() });
  writeFileSync(stamp, lock);
  log(`npm ci took ${Math.round((performance.now() - began) / 1000)} s`);
}

/** Whether every package of the lock file that belongs on this platform is there in its version. */
function isInstalled() {
  const wanted = JSON.parse(readFileSync(path.join(repoRoot, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([folder, { version, optional }]) => {
    if (folder === '' || optional) return true;
    const manifest = path.join(repoRoot, folder, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
}
