import { AttemptFold, type Attempt } from './attempts.ts';
import type { Report } from './check-rules.ts';
import type { StoredEvent } from './events.ts';
import { text } from './text.ts';

/**
 * "Model-visible ⟺ logged": every model output has a request header and a route before it, and a request that can be derived. Releases
 * before routes were recorded, and programs that write through the store alone, log no `request/context` at all; then the header's
 * provider and model are the route, so a missing route counts only in a log that records routes.
 */
export class ModelVisibleCheck {
  readonly #attempts: AttemptFold;
  readonly #report: Report;
  #recordsRoutes = false;
  #firstNode: number | undefined;
  #firstBroken: number | undefined;

  constructor(version: number, report: Report) {
    this.#attempts = new AttemptFold(version);
    this.#report = report;
  }

  apply(event: StoredEvent): void {
    this.#attempts.apply(event);
    if (event.type === 'request/context') this.#recordsRoutes = true;
  }

  /** The surface has a node from this event on. */
  noteNode(seq: number): void {
    this.#firstNode ??= seq;
  }

  /** From this event on nothing can be derived for certain. */
  noteBroken(seq: number): void {
    this.#firstBroken ??= seq;
  }

  finish(): void {
    // A step without an answer has no output to account for; one still open at the end is judged once something settles it.
    for (const attempt of this.#attempts.attempts()) if (attempt.outcome !== 'unanswered') this.#judge(attempt);
  }

  #judge(attempt: Attempt): void {
    const { turn, step, beforeSeq, headerSeq, contextSeq } = attempt;
    const seq = attempt.settledSeq ?? beforeSeq;
    const place = { seq, turn, step };
    if (headerSeq === undefined) {
      this.#report(
        'model-visible-header',
        seq,
        text('The model answers at #{seq} (turn {turn}, step {step}) without any request header before it', place),
      );
    }
    if (contextSeq === undefined && this.#recordsRoutes) {
      this.#report(
        'model-visible-route',
        seq,
        text('The model answers at #{seq} (turn {turn}, step {step}) without any route before it', place),
      );
    }
    if (this.#firstBroken !== undefined && this.#firstBroken < beforeSeq) {
      const broken = this.#firstBroken;
      this.#report(
        'model-visible-request',
        seq,
        text('What the model saw at #{seq} (turn {turn}, step {step}) cannot be derived, because of #{broken}', {
          ...place,
          broken,
        }),
      );
    } else if (this.#firstNode === undefined || this.#firstNode >= beforeSeq) {
      this.#report(
        'model-visible-request',
        seq,
        text('The model answers at #{seq} (turn {turn}, step {step}) though no message precedes it', place),
      );
    }
  }
}
