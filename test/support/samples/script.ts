import type { Block } from '../../../src/core/messages.ts';
import type { CallSpec, LogBuilder } from '../log-builder.ts';

/** A sample conversation as it reads: what was asked, what was done, what was answered. */
export interface TurnScript {
  readonly ask: string | readonly Block[];
  readonly steps?: readonly StepScript[];
  readonly answer: string;
  readonly thinks?: string;
  /** Milliseconds before the question. */
  readonly after?: number;
  /** Runs between the last step and the answer. */
  readonly before?: (log: LogBuilder) => void;
}

export type SampleCall = CallSpec & {
  /** The user was asked, for this reason, and answered so. */
  readonly approval?: { readonly reason: string; readonly outcome: 'allowed-once' | 'rejected' };
};

export interface StepScript {
  readonly thinks?: string;
  readonly says?: string;
  readonly calls: readonly SampleCall[];
  /** Runs after the step has ended. */
  readonly then?: (log: LogBuilder) => void;
}

export function play(log: LogBuilder, turns: readonly TurnScript[]): LogBuilder {
  for (const turn of turns) {
    log.wait(turn.after ?? 45_000);
    log.prompt(turn.ask);
    for (const step of turn.steps ?? []) {
      log.work({
        ...(step.thinks === undefined ? {} : { reasoning: step.thinks }),
        ...(step.says === undefined ? {} : { text: step.says }),
        calls: step.calls.map((call) => ({
          ...call,
          during: ({ id }) => {
            happen(log, call, id);
          },
        })),
      });
      step.then?.(log);
    }
    turn.before?.(log);
    log.reply(turn.answer, turn.thinks === undefined ? {} : { reasoning: turn.thinks });
  }
  return log;
}

/** What a running call leaves in the log besides its result. */
function happen(log: LogBuilder, call: SampleCall, callId: string): void {
  if (call.approval !== undefined) {
    const id = log.newId();
    log.emit('approval/asked', { id, toolName: call.name, callId, reason: call.approval.reason });
    log.wait(7_400).emit('approval/decided', { id, outcome: call.approval.outcome });
  }
  if (call.name === 'todo_write' && typeof call.args !== 'string') {
    log.emit('todo/write', {
      todos: call.args['todos'] as { content: string; status: 'pending' | 'in_progress' | 'completed' }[],
    });
  }
}

/** A log whose last event happened at `end`; `make` gets the time it has to begin for that. */
export function endingAt(end: number, make: (createdAt: number) => LogBuilder): LogBuilder {
  const trial = make(0);
  return make(end - trial.now);
}

export function bash(
  command: string,
  output: string,
  options: { exit?: number; takes?: number; description?: string } = {},
): CallSpec {
  const { exit = 0, description } = options;
  return {
    name: 'bash',
    args: { command, ...(description === undefined ? {} : { description }) },
    result: exit === 0 ? output : `${output}\n[exit code ${String(exit)}]`,
    meta: { code: exit },
    ...(options.takes === undefined ? {} : { takes: options.takes }),
    ...(exit === 0 ? {} : { error: { name: 'CommandFailedError', code: 'NON_ZERO_EXIT' } }),
  };
}

export function read(path: string, text: string): CallSpec {
  const lines = text.split('\n').map((line, i) => ({ number: i + 1, text: line }));
  const shown = lines.map((line) => `${String(line.number)}: ${line.text}`).join('\n');
  return {
    name: 'read',
    args: { file_path: path },
    result: `[file] ${path}\n${shown}\n\n-- ${String(lines.length)} lines --`,
    takes: 25,
    meta: { path, offset: 1, lines, totalLines: lines.length, lang: path.split('.').at(-1) ?? '' },
  };
}

export function edit(path: string, oldText: string, newText: string): CallSpec {
  return {
    name: 'edit',
    args: { file_path: path, old_string: oldText, new_string: newText },
    result: `Saved ${path}.`,
    takes: 40,
    meta: { diffs: [{ path, oldText, newText }] },
  };
}

export function write(path: string, content: string): CallSpec {
  return {
    name: 'write',
    args: { file_path: path, content },
    result: `[file] ${path}\ncreated`,
    takes: 35,
    meta: { diffs: [{ path, oldText: '', newText: content }] },
  };
}

export function grep(pattern: string, path: string, hits: readonly string[]): CallSpec {
  return { name: 'grep', args: { pattern, path }, result: hits.length === 0 ? 'No matches.' : hits.join('\n'), takes: 90 };
}

export function glob(pattern: string, paths: readonly string[]): CallSpec {
  return {
    name: 'glob',
    args: { pattern },
    result: paths.join('\n'),
    takes: 60,
    meta: { shape: 'paths', paths, truncated: false, total: paths.length },
  };
}

export function todoWrite(...items: readonly (readonly [string, 'pending' | 'in_progress' | 'completed'])[]): CallSpec {
  return {
    name: 'todo_write',
    args: { todos: items.map(([content, status]) => ({ content, status })) },
    result: `Task list: ${String(items.filter(([, status]) => status === 'completed').length)} of ${String(items.length)} done.`,
    takes: 12,
  };
}
