import { recordOf, shown, type OrderContext, type OrderPart } from './check-rules.ts';
import type { StoredEvent } from './events.ts';
import type { UnknownRecord } from './json.ts';
import { text, type Text } from './text.ts';

interface Open {
  readonly id: unknown;
  readonly turn: unknown;
  summaries: number;
}

/** Compactions: one at a time, in the turn they name, their spans exact slices of the surface. format/events.md §7. */
export class CompactionOrder implements OrderPart {
  readonly #context: OrderContext;
  #open: Open | undefined;
  /** A turn that ended over an open compaction: harmless when a later end-seed drops it. */
  #overrun: { readonly seq: number; readonly sentence: Text } | undefined;

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    switch (event.type) {
      case 'compaction/start':
        this.#start(event, data);
        return;
      case 'compaction/summary':
        this.#summary(event, data);
        return;
      case 'compaction/prune':
        this.#span(event, data);
        return;
      case 'compaction/end':
        this.#end(event, data);
        return;
      case 'session/end-seed':
        this.#open = undefined;
        this.#overrun = undefined;
        return;
      case 'turn/end':
        this.#turnEnd(event, data);
        return;
    }
  }

  finish(): void {
    if (this.#overrun !== undefined) this.#context.report('turn-end-open-compaction', this.#overrun.seq, this.#overrun.sentence);
  }

  #start(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn } = this.#context;
    const { seq } = event;
    if (this.#open !== undefined) {
      report('compaction-start', seq, text('A compaction starts at #{seq} while another is open', { seq }));
    }
    if (data['turn'] !== (turn ?? null)) {
      report('compaction-start', seq, text('The compaction at #{seq} names another turn than the open one', { seq }));
    }
    this.#open = { id: data['compactionId'], turn: data['turn'], summaries: 0 };
  }

  #summary(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    const open = this.#open;
    if (open === undefined || open.id !== data['compactionId']) {
      report('compaction-summary', seq, text('The summary at #{seq} belongs to no open compaction', { seq }));
    } else if (++open.summaries > 1) {
      report('compaction-summary', seq, text('The summary at #{seq} is the second of its compaction', { seq }));
    }
    this.#span(event, data);
  }

  #end(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    const open = this.#open;
    this.#open = undefined;
    if (this.#overrun !== undefined && open !== undefined) this.finish();
    this.#overrun = undefined;
    if (open === undefined || open.id !== data['compactionId']) {
      report('compaction-end', seq, text('A compaction ends at #{seq} that is not open', { seq }));
      return;
    }
    if (open.turn !== data['turn']) {
      report('compaction-end', seq, text('The compaction that ends at #{seq} names another turn than at its start', { seq }));
    }
    if (data['error'] === undefined && open.summaries !== 1) {
      report('compaction-end', seq, text('The compaction that ends at #{seq} succeeded without exactly one summary', { seq }));
    }
  }

  #turnEnd(event: StoredEvent, data: UnknownRecord): void {
    const open = this.#open;
    if (open === undefined || open.turn === null || open.turn !== data['turn']) return;
    const { seq } = event;
    const sentence = text('Turn {turn} ends at #{seq} while its compaction is open', { seq, turn: shown(data['turn']) });
    this.#overrun = { seq, sentence };
  }

  /** The named nodes are exactly those between start and end on the current surface, the protected head not among them. */
  #span(event: StoredEvent, data: UnknownRecord): void {
    const { report, surface } = this.#context;
    const { seq, type } = event;
    const range = recordOf(data['shadowedRange']);
    const { nodes } = surface;
    const from = nodes.indexOf(range['start'] as number);
    const to = nodes.indexOf(range['end'] as number);
    const listed = data['shadowedSeqs'];
    const exact =
      from >= 0 &&
      to >= from &&
      Array.isArray(listed) &&
      listed.length === to - from + 1 &&
      listed.every((node, i) => node === nodes[from + i]);
    if (!exact) {
      report('compaction-span', seq, text('{type} at #{seq} does not name an exact slice of the surface', { type, seq }));
    } else if (from === 0 && this.#headIsProtected()) {
      report('compaction-span', seq, text('{type} at #{seq} covers the system prompt at the head of the surface', { type, seq }));
    }
  }

  #headIsProtected(): boolean {
    const { surface, eventAt } = this.#context;
    return surface.dialect.protectedHead && eventAt(surface.nodes[0] ?? -1)?.type === 'system/message';
  }
}
