// Builds the three bundles into dist/: host and worker for Node (CommonJS), the webview for the browser (ESM), and copies the icon font.
// `node esbuild.mjs` for the shipped form, `--dev` for readable code with source maps.
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.dirname(fileURLToPath(import.meta.url));
const dev = process.argv.includes('--dev');

const common = {
  absWorkingDir: root,
  bundle: true,
  // Identifiers of the Node bundles stay readable: a stack trace in a bug report is worth more than a few kilobytes.
  minifyWhitespace: !dev,
  minifySyntax: !dev,
  sourcemap: dev ? 'linked' : false,
  legalComments: 'eof',
  logLevel: 'warning',
  metafile: true,
};
const node = { ...common, platform: 'node', format: 'cjs', target: 'node22.15' };
const bundles = [
  { ...node, entryPoints: ['src/host/extension.ts'], outfile: 'dist/host.cjs', external: ['vscode'] },
  { ...node, entryPoints: ['src/worker/main.ts'], outfile: 'dist/worker.cjs' },
  {
    ...common,
    entryPoints: ['webview/main.ts'],
    outfile: 'dist/webview.js',
    platform: 'browser',
    format: 'esm',
    target: 'chrome138',
    minifyIdentifiers: !dev,
    tsconfig: 'tsconfig.webview.json',
    define: { 'process.env.NODE_ENV': dev ? '"development"' : '"production"' },
  },
];

const missing = bundles.map((b) => b.entryPoints[0]).filter((entry) => !existsSync(path.join(root, entry)));
if (missing.length > 0) {
  console.error(`build: missing entry point ${missing.join(', ')}`);
  process.exit(1);
}

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
mkdirSync(path.join(root, 'dist'), { recursive: true });
const results = await Promise.allSettled(bundles.map((options) => build(options)));
const icons = path.join(root, 'node_modules/@vscode/codicons/dist');
for (const file of ['codicon.css', 'codicon.ttf']) copyFileSync(path.join(icons, file), path.join(root, 'dist', file));

let failed = false;
for (const [index, result] of results.entries()) {
  const { outfile } = bundles[index];
  // A warning (an unresolved require, a duplicate key) is a bundle that may fail at run time only.
  failed ||= result.status === 'rejected' || result.value.warnings.length > 0;
  if (result.status === 'fulfilled') console.log(`${outfile}  ${Math.round(statSync(path.join(root, outfile)).size / 1000)} kB`);
}
if (failed) {
  console.error('build: failed');
  process.exit(1);
}
