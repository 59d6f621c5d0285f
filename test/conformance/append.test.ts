import { describe, expect, it } from 'vitest';
import { Session } from '../../src/core/session.ts';
import type { SessionEvent, SessionEventMap, StoredEvent } from '../../src/core/events.ts';
import { deriveEventMessage } from '../../src/core/derive.ts';
import { corpusIndex, hashOf, readCorpusLog, sharedJson, type CorpusEntry } from '../support/corpus.ts';
import { hasSharedData } from '../support/shared.ts';

interface AppendCase {
  readonly name: string;
  readonly candidate: Omit<StoredEvent, 'seq' | 'time'>;
  readonly ok: boolean;
  readonly seq?: number;
  readonly nodes?: number[];
}

interface AppendRules {
  readonly base: SessionEvent[];
  readonly baseNodes: number[];
  readonly cases: AppendCase[];
}

describe.runIf(hasSharedData)('append accepts what dsh accepts', () => {
  const rules = (hasSharedData ? sharedJson('corpus', 'vectors', 'append-rules.json') : { cases: [] }) as AppendRules;

  /** The base without the marker a seed brings: appended one by one, so that the next seq is the vectors'. */
  function base(): Session {
    const session = Session.create('base', undefined, { version: 0 }, { now: () => 0 });
    for (const event of rules.base) append(session, event);
    return session;
  }

  function append(session: Session, event: Omit<StoredEvent, 'seq' | 'time'>): SessionEvent {
    const { type, data, ...marks } = event;
    return session.append(type as keyof SessionEventMap, data as never, marks as never);
  }

  it('the base itself', () => {
    const session = base();
    expect(session.events).toEqual(rules.base);
    expect(session.surface.nodes).toEqual(rules.baseNodes);
  });

  it.each(rules.cases.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
    const session = base();
    if (!rule.ok) {
      expect(() => append(session, rule.candidate)).toThrow();
      expect(session.events).toEqual(rules.base);
      expect(session.surface.nodes).toEqual(rules.baseNodes);
      return;
    }
    expect(append(session, rule.candidate).seq).toBe(rule.seq);
    expect(session.surface.nodes).toEqual(rule.nodes);
  });

  it('derives single events as dsh does', () => {
    const vectors = sharedJson('corpus', 'vectors', 'derive-event-message.json') as { event: SessionEvent; ok: unknown }[];
    expect(vectors.length).toBeGreaterThan(0);
    for (const { event, ok } of vectors) expect(deriveEventMessage(event, 0)).toEqual(ok);
  });
});

interface RestoreOracle {
  readonly restore?: {
    readonly firstLiveSeq: number;
    readonly eventsAfterRestore: number;
    readonly appendedEndSeed: number;
    readonly requestHeaderSha256: string;
    readonly requestContext: unknown;
  };
  readonly surface?: { readonly nodesSha256: string; readonly replaceGeneration?: number };
  readonly derived?: { readonly end: { readonly messages: number; readonly sha256: string } };
}

const healthy = corpusIndex().filter((entry) => entry.fault === undefined && !entry.path.includes('core-surface/'));

describe.runIf(hasSharedData)('a restored session answers as the oracle of its log', () => {
  it.each(healthy.map((entry) => [entry.path, entry] as const))('%s', async (_, entry: CorpusEntry) => {
    const { header, events } = await readCorpusLog(entry.path);
    const oracle = sharedJson('corpus', entry.oracle) as RestoreOracle;
    const session = Session.create(header.id, events, header, { now: () => 1 });
    expect(session.header).toEqual(header);
    expect(session.firstLiveSeq).toBe(events.length);
    const marks = events.at(-1)?.type === 'session/end-seed' ? 0 : 1;
    expect(session.seq).toBe(events.length + marks);
    if (oracle.restore !== undefined) {
      expect({ live: session.firstLiveSeq, after: session.seq, added: session.seq - events.length }).toEqual({
        live: oracle.restore.firstLiveSeq,
        after: oracle.restore.eventsAfterRestore,
        added: oracle.restore.appendedEndSeed,
      });
      const request = session.requestHeader();
      expect(hashOf(request ?? null)).toBe(oracle.restore.requestHeaderSha256);
      expect(session.requestContext() ?? null).toEqual(oracle.restore.requestContext ?? null);
    }
    if (oracle.surface !== undefined) {
      expect(hashOf(session.surface.nodes)).toBe(oracle.surface.nodesSha256);
      if (oracle.surface.replaceGeneration !== undefined) {
        expect(session.surface.replaceGeneration).toBe(oracle.surface.replaceGeneration);
      }
    }
    if (oracle.derived !== undefined) {
      const messages = session.deriveMessages();
      expect(messages.length).toBe(oracle.derived.end.messages);
      expect(hashOf(messages)).toBe(oracle.derived.end.sha256);
    }
    expect(oracle.restore !== undefined || oracle.derived !== undefined).toBe(true);
  });
});
