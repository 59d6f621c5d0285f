// Builds the three bundles into dist/: host and worker for Node (CommonJS), the webview for the browser (ESM), and copies the icon font.
// `node esbuild.mjs` for the shipped form, `--dev` for readable code with source maps.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  // The notices go into one file of their own, see writeNotices.
  legalComments: 'none',
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
writeNotices(
  new Set(['@vscode/codicons', ...results.flatMap(({ value }) => Object.keys(value.metafile.inputs).flatMap(packageOf))]),
);

/** The package an input of a bundle belongs to; none for our own files. */
function packageOf(input) {
  const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  return found ? [found[1]] : [];
}

/** Name, origin and licence text of everything foreign that is shipped. A package without a licence text ends the build. */
function writeNotices(names) {
  const parts = [...names].sort().map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const { version, license, repository } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    if (texts.length === 0) throw new Error(`${name} has no licence text`);
    const origin = typeof repository === 'string' ? repository : (repository?.url ?? '');
    const body = texts.sort().map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license}) ${origin}`, ...body].join('\n\n');
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  const head = 'Parts of this extension come from the following packages. The icon font (codicon.ttf, codicon.css) is unchanged.';
  writeFileSync(path.join(root, 'dist', 'THIRD-PARTY-NOTICES.txt'), [head, ...parts].join(rule) + '\n');
  console.log(`dist/THIRD-PARTY-NOTICES.txt  ${names.size} packages`);
}
