// Times and memory of the reader for the largest logs at hand, each beside the floor that was measured in the same run, the frames of the
// view at 100,000 lines, and the first paint of the timeline in a real VS Code. `--no-editor` leaves the last one out.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ensureModules } from './lib/install.mjs';
import { cacheDir, sharedDir } from './lib/paths.mjs';
import { bins, must, run } from './lib/run.mjs';
import { editor, modernNode, systemPackages } from './lib/runtimes.mjs';

await ensureModules();
const node = await modernNode();
const withEditor = !process.argv.includes('--no-editor');
const root = path.join(cacheDir, 'bench', 'sessions');
mkdirSync(root, { recursive: true });
await must(node, ['test/bench/write-logs.ts', root]);

const logs = [...logsBelow(root), ...logsBelow(path.join(sharedDir, 'corpus', 'large'))];
const measure = async (kind, target) => JSON.parse(await must(node, ['--expose-gc', 'test/bench/measure.ts', kind, target]));

const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const mb = (value) => `${(value / 1e6).toFixed(value < 1e7 ? 1 : 0)} MB`;

for (const log of logs) {
  const floor = await measure('floor', log.file);
  const reader = await measure('reader', log.file);
  console.log(
    `\n${log.name}: ${mb(floor.fileBytes)}, ${floor.lines} lines, ${reader.events} events, ${reader.messages} messages at the end`,
  );
  console.log(`  open        ${ms(reader.open)} (first time ${ms(reader.openFirst)})`);
  console.log(
    `  floor       ${ms(floor.floor)} (decode each frame ${ms(floor.decode)}, parse each line ${ms(floor.floor - floor.decode)})`,
  );
  console.log(`  open/floor  ${(reader.open / floor.floor).toFixed(2)}`);
  console.log(`  fold        ${ms(reader.foldFirst)} at the end, ${ms(reader.foldMiddle)} in the middle`);
  console.log(`  memory      ${mb(reader.memoryBytes)} held open, ${mb(reader.peakBytes)} at most for the whole process`);
}
for (const folder of [root, path.join(sharedDir, 'corpus', 'v0', 'zstd')].filter((folder) => existsSync(folder))) {
  const list = await measure('list', folder);
  console.log(`\nlist of ${folder}: ${list.sessions} sessions, ${ms(list.list)} (first time ${ms(list.listFirst)})`);
}
await systemPackages({ browser: true, compiler: withEditor });
await printed('frames', 'frames');
if (withEditor) {
  await editor('newest');
  await must(process.execPath, ['scripts/package.mjs']);
  await printed('first-paint', 'first paint');
}

/** Runs a benchmark of the test runner and prints its lines, which begin with the given words. */
async function printed(name, words) {
  const args = ['run', '--project', 'bench', `test/bench/${name}.bench.ts`, '--silent=false', '--disable-console-intercept'];
  const { code, output } = await run(node, [bins.vitest, ...args], {
    env: { ...process.env, DSH_TIMELINE_BENCH_ROOT: root, NO_COLOR: '1' },
  });
  const lines = output.split('\n').filter((line) => line.startsWith(words));
  console.log(`\n${lines.join('\n')}`);
  if (code === 0) return;
  console.error(output);
  process.exitCode = 1;
}

/** Log files below a folder, named by their session directory and generation. */
function logsBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /session(\.v\d+)?\.jsonl(\.zstd)?$/.test(name))
    .sort()
    .map((name) => ({ file: path.join(folder, name), name: name.split(path.sep).slice(-2).join('/') }));
}
