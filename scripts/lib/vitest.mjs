import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bins, colorless, run } from './run.mjs';

/**
 * Runs test files and counts what they did. A file that did not even load counts as one failure, and so does a run that
 * ended badly without a failed test.
 * @param {{ node?: string, args: readonly string[], env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ passed: number, failed: number, skipped: number, output: string }>}
 */
export async function runVitest({ node = process.execPath, args, env = process.env }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'dsh-timeline-vitest-'));
  try {
    const report = path.join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const plain = { ...colorless(env), NO_COLOR: '1' };
    const { code, output } = await run(node, [bins.vitest, 'run', ...args, ...reporters], { env: plain });
    const counts = existsSync(report)
      ? countReport(JSON.parse(readFileSync(report, 'utf8')))
      : { passed: 0, failed: 0, skipped: 0 };
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    return { ...counts, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countReport(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    if (file.assertionResults.length === 0 && file.status === 'failed') counts.failed += 1;
    for (const { status } of file.assertionResults) {
      counts[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped'] += 1;
    }
  }
  return counts;
}
