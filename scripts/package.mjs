// Builds and packs the extension, and fails on anything vsce would only warn about.
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { bins, colorless, must, repoRoot, run } from './lib/run.mjs';
import { vsixPath } from './lib/paths.mjs';

const maxBytes = 600_000;

await must(process.execPath, ['esbuild.mjs'], { show: true });
rmSync(vsixPath, { force: true });
const vsce = [bins.vsce, 'package', '--no-dependencies', '--out', vsixPath];
const { code, output } = await run(process.execPath, vsce, { env: colorless(process.env) });
console.log(output.trimEnd());
const problems = [];
if (code !== 0) problems.push(`vsce ended with ${code}`);
if (/warning/i.test(output)) problems.push('vsce warned');
if (code === 0) {
  const size = statSync(vsixPath).size;
  console.log(`${path.relative(repoRoot, vsixPath)}: ${size} bytes`);
  if (size > maxBytes) problems.push(`the package has ${size} bytes, more than ${maxBytes}`);
}
for (const problem of problems) console.error(`package: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
