import { LogBuilder, type Version } from './log-builder.ts';
import { randomFrom, type Random } from './random.ts';
import { bash, edit, grep, read, type SampleCall } from './samples/script.ts';

export interface LargeLogOptions {
  readonly version?: Version;
  readonly id?: string;
  readonly cwd?: string;
  /** Epoch milliseconds of the header. */
  readonly createdAt?: number;
}

const FOLD_AT_TOKENS = 180_000;

/**
 * A valid log of exactly `lines` stored lines in formats without packed lines (the header counts as one): turns of a few steps with one to
 * three calls each, failing calls, task lists, and a compaction whenever the context is full. The last turn may be left open.
 */
export function buildLargeLog(lines: number, options: LargeLogOptions = {}): LogBuilder {
  const log = new LogBuilder({
    version: options.version ?? 4,
    id: options.id ?? `session-large-${String(lines)}`,
    cwd: options.cwd ?? '/home/dev/large',
    createdAt: options.createdAt ?? 1_790_000_000_000,
    contextWindow: 200_000,
    tokensPerCharacter: 2,
  });
  const random = randomFrom(`large-${String(lines)}`);
  const enough = lines - 1;
  log.setUp();
  while (log.events.length < enough) {
    log.wait(20_000 + random.below(120_000)).prompt(`${sentence(random, 8)} (${String(log.turn + 1)})`);
    if (log.turn === 1) log.title(sentence(random, 4));
    const steps = 1 + random.below(9);
    for (let step = 0; step < steps && log.events.length < enough; step++) {
      log.work({
        ...(random.below(2) === 0 ? { reasoning: sentence(random, 14) } : {}),
        ...(random.below(3) === 0 ? { text: sentence(random, 9) } : {}),
        calls: Array.from({ length: 1 + random.below(3) }, () => someCall(random)),
      });
      if (log.contextTokens() > FOLD_AT_TOKENS) log.compact(`## Done\n${sentence(random, 30)}`, { keep: 0 });
    }
    if (random.below(6) === 0) log.todos([sentence(random, 3), 'completed'], [sentence(random, 4), 'in_progress']);
    log.reply(sentence(random, 25));
  }
  log.events.length = enough;
  return log;
}

function someCall(random: Random): SampleCall {
  const file = `src/${random.pick(WORDS)}/${random.pick(WORDS)}-${String(random.below(400))}.ts`;
  switch (random.below(5)) {
    case 0:
      return read(
        file,
        Array.from({ length: 3 + random.below(8) }, () => `const ${random.pick(WORDS)} = ${sentence(random, 4)}`).join('\n'),
      );
    case 1:
      return edit(file, sentence(random, 3), sentence(random, 5));
    case 2:
      return grep(
        random.pick(WORDS),
        'src',
        Array.from({ length: random.below(6) }, () => `${file}:${String(random.below(300))}: ${sentence(random, 5)}`),
      );
    case 3:
      return bash(`npx vitest run ${file}`, `${sentence(random, 6)}\n1 failed`, { exit: 1 });
    default:
      return bash(
        `git log --oneline -- ${file}`,
        Array.from({ length: 1 + random.below(7) }, () => `${random.below(2 ** 28).toString(16)} ${sentence(random, 5)}`).join(
          '\n',
        ),
      );
  }
}

function sentence(random: Random, words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
}

const WORDS = (
  'account adapter answer archive batch binary branch buffer cache channel client clock column commit cursor delay digest driver editor engine ' +
  'error event export field filter folder format frame gate graph handler header history import index invoice journal kernel key label lane ' +
  'ledger limit list loader lock margin marker message meter module number offset option order owner packet panel parser patch path payment ' +
  'player policy prefix process prompt query queue reader record region replay report request result retry route row sample schema scope seed ' +
  'segment server session signal socket source span stage step store stream surface table task test thread timer token tool trace tree turn ' +
  'value vector view window worker writer 日志 会话 请求 结果 缓存 队列'
).split(' ');
