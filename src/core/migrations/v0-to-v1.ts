import { LEGACY_V0_TYPES, RETIRED_TYPES, knownSessionEventTypes } from '../dialects/gates.ts';
import { rawMessageOf } from '../derive.ts';
import type { SessionHeader, StoredEvent } from '../events.ts';
import { seedCount } from '../cut.ts';
import { isRecord, wordOf, type UnknownRecord } from '../json.ts';
import { legacyView } from '../legacy.ts';
import { text } from '../text.ts';
import { foreignDelivery } from './delivery.ts';
import { SeqMap, refuse, type Edge, type Sink } from './edge.ts';
import { migratedHeader } from './header.ts';
import { strictPayloadProblem } from './payload/problem.ts';

/** v0 → v1: legacy payloads get today's shape and missing ids, seqs stay. format/migrations.md §1. */
export class V0ToV1 implements Edge {
  readonly from = 0;
  readonly header: SessionHeader;
  readonly seqs = new SeqMap();
  readonly inheritedEventCount: number;
  readonly #source: SessionHeader;
  readonly #sink: Sink;
  readonly #ids: LegacyIds;

  constructor(header: SessionHeader, sink: Sink) {
    this.#source = header;
    this.#sink = sink;
    this.#ids = new LegacyIds(wordOf(header.id));
    this.header = migratedHeader(header);
    this.inheritedEventCount = seedCount(header) ?? 0;
  }

  push(stored: StoredEvent): void {
    const { seq } = stored;
    refuseUnknownType(stored, 0);
    const event = this.#ids.view(stored);
    if (event.type === 'request/header' && isRecord(event.data) && event.data['reason'] === 'fallback') {
      refuse(0, seq, text('#{seq} (request/header) has the retired reason "fallback"', { seq }));
    }
    const problem = strictPayloadProblem(event, 0) ?? foreignDelivery(event, this.#source, this.inheritedEventCount);
    if (problem !== undefined) refuse(0, seq, problem);
    this.seqs.set(seq, seq);
    this.#sink(event, seq);
  }

  finish(): void {
    // Nothing is held back on this edge.
  }
}

/** v0, v1 and v2 sources refuse a type outside their frozen list, whether it may be ignored or not. format/migrations.md §6.2. */
export function refuseUnknownType(event: StoredEvent, version: number): void {
  const { type, seq } = event;
  if (RETIRED_TYPES.has(type)) {
    refuse(version, seq, text('#{seq} has the retired type {type}, which no migration takes', { seq, type }));
  }
  if (knownSessionEventTypes(version).has(type) || (version === 0 && LEGACY_V0_TYPES.has(type))) return;
  const sentence =
    event.ignorable === true
      ? text('#{seq} has the unknown type {type}; a migration refuses it even though it may be ignored', { seq, type })
      : text('#{seq} has the unknown type {type}', { seq, type });
  refuse(version, seq, sentence);
}

interface OpenCompaction {
  readonly id: string;
}

/** The legacy view of a log, with the ids that need its history: compactions, retries and rewritten tool results. */
export class LegacyIds {
  readonly #sessionId: string;
  readonly #resultIds = new Map<number, string>();
  readonly #retries = new Map<string, string>();
  readonly #latestRetry = new Map<string, string>();
  #compaction: OpenCompaction | undefined;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** The event in v1's shape; itself when it has it already. Call once per event, in order. */
  view(stored: StoredEvent): StoredEvent {
    const { type } = stored;
    if (type === 'assistant/chunk') return stored;
    const event = legacyView(stored, { sessionId: this.#sessionId, messageIdAt: (seq) => this.#resultIds.get(seq) });
    if (event.type === 'tool/result') this.#remember(event);
    if (event.type === 'session/end-seed') this.#compaction = undefined;
    return isRecord(event.data) ? this.#withIds(event, event.data) : event;
  }

  #remember(event: StoredEvent): void {
    const id = rawMessageOf(event)?.['id'];
    if (typeof id === 'string') this.#resultIds.set(event.seq, id);
  }

  #withIds(event: StoredEvent, data: UnknownRecord): StoredEvent {
    switch (event.type) {
      case 'compaction/start':
        if (Object.hasOwn(data, 'compactionId')) {
          this.#compaction = undefined;
          return event;
        }
        this.#compaction = { id: `legacy-compaction:${this.#sessionId}:${event.seq}` };
        return { ...event, data: { compactionId: this.#compaction.id, ...data } };
      case 'compaction/summary':
        return this.#compacted(event, data);
      case 'compaction/end': {
        const ended = this.#compacted(event, data);
        this.#compaction = undefined;
        return ended;
      }
      case 'user/message':
        return this.#checkpoint(event, data);
      case 'llm/retry':
        return this.#retry(event, data);
      case 'llm/retry-started':
        return this.#retryStarted(event, data);
      default:
        return event;
    }
  }

  #compacted(event: StoredEvent, data: UnknownRecord): StoredEvent {
    if (this.#compaction === undefined || Object.hasOwn(data, 'compactionId')) return event;
    return { ...event, data: { compactionId: this.#compaction.id, ...data } };
  }

  #checkpoint(event: StoredEvent, data: UnknownRecord): StoredEvent {
    const { source } = data;
    if (this.#compaction === undefined || !isRecord(source)) return event;
    const isCheckpoint = source['kind'] === 'plugin' && source['plugin'] === 'compact';
    if (!isCheckpoint || Object.hasOwn(source, 'compactionId')) return event;
    return { ...event, data: { ...data, source: { ...source, compactionId: this.#compaction.id } } };
  }

  #retry(event: StoredEvent, data: UnknownRecord): StoredEvent {
    const chain = JSON.stringify([data['turn'], data['step'], data['provider'], data['policyKey']]);
    const address = JSON.stringify([data['turn'], data['step']]);
    if (typeof data['retryId'] === 'string') {
      this.#latestRetry.set(address, data['retryId']);
      return event;
    }
    const id = this.#retries.get(chain) ?? `legacy-retry:${this.#sessionId}:${event.seq}`;
    this.#retries.set(chain, id);
    this.#latestRetry.set(address, id);
    return { ...event, data: { retryId: id, ...data } };
  }

  #retryStarted(event: StoredEvent, data: UnknownRecord): StoredEvent {
    if (Object.hasOwn(data, 'retryId')) return event;
    const id = this.#latestRetry.get(JSON.stringify([data['turn'], data['step']]));
    return id === undefined ? event : { ...event, data: { retryId: id, ...data } };
  }
}
