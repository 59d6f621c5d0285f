import { describe, expect, it } from 'vitest';
import { SessionForkError } from '../../../src/core/errors.ts';
import type { SessionEvent } from '../../../src/core/events.ts';
import type { Session } from '../../../src/core/session.ts';
import { SessionStore } from '../../../src/core/store.ts';

function store(options: { failures?: unknown[]; version?: number } = {}): SessionStore {
  let made = 0;
  return new SessionStore({
    ...(options.version === undefined ? {} : { version: options.version }),
    now: () => 1_000,
    newId: () => `id-${String(++made)}`,
    onListenerError: (error) => options.failures?.push(error),
  });
}

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof SessionForkError) return error.code;
    throw error;
  }
  return 'no error';
};

describe('create', () => {
  it('mints ids, skipping taken ones, and lists in order of creation', () => {
    const sessions = store();
    sessions.create('id-1');
    const own = sessions.create();
    expect(own.id).toBe('id-2');
    expect(sessions.list().map((session) => session.id)).toEqual(['id-1', 'id-2']);
    expect(sessions.get('id-2')).toBe(own);
    expect(sessions.get('id-3')).toBeUndefined();
    sessions.list().length = 0;
    expect(sessions.list().length).toBe(2);
  });

  it('mints product ids by default', () => {
    expect(new SessionStore().create().id).toMatch(
      /^session-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('refuses a taken id', () => {
    const sessions = store();
    sessions.create('a');
    expect(() => sessions.create('a')).toThrow('already exists');
  });

  it('gives the version of the store, or of the meta', () => {
    const sessions = store({ version: 2 });
    expect(sessions.create().header.version).toBe(2);
    expect(sessions.create('x', { meta: { version: 0 } }).header.version).toBe(0);
  });

  it('announces the session once it is there, and leaves nothing behind when the seed is bad', () => {
    const sessions = store();
    const seen: [string, number][] = [];
    sessions.onCreate((session) => {
      seen.push([session.id, session.seq]);
      expect(sessions.get(session.id)).toBe(session);
    });
    const seed: SessionEvent[] = [{ type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } }];
    sessions.create('a', { seed });
    expect(seen).toEqual([['a', 2]]);
    expect(() => sessions.create('b', { seed: [{ ...seed[0]!, seq: 4 }] })).toThrow('index 0');
    expect(sessions.get('b')).toBeUndefined();
  });
});

describe('observers of events', () => {
  it('hear every event after it is in the log, in order, and never the seed', () => {
    const sessions = store();
    const heard: string[] = [];
    sessions.onEvent((session, event) => {
      expect(session.events.at(-1)).toBe(event);
      heard.push(`${session.id} ${String(event.seq)}`);
    });
    const a = sessions.create('a', { seed: [{ type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } }] });
    a.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    sessions.create('b').append('turn/start', { turn: 1 });
    expect(a.firstLiveSeq).toBe(1);
    expect(heard).toEqual(['a 2', 'b 0']);
  });

  it('that throw neither undo the event nor starve the others', async () => {
    const failures: unknown[] = [];
    const sessions = store({ failures });
    const heard: string[] = [];
    sessions.onEvent(() => {
      throw new Error('first');
    });
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- a listener that fails later is the case
    sessions.onEvent(async () => {
      await Promise.resolve();
      throw new Error('later');
    });
    sessions.onEvent((_, event) => heard.push(event.type));
    const session = sessions.create('a');
    expect(session.append('turn/start', { turn: 1 }).seq).toBe(0);
    await Promise.resolve();
    await Promise.resolve();
    expect(session.seq).toBe(1);
    expect(heard).toEqual(['turn/start']);
    expect(failures.map((failure) => (failure as Error).message)).toEqual(['first', 'later']);
  });

  it('cannot append to the session whose event they hear, but to others', () => {
    const failures: unknown[] = [];
    const sessions = store({ failures });
    const other = sessions.create('other');
    const session = sessions.create('a');
    sessions.onEvent((from) => {
      if (from !== session) return;
      other.append('turn/start', { turn: 1 });
      from.append('turn/start', { turn: 2 });
    });
    session.append('turn/start', { turn: 1 });
    expect(session.seq).toBe(1);
    expect(other.seq).toBe(1);
    expect(String(failures[0])).toContain('while another is being published');
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    expect(session.seq).toBe(2);
  });

  it('subscribed during a publication hear from the next event on; unsubscribed ones no more', () => {
    const sessions = store();
    const heard: string[] = [];
    const session = sessions.create('a');
    const first = sessions.onEvent((_, event) => {
      heard.push(`first ${String(event.seq)}`);
      if (event.seq === 0) sessions.onEvent((_from, next) => heard.push(`second ${String(next.seq)}`));
    });
    session.append('turn/start', { turn: 1 });
    first.dispose();
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    expect(heard).toEqual(['first 0', 'second 1']);
  });

  it('are told twice when subscribed twice, and each subscription ends on its own', () => {
    const sessions = store();
    let calls = 0;
    const listener = (): void => {
      calls++;
    };
    const once = sessions.onEvent(listener);
    sessions.onEvent(listener);
    const session = sessions.create('a');
    session.append('turn/start', { turn: 1 });
    once.dispose();
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    expect(calls).toBe(3);
  });
});

describe('detach', () => {
  it('takes effect at once outside an append; the session itself goes on', () => {
    const sessions = store();
    const gone: string[] = [];
    const heard: number[] = [];
    sessions.onDetach((session) => gone.push(session.id));
    sessions.onEvent((_, event) => heard.push(event.seq));
    const session = sessions.create('a');
    sessions.detach(session);
    expect(sessions.get('a')).toBeUndefined();
    session.append('turn/start', { turn: 1 });
    sessions.detach(session);
    expect(session.seq).toBe(1);
    expect(heard).toEqual([]);
    expect(gone).toEqual(['a']);
    expect(sessions.create('a')).not.toBe(session);
  });

  it('asked for during an append takes effect after it: later observers still hear the event', () => {
    const sessions = store();
    const heard: string[] = [];
    const session = sessions.create('a');
    sessions.onEvent((from) => {
      sessions.detach(from);
      heard.push(`first, live: ${String(sessions.get('a') === from)}`);
    });
    sessions.onEvent((from) => heard.push(`second, live: ${String(sessions.get('a') === from)}`));
    sessions.onDetach(() => heard.push('gone'));
    session.append('turn/start', { turn: 1 });
    expect(heard).toEqual(['first, live: true', 'second, live: true', 'gone']);
    expect(sessions.list()).toEqual([]);
  });

  it('asked for while the session is announced takes effect after that, not after an append in between', () => {
    const sessions = store();
    const heard: string[] = [];
    sessions.onCreate((session) => {
      sessions.detach(session);
      session.append('turn/start', { turn: 1 });
      heard.push('first');
    });
    sessions.onCreate((session) => heard.push(`second, live: ${String(sessions.get('a') === session)}`));
    sessions.create('a');
    expect(heard).toEqual(['first', 'second, live: true']);
    expect(sessions.get('a')).toBeUndefined();
  });

  it('of a stranger with the same id does nothing', () => {
    const sessions = store();
    const stranger = store().create('a');
    const own = sessions.create('a');
    sessions.detach(stranger);
    expect(sessions.get('a')).toBe(own);
  });
});

describe('flush', () => {
  it('starts all listeners, awaits all, then reports all failures together', async () => {
    const sessions = store();
    const log: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    sessions.onFlush(() => {
      log.push('first starts');
      throw new Error('disk full');
    });
    sessions.onFlush(async () => {
      log.push('second starts');
      await gate;
      log.push('second ends');
      throw new Error('no permission');
    });
    sessions.onFlush(() => {
      log.push('third starts');
    });
    const flushed = sessions.flush(sessions.create('a'));
    expect(log).toEqual(['first starts', 'second starts', 'third starts']);
    release();
    const error = await flushed.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(log.at(-1)).toBe('second ends');
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors.map((each) => (each as Error).message)).toEqual(['disk full', 'no permission']);
    expect((error as Error).message).toContain('disk full');
    expect((error as Error).message).toContain('no permission');
  });

  it('resolves when nobody fails, and rejects for a session that is not live', async () => {
    const sessions = store();
    const session = sessions.create('a');
    await expect(sessions.flush(session)).resolves.toBeUndefined();
    sessions.detach(session);
    await expect(sessions.flush(session)).rejects.toThrow('not live');
    await expect(sessions.flush(store().create('a'))).rejects.toThrow('not live');
  });
});

describe('fork', () => {
  function parent(sessions: SessionStore): Session {
    const session = sessions.create('parent', { meta: { cwd: '/w', agentPreset: 'x', origin: 'subagent', delegationDepth: 2 } });
    session.append('turn/start', { turn: 1 });
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    session.append('turn/start', { turn: 2 });
    return session;
  }

  it.each([0, 1, 2, 3, 4])('names its refusals (format %i)', (version) => {
    const sessions = store({ version });
    const source = parent(sessions);
    expect(codeOf(() => sessions.fork('nobody'))).toBe('SESSION_NOT_FOUND');
    expect(codeOf(() => sessions.fork(store({ version }).create('stranger')))).toBe('SESSION_NOT_FOUND');
    expect(codeOf(() => sessions.fork(store({ version }).create('parent')))).toBe('SESSION_NOT_LIVE');
    expect(codeOf(() => sessions.fork('nobody', 0, 'parent'))).toBe('SESSION_ALREADY_EXISTS');
    for (const odd of [-1, 3, 1.5, NaN, '1', null]) {
      expect(codeOf(() => sessions.fork(source, odd as number))).toBe('INVALID_BOUNDARY');
    }
    expect(codeOf(() => sessions.fork(source, 0))).toBe(version === 4 ? 'no error' : 'OPEN_TURN');
    expect(codeOf(() => sessions.fork(source))).toBe(version === 4 ? 'no error' : 'OPEN_TURN');
    expect(sessions.list().length).toBe(version === 4 ? 3 : 1);
  });

  it.each([0, 1, 2, 3, 4])('copies cwd and nothing else of the header (format %i)', (version) => {
    const sessions = store({ version });
    parent(sessions);
    const child = sessions.fork('parent', 1, 'child');
    expect(sessions.get('child')).toBe(child);
    expect(child.header).toEqual({
      type: 'session',
      version,
      id: 'child',
      createdAt: 1_000,
      cwd: '/w',
      parentSession: 'parent',
      ...(version < 2 ? { seedLength: 2 } : { isSeeded: true }),
      delegationDepth: 0,
    });
    expect(sessions.fork('parent', 1).id).toBe('id-1');
  });

  it('leaves the parent alone and takes the format of the source, not of the store', () => {
    const sessions = store({ version: 4 });
    const source = sessions.create('old', { meta: { version: 1 } });
    source.append('turn/start', { turn: 1 });
    source.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    const child = sessions.fork(source);
    expect(child.header.version).toBe(1);
    expect(source.seq).toBe(2);
    child.append('turn/start', { turn: 2 });
    expect(source.seq).toBe(2);
    expect(child.events.slice(0, 2)).toEqual(source.events);
  });

  it.each([0, 1, 2, 3, 4])('of an empty session is an empty child (format %i)', (version) => {
    const sessions = store({ version });
    const child = sessions.fork(sessions.create('empty'), undefined, 'child');
    expect(child.events).toEqual([
      { type: 'session/end-seed', seq: 0, time: 1_000, data: version < 2 ? {} : { inherited: true } },
    ]);
    expect([child.firstLiveSeq, child.inheritedEventCount]).toEqual([0, 0]);
    expect(codeOf(() => sessions.fork('empty', 0))).toBe('INVALID_BOUNDARY');
  });
});
