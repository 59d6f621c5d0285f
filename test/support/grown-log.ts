import fc from 'fast-check';
import { forkLog } from './fork-log.ts';
import { LogBuilder, type LogOptions, type Version } from './log-builder.ts';

export type Move =
  'prompt' | 'tool' | 'retry' | 'reply' | 'title' | 'todo' | 'compact' | 'prune' | 'resume' | 'steer' | 'preset' | 'branch';

/** How the log ends. `advertised`: with a call that was never started; `started`: with one that has no result. */
export type Ending = 'as it is' | 'advertised' | 'started';

/** A log grown by moves; one that does not fit the moment is passed over. `branch` goes on with a fork of the log so far. */
export function growLog(options: LogOptions, moves: readonly Move[], ending: Ending = 'as it is'): LogBuilder {
  let log = new LogBuilder({ tokensPerCharacter: 1, ...options });
  for (const move of moves) {
    if (move === 'prompt' && !log.turnOpen) log.prompt('do it');
    else if (move === 'tool' && log.stepOpen)
      log.work({ calls: [{ name: 'bash', args: { n: log.events.length }, result: 'ok' }] });
    else if (move === 'retry' && log.stepOpen) {
      log.failedAttempt({ text: 'half of an answer that came to nothing' });
      log.retry(1, 10, { message: 'busy', code: 'X' }, `r${String(log.events.length)}`);
      log.reply('after a retry');
    } else if (move === 'reply' && log.turnOpen) log.reply('done, with enough words for a run of chunks');
    else if (move === 'title' && log.nodes.length > 2 && !log.turnOpen) log.title('a title');
    else if (move === 'todo') log.todos(['x', 'pending']);
    else if (move === 'compact' && log.nodes.length > 3 && !log.stepOpen) log.compact('summary', { keep: 1 });
    else if (move === 'prune' && log.turnOpen) {
      const result = log.nodes.find((seq) => log.events[seq]?.type === 'tool/result');
      if (result !== undefined) log.prune(result, 'short');
    } else if (move === 'resume' && !log.turnOpen) log.endSeed();
    else if (move === 'steer' && log.stepOpen) log.inject('a hint', 'time-context');
    else if (move === 'preset' && log.turn === 0) log.push('agent-preset/selected', { agentPreset: 'reviewer' });
    else if (move === 'branch' && !log.turnOpen && log.events.length > 0) {
      log = forkLog(log, log.events.length - 1, { ...options, id: `${log.header.id}-b`, createdAt: log.now });
    }
  }
  if (ending !== 'as it is') {
    if (!log.turnOpen) log.prompt('and then?');
    if (!log.stepOpen) log.startStep();
    const calls = [
      { id: `c${String(log.events.length)}`, name: 'bash', arguments: '{}' },
      { id: `d${String(log.events.length)}`, name: 'read', arguments: '{}' },
    ];
    log.answer({ text: 'I will look.', calls });
    if (ending === 'started' && calls[0] !== undefined) log.call(calls[0]);
  }
  return log;
}

/** Moves of a log; prompts, tools and replies are more frequent than the rest. */
export const anyMoves: fc.Arbitrary<Move[]> = fc.array(
  fc.constantFrom<Move>(
    ...(['prompt', 'prompt', 'tool', 'tool', 'retry', 'reply', 'reply', 'title', 'todo'] as const),
    ...(['compact', 'prune', 'resume', 'steer', 'preset', 'branch'] as const),
  ),
  { maxLength: 30 },
);

export const anyVersion: fc.Arbitrary<Version> = fc.constantFrom<Version>(0, 1, 2, 3, 4);
export const anyEnding: fc.Arbitrary<Ending> = fc.constantFrom<Ending>('as it is', 'advertised', 'started');
