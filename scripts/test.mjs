// Everything that has to hold, on a bare clone: installs what is missing, runs every check and every test, and ends with one
// line of counts. `node scripts/test.mjs unit e2e` runs only the named steps.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ensureModules } from './lib/install.mjs';
import { sharedDir } from './lib/paths.mjs';
import { bins, run } from './lib/run.mjs';
import { editor, findBrowser, hasRegistryBinaries, modernNode, systemPackages } from './lib/runtimes.mjs';
import { runVitest } from './lib/vitest.mjs';

const one = (ok, output) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, output });
const nothing = (output) => ({ passed: 0, failed: 0, skipped: 0, output });
const check =
  (...args) =>
  async () => {
    const { code, output } = await run(process.execPath, args);
    return one(code === 0, output);
  };
const tests =
  (...args) =>
  async () =>
    runVitest({ node: await modernNode(), args });

const hasCorpus = existsSync(path.join(sharedDir, 'corpus', 'INDEX.json'));

/** In this order: what is quick and what others build on comes first. */
const steps = {
  types: check('scripts/check-types.mjs'),
  lint: check(bins.eslint, '.', '--max-warnings', '0'),
  format: check(bins.prettier, '--check', '--log-level', 'warn', '.'),
  unused: check(bins.knip, '--no-progress'),
  house: tests('--project', 'house'),
  unit: tests('--project', 'unit'),
  // The pure layers and the portable decoder also on the Node that is here, which may be as old as 20.
  'unit-own-node': async () => {
    const modern = await modernNode();
    if (modern === process.execPath) return nothing('this Node is the one the step before used');
    return runVitest({ args: ['--project', 'unit'] });
  },
  conformance: async () => {
    if (!hasCorpus) return nothing('INCOMPLETE: conformance data absent');
    return tests('--project', 'conformance')();
  },
  peers: tests('--project', 'peers'),
  webview: tests('--project', 'webview'),
  package: check('scripts/package.mjs'),
  e2e: async () => {
    if (!hasRegistryBinaries)
      return { ...nothing(`no editor from the registry for ${process.platform}-${process.arch}`), skipped: 1 };
    return tests('--project', 'e2e')();
  },
};

/** What is said of steps that tell nothing for minutes. */
const long = {
  webview: ' (every log of the corpus in a browser: minutes)',
  e2e: ' (a real editor for each file: minutes)',
};

/** Steps that need a browser or an editor, so that the others do not wait for one. */
const prepare = {
  webview: async () => {
    await systemPackages({ browser: true });
    if (!findBrowser()) throw new Error('no Chromium found; install it or name it in CHROMIUM');
  },
  e2e: async () => {
    await systemPackages({ browser: true, compiler: true });
    if (!hasRegistryBinaries) return;
    await editor('newest');
    await editor('oldest');
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`unknown step ${unknown.join(', ')}; there are ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}

const total = { passed: 0, failed: 0, skipped: 0 };
try {
  await ensureModules();
} catch (error) {
  console.error(String(error));
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}
for (const [name, step] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const began = performance.now();
  console.log(`▶ ${name}${long[name] ?? ''}`);
  let result;
  try {
    await prepare[name]?.();
    result = await step();
  } catch (error) {
    result = one(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const { passed, failed, skipped, output } = result;
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if (failed > 0 || skipped > 0 || passed === 0) console.log(output.trimEnd());
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${failed > 0 ? '✗' : '✓'} ${name}: ${passed} ok, ${failed} failed, ${skipped} left out (${seconds} s)`);
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
