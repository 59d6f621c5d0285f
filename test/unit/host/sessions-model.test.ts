import { describe, expect, it } from 'vitest';
import { SessionsModel, type SessionSource } from '../../../src/host/sessions/sessions-model.ts';
import type { SessionItem } from '../../../src/protocol/index.ts';
import { damage, sessionItem } from './session-items.ts';

/** A listing worker with a disk of its own. */
function start(initial: readonly SessionItem[] = []) {
  const disk = { root: '/r', items: initial, error: undefined as Error | undefined, revision: 1, hangs: false };
  const asked: string[] = [];
  const finished = new Map<string, SessionItem>();
  const checked = new Map<string, SessionItem>();
  const clock = { now: 1_000_000 };
  const source: SessionSource = {
    async call(method, args, signal) {
      await Promise.resolve();
      if (disk.error) throw disk.error;
      const answer = (): unknown => {
        if (method === 'resolveRoot') return { root: disk.root };
        if (method === 'list') {
          asked.push('list');
          return { root: disk.root, exists: true, items: disk.items, problems: [], revision: disk.revision };
        }
        if (method === 'check') {
          const { path } = args as { readonly path: string };
          asked.push(`check ${path}`);
          clock.now += 70;
          if (disk.hangs)
            return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cancelled'))));
          return { item: checked.get(path) };
        }
        const { paths } = args as { readonly paths: readonly string[] };
        asked.push(`complete ${paths.join(' ')}`);
        return { items: paths.flatMap((path) => finished.get(path) ?? []) };
      };
      return answer() as never; // one of the three shapes of ListMethods
    },
  };
  const errors: unknown[] = [];
  const model = new SessionsModel({
    source,
    configuredRoot: () => '',
    now: () => clock.now,
    rest: (ms) => {
      asked.push(`rest ${ms}`);
      return Promise.resolve();
    },
    onError: (error) => errors.push(error),
  });
  const changes: string[][] = [];
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      const listening = model.onChange(() => {
        listening.dispose();
        resolve();
      });
    });
  model.onChange((changed) => changes.push([...changed].sort()));
  return { model, disk, asked, finished, checked, clock, errors, changes, nextChange };
}

describe('listing', () => {
  it('loads, then holds what was listed', async () => {
    const { model, changes } = start([sessionItem('a')]);
    expect(model.state).toEqual({ status: 'loading' });
    await model.refresh();
    expect(model.state).toMatchObject({ status: 'ready', root: '/r', exists: true });
    expect(model.byId('a')).toHaveLength(1);
    expect(changes).toEqual([[]]);
  });

  it('joins calls during a listing into one more', async () => {
    const { model, asked } = start();
    await Promise.all([model.refresh(), model.refresh(), model.refresh()]);
    expect(asked).toEqual(['list', 'list']);
  });

  it('says which files changed, came and went', async () => {
    const { model, disk, changes } = start([sessionItem('a'), sessionItem('b'), sessionItem('c')]);
    await model.refresh();
    disk.items = [sessionItem('a'), sessionItem('b', { size: 101 }), sessionItem('d')];
    await model.refresh();
    expect(changes[1]).toEqual(['b', 'c', 'd'].map((id) => sessionItem(id).path));
  });

  it('tells nobody of a listing that found nothing new', async () => {
    const { model, disk, changes } = start([sessionItem('a')]);
    await model.refresh();
    await model.refresh();
    expect(changes).toHaveLength(1);
    disk.items = [sessionItem('a', { size: 101 })]; // by a worker that counts from the start again
    await model.refresh();
    expect(changes).toHaveLength(2);
    disk.revision++; // a neighbour changed what is said of this one
    await model.refresh();
    expect(changes).toHaveLength(3);
  });

  it('keeps the reason of a failure, and recovers', async () => {
    const { model, disk, errors } = start([sessionItem('a')]);
    disk.error = new Error('no worker');
    await model.refresh();
    expect(model.state).toEqual({ status: 'failed', root: undefined, message: 'no worker' });
    expect(errors).toHaveLength(1);
    disk.error = undefined;
    await model.refresh();
    expect(model.items).toHaveLength(1);
  });

  it('finds a log by the path of an older copy too', async () => {
    const { model } = start([sessionItem('a', { olderCopies: ['/root/--p--/a/session.jsonl'] })]);
    await model.refresh();
    expect(model.byPath('/root/--p--/a/session.jsonl')?.id).toBe('a');
  });
});

describe('live', () => {
  const path = sessionItem('a').path;

  it('at first sight: written within the last minute, by acts of the last ten', async () => {
    const now = 1_000_000;
    const { model, clock } = start([
      sessionItem('a', { mtime: now - 59_000, lastActivity: now - 599_000 }),
      sessionItem('b', { mtime: now - 60_000, lastActivity: now - 60_000 }),
      sessionItem('copy', { mtime: now, lastActivity: now - 600_000 }),
      sessionItem('unreadable', { mtime: now, lastActivity: undefined, createdAt: undefined }),
      sessionItem('new', { mtime: now, lastActivity: undefined, createdAt: now }),
    ]);
    await model.refresh();
    expect(model.items.filter((item) => model.isLive(item.path)).map((item) => item.id)).toEqual(['a', 'new']);
    clock.now += 1000;
    expect(model.isLive(path)).toBe(false);
  });

  it('later: only growth counts, neither a touch nor a truncation', async () => {
    const { model, disk, clock } = start([sessionItem('a', { mtime: 1, size: 100 })]);
    await model.refresh();
    disk.items = [sessionItem('a', { mtime: clock.now, size: 100 })];
    await model.refresh();
    expect(model.isLive(path)).toBe(false);
    disk.items = [sessionItem('a', { mtime: clock.now, size: 90 })];
    await model.refresh();
    expect(model.isLive(path)).toBe(false);
    disk.items = [sessionItem('a', { mtime: clock.now, size: 91 })];
    await model.refresh();
    expect(model.isLive(path)).toBe(true);
    clock.now += 60_000;
    expect(model.isLive(path)).toBe(false);
  });
});

describe('completion', () => {
  const bare = (id: string, fields: Partial<SessionItem> = {}): SessionItem =>
    sessionItem(id, { title: undefined, titleIsComplete: false, ...fields });
  const path = sessionItem('a').path;

  it('fills titles in, in batches of eight, and asks once a file', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const { model, asked, finished, nextChange } = start(ids.map((id) => bare(id)));
    for (const id of ids) finished.set(sessionItem(id).path, sessionItem(id, { title: `Found ${id}` }));
    await model.refresh();
    const first = nextChange();
    model.complete(model.items.map((item) => item.path));
    await first;
    await nextChange();
    expect(model.items.map((item) => item.title)).toEqual(ids.map((id) => `Found ${id}`));
    model.complete(model.items.map((item) => item.path));
    expect(asked.filter((call) => call.startsWith('complete')).map((call) => call.split(' ').length - 1)).toEqual([8, 2]);
    await model.refresh();
    expect(model.items[0]?.title).toBe('Found s0');
  });

  it('looks for damage inside after the titles, log by log, and rests between them', async () => {
    const ends = (id: string): SessionItem => sessionItem(id, { isChecked: false });
    const { model, asked, finished, checked, nextChange } = start([ends('a'), bare('b', { isChecked: false }), sessionItem('c')]);
    finished.set(sessionItem('b').path, ends('b'));
    const found = [damage('accepts', 'refuses')];
    for (const id of ['a', 'b']) checked.set(sessionItem(id).path, sessionItem(id, { damage: found, turns: 2 }));
    await model.refresh();
    const titles = nextChange();
    model.complete(model.items.map((item) => item.path));
    await titles;
    await nextChange();
    await nextChange();
    await Promise.resolve();
    const [a, b] = [sessionItem('a').path, sessionItem('b').path];
    expect(asked).toEqual(['list', `complete ${b}`, `check ${a}`, 'rest 70', `check ${b}`, 'rest 70']);
    expect(model.items.map(({ damage: own, turns }) => [own.length, turns])).toEqual([
      [1, 2],
      [1, 2],
      [0, 1],
    ]);
    model.complete([a, b]);
    await model.refresh();
    expect(asked.filter((call) => call.startsWith('check'))).toHaveLength(2);
  });

  it('keeps what was found inside while the log grows, and reads it again once it rests', async () => {
    const ends = (fields: Partial<SessionItem>): SessionItem => sessionItem('a', { isChecked: false, mtime: 0, ...fields });
    const { model, disk, asked, checked, clock, nextChange } = start([ends({})]);
    const inner = damage('accepts', 'refuses', { line: 7 });
    const tail = damage('accepts', 'repairs', { message: 'torn', byte: 90 });
    checked.set(path, sessionItem('a', { mtime: 0, damage: [inner, tail] }));
    await model.refresh();
    const found = nextChange();
    model.complete([path]);
    await found;
    disk.items = [ends({ size: 200 })];
    await model.refresh();
    expect(model.items[0]?.damage).toEqual([inner]);
    const checks = (): number => asked.filter((call) => call.startsWith('check')).length;
    clock.now += 59_000; // grown less than a minute ago: live
    model.complete([path]);
    await model.refresh();
    expect(checks()).toBe(1);
    clock.now += 1000;
    checked.set(path, sessionItem('a', { mtime: 0, size: 200, damage: [] }));
    const again = nextChange();
    model.complete([path]);
    await again;
    expect([checks(), model.items[0]?.damage]).toEqual([2, []]);
  });

  it('gives up what is under way when the root is another one', async () => {
    const { model, disk, asked, errors } = start([
      sessionItem('a', { isChecked: false }),
      sessionItem('b', { isChecked: false }),
    ]);
    await model.refresh();
    disk.hangs = true;
    model.complete(model.items.map((item) => item.path));
    disk.root = '/other';
    disk.items = [];
    await model.refresh();
    await model.refresh();
    expect(asked.filter((call) => call.startsWith('check'))).toHaveLength(1); // that was under way already
    expect(errors).toEqual([]);
  });

  it('leaves complete ones and unknown paths alone', async () => {
    const { model, asked } = start([sessionItem('a')]);
    await model.refresh();
    model.complete([path, '/nowhere']);
    await model.refresh();
    expect(asked).toEqual(['list', 'list']);
  });

  it('keeps a title while the log grows, and reads a growing log again only after half a minute', async () => {
    const { model, disk, asked, finished, clock, nextChange } = start([bare('a')]);
    finished.set(path, sessionItem('a', { title: 'First' }));
    await model.refresh();
    const filled = nextChange();
    model.complete([path]);
    await filled;
    disk.items = [bare('a', { size: 200 })];
    await model.refresh();
    expect(model.items[0]).toMatchObject({ title: 'First', titleIsComplete: false, size: 200 });
    disk.items = [bare('a', { size: 200, title: 'The prompt it began with', titleIsInherited: true })];
    await model.refresh();
    expect(model.items[0]).toMatchObject({ title: 'First', titleIsInherited: false, titleIsComplete: false });
    clock.now += 29_999;
    model.complete([path]);
    await model.refresh();
    expect(asked.filter((call) => call.startsWith('complete'))).toHaveLength(1);
    clock.now += 1;
    finished.set(path, sessionItem('a', { title: 'Second', size: 200 }));
    const again = nextChange();
    model.complete([path]);
    await again;
    expect(model.items[0]?.title).toBe('Second');
  });

  it('reports a failure and goes on later', async () => {
    const { model, disk, errors } = start([bare('a')]);
    await model.refresh();
    disk.error = new Error('crashed');
    model.complete([path]);
    await model.refresh();
    expect(errors).toHaveLength(2);
  });
});
