import { knownSessionEventTypes } from '../dialects/gates.ts';
import type { SessionHeader, StoredEvent } from '../events.ts';
import { isRecord } from '../json.ts';
import { text } from '../text.ts';
import { CatalogRows, type ChildFacts } from './catalog.ts';
import { SeqMap, refuse, type Edge, type Sink } from './edge.ts';
import { migratedHeader } from './header.ts';
import { InterruptedTurn } from './interrupted-turn.ts';
import { remapReferences } from './remap.ts';
import { v4Payload } from './v4-messages.ts';
import { interruptedTurnEnd } from './v1-to-v2.ts';

/** v3 → v4: tool results become messages of their own role, plugin sources become kinds. format/migrations.md §4. */
export class V3ToV4 implements Edge {
  readonly from = 3;
  readonly header: SessionHeader;
  readonly seqs = new SeqMap();
  readonly #sink: Sink;
  readonly #turns = new InterruptedTurn();
  readonly #catalog: CatalogRows;
  #next = 0;
  #lastTime: number;
  #lastSeq: number | undefined;
  #cut: number | undefined;

  constructor(header: SessionHeader, sink: Sink, children: readonly ChildFacts[]) {
    this.#sink = sink;
    this.#catalog = new CatalogRows(children);
    this.#lastTime = header.createdAt;
    this.header = migratedHeader(header);
  }

  get inheritedEventCount(): number {
    return this.#cut ?? 0;
  }

  push(event: StoredEvent): void {
    const { type, seq, time, data } = event;
    this.#lastTime = time;
    this.#lastSeq = seq;
    const known = knownSessionEventTypes(3).has(type);
    if (!known && event.ignorable !== true) refuse(3, seq, text('#{seq} has the unknown type {type}', { seq, type }));
    if (type === 'session-log-deepseek/delivery-accepted' && isRecord(data) && data['sessionFormatVersion'] === 4) {
      refuse(3, seq, text('#{seq} acknowledges an upload in format 4, which this log has not reached', { seq }));
    }
    if (type === 'session/end-seed' && isRecord(data) && data['inherited'] === true) {
      this.#catalog.cut();
      this.#cut = this.#next;
    }
    const clash = this.#catalog.apply(event);
    if (clash !== undefined) refuse(3, seq, clash);
    const left = this.#turns.before(event);
    if (left !== undefined) {
      const inserted = this.#next++;
      this.#sink({ ...interruptedTurnEnd(left, time), seq: inserted }, seq);
    }
    if (known) this.#write(remapReferences(event, this.seqs, 3));
    // Nobody can say what an opaque event refers to: it keeps whatever it holds.
    else this.#write({ ...event, type: `plugin:${type}` });
  }

  finish(): void {
    const clash = this.#catalog.contradiction;
    if (clash !== undefined) refuse(3, clash.seq, clash.text);
    for (const row of this.#catalog.rows()) {
      const seq = this.#next++;
      this.#sink({ type: 'subagent/catalog', seq, time: this.#lastTime, data: row }, this.#lastSeq ?? 0);
    }
  }

  #write(moved: StoredEvent): void {
    const seq = this.#next++;
    const origin = moved.seq;
    this.seqs.set(origin, seq);
    const data = v4Payload(moved);
    this.#sink(origin === seq && data === moved.data ? moved : { ...moved, seq, data }, origin);
  }
}
