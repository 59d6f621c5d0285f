import { afterAll, describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { LogBuilder, type Version } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, rowSaid, sectionSaid, writeBuilt } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

const base = (version: Version): { version: Version; id: string; createdAt: number; cwd: string } => ({
  version,
  id: 'child',
  createdAt: 1_700_000_000_000,
  cwd: '/home/dev/l',
});

/** What row and card say of every event of a type, as far as the log is known at `until`. */
async function told(log: LogBuilder, type: string, until?: number): Promise<[row: string, card: string][]> {
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  const { generation } = await service.call('overview', {});
  const said: [string, string][] = [];
  for (const { seq } of log.events.filter((event) => event.type === type)) {
    const { row, pretty } = await service.call('detail', { generation, seq, ...(until === undefined ? {} : { until }) });
    said.push([rowSaid(row), pretty.map(sectionSaid).join('; ')]);
  }
  return said;
}

const turn = (log: LogBuilder): LogBuilder => {
  log.prompt('Go on.');
  return log.reply('Done.');
};

describe('an end-seed', () => {
  it.each([0, 1] as const)('of a fork in format %i is told by the header, since it looks like any other', async (version) => {
    const parent = turn(new LogBuilder(base(version)));
    parent.endSeed();
    turn(parent);
    const cut = parent.events.length;
    const log = new LogBuilder(base(version), { ...parent.header, parentSession: 'parent', seedLength: cut });
    for (const event of parent.events) log.adopt(event);
    log.endSeed();
    log.wait(10).endSeed();
    expect(await told(log, 'session/end-seed')).toEqual([
      ['An ancestor was forked or resumed here', 'info: An ancestor of this session was forked or taken up again here'],
      ['Forked from parent here', 'info: Everything before this was inherited from the parent session'],
      ['Resumed here', 'info: The session was taken up again here'],
    ]);
  });

  it.each([2, 4] as const)('of an ancestor in format %i is not taken for this session’s own', async (version) => {
    const log = new LogBuilder(base(version), {
      type: 'session',
      ...base(version),
      parentSession: 'parent',
      isSeeded: true,
      delegationDepth: 0,
    });
    turn(log);
    const mark = (data: object): unknown => log.adopt({ type: 'session/end-seed', seq: log.events.length, time: log.now, data });
    mark({ inherited: true });
    mark({});
    mark({ inherited: true });
    mark({});
    expect((await told(log, 'session/end-seed')).map(([row]) => row)).toEqual([
      'An ancestor was forked here',
      'Resumed here',
      'Forked from parent here',
      'Resumed here',
    ]);
  });
});

describe('what a lifecycle leaves open', () => {
  it('is abandoned once the session was taken up again, and open before', async () => {
    const log = new LogBuilder(base(4));
    log.prompt('Go.');
    const call = { id: 'call-1', name: 'bash', arguments: '{"command":"sleep 9"}' };
    log.answer({ text: 'Now.', calls: [call] });
    log.call(call);
    log.push('approval/asked', { id: 'q', toolName: 'bash' });
    log.push('command/run', { commandId: 'c', name: 'wait', source: { kind: 'user' } });
    const end = log.events.length;
    log.endSeed();
    const said = async (until?: number): Promise<string[]> =>
      (await Promise.all(['tool/call', 'approval/asked', 'command/run'].map((type) => told(log, type, until)))).flatMap((all) =>
        all.map(([row]) => row),
      );
    expect(await said()).toEqual(['bash | sleep 9 | abandoned', 'Approval asked | bash | abandoned', '/wait |  | abandoned']);
    expect(await said(end)).toEqual(['bash | sleep 9 | open', 'Approval asked | bash | open', '/wait |  | open']);
    expect((await told(log, 'approval/asked'))[0]?.[1]).toContain('Decision=abandoned');
  });

  it('and the transcript names the same places', async () => {
    const parent = turn(new LogBuilder(base(0)));
    const log = new LogBuilder(base(0), { ...parent.header, parentSession: 'parent', seedLength: parent.events.length });
    for (const event of parent.events) log.adopt(event);
    const seq = log.endSeed();
    const service = openService(await writeBuilt(root.fresh(), log));
    open.push(service);
    const { text } = await service.call('document', { ref: { kind: 'transcript' } });
    expect(text).toContain(`#${String(seq)} ${english({ template: 'Forked from parent here', args: {} })}`);
  });
});
