import { LogBuilder } from '../log-builder.ts';
import { bash, edit, glob, grep, play, read } from './script.ts';

/** Retries, a failed turn, a cancelled answer, a hook that blocks: what goes wrong in a session that goes on. */
export function nodeUpgrade(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 3,
    id: 'session-61a7f5b0-3a5e-47a4-9b87-2f2f6f0c4d30',
    cwd,
    createdAt,
    tokensPerCharacter: 2,
  });
  log.setUp({ sandbox: 'danger-full-access', ask: false });
  log.prompt('Upgrade the project to Node 24 and fix what breaks.');
  log.title('Upgrade to Node 24');
  const overloaded = {
    message: 'The service is overloaded, try again later.',
    code: 'RATE_LIMITED',
    status: 429,
    providerRetryAfterMs: 2_000,
  };
  const retryId = log.newId();
  log.failedAttempt({ reasoning: 'First the engines field and', finish: { kind: 'error', failure: overloaded } });
  log.retry(1, 2_000, overloaded, retryId);
  log.failedAttempt({ finish: { kind: 'error', failure: overloaded } });
  log.retry(2, 4_000, overloaded, retryId);
  log.work({
    reasoning: 'First the engines field and the CI image, then install and run everything.',
    calls: [
      grep('node-version|"engines"', '.', [
        '.github/workflows/ci.yml:18:          node-version: 20',
        'package.json:9:  "engines": { "node": ">=20" },',
      ]),
      bash(
        'node --version && npm ci 2>&1 | tail -4',
        'v24.11.0\nnpm error gyp ERR! build error\nnpm error gyp ERR! stack Error: `make` failed with exit code: 2',
        { exit: 1, takes: 31_000 },
      ),
    ],
  });
  log.work({
    text: 'A native module does not build. Checking which one.',
    calls: [bash('npm ls --depth=0 | grep -i -E "sqlite|canvas|bcrypt"', '├── better-sqlite3@9.4.0', { takes: 900 })],
  });
  log.startStep();
  log.failedAttempt({
    reasoning: 'better-sqlite3 9 has no prebuilt binary for',
    finish: { kind: 'error', failure: { message: 'The stream broke.', code: 'TRANSPORT' } },
  });
  log.endTurn({
    kind: 'error',
    error: { message: 'The connection to the model was lost.', code: 'TRANSPORT', requestId: 'req_7f31' },
  });

  log.wait(95_000).prompt('Try again.');
  log.work({
    calls: [
      bash(
        'npm install better-sqlite3@12 && npm test --silent',
        ' Test Files  1 failed | 30 passed (31)\n ✗ test/url.test.ts > parses a host without scheme',
        { exit: 1, takes: 44_000 },
      ),
    ],
  });
  log.startStep();
  log.answer({
    text: 'The module builds now. One test is left: `url.parse` throws for hosts without a',
    interrupted: true,
    finish: { kind: 'aborted', failure: { message: 'Cancelled.', code: 'ABORTED' } },
  });
  log.endTurn({ kind: 'aborted', reason: { kind: 'user' } });

  log.wait(15_000).prompt('Use URL.canParse there, and push.');
  log.emit('hook/invoked', {
    turn: log.turn,
    point: 'PreToolUse',
    dialect: 'claude-code',
    handlerId: 'no-push',
    matcher: 'bash',
  });
  log.emit('hook/result', {
    turn: log.turn,
    point: 'PreToolUse',
    handlerId: 'no-push',
    decision: 'block',
    durationMs: 38,
    exitCode: 2,
    stderrSummary: 'pushing is not allowed from here',
  });
  log.endTurn({ kind: 'blocked' });

  play(log, [
    {
      ask: 'Then without pushing.',
      after: 22_000,
      steps: [
        {
          calls: [
            edit('src/url.ts', 'return parse(text)', 'return URL.canParse(text) ? new URL(text) : undefined'),
            bash('npm test --silent', ' Test Files  31 passed (31)\n      Tests  412 passed (412)', { takes: 12_900 }),
          ],
        },
      ],
      answer:
        'Node 24 works: `better-sqlite3` 12, `URL.canParse` instead of `url.parse`, CI on the new image. Nothing was pushed.',
    },
  ]);
  return log;
}

/** Many calls in one step, twice; one is called with arguments that are no JSON. */
export function deadFlags(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-c4f0a2d6-51e5-4b3c-8d77-5e1d5a0b6e40',
    cwd,
    createdAt,
    tokensPerCharacter: 2,
  });
  log.setUp();
  const flags = ['newCheckout', 'fastSearch', 'darkMode', 'csvV2', 'bulkMail', 'betaReports'];
  play(log, [
    {
      ask: 'Which feature flags are never read any more? Check all of them at once.',
      after: 0,
      steps: [
        {
          calls: [
            read('src/flags.ts', flags.map((flag) => `export const ${flag} = flag('${flag}')`).join('\n')),
            glob('src/**/*.ts', ['src/api/invoices.ts', 'src/reports/monthly.ts', 'src/ui/theme.ts']),
          ],
        },
        {
          says: 'Six flags, six searches side by side.',
          calls: flags.map((flag, i) =>
            grep(`\\b${flag}\\b`, 'src', i % 3 === 1 ? [] : [`src/ui/page-${String(i)}.ts:${String(10 + i)}: if (${flag}()) {`]),
          ),
        },
        {
          calls: [
            {
              name: 'bash',
              args: '{"command":"git log -1 --format=%as -S',
              result: 'Error: the arguments are not JSON.',
              error: { name: 'ToolArgumentError', code: 'INVALID_ARGUMENTS' },
              takes: 4,
            },
          ],
        },
        {
          calls: [
            bash(
              'for f in fastSearch bulkMail; do git log -1 --format="%as $f" -S"$f()" -- src; done',
              '2025-03-02 fastSearch\n2025-11-19 bulkMail',
              { takes: 1_700 },
            ),
          ],
        },
      ],
      answer:
        'Two of six: `fastSearch` (last read in March 2025) and `bulkMail` (November 2025). The other four are read in `src/ui`.',
    },
  ]);
  log.title('Find dead feature flags');
  log.wait(33_000).command('feedback', 'quick and right', () => {
    log.emit('feedback/record', { text: 'quick and right' });
    return undefined;
  });
  return log;
}

/** A turn that is still going on: a call has started and its result is not there yet. */
export function csvExport(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-e7b8d1c2-8c3f-4d06-a2f5-0f6a7b8c9d50',
    cwd,
    createdAt,
    tokensPerCharacter: 2,
  });
  log.setUp();
  play(log, [
    {
      ask: 'The CSV export loads all invoices into memory. Make it stream.',
      after: 0,
      steps: [
        {
          calls: [
            read(
              'src/reports/csv.ts',
              'export async function exportCsv(out: Writable): Promise<void> {\n  const all = await store.findAll()\n  out.end(all.map(toLine).join("\\n"))\n}',
            ),
          ],
        },
      ],
      answer:
        'It builds one string of everything. I would iterate the rows and write with backpressure; `stream.pipeline` does both. Shall I?',
    },
  ]);
  log.title('Stream the CSV export');
  log.wait(31_000).prompt('Yes please, and measure the memory before and after.');
  log.work({
    calls: [
      edit(
        'src/reports/csv.ts',
        'const all = await store.findAll()\n  out.end(all.map(toLine).join("\\n"))',
        'await pipeline(store.iterate(), toLines, out)',
      ),
    ],
  });
  const command = JSON.stringify({
    command: 'node --max-old-space-size=64 bench/export.mjs',
    description: 'Export under a small heap',
  });
  log.startStep();
  log.answer({ text: 'Measuring with a small heap.', calls: [{ id: 'call_measure', name: 'bash', arguments: command }] });
  log.call({ id: 'call_measure', name: 'bash', arguments: command });
  return log;
}

/** An image in the prompt, later taken out of the context; plan mode and a goal. */
export function brokenLayout(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-3d2c1b0a-9f8e-4d7c-b6a5-948372615f60',
    cwd,
    createdAt,
    tokensPerCharacter: 3,
  });
  log.setUp();
  log.emit('plan/mode', { active: true });
  const prompt = log.prompt([
    { type: 'text', text: 'The totals column wraps on narrow screens, see the screenshot. Plan a fix first.' },
    {
      type: 'image',
      attachment: {
        attachmentId: `sha256:${'3f'.repeat(32)}`,
        mediaType: 'image/png',
        width: 1280,
        height: 720,
        bytes: 148_233,
        name: 'narrow.png',
      },
    },
  ]);
  log.title('Totals column wraps on narrow screens');
  log.reply('Plan: make the column `white-space: nowrap`, let the description column shrink, and add a visual test at 360 px.');
  log.emit('plan/mode', { active: false });
  const goal = { id: 'goal-layout', objective: 'No wrapped totals at 360 px', maxGoalRounds: 4 };
  const at = log.now;
  log.emit('goal/change', {
    kind: 'goal/change',
    version: 1,
    operation: 'create',
    goal: { ...goal, revision: 1, phase: 'active' },
    roundsStarted: 0,
    createdAt: at,
    updatedAt: at,
  });
  play(log, [
    {
      ask: 'Do it.',
      after: 12_000,
      steps: [
        {
          calls: [
            edit('src/ui/table.css', '.total { text-align: right; }', '.total { text-align: right; white-space: nowrap; }'),
            bash('npx playwright test --project=narrow', '  3 passed (6.1s)', { takes: 7_300 }),
          ],
        },
      ],
      before: (l) => l.emit('image/offload', { targets: [{ seq: prompt, imageIndexes: [0] }] }),
      answer: 'Totals stay on one line down to 320 px; the visual test is in `test/visual/table.spec.ts`.',
    },
  ]);
  log.emit('goal/change', {
    kind: 'goal/change',
    version: 1,
    operation: 'complete',
    goal: { ...goal, revision: 2, phase: 'complete' },
    roundsStarted: 1,
    createdAt: at,
    updatedAt: log.now,
  });
  return log;
}
