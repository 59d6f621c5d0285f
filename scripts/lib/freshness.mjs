import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from './run.mjs';

/**
 * A fingerprint of files by name, size and time of change: equal as long as nothing was touched.
 * @param {readonly string[]} names files and folders of the repository; missing ones count as missing
 */
export function fingerprint(names) {
  const hash = createHash('sha256');
  const pending = names.map((name) => path.join(repoRoot, name)).reverse();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const stat = statSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(at).sort().reverse()) pending.push(path.join(at, name));
    } else {
      hash.update(`${path.relative(repoRoot, at)} ${stat?.size ?? 'missing'} ${stat?.mtimeMs ?? ''}\n`);
    }
  }
  return hash.digest('hex');
}

/** What ends up in the package. */
export const productFiles = [
  ...['src', 'webview', 'media', 'l10n', 'package.json', 'package-lock.json', 'package.nls.json', 'package.nls.zh-cn.json'],
  ...['esbuild.mjs', 'tsconfig.base.json', 'tsconfig.webview.json', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE'],
];
