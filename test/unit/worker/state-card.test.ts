import { afterAll, describe, expect, it } from 'vitest';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService, sectionSaid, writeBuilt } from './session-harness.ts';

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

/** What the inspector says of events of a log, given as they are stored. */
async function cards(events: readonly (readonly [type: string, data: unknown])[]): Promise<string[][]> {
  const log = new LogBuilder({ version: 4, id: 'cards', createdAt: 1_700_000_000_000, cwd: '/home/dev/c' });
  const prompt = log.prompt('Hello.');
  expect(prompt).toBe(5); // cited below
  log.reply('Hi.');
  const first = log.events.length;
  for (const [type, data] of events) log.adopt({ type, seq: log.events.length, time: log.now, data });
  const service = openService(await writeBuilt(root.fresh(), log));
  open.push(service);
  const { generation } = await service.call('overview', {});
  const said: string[][] = [];
  for (let i = 0; i < events.length; i++) {
    const { pretty } = await service.call('detail', { generation, seq: first + i });
    said.push(pretty.map(sectionSaid));
  }
  return said;
}

describe('what an event records is told in words', () => {
  it('a title, who gave it, and from what', async () => {
    expect(
      await cards([
        ['session/title', { title: 'Greetings', messageSeqs: [5], source: { kind: 'fallback' } }],
        ['session/title', { title: 'Mine', messageSeqs: [], source: { kind: 'user' } }],
      ]),
    ).toEqual([['Title=Greetings, Given by=the first prompt', 'Made from: #5 You'], ['Title=Mine, Given by=the user']]);
  });

  it('a command with what came of it, from either end', async () => {
    const card = ['Command=/feedback, Arguments=good work, Outcome=failed, Answer=No network.'];
    expect(
      await cards([
        ['command/run', { commandId: 'c', name: 'feedback', args: 'good work', source: { kind: 'user' } }],
        ['command/done', { commandId: 'c', kind: 'error', text: 'No network.' }],
      ]),
    ).toEqual([card, card]);
  });

  it('a goal with its phase, rounds and why it is blocked', async () => {
    const goal = {
      id: 'g1',
      revision: 2,
      objective: 'Ship it',
      phase: 'blocked',
      maxGoalRounds: 3,
      blockedReason: { code: 'X', message: 'No key.' },
    };
    const times = { roundsStarted: 1, createdAt: 1, updatedAt: 2 };
    const kind = { kind: 'goal/change', version: 1 };
    expect(
      await cards([
        ['goal/change', { ...kind, operation: 'block', goal, ...times }],
        ['goal/change', { ...kind, operation: 'clear', cleared: { id: 'g1', revision: 3 }, clearedAt: 3 }],
      ]),
    ).toEqual([
      ['Operation=blocked, Objective=Ship it, Phase=blocked, Rounds=1 of 3, Blocked because=No key., Goal=g1'],
      ['Operation=cleared, Goal=g1'],
    ]);
  });

  it('files, plan mode, a subagent and its tools, a rating', async () => {
    expect(
      await cards([
        [
          'deliverables/presented',
          { turn: 1, callId: 'c', files: [{ path: 'a.md', description: 'The report.' }, { path: 'b' }] },
        ],
        ['plan/mode', { active: true }],
        [
          'subagent/descriptor',
          {
            mode: 'continuable',
            version: 3,
            provider: 'spawn',
            label: 'reader',
            toolFilter: { allow: ['read', 'grep'], deny: ['bash'] },
          },
        ],
        ['feedback/message-put', { sessionId: 'cards', item: { messageId: 'm1', rating: 'negative', note: 'slow' } }],
      ]),
    ).toEqual([
      ['Files: a.md=The report., b=no description'],
      ['Plan mode=on'],
      ['Label=reader, Mode=continuable, Provider=spawn, Tools allowed=read, grep, Tools denied=bash'],
      ['Rating=negative, Note=slow, Message=m1'],
    ]);
  });

  it('an emptied todo list as empty', async () => {
    expect(await cards([['todo/write', { todos: [] }]])).toEqual([['info: The todo list is empty']]);
  });

  it('a schedule with the time it is due and what it waits for', async () => {
    const schedule = { id: 's1', prompt: 'Check CI.', scheduledAt: Date.UTC(2026, 0, 2, 3, 4, 5) };
    expect(
      await cards([
        ['schedule/change', { version: 1, operation: 'create', schedule: { ...schedule, kind: 'every', everySeconds: 300 } }],
        ['schedule/change', { version: 1, operation: 'create', schedule: { ...schedule, kind: 'after', afterSeconds: 45 } }],
        ['schedule/change', { version: 1, operation: 'dispatch', id: 's1' }],
        ['schedule/change', { version: 1, operation: 'delete', id: 's1' }],
        ['schedule/change', { version: 1, operation: 'create', schedule: { ...schedule, scheduledAt: 9e15 } }],
      ]),
    ).toEqual([
      ['Operation=created, Prompt=Check CI., Kind=every, Repeated every=5 min, Due=2026-01-02T03:04:05.000Z, Schedule=s1'],
      ['Operation=created, Prompt=Check CI., Kind=after, Delay=45.0 s, Due=2026-01-02T03:04:05.000Z, Schedule=s1'],
      ['Operation=fired, Schedule=s1'],
      ['Operation=deleted, Schedule=s1'],
      ['Operation=created, Prompt=Check CI., Schedule=s1'],
    ]);
  });

  it('what is left out of a long list, and members without words', async () => {
    const files = Array.from({ length: 203 }, (_, i) => ({ path: `f${String(i)}`, description: 'd' }));
    const todos = Array.from({ length: 501 }, () => ({ content: 't', status: 'pending' }));
    const [delivered, listed, blank] = await cards([
      ['deliverables/presented', { turn: 1, callId: 'c', files }],
      ['todo/write', { todos }],
      ['agent-preset/selected', { agentPreset: '', note: ' \n' }],
    ]);
    expect(delivered?.slice(1)).toEqual(['info: 3 more parts are not shown here']);
    expect(listed?.slice(1)).toEqual(['info: 1 more part is not shown here']);
    expect(blank).toEqual(['agentPreset="", note=" \\n"']);
  });

  it('a route without words as it is stored', async () => {
    expect(await cards([['request/context', { provider: '', model: '' }]])).toEqual([['provider="", model=""']]);
  });

  it('images by the messages they left, and lifecycles', async () => {
    expect(
      await cards([
        ['image/offload', { targets: [{ seq: 5, imageIndexes: [0] }] }],
        ['session/end-seed', {}],
      ]),
    ).toEqual([['Images left the context of: #5 You'], ['info: The session was taken up again here']]);
  });

  it('anything else as it is stored, also where a payload is not as it should be', async () => {
    expect(
      await cards([
        ['goal/change', null],
        ['subagent/descriptor', 'text'],
        ['session/title', { other: [1] }],
      ]),
    ).toEqual([['null'], ['"text"'], ['{\n  "other": [\n    1\n  ]\n}']]);
  });
});
