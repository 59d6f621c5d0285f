import { LogRelations } from '../check-order.ts';
import { payloadProblem } from '../envelope.ts';
import type { StoredEvent } from '../events.ts';
import type { Text } from '../text.ts';
import { refuse, type Edge } from './edge.ts';

const JUDGED_LATE: ReadonlySet<string> = new Set(['turn/end', 'session-log-deepseek/delivery-accepted']);

/**
 * Checks what an edge produced as a log of its target version: surface, order and the payloads every open looks at. As in dsh, a broken
 * relation refuses the migration only after all edges have taken every event, so what an edge itself refuses comes first.
 * format/migrations.md §1 (end), §4.
 */
export class ArtifactCheck {
  readonly #from: number;
  readonly #version: number;
  readonly #relations: LogRelations;
  /** Source seqs of the events a relation may only be judged by later. */
  readonly #origins = new Map<number, number>();
  #origin = 0;
  #refusal: { readonly seq: number; readonly sentence: Text } | undefined;

  constructor(edge: Edge) {
    this.#from = edge.from;
    this.#version = edge.from + 1;
    this.#relations = new LogRelations(this.#version, edge.header, (_rule, seq, sentence) => {
      this.#note(this.#origins.get(seq) ?? this.#origin, sentence);
    });
  }

  push(event: StoredEvent, origin: number): void {
    // v1 keeps chunks as they are, wherever they stand; only v2 has to place them.
    if (this.#refusal !== undefined || event.type === 'assistant/chunk') return;
    this.#origin = origin;
    const problem = payloadProblem(event, this.#version);
    if (problem?.refuses === true) this.#note(origin, problem.text);
    if (JUDGED_LATE.has(event.type)) this.#origins.set(event.seq, origin);
    this.#relations.apply(event);
  }

  finish(): void {
    if (this.#refusal === undefined) this.#relations.finish();
    if (this.#refusal !== undefined) refuse(this.#from, this.#refusal.seq, this.#refusal.sentence);
  }

  /** The sentence speaks of the target's seqs; whoever reads it looks at the source. */
  #note(origin: number, sentence: Text): void {
    const { args } = sentence;
    const moved = Object.hasOwn(args, 'seq') ? { ...sentence, args: { ...args, seq: origin } } : sentence;
    this.#refusal ??= { seq: origin, sentence: moved };
  }
}
