import type { PackedChunkRow, StoredEvent } from '../../../src/core/index.ts';
import { TimelineBuilder, type LogFacts, type Timeline } from '../../../src/timeline/index.ts';

/** Writes events one after the other, each `step` ms after the last. */
export class Lines {
  readonly records: (StoredEvent | PackedChunkRow)[] = [];
  seq = 0;
  time = 1000;

  add(type: string, data: unknown = {}, rest: Partial<StoredEvent> = {}, after = 10): number {
    this.time += after;
    this.records.push({ type, seq: this.seq, time: this.time, data, ...rest });
    return this.seq++;
  }

  /** A packed line of text chunks of turn 1, step 1. */
  packed(texts: readonly string[], gap = 2): number {
    const first = this.seq;
    this.time += 10;
    this.records.push({
      type: 'text-chunks',
      seq0: first,
      time0: this.time,
      data: { turn: 1, step: 1, index: 0, dt: texts.slice(1).map(() => gap), texts: [...texts] },
    });
    this.time += gap * (texts.length - 1);
    this.seq += texts.length;
    return first;
  }

  chunk(chunk: unknown, address = { turn: 1, step: 1 }, after = 10): number {
    return this.add('assistant/chunk', { ...address, chunk }, {}, after);
  }
}

/** Facts of a log without damage, where every surface event is current. */
export function plainFacts(eventCount: number, facts: Partial<LogFacts> = {}): LogFacts {
  return {
    eventCount,
    inheritedEventCount: 0,
    uncommittedEvents: 0,
    refusedFrom: undefined,
    unforkableFrom: eventCount,
    findings: [],
    nodeState: () => 'current',
    ...facts,
  };
}

export function build(records: Lines['records'], version = 4, facts: Partial<LogFacts> = {}): Timeline {
  const builder = new TimelineBuilder({ version });
  for (const record of records) builder.add(record);
  return builder.finish(plainFacts(builder.last.seq + 1, facts));
}

/** The rows of a table as objects, for comparing with what was worked out by hand. */
export function rowsOf<T extends { readonly length: number; readonly columns: object }>(
  table: T,
  ...names: (keyof T['columns'] & string)[]
): Record<string, number>[] {
  const rows: Record<string, number>[] = [];
  for (let i = 0; i < table.length; i++) {
    const row: Record<string, number> = {};
    for (const name of names) row[name] = (table.columns as Record<string, ArrayLike<number>>)[name]?.[i] ?? NaN;
    rows.push(row);
  }
  return rows;
}

export const usage = (inputTokens: number, outputTokens: number): object => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 5,
  reasoningTokens: 1,
});

export const human = (text: string, id = 'u'): object => ({
  id,
  role: 'user',
  source: { kind: 'user' },
  content: [{ type: 'text', text }],
});

export const answer = (text: string, calls: readonly (readonly [id: string, name: string])[] = []): object => ({
  id: 'a',
  role: 'assistant',
  source: { kind: 'model', provider: 'p', model: 'm' },
  content: [{ type: 'text', text }, ...calls.map(([id, name]) => ({ type: 'tool-call', id, name, arguments: '{}' }))],
});

export const toolMessage = (callId: string, text = 'ok', isError = false): object => ({
  id: `r-${callId}`,
  role: 'tool',
  toolCallId: callId,
  isError,
  source: { kind: 'tool', callId },
  content: [{ type: 'text', text }],
});
