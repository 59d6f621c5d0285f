import { ordinalOf, shown, type OrderContext, type OrderPart } from './check-rules.ts';
import type { StoredEvent } from './events.ts';
import type { UnknownRecord } from './json.ts';
import { text } from './text.ts';

/** Types that stand inside the open step they name. */
const IN_STEP: ReadonlySet<string> = new Set([
  'assistant/message',
  'assistant/attempt',
  'tool/call',
  'system/message',
  'developer/message',
]);

/** Turns and steps, and what may only stand inside them. Keeps the context's turn and step. format/events.md §7. */
export class TurnOrder implements OrderPart {
  readonly #context: OrderContext;
  #lastTurn = 0;
  #lastStep = 0;
  /** Whether the chunk before stood outside its step: a run is reported once. */
  #strayChunks = false;

  constructor(context: OrderContext) {
    this.#context = context;
  }

  apply(event: StoredEvent, data: UnknownRecord): void {
    const { type } = event;
    if (type === 'assistant/chunk') {
      this.#chunk(event, data);
      return;
    }
    this.#strayChunks = false;
    switch (type) {
      case 'turn/start':
        this.#turnStart(event, data);
        return;
      case 'turn/end':
        this.#turnEnd(event, data);
        return;
      case 'step/start':
        this.#stepStart(event, data);
        return;
      case 'step/end':
        this.#stepEnd(event, data);
        return;
      case 'tool/result':
        if (event.surfaceOp === 'append') this.#inStep(event, data);
        else this.#inTurn(event);
        return;
      case 'request/header':
      case 'request/context':
        this.#requestInTurn(event);
        return;
      default:
        if (IN_STEP.has(type)) this.#inStep(event, data);
    }
  }

  #turnStart(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn } = this.#context;
    const { seq } = event;
    if (turn !== undefined) {
      report('turn-start', seq, text('A turn starts at #{seq} while turn {turn} is open', { seq, turn }));
    }
    const expected = this.#lastTurn + 1;
    const found = ordinalOf(data['turn']);
    if (found !== expected) {
      report(
        'turn-number',
        seq,
        text('The turn that starts at #{seq} has the number {found}; {expected} is due', {
          seq,
          found: shown(data['turn']),
          expected,
        }),
      );
    }
    this.#lastTurn = found ?? expected;
    this.#lastStep = 0;
    this.#context.turn = this.#lastTurn;
    this.#context.step = undefined;
  }

  #turnEnd(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn, step } = this.#context;
    const { seq } = event;
    if (turn === undefined) report('turn-end', seq, text('A turn ends at #{seq}, but none is open', { seq }));
    else if (data['turn'] !== turn) {
      report(
        'turn-end',
        seq,
        text('Turn {found} ends at #{seq}, but turn {turn} is open', { seq, found: shown(data['turn']), turn }),
      );
    }
    if (step !== undefined) {
      report('turn-end-open-step', seq, text('The turn ends at #{seq} while step {step} is open', { seq, step }));
    }
    this.#context.turn = undefined;
    this.#context.step = undefined;
  }

  #stepStart(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn, step } = this.#context;
    const { seq } = event;
    if (turn === undefined) report('step-start', seq, text('A step starts at #{seq} outside any turn', { seq }));
    else if (data['turn'] !== turn) {
      report(
        'step-start',
        seq,
        text('A step of turn {found} starts at #{seq}, but turn {turn} is open', { seq, found: shown(data['turn']), turn }),
      );
    }
    if (step !== undefined) {
      report('step-start', seq, text('A step starts at #{seq} while step {step} is open', { seq, step }));
    }
    const expected = this.#lastStep + 1;
    const found = ordinalOf(data['step']);
    if (found !== expected) {
      report(
        'step-number',
        seq,
        text('The step that starts at #{seq} has the number {found}; {expected} is due', {
          seq,
          found: shown(data['step']),
          expected,
        }),
      );
    }
    this.#lastStep = found ?? expected;
    this.#context.step = this.#lastStep;
  }

  #stepEnd(event: StoredEvent, data: UnknownRecord): void {
    const { report, turn, step } = this.#context;
    const { seq } = event;
    if (step === undefined || turn === undefined) {
      report('step-end', seq, text('A step ends at #{seq}, but none is open', { seq }));
    } else if (data['turn'] !== turn || data['step'] !== step) {
      report('step-end', seq, text('Another step than the open one ({turn}.{step}) ends at #{seq}', { seq, turn, step }));
    }
    this.#context.step = undefined;
  }

  #inStep(event: StoredEvent, data: UnknownRecord): void {
    if (this.#stands(data)) return;
    const { type, seq } = event;
    this.#context.report(
      'outside-step',
      seq,
      text('{type} at #{seq} lies outside the open turn and step it names', { type, seq }),
    );
  }

  #chunk(event: StoredEvent, data: UnknownRecord): void {
    const stray = !this.#stands(data);
    if (stray && !this.#strayChunks) {
      const { seq } = event;
      this.#context.report(
        'outside-step',
        seq,
        text('The chunks from #{seq} on lie outside the open turn and step they name', { seq }),
      );
    }
    this.#strayChunks = stray;
  }

  #stands(data: UnknownRecord): boolean {
    const { turn, step } = this.#context;
    return turn !== undefined && step !== undefined && data['turn'] === turn && data['step'] === step;
  }

  #inTurn(event: StoredEvent): void {
    if (this.#context.turn !== undefined) return;
    const { seq } = event;
    this.#context.report('result-outside-turn', seq, text('The tool result at #{seq} is rewritten outside any turn', { seq }));
  }

  #requestInTurn(event: StoredEvent): void {
    if (this.#context.turn !== undefined) return;
    const { type, seq } = event;
    this.#context.report('request-outside-turn', seq, text('{type} at #{seq} lies outside any turn', { type, seq }));
  }
}
