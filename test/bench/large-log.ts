import { LogBuilder } from '../support/log-builder.ts';

const created = Date.UTC(2026, 10, 2, 9, 0, 0);

/**
 * A well-formed v4 log of at least `lines` stored lines: turns of a prompt, a few steps with two calls each and an answer, folded into a
 * summary every forty turns.
 */
export function largeLog(lines: number, options: { readonly id?: string; readonly cwd?: string } = {}): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: options.id ?? `large-${String(lines)}`,
    createdAt: created,
    cwd: options.cwd ?? '/home/dev/large',
    contextWindow: 256_000,
  });
  log.title(`A log of ${String(lines)} lines`, 'user');
  for (let turn = 1; log.events.length + 1 < lines; turn++) {
    log.prompt(`Part ${String(turn)}: look through the module, find what is slow and make it quick.`);
    for (let step = 1; step <= 4 + (turn % 5); step++) {
      log.work({
        reasoning: `The module has several loops. Step ${String(step)} of part ${String(turn)} looks at the next one and at what calls it.`,
        text: `Looking at loop ${String(step)}.`,
        calls: [
          { name: 'read', args: { path: `src/part-${String(turn)}/file-${String(step)}.ts` }, result: body(turn, step) },
          {
            name: 'bash',
            args: { command: `node --test part-${String(turn)}` },
            result: `ok ${String(step)} - passes\n# fail 0`,
          },
        ],
      });
    }
    log.reply(`Part ${String(turn)} is done: the loop over all rows is gone, the test passes.`);
    if (turn % 40 === 0) log.compact(`Parts 1 to ${String(turn)} are done. Every loop over all rows was replaced.`, { keep: 4 });
    log.wait(5_000 + (turn % 7) * 60_000);
  }
  return log;
}

const body = (turn: number, step: number): string =>
  Array.from(
    { length: 12 },
    (_, i) => `export const value${String(i)} = compute(${String(turn)}, ${String(step)}, ${String(i * 37)});`,
  ).join('\n');
