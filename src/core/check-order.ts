import { CallOrder } from './check-calls.ts';
import { CompactionOrder } from './check-compaction.ts';
import { CommandAndTitleOrder, DispatchOrder, RetryOrder, SessionRecords } from './check-records.ts';
import { recordOf, type OrderContext, type OrderPart, type Report } from './check-rules.ts';
import { TurnOrder } from './check-turns.ts';
import type { SessionHeader, StoredEvent } from './events.ts';
import { SurfaceFold, type EventLookup } from './surface.ts';

/**
 * The order rules of one log, without the surface: an event after the other, each before the surface takes it. Tolerant: after a broken
 * rule it goes on as if the event had said what was due. format/events.md §7.
 */
export class LogOrder {
  readonly #parts: readonly OrderPart[];

  /** `surface` is the fold of the same log, and `eventAt` finds its earlier nodes, request headers and message projections. */
  constructor(version: number, header: SessionHeader, surface: SurfaceFold, eventAt: EventLookup, report: Report) {
    const context: OrderContext = { version, header, surface, eventAt, report, turn: undefined, step: undefined };
    // Calls look at the step before the turn order closes it; compactions at the surface before their replacement lands.
    this.#parts = [
      new CallOrder(context),
      new CompactionOrder(context),
      new RetryOrder(context),
      new TurnOrder(context),
      new CommandAndTitleOrder(context),
      new DispatchOrder(context),
      new SessionRecords(context),
    ];
  }

  apply(event: StoredEvent): void {
    const data = recordOf(event.data);
    for (const part of this.#parts) part.apply(event, data);
  }

  finish(): void {
    for (const part of this.#parts) part.finish?.();
  }
}

/**
 * The relations between the events of one log: surface and order. Events come in order, in today's shape of their version.
 * format/events.md §7, format/surface.md §3.
 */
export class LogRelations {
  readonly surface: SurfaceFold;
  readonly #order: LogOrder;
  readonly #report: Report;
  readonly #kept = new Map<number, StoredEvent>();

  constructor(version: number, header: SessionHeader, report: Report) {
    const eventAt = (seq: number): StoredEvent | undefined => this.#kept.get(seq);
    this.surface = new SurfaceFold(version, eventAt);
    this.#report = report;
    this.#order = new LogOrder(version, header, this.surface, eventAt, report);
  }

  /** `isInPlace`: false for an event whose seq is taken already, which then cannot stand on the surface. */
  apply(event: StoredEvent, isInPlace = true): void {
    this.#order.apply(event);
    if (event.type === 'assistant/chunk' || !isInPlace) return;
    if (this.#isKept(event)) this.#kept.set(event.seq, event);
    const problem = this.surface.apply(event);
    if (problem !== undefined) this.#report('surface', event.seq, problem);
  }

  finish(): void {
    this.#order.finish();
  }

  /** The fold reads nodes, request headers and message projections again. */
  #isKept(event: StoredEvent): boolean {
    return this.surface.dialect.surfaceTypes.has(event.type) || event.type === 'request/header' || event.type === 'image/offload';
  }
}
