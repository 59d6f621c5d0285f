import { AttemptFold, type Attempt } from './attempts.ts';
import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import type { EpochHeader, RequestContext, SessionEvent, StepAddress } from './events.ts';
import type { Message } from './messages.ts';
import { contextOf, headerOf } from './request.ts';
import { deriveMessages } from './surface.ts';

/** What one model call was given. */
export interface ModelRequest {
  readonly attempt: Attempt;
  readonly messages: readonly Message[];
  /** Undefined when the log holds none before the call. */
  readonly header: EpochHeader | undefined;
  readonly route: RequestContext | undefined;
}

/**
 * The request of (turn, step, attempt), attempts counted from 1: the history before the attempt's first chunk or settling event, the latest
 * header and route. Undefined when the log has no such attempt. Throws when the prefix breaks the surface rules. format/surface.md §5.
 */
export function requestOf(
  events: readonly SessionEvent[],
  address: StepAddress & { readonly attempt: number },
  version: number = SESSION_FORMAT_VERSION,
): ModelRequest | undefined {
  const fold = new AttemptFold(version);
  for (const event of events) fold.apply(event);
  const attempt = fold
    .attempts()
    .find((each) => each.turn === address.turn && each.step === address.step && each.attempt === address.attempt);
  if (attempt === undefined) return undefined;
  const header = attempt.headerSeq === undefined ? undefined : events[attempt.headerSeq];
  const route = attempt.contextSeq === undefined ? undefined : events[attempt.contextSeq];
  return {
    attempt,
    messages: deriveMessages(events.slice(0, attempt.beforeSeq), { version }),
    header: header === undefined ? undefined : headerOf(header),
    route: route === undefined ? undefined : contextOf(route),
  };
}
