import { SessionMigrationRefusedError } from '../../../src/core/errors.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from '../../../src/core/events.ts';
import type { ChildFacts } from '../../../src/core/migrations/catalog.ts';
import { migrateSession, type MigratedSession } from '../../../src/core/migrations/chain.ts';

/** A hand-written log: one event a line, times 100 apart from 1000. */
export class Log {
  readonly header: SessionHeader;
  readonly events: StoredEvent[] = [];

  constructor(version: number, header: Record<string, unknown> = {}) {
    this.header = {
      type: 'session',
      version,
      id: 's1',
      createdAt: 900,
      ...(version < 2 ? {} : { isSeeded: false }),
      delegationDepth: 0,
      ...header,
    };
  }

  add(type: string, data: unknown, rest: Partial<Omit<StoredEvent, 'type' | 'data'>> = {}): this {
    const seq = this.events.length;
    this.events.push({ type, seq, time: 1000 + 100 * seq, data, ...rest });
    return this;
  }

  /** A turn and its first step. */
  open(turn = 1): this {
    return this.add('turn/start', { turn }).add('step/start', { turn, step: 1 });
  }

  close(turn = 1): this {
    return this.add('step/end', { turn, step: 1 }).add('turn/end', { turn, reason: { kind: 'completed' } });
  }

  user(id: string, words = id, source: unknown = { kind: 'user' }): this {
    return this.add('user/message', { id, role: 'user', content: [text(words)], source }, { surfaceOp: 'append' });
  }

  requestHeader(extra: Record<string, unknown> = {}, reason = 'initial'): this {
    return this.add('request/header', { header: { config: { provider: 'p', model: 'm' }, ...extra }, reason });
  }

  chunk(words: string, turn = 1, step = 1): this {
    return this.add('assistant/chunk', { turn, step, chunk: { type: 'text-delta', index: 0, text: words } });
  }

  finishChunk(turn = 1): this {
    return this.add('assistant/chunk', { turn, step: 1, chunk: { type: 'finish', reason: { kind: 'stop' } } });
  }

  /** v0, v1: cites sources; later: carries a stream. */
  answer(id: string, rest: { sources?: number[]; turn?: number; content?: unknown[]; stream?: unknown[] } = {}): this {
    const { sources, turn = 1, content = [text(id)], stream = [] } = rest;
    const message = { id, role: 'assistant', content, source: { kind: 'model', provider: 'p', model: 'm' } };
    const data = { turn, step: 1, message, ...(this.header.version < 2 ? {} : { stream }) };
    return this.add('assistant/message', data, {
      ...(sources === undefined ? {} : { sourceEventSeqs: sources }),
      surfaceOp: 'append',
    });
  }

  /** The head of a v3 or v4 surface. */
  system(id = 'sys', words = 'SYS'): this {
    const source =
      this.header.version === 3 ? { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' } : { kind: 'system-prompt' };
    const message = { id, role: 'system', source, content: [text(words)] };
    return this.add('system/message', { turn: 1, step: 1, message }, { surfaceOp: 'append' });
  }

  migrate(toVersion: number, children: readonly ChildFacts[] = []): MigratedSession {
    return migrateSession(this.source, toVersion, { children });
  }

  /** What the migration answers with: its refusal as edge, seq and sentence, or `accepted`. */
  refusal(toVersion: number, children: readonly ChildFacts[] = []): unknown {
    try {
      this.migrate(toVersion, children);
      return 'accepted';
    } catch (error) {
      if (error instanceof SessionMigrationRefusedError) return { from: error.from, seq: error.seq, message: error.message };
      throw error;
    }
  }

  get source(): { header: SessionHeader; events: readonly SessionEvent[] } {
    return { header: this.header, events: this.events as readonly SessionEvent[] };
  }
}

export function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words };
}

/** Types in order, one word an event. */
export function typesOf(session: MigratedSession): string[] {
  return session.events.map((event) => event.type);
}

/** The payload of the event at a seq, free to look into. */
export function dataAt(session: MigratedSession, seq: number): unknown {
  return session.events[seq]?.data;
}
