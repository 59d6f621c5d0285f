// Packs the extension and drives it in a real VS Code. Arguments go to the test runner: `npm run test:e2e -- tree` runs the
// files whose name contains "tree"; `--no-package` keeps the package that is there.
import { ensureModules } from './lib/install.mjs';
import { must } from './lib/run.mjs';
import { editor, modernNode, systemPackages } from './lib/runtimes.mjs';
import { runVitest } from './lib/vitest.mjs';

const args = process.argv.slice(2);
await ensureModules();
await systemPackages({ browser: true, compiler: true });
await editor('newest');
await editor('oldest');
if (!args.includes('--no-package')) await must(process.execPath, ['scripts/package.mjs'], { show: true });
const project = args.find((argument) => argument.startsWith('--project=')) ?? '--project=e2e';
const filters = args.filter((argument) => argument !== '--no-package' && argument !== project);
const { passed, failed, skipped, output } = await runVitest({ node: await modernNode(), args: [project, ...filters] });
console.log(output.trimEnd());
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
