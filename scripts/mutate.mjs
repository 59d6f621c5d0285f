// Breaks the sources of the core in the ways scripts/mutation/faults.mjs lists, one at a time in a copy, and runs the tests of the core
// against each. A fault that no test notices is a survivor, and the run fails. Takes minutes; not part of `npm test`.
// `node scripts/mutate.mjs fork.ts` runs only the faults whose file or description contains that, or any of several words.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transform } from 'esbuild';
import { faults } from './mutation/faults.mjs';
import { sharedDir } from './lib/paths.mjs';
import { bins, repoRoot, run } from './lib/run.mjs';
import { modernNode } from './lib/runtimes.mjs';

const words = process.argv.slice(2);
const chosen = faults.filter(({ file, what }) => words.length === 0 || words.some((word) => `${file}: ${what}`.includes(word)));
const jobs = Number(process.env['MUTATE_JOBS'] ?? 2);
const node = await modernNode();

/** What of the conformance tests is about the core. */
const conformance = ['append', 'closers', 'codecs', 'replay', 'check', 'migrations', 'fork', 'reading'];

/** In this order, so that most faults are met by the quick ones. */
const suites = [
  ['--project', 'unit', 'test/unit/core'],
  ...(existsSync(path.join(sharedDir, 'corpus', 'INDEX.json'))
    ? [['--project', 'conformance', ...conformance.map((name) => `test/conformance/${name}.test.ts`)]]
    : []),
  ['--project', 'peers', 'test/peers/core.test.ts'],
];

/** A copy of what the tests of the core need. */
function copyOfSources() {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutate-'));
  const names = [
    'src',
    'test/unit/core',
    'test/conformance',
    'test/peers',
    'test/support',
    'docs',
    'vitest.config.ts',
    'package.json',
  ];
  for (const name of [...names, 'tsconfig.base.json', 'tsconfig.test.json', 'tsconfig.json']) {
    cpSync(path.join(repoRoot, name), path.join(folder, name), { recursive: true });
  }
  symlinkSync(path.join(repoRoot, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

/** @param {string} folder The output of the first suite that fails, or undefined. */
async function firstFailure(folder) {
  for (const suite of suites) {
    const args = [bins.vitest, 'run', '--bail', '1', '--maxWorkers', '1', ...suite];
    const { code, output } = await run(node, args, {
      cwd: folder,
      env: { ...process.env, DSH_SHARED: sharedDir, NO_COLOR: '1' },
    });
    if (code !== 0) return output;
  }
  return undefined;
}

/** @param {string} output The first failing test. */
const killer = (output) => /^ *(?:FAIL|×) +(.*)$/m.exec(output)?.[1]?.trim() ?? output.trim().split('\n').at(-1) ?? '';

const folders = Array.from({ length: Math.min(jobs, chosen.length) }, copyOfSources);
const survivors = [];
const broken = [];
try {
  const baseline = folders[0] === undefined ? 'no fault matches' : await firstFailure(folders[0]);
  if (baseline !== undefined) {
    console.error(baseline);
    throw new Error('the tests fail without any fault');
  }
  const queue = chosen.entries();
  await Promise.all(
    folders.map(async (folder) => {
      for (const [index, { file, what, find, put }] of queue) {
        const target = path.join(folder, file);
        const source = readFileSync(path.join(repoRoot, file), 'utf8');
        const name = `${file.slice('src/core/'.length)}: ${what}`;
        if (source.split(find).length !== 2) {
          broken.push(`${name} (the text to replace is there ${source.split(find).length - 1} times)`);
          continue;
        }
        const faulty = source.replace(find, () => put);
        // A fault that does not even parse would be noticed by anything.
        await transform(faulty, { loader: 'ts' });
        writeFileSync(target, faulty);
        const began = performance.now();
        const output = await firstFailure(folder);
        writeFileSync(target, source);
        if (output === undefined) survivors.push(name);
        const seconds = ((performance.now() - began) / 1000).toFixed(0);
        console.log(`${output === undefined ? 'SURVIVES' : 'noticed'} ${index + 1}/${chosen.length} ${name} (${seconds} s)`);
        if (output !== undefined) console.log(`    by ${killer(output)}`);
      }
    }),
  );
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
for (const name of broken) console.log(`does not apply: ${name}`);
for (const name of survivors) console.log(`survivor: ${name}`);
console.log(`${chosen.length - survivors.length - broken.length} passed, ${survivors.length + broken.length} failed`);
process.exitCode = survivors.length + broken.length > 0 ? 1 : 0;
