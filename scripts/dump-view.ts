// Opens a log in this process and prints what the view would be given: `node scripts/dump-view.ts LOG [SEQ]` (Node 24).
// Without a seq: the overview, all tables' lengths and the row texts; with one: the detail of that event.
import { Transfer, type ArgsOf, type SessionMethods, type ValueOf } from '../src/protocol/index.ts';
import { openSession } from '../src/storage/index.ts';
import { createSessionService } from '../src/worker/session-service.ts';

const [path, seq] = process.argv.slice(2);
if (path === undefined) {
  console.error('usage: node scripts/dump-view.ts LOG [SEQ]');
  process.exit(1);
}

const session = createSessionService(path, { open: openSession });

async function call<K extends keyof SessionMethods>(
  method: K,
  args: ArgsOf<SessionMethods[K]>,
): Promise<ValueOf<SessionMethods[K]>> {
  const { check, run } = session.service[method];
  const checked = check(args);
  if (checked === undefined) throw new Error(`${method}: arguments of the wrong shape`);
  const value = await run(checked, new AbortController().signal);
  return value instanceof Transfer ? value.value : value;
}

const overview = await call('overview', {});
const { generation } = overview;
if (seq === undefined) {
  console.log(JSON.stringify(overview, null, 2));
  const first = (length: number): number[] => Array.from({ length: Math.min(length, 130) }, (_, i) => i);
  const { turns, steps, entries } = overview.tables;
  console.log(
    JSON.stringify(
      await call('rows', { generation, turns: first(turns), steps: first(steps), entries: first(entries) }),
      null,
      1,
    ),
  );
} else {
  console.log(JSON.stringify(await call('detail', { generation, seq: Number(seq) }), null, 2));
}
await session.dispose();
