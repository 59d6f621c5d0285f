import { recordOf, shown, type OrderContext, type OrderPart } from './check-rules.ts';
import type { StoredEvent } from './events.ts';
import { seedCount } from './cut.ts';
import { equalJson, isSeq, type UnknownRecord } from './json.ts';
import { CatalogRows } from './migrations/catalog.ts';
import { foreignDelivery } from './migrations/delivery.ts';
import { text, type Text } from './text.ts';

/** Slash commands and titles: what they refer to exists, earlier, and is of the right kind. format/events.md §7. */
export class CommandAndTitleOrder implements OrderPart {
  readonly #context: OrderContext;
  readonly #commands = new Map<string, { done: boolean }>();
  readonly #commandSeqs = new Set<number>();
  readonly #human = new Set<number>();

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    switch (event.type) {
      case 'user/message':
        if (recordOf(data['source'])['kind'] === 'user') this.#human.add(event.seq);
        return;
      case 'command/run':
        this.#run(event, data);
        return;
      case 'command/done':
        this.#done(event, data);
        return;
      case 'session/title':
        this.#title(event, data);
        return;
    }
  }

  #run(event: StoredEvent, data: UnknownRecord): void {
    const { seq } = event;
    const id = shown(data['commandId']);
    if (this.#commands.has(id)) {
      this.#context.report('command-run', seq, text('The command {id} is run a second time at #{seq}', { seq, id }));
    }
    this.#commands.set(id, { done: false });
    this.#commandSeqs.add(seq);
  }

  #done(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    const id = shown(data['commandId']);
    const command = this.#commands.get(id);
    if (command === undefined)
      report('command-done', seq, text('The command {id} is done at #{seq}, but was never run', { seq, id }));
    else if (command.done) report('command-done', seq, text('The command {id} is done a second time at #{seq}', { seq, id }));
    else command.done = true;
    this.#commandSeqs.add(seq);
    const source = data['sourceEventSeq'];
    if (source === undefined) return;
    const good = isSeq(source) && source < seq && data['kind'] === 'success' && !this.#commandSeqs.has(source);
    if (!good) {
      report('command-source', seq, text('The command done at #{seq} names an event that cannot be what it produced', { seq }));
    }
  }

  #title(event: StoredEvent, data: UnknownRecord): void {
    const { seq } = event;
    const problem = this.#titleProblem(seq, data);
    if (problem !== undefined) this.#context.report('title-messages', seq, problem);
  }

  #titleProblem(seq: number, data: UnknownRecord): Text | undefined {
    const list = data['messageSeqs'];
    const seqs: unknown[] = Array.isArray(list) ? list : [];
    if (new Set(seqs).size !== seqs.length) return text('The title at #{seq} names a message twice', { seq });
    const stray = seqs.find((named) => !isSeq(named) || !this.#human.has(named));
    if (stray !== undefined) {
      return text('The title at #{seq} names {found}, which is no earlier prompt of a person', {
        seq,
        found: isSeq(stray) ? `#${stray}` : shown(stray),
      });
    }
    const byUser = recordOf(data['source'])['kind'] === 'user';
    if (byUser === (seqs.length === 0)) return undefined;
    return byUser
      ? text('The title at #{seq} was given by the user, yet names messages', { seq })
      : text('The title at #{seq} names no message it was made from', { seq });
  }
}

/** Retries of a model call. format/events.md §7. */
export class RetryOrder implements OrderPart {
  readonly #context: OrderContext;
  readonly #chains = new Map<string, { readonly id: unknown; count: number }>();
  /** The latest scheduled retry of a chain that has not begun, by retry id. */
  readonly #scheduled = new Map<string, number>();
  #provider: unknown;

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    switch (event.type) {
      case 'request/header':
        this.#provider = recordOf(recordOf(data['header'])['config'])['provider'];
        return;
      case 'llm/retry':
        this.#retry(event, data);
        return;
      case 'llm/retry-started':
        this.#started(event, data);
        return;
    }
  }

  #retry(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    this.#place(event, data);
    if (data['provider'] !== this.#provider) {
      report('retry-provider', seq, text('The retry at #{seq} names another provider than the latest request header', { seq }));
    }
    const key = JSON.stringify([data['turn'], data['step'], data['provider'], data['policyKey']]);
    const chain = this.#chains.get(key) ?? { id: data['retryId'], count: 0 };
    this.#chains.set(key, chain);
    const expected = chain.count + 1;
    if (data['retry'] !== expected || data['retryId'] !== chain.id) {
      report('retry-number', seq, text('The retry at #{seq} is not number {expected} of its chain', { seq, expected }));
    }
    chain.count = isSeq(data['retry']) ? data['retry'] : expected;
    this.#scheduled.set(shown(data['retryId']), chain.count);
  }

  #started(event: StoredEvent, data: UnknownRecord): void {
    const { seq } = event;
    this.#place(event, data);
    const id = shown(data['retryId']);
    const scheduled = this.#scheduled.get(id);
    this.#scheduled.delete(id);
    if (scheduled !== undefined && scheduled === data['retry']) return;
    this.#context.report('retry-started', seq, text('The retry that begins at #{seq} was not scheduled', { seq }));
  }

  #place(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn, step } = this.#context;
    if (turn !== undefined && step !== undefined && data['turn'] === turn && data['step'] === step) return;
    const { type, seq } = event;
    report('retry-place', seq, text('{type} at #{seq} lies outside the open turn and step it names', { type, seq }));
  }
}

const DISPATCH_FIELDS = ['rootCallId', 'parentCallId', 'name', 'arguments'] as const;

/** Sub-calls of a code tool: one start, one settlement, a parent under the same root. format/events.md §7. */
export class DispatchOrder implements OrderPart {
  readonly #context: OrderContext;
  readonly #calls = new Map<string, { readonly data: UnknownRecord; settled: boolean }>();

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    switch (event.type) {
      case 'tool/code-dispatch-start':
      case 'tool/ptc-dispatch-start':
        this.#start(event, data);
        return;
      case 'tool/code-dispatch':
      case 'tool/ptc-dispatch':
        this.#settle(event, data);
        return;
    }
  }

  #start(event: StoredEvent, data: UnknownRecord): void {
    const { report } = this.#context;
    const { seq } = event;
    const id = shown(data['subCallId']);
    if (this.#calls.has(id)) report('dispatch-start', seq, text('The sub-call {id} starts a second time at #{seq}', { seq, id }));
    const parent = data['parentCallId'];
    const root = this.#calls.get(shown(parent))?.data['rootCallId'] ?? parent;
    if (root !== data['rootCallId']) {
      report('dispatch-parent', seq, text('The sub-call {id} at #{seq} has a parent under another root', { seq, id }));
    }
    this.#calls.set(id, { data, settled: false });
  }

  #settle(event: StoredEvent, data: UnknownRecord): void {
    const { seq } = event;
    const id = shown(data['subCallId']);
    const call = this.#calls.get(id);
    const problem =
      call === undefined
        ? text('The sub-call {id} is settled at #{seq}, but never started', { seq, id })
        : call.settled
          ? text('The sub-call {id} is settled a second time at #{seq}', { seq, id })
          : DISPATCH_FIELDS.some((field) => !equalJson(call.data[field], data[field]))
            ? text('The sub-call {id} is settled at #{seq} with other fields than it started with', { seq, id })
            : undefined;
    if (call !== undefined) call.settled = true;
    if (problem !== undefined) this.#context.report('dispatch-settlement', seq, problem);
  }
}

/** Upload acknowledgements and the list of subagent children. format/events.md §7, format/migrations.md §4. */
export class SessionRecords implements OrderPart {
  readonly #context: OrderContext;
  readonly #catalog = new CatalogRows([]);
  readonly #foreign: StoredEvent[] = [];
  #cut: number;

  constructor(context: OrderContext) {
    this.#context = context;
    this.#cut = seedCount(context.header) ?? 0;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    if (event.type === 'session/end-seed' && data['inherited'] === true) {
      this.#cut = event.seq;
      this.#catalog.cut();
      return;
    }
    const clash = this.#catalog.apply(event);
    if (clash !== undefined) this.#context.report('subagent-catalog', event.seq, clash);
    if (foreignDelivery(event, this.#context.header, 0) !== undefined) this.#foreign.push(event);
  }

  /** Where the inherited prefix ends is known only now. */
  finish(): void {
    for (const event of this.#foreign) {
      const problem = foreignDelivery(event, this.#context.header, this.#cut);
      if (problem !== undefined) this.#context.report('delivery', event.seq, problem);
    }
  }
}
