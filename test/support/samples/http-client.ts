import { forkLog } from '../fork-log.ts';
import { LogBuilder } from '../log-builder.ts';
import { bash, edit, grep, play, read, todoWrite, write } from './script.ts';

/** A chat with tools: a flaky test found and mended, with an approval, failing commands and a task list. */
export function flakyRetry(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-5b1f0c1e-6a0d-4d52-9a61-0f6f0f5b7c01',
    cwd,
    createdAt,
    tokensPerCharacter: 4,
    agentPreset: 'ptc',
  });
  log.setUp();
  play(log, [
    {
      ask: 'The test "retries with backoff" in test/http-client.test.ts fails about one run in ten on CI. Find out why and fix the cause, not the test.',
      after: 0,
      steps: [
        {
          thinks:
            'A flaky test around backoff usually means real timers, a shared random source, or an assertion on wall-clock time. I should look at the test and the client first, then try to reproduce it with many runs.',
          says: "I'll read the test and the client, then reproduce it before changing anything.",
          calls: [
            read(
              'test/http-client.test.ts',
              "import { HttpClient } from '../src/http-client.ts'\n\ntest('retries with backoff', async () => {\n  const server = await flakyServer({ failures: 2 })\n  const client = new HttpClient({ retries: 3, baseDelay: 20 })\n  const started = Date.now()\n  const response = await client.get(server.url)\n  expect(response.status).toBe(200)\n  expect(Date.now() - started).toBeGreaterThanOrEqual(60)\n})",
            ),
            read(
              'src/http-client.ts',
              'export class HttpClient {\n  async get(url: string): Promise<Response> {\n    let attempt = 0\n    for (;;) {\n      try {\n        const response = await fetch(url)\n        if (response.status < 500) return response\n        throw new HttpError(response.status)\n      } catch (error) {\n        if (attempt >= this.options.retries) throw error\n        const jitter = Math.random()\n        await sleep(this.options.baseDelay * 2 ** attempt * jitter)\n        attempt += 1\n      }\n    }\n  }\n}',
            ),
          ],
          then: (log) => {
            log.title('Fix the flaky retry test');
          },
        },
        {
          thinks:
            'The delay is baseDelay * 2^attempt * jitter with jitter in [0, 1). So the total of two waits is anywhere between 0 and 60 ms, while the test demands at least 60. That cannot hold in general. Let me confirm with a loop.',
          calls: [
            bash(
              'for i in $(seq 1 40); do npx vitest run test/http-client.test.ts >/dev/null 2>&1 || echo "run $i failed"; done',
              'run 7 failed\nrun 12 failed\nrun 31 failed\nrun 38 failed',
              { takes: 38_200, description: 'Run the test forty times' },
            ),
          ],
        },
        {
          says: 'Reproduced: 4 of 40. The jitter multiplies the whole delay, so a wait can be almost zero.',
          calls: [
            todoWrite(
              ['Use equal jitter: half fixed, half random', 'in_progress'],
              ['Inject the random source', 'pending'],
              ['Assert on the delays, not on the clock', 'pending'],
            ),
            edit(
              'src/http-client.ts',
              'const jitter = Math.random()\n        await sleep(this.options.baseDelay * 2 ** attempt * jitter)',
              'const delay = this.options.baseDelay * 2 ** attempt\n        await sleep(delay / 2 + (delay / 2) * this.options.random())',
            ),
            edit(
              'src/http-client.ts',
              'readonly baseDelay: number',
              'readonly baseDelay: number\n  /** A number in [0, 1); replaced in tests. */\n  readonly random: () => number',
            ),
          ],
        },
        {
          calls: [
            bash(
              'npx tsc --noEmit && npx vitest run test/http-client.test.ts',
              "src/orders/sync.ts:14:31 - error TS2741: Property 'random' is missing in type '{ retries: number; baseDelay: number; }'.\n\n14   const client = new HttpClient({ retries: 5, baseDelay: 200 })\n                                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n\nFound 1 error.",
              { exit: 2, takes: 6_900 },
            ),
          ],
        },
        {
          thinks: 'Make the option optional with Math.random as its default; callers should not care.',
          calls: [
            edit('src/http-client.ts', 'readonly random: () => number', 'readonly random?: () => number'),
            edit('src/http-client.ts', 'this.options.random()', '(this.options.random ?? Math.random)()'),
            bash(
              'npx tsc --noEmit && npx vitest run test/http-client.test.ts',
              ' ✓ test/http-client.test.ts (6 tests) 214ms\n\n Test Files  1 passed (1)\n      Tests  6 passed (6)',
              {
                takes: 8_400,
              },
            ),
          ],
          then: (log) =>
            log.todos(
              ['Use equal jitter: half fixed, half random', 'completed'],
              ['Inject the random source', 'completed'],
              ['Assert on the delays, not on the clock', 'in_progress'],
            ),
        },
      ],
      answer:
        'The cause was in the client: with **full jitter** a retry could wait almost no time at all, so the total was anywhere between 0 and 60 ms while the test asked for at least 60.\n\n- `get` now uses *equal jitter*: half of the delay is fixed, half is random.\n- The random source is an option, so tests can pin it.\n\nThe test still measures the clock. Shall I make it assert on the requested delays instead?',
    },
    {
      ask: 'Yes, and run it a hundred times afterwards.',
      after: 186_000,
      steps: [
        {
          calls: [
            edit(
              'test/http-client.test.ts',
              'const started = Date.now()\n  const response = await client.get(server.url)\n  expect(response.status).toBe(200)\n  expect(Date.now() - started).toBeGreaterThanOrEqual(60)',
              'const response = await client.get(server.url)\n  expect(response.status).toBe(200)\n  expect(slept).toEqual([15, 30])',
            ),
            {
              ...bash(
                'for i in $(seq 1 100); do npx vitest run test/http-client.test.ts >/dev/null 2>&1 || echo "run $i failed"; done; echo done',
                'done',
                {
                  takes: 64_000,
                  description: 'Run the test a hundred times',
                },
              ),
              approval: { reason: 'runs for more than a minute', outcome: 'allowed-once' },
            },
          ],
          then: (log) =>
            log.todos(
              ['Use equal jitter: half fixed, half random', 'completed'],
              ['Inject the random source', 'completed'],
              ['Assert on the delays, not on the clock', 'completed'],
            ),
        },
      ],
      answer:
        'A hundred runs, no failure. The test now checks the delays the client asked for (15 ms, then 30 ms with the random source pinned to 0.5) and no longer the clock.',
    },
    {
      ask: 'Are there other places that sleep with full jitter?',
      after: 95_000,
      steps: [
        {
          calls: [
            grep('Math\\.random\\(\\)', 'src', [
              'src/orders/sync.ts:52:    await sleep(POLL_MS * Math.random())',
              'src/cache/evict.ts:18:  if (Math.random() < SAMPLE) evict()',
              'src/ids.ts:9:  return Math.random().toString(36).slice(2)',
            ]),
          ],
        },
        {
          thinks:
            'Only sync.ts sleeps. evict is sampling, which is fine. ids.ts is not about sleeping, but Math.random ids may collide; worth a word.',
          calls: [
            read(
              'src/orders/sync.ts',
              'export async function pollOrders(): Promise<void> {\n  for (;;) {\n    await pollOnce()\n    await sleep(POLL_MS * Math.random())\n  }\n}',
            ),
          ],
        },
      ],
      answer:
        'One: `src/orders/sync.ts:52` polls after anywhere between 0 and `POLL_MS`, so it can hammer the server in bursts. `cache/evict.ts` only samples, that is fine. Not about sleeping, but `src/ids.ts` makes ids with `Math.random`; `crypto.randomUUID()` would be safer.',
    },
  ]);
  log.wait(52_000).prompt('Fix the polling the same way.');
  log.work({
    text: 'Same shape as in the client; I will move the rule into one function.',
    calls: [
      {
        ...write(
          'src/jitter.ts',
          '/** Half of the delay fixed, half random. */\nexport function equalJitter(delay: number, random = Math.random): number {\n  return delay / 2 + (delay / 2) * random()\n}\n',
        ),
      },
      edit('src/orders/sync.ts', 'await sleep(POLL_MS * Math.random())', 'await sleep(equalJitter(POLL_MS))'),
      bash('npm test --silent', ' Test Files  31 passed (31)\n      Tests  412 passed (412)\n   Duration  11.80s', {
        takes: 13_100,
      }),
    ],
  });
  log.reply('Done. `equalJitter` lives in `src/jitter.ts`; the client and the poller both use it. All 412 tests pass.');
  log.emit('workspace/changes', { turn: log.turn });
  return log;
}

/** A fork of {@link flakyRetry} after its first turn, and a fork of that fork after its own first turn. */
export function flakyRetryForks(parent: LogBuilder, later: number): readonly [LogBuilder, LogBuilder] {
  const end = endOfTurn(parent, 1);
  const child = forkLog(parent, end, {
    id: 'session-8c20f7aa-1d2b-4a55-8f0e-52d0b34c9e02',
    cwd: parent.header.cwd ?? '',
    createdAt: later,
    tokensPerCharacter: 4,
  });
  play(child, [
    {
      ask: 'Instead of changing the client, could the test use fake timers?',
      after: 21_000,
      steps: [
        {
          thinks:
            'With fake timers the clock advances only on demand, so elapsed time equals the sum of the sleeps. With full jitter that sum is still random, unless Math.random is stubbed too.',
          calls: [
            bash(
              'git diff --stat && git stash list | head -3',
              ' src/http-client.ts | 6 ++++--\n 1 file changed, 4 insertions(+), 2 deletions(-)',
              { takes: 120 },
            ),
            edit(
              'test/http-client.test.ts',
              "test('retries with backoff', async () => {",
              "test('retries with backoff', async () => {\n  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] })\n  vi.spyOn(Math, 'random').mockReturnValue(0.5)",
            ),
            bash('npx vitest run test/http-client.test.ts', ' ✗ retries with backoff\n   Error: Test timed out in 5000ms.', {
              exit: 1,
              takes: 5_900,
            }),
          ],
        },
        {
          says: 'The request itself waits on real sockets, which never advance the fake clock.',
          calls: [
            edit(
              'test/http-client.test.ts',
              'const response = await client.get(server.url)',
              'const pending = client.get(server.url)\n  await vi.runAllTimersAsync()\n  const response = await pending',
            ),
            bash('npx vitest run test/http-client.test.ts', ' ✓ test/http-client.test.ts (6 tests) 96ms', { takes: 3_800 }),
          ],
        },
      ],
      answer:
        'It works, but at a price: the test must stub `Math.random` as well, and it drives the clock by hand between real socket events. I would keep the change in the client and not need any of this.',
    },
  ]);
  child.title('Fake timers instead of a client change', 'user');
  const grandchild = forkLog(child, endOfTurn(child, 2), {
    id: 'session-d94e3f10-77b1-4f0c-b1a9-3be0a6c1aa03',
    cwd: parent.header.cwd ?? '',
    createdAt: later + 900_000,
    tokensPerCharacter: 4,
  });
  play(grandchild, [
    {
      ask: 'Then write the trade-off down in docs/testing.md, ten lines at most.',
      after: 12_000,
      steps: [
        {
          calls: [
            write(
              'docs/testing.md',
              '# Timers in tests\n\nPrefer injecting the source of delay over faking the clock:\n\n- a pinned random source makes the delays exact,\n- real sockets keep working,\n- nothing global has to be restored afterwards.\n',
            ),
          ],
        },
      ],
      answer: 'Written: three reasons and one rule, nine lines.',
    },
  ]);
  return [child, grandchild];
}

/** The seq of a turn's end. */
function endOfTurn(log: LogBuilder, turn: number): number {
  const end = log.events.find((event) => event.type === 'turn/end' && (event.data as { turn: number }).turn === turn);
  if (end === undefined) throw new Error(`turn ${String(turn)} has not ended`);
  return end.seq;
}
