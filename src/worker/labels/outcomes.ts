import { text, type Text } from '../../core/index.ts';
import { fields, OUTCOME, stringOf } from '../../timeline/index.ts';
import { line, plain } from './words.ts';

/** Why a turn ended. format/events.md §4; an unknown kind is shown by its name. */
export function turnReason(reason: unknown): Text {
  const { kind, reason: cause, error } = fields(reason);
  switch (kind) {
    case 'completed':
      return text('completed');
    case 'aborted':
      return abortReason(cause);
    case 'blocked':
      return text('blocked');
    case 'error':
      return failure(error);
    case 'max-tokens':
      return text('output limit reached');
    case 'interrupted':
      return text('interrupted');
    case 'forked':
      return text('forked here');
    default:
      return plain(line(kind, 60) || '?');
  }
}

function abortReason(cause: unknown): Text {
  const { kind, reason } = fields(cause);
  switch (kind) {
    case 'user':
      return text('aborted by user');
    case 'parent':
      return text('aborted by parent');
    case 'hook':
      return text('aborted by hook: {reason}', { reason: line(reason, 120) });
    case 'disposed':
      return text('aborted, session closed');
    default:
      return text('aborted');
  }
}

/** A model failure: code and words. */
export function failure(error: unknown): Text {
  const { code, message } = fields(error);
  const words = line(message, 160);
  const name = line(code, 60);
  if (words === '') return name === '' ? text('failed') : text('error {code}', { code: name });
  return name === ''
    ? text('error: {message}', { message: words })
    : text('error {code}: {message}', { code: name, message: words });
}

/** The same in two parts, for a row: what it says, and what kind of failure it is, each once. */
export function failureParts(error: unknown): { readonly detail: string; readonly note: Text } {
  const { code, message } = fields(error);
  const name = line(code, 60);
  return { detail: line(message, 160), note: name === '' ? text('error') : text('error {code}', { code: name }) };
}

/** What is said of something that has not been answered. */
export function unanswered({ isOver = false }: { readonly isOver?: boolean }): Text {
  return isOver ? text('abandoned') : text('open');
}

/** The note of a turn or step that did not simply complete. */
export function outcomeText(outcome: number): Text | undefined {
  switch (outcome) {
    case OUTCOME.open:
      return text('open');
    case OUTCOME.error:
      return text('error');
    case OUTCOME.aborted:
      return text('aborted');
    case OUTCOME.interrupted:
      return text('interrupted');
    case OUTCOME.maxTokens:
      return text('output limit reached');
    case OUTCOME.blocked:
      return text('blocked');
    case OUTCOME.forked:
      return text('forked here');
    case OUTCOME.abandoned:
      return text('abandoned');
    default:
      return undefined;
  }
}

/** Kind of the finish a stream ended with, and its failure. */
export function finishFailure(stream: readonly unknown[]): unknown {
  for (let i = stream.length - 1; i >= 0; i--) {
    const chunk = fields(fields(stream[i])['chunk']);
    if (stringOf(chunk['type']) === 'finish') return fields(chunk['reason'])['failure'];
  }
  return undefined;
}
