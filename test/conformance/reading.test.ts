import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionHeader } from '../../src/core/events.ts';
import { openSession, type OpenSession } from '../../src/storage/index.ts';
import { hasNativeZstd } from '../../src/storage/zstd/decode.ts';
import { corpusIndex, hashOf } from '../support/corpus.ts';
import { hasSharedData, sharedPath } from '../support/shared.ts';

/** Everything the corpus says about reading a healthy log, in every generation, through both decoders. */

type SeqRange = readonly [first: number, last: number, answer: string];

interface Generation {
  readonly headerLine?: SessionHeader;
  readonly header?: SessionHeader;
  readonly eventCount: number;
  readonly inheritedEventCount?: number;
  readonly eventsSha256?: string;
  readonly seqTypeSha256?: string;
  readonly eventSha16?: readonly (readonly [number, string, string])[];
  readonly surface?: {
    readonly nodeCount?: number;
    readonly nodesSha256?: string;
    readonly nodes?: readonly number[];
    readonly changes?: readonly (readonly [seq: number, count: number, hash: string])[];
    readonly replacements?: readonly { readonly seq: number; readonly shadowedSeqs: readonly number[] }[];
  };
  readonly derived?: {
    readonly prefixes?: readonly { readonly events: number; readonly messages: number; readonly sha256: string }[];
    readonly end?: { readonly list?: readonly (readonly [id: string, role: string, hash: string])[] };
  };
  readonly fork?: { readonly answersRle?: readonly SeqRange[]; readonly children?: readonly (readonly [number, ...unknown[]])[] };
}

interface Log {
  readonly name: string;
  readonly path: string;
  readonly version: number;
  readonly oracle: Generation;
}

const HEADER_FACTS = ['id', 'createdAt', 'cwd', 'parentSession', 'origin', 'delegationDepth', 'agentPreset'] as const;

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function healthyLogs(): Log[] {
  const logs: Log[] = [];
  for (const entry of corpusIndex()) {
    if (entry.fault !== undefined) continue;
    const path = sharedPath('corpus', entry.path);
    const oracle = json(sharedPath('corpus', entry.oracle)) as Generation & { reads?: { inspect?: { error?: unknown } } };
    if (oracle.reads?.inspect?.error === undefined) logs.push({ name: entry.path, path, version: entry.version, oracle });
    const migration = join(dirname(path), 'migration.json');
    if (!existsSync(migration)) continue;
    const { generations = {} } = json(migration) as {
      generations?: Record<string, Generation & { ok?: boolean; file?: string }>;
    };
    for (const [name, generation] of Object.entries(generations)) {
      const file = join(dirname(path), generation.file ?? '');
      if (generation.ok !== true || generation.file === undefined || !existsSync(file)) continue;
      logs.push({ name: `${entry.path} as ${name}`, path: file, version: Number(name.slice(1)), oracle: generation });
    }
  }
  return logs;
}

const logs = hasSharedData ? healthyLogs() : [];
const decoders = hasNativeZstd() ? (['native', 'portable'] as const) : (['portable'] as const);

describe.runIf(hasSharedData)('every healthy log reads as the harness reads it', () => {
  it('finds the logs of the corpus', () => {
    expect(logs.length).toBeGreaterThan(150);
  });

  describe.each(decoders)('through the %s decoder', (decoder) => {
    it.each(logs.map((log) => [log.name, log] as const))('%s', async (_, { path, version, oracle }) => {
      const session = await openSession(path, { decoder });
      expect(session.version).toBe(version);
      expect(session.encoding).toBe(path.endsWith('.zstd') ? 'zstd' : 'none');
      const header = oracle.headerLine ?? oracle.header;
      for (const fact of HEADER_FACTS) expect(session.header?.[fact], fact).toEqual(header?.[fact]);
      expect(session.refusal).toBeUndefined();
      expect(session.damage.filter((damage) => /refuse|break/.test(`${damage.dsh.open} ${damage.dsh.list}`))).toEqual([]);
      checkEvents(session, oracle);
      checkSurface(session, oracle);
      checkHistory(session, oracle);
      if (oracle.fork !== undefined) checkBoundaries(session, oracle.fork, version);
      await session.close();
    });
  });
});

function checkEvents(session: OpenSession, oracle: Generation): void {
  const events = [...session.events()];
  expect(session.eventCount).toBe(oracle.eventCount);
  expect(session.inheritedEventCount).toBe(oracle.inheritedEventCount ?? oracle.headerLine?.seedLength ?? 0);
  if (oracle.eventsSha256 !== undefined) expect(hashOf(events)).toBe(oracle.eventsSha256);
  if (oracle.seqTypeSha256 !== undefined)
    expect(hashOf(events.map((event) => [event.seq, event.type]))).toBe(oracle.seqTypeSha256);
  for (const [seq, type, hash] of oracle.eventSha16 ?? []) {
    const event = session.eventAt(seq);
    expect([seq, event?.type, hashOf(event).slice(0, 16)]).toEqual([seq, type, hash]);
  }
  expect(session.eventAt(session.eventCount)).toBeUndefined();
  expect([...session.salvagedLines()]).toEqual([]);
  const sampled = [0, events.length >> 1, events.length - 1].filter((seq) => seq >= 0);
  for (const seq of sampled) {
    expect(session.eventAt(seq)).toEqual(events[seq]);
    expect([...session.events(seq, seq + 1)]).toEqual([events[seq]]);
    const line = JSON.parse(session.rawLineOf(seq)) as {
      seq?: number;
      seq0?: number;
      data: { texts?: unknown[]; args?: unknown[] };
    };
    const first = line.seq0 ?? line.seq ?? -1;
    const members = line.seq0 === undefined ? 1 : (line.data.texts ?? line.data.args ?? []).length;
    expect(first <= seq && seq < first + members).toBe(true);
  }
}

function checkSurface(session: OpenSession, { surface }: Generation): void {
  if (surface?.nodesSha256 !== undefined) expect(hashOf(session.surfaceNodes())).toBe(surface.nodesSha256);
  if (surface?.nodes !== undefined) expect(session.surfaceNodes()).toEqual(surface.nodes);
  for (const [seq, count, hash] of surface?.changes ?? []) {
    const nodes = session.surfaceNodes(seq);
    expect([seq, nodes.length, hashOf(nodes).slice(0, 16)]).toEqual([seq, count, hash]);
  }
  for (const replacement of surface?.replacements ?? []) {
    for (const shadowed of replacement.shadowedSeqs) {
      expect(session.nodeState(shadowed)).toEqual({ shadowedBy: replacement.seq });
      expect(session.nodeState(shadowed, replacement.seq)).toEqual({ shadowedBy: replacement.seq });
      expect(session.nodeState(shadowed, replacement.seq - 1)).toBe('current');
      expect(session.nodeState(shadowed, shadowed - 1)).toBe('log-only');
    }
  }
}

function checkHistory(session: OpenSession, { derived }: Generation): void {
  for (const prefix of derived?.prefixes ?? []) {
    const messages = prefix.events === 0 ? [] : session.deriveMessages(prefix.events - 1);
    expect([prefix.events, messages.length, hashOf(messages)]).toEqual([prefix.events, prefix.messages, prefix.sha256]);
  }
  const list = derived?.end?.list;
  if (list === undefined) return;
  const messages = session.deriveMessages().map((message) => [message.id, message.role, hashOf(message).slice(0, 16)]);
  expect(messages).toEqual(list);
}

function checkBoundaries(session: OpenSession, fork: NonNullable<Generation['fork']>, version: number): void {
  const closing = new Map((fork.children ?? []).map(([boundary, , , closers]) => [boundary, closers !== '']));
  for (const [first, last, answer] of fork.answersRle ?? []) {
    for (let seq = first; seq <= Math.min(last, session.eventCount - 1); seq++) {
      const boundary = session.forkBoundary(seq);
      expect([seq, boundary.legal ? 'ok' : boundary.code]).toEqual([seq, answer]);
      if (boundary.legal && version < 4) expect(boundary.closes).toBe(false);
      if (boundary.legal && version === 4 && closing.has(seq)) expect([seq, boundary.closes]).toEqual([seq, closing.get(seq)]);
    }
  }
  for (const odd of [session.eventCount, -1, 0.5, Number.NaN]) {
    expect(session.forkBoundary(odd)).toMatchObject({ legal: false, code: 'INVALID_BOUNDARY' });
  }
}
