import { describe, expect, it } from 'vitest';
import { decodeStorageRecord, packChunkRuns } from '../../src/core/codec/chunk-rows.ts';
import { expandStream, packStream } from '../../src/core/codec/stream-records.ts';
import { deriveEventMessage } from '../../src/core/derive.ts';
import type { SessionEvent } from '../../src/core/events.ts';
import { isJsonValue, snapshotJsonValue } from '../../src/core/json.ts';
import type { AssistantStreamRecord } from '../../src/core/messages.ts';
import { openSession } from '../../src/storage/index.ts';
import { corpusIndex, sharedJson } from '../support/corpus.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';

interface DecodeCase {
  readonly input: unknown;
  readonly ok?: unknown;
  readonly error?: unknown;
}

const vector = (name: string): unknown => (hasSharedData ? sharedJson('corpus', 'vectors', `${name}.json`) : []);

describe.runIf(hasSharedData)('packed lines decode as the harness decodes them', () => {
  const cases = vector('chunk-rows-decode') as DecodeCase[];
  it.each(cases.map((one) => [JSON.stringify(one.input), one] as const))('%s', (_, { input, ok, error }) => {
    if (error !== undefined) expect(() => decodeStorageRecord(input, 0)).toThrow();
    else expect(JSON.stringify(decodeStorageRecord(input, 0))).toBe(JSON.stringify(ok));
  });

  it('and never in format 2 or later', () => {
    const row = cases.find((one) => one.ok !== undefined)?.input;
    for (const version of [2, 3, 4]) expect(() => decodeStorageRecord(row, version)).toThrow();
  });
});

describe.runIf(hasSharedData)('runs of chunks pack as the harness packs them', () => {
  const cases = vector('chunk-rows-pack') as { name: string; events: SessionEvent[]; ok: unknown }[];
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, { events, ok }) => {
    expect(JSON.stringify(packChunkRuns(events))).toBe(JSON.stringify(ok));
  });
});

describe.runIf(hasSharedData)('events without a message', () => {
  const cases = vector('derive-event-message') as { event: SessionEvent; ok: null }[];
  it.each(cases.map((one) => [JSON.stringify(one.event), one] as const))('%s', (_, { event, ok }) => {
    expect(deriveEventMessage(event, 0)).toBe(ok);
  });
});

/** The vectors name their values, since JSON cannot hold them. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  '-0': () => -0,
  Infinity: () => Infinity,
  Map: () => new Map([['a', 1]]),
  'undefined member': () => ({ a: undefined }),
  getter: () =>
    Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => 1,
    }),
  'null proto': () => Object.assign(Object.create(null) as object, { a: 1 }),
  toJSON: () => ({ toJSON: () => 1 }),
  '__proto__ key': () => JSON.parse('{"__proto__":{"x":1}}') as unknown,
  bigint: () => 1n,
  boxed: () => Object(1) as unknown,
};

describe.runIf(hasSharedData)('what counts as lossless JSON', () => {
  const cases = vector('snapshot-json-value') as { name: string; ok: { accepted: boolean; json?: string } }[];
  it.each(cases.map((one) => [one.name, one] as const))('%s', (name, { ok }) => {
    const make = VALUES[name];
    if (make === undefined) throw new Error(`no value is known for the vector ${name}`);
    expect(isJsonValue(make())).toBe(ok.accepted);
    const snapshot = snapshotJsonValue(make());
    if (ok.accepted) expect(JSON.stringify(snapshot)).toBe(ok.json);
    else expect(snapshot).toBeUndefined();
  });
});

const streamed = corpusIndex().filter((entry) => entry.fault === undefined && entry.version >= 2);

describe.runIf(hasSharedData)('recorded streams unpack and pack to themselves', () => {
  it.each(streamed.map((entry) => entry.path))('%s', async (path) => {
    const session = await openSession(sharedPath('corpus', path), { placement: false });
    let streams = 0;
    for (const event of session.events()) {
      const { stream } = event.data as { stream?: AssistantStreamRecord[] };
      if (stream === undefined) continue;
      streams++;
      expect(packStream(expandStream(stream))).toEqual(stream);
    }
    expect(streams).toBe(
      [...session.events()].filter(({ type }) => type === 'assistant/message' || type === 'assistant/attempt').length,
    );
  });
});

const packed = corpusIndex().filter(
  (entry) => entry.fault === undefined && entry.version === 0 && !entry.path.includes('nopack'),
);

describe.runIf(hasSharedData)('packed logs unpack to events that pack again', () => {
  it.each(packed.map((entry) => entry.path))('%s', async (path) => {
    const session = await openSession(sharedPath('corpus', path), { placement: false });
    const events = [...session.events()];
    const again = packChunkRuns(events).flatMap((record) => decodeStorageRecord(record, 0));
    expect(again).toEqual(events);
  });
});
