import { describe, expect, it } from 'vitest';
import { migrationPreview } from '../../../src/core/migrations/preview.ts';
import { english } from '../../../src/core/text.ts';
import { Log } from './migrations-log.ts';

const closed = (log: Log): Log =>
  log
    .open()
    .user('u')
    .requestHeader({ system: 'S' })
    .chunk('x')
    .answer('a', { sources: [4] })
    .close();

describe('migrationPreview', () => {
  it('says with how many events a newer dsh goes on, and which generation stays', () => {
    const preview = migrationPreview(closed(new Log(0)).source);
    expect(preview).toMatchObject({ outcome: 'accepted', from: 0, to: 4, eventCount: 9, inheritedEventCount: 0 });
    expect(english(preview.text)).toBe('A dsh of format 4 accepts this log and continues it with 9 events');
    expect(preview.notes.map(english)[0]).toBe(
      'The file of format 0 stays beside the new one; event numbers differ between the two',
    );
  });

  it('names the event that refuses it, in the numbering of the log', () => {
    const log = closed(new Log(0)).add('permission/preset', { preset: 'ask', origin: 'user' });
    const preview = migrationPreview(log.source);
    expect(preview).toMatchObject({ outcome: 'refused', refusedFrom: 0, seq: 8 });
    expect(english(preview.text)).toBe('A dsh of format 4 refuses this log because of #8');
    expect(preview.outcome === 'refused' && english(preview.reason)).toMatch(/"origin"/);
    expect(preview.notes.map(english)).toEqual(['The file of format 0 stays as it is, and no newer one is written']);
  });

  it('takes the event back through the edges before the one that refuses', () => {
    // The edge from v2 stumbles over a prompt that changes before the step begins.
    const log = closed(new Log(0)).add('turn/start', { turn: 2 }).requestHeader({ system: 'other' }, 'change');
    expect(migrationPreview(log.source)).toMatchObject({ outcome: 'refused', refusedFrom: 2, seq: 9 });
    expect(log.refusal(4)).toMatchObject({ from: 2, seq: 8 });
  });

  it('has no event to name when the header is at fault', () => {
    const preview = migrationPreview(new Log(2, { extra: 1 }).source);
    expect(preview).toMatchObject({ outcome: 'refused', refusedFrom: 2, seq: undefined });
    expect(english(preview.text)).toBe('A dsh of format 4 refuses this log');
    expect(migrationPreview(new Log(0, { seedLength: 9 }).source)).toMatchObject({ outcome: 'refused', seq: undefined });
  });

  it('has nothing to say about a log of the target format', () => {
    const preview = migrationPreview(new Log(4).add('turn/start', { turn: 1 }).source);
    expect(preview).toMatchObject({ outcome: 'current', eventCount: 1, notes: [], notChecked: [] });
  });

  it('lists the types it cannot judge', () => {
    const log = new Log(0).add('team/task', { version: 2, teamId: 't', task: { id: 'k', anything: 1 } });
    log
      .add('plan/mode', { active: true })
      .add('schedule/change', { version: 1, operation: 'create', schedule: { id: 's', kind: 'at' } });
    const preview = migrationPreview(log.source);
    expect(preview.notChecked).toEqual(['schedule/change', 'team/task']);
    expect(preview.notes.map(english)[1]).toBe(
      'Not checked, because their payload rules are not known: schedule/change, team/task',
    );
    const later = new Log(3).add('plan/mode', { active: 'maybe' }).add('turn/start', { turn: 1 });
    expect(migrationPreview(later.source)).toMatchObject({ outcome: 'accepted', notChecked: ['plan/mode'] });
  });

  it('counts the rows for subagents', () => {
    const preview = migrationPreview(new Log(3).source, { children: [{ id: 'c', createdAt: 1 }] });
    expect(preview).toMatchObject({ outcome: 'accepted', eventCount: 1 });
  });

  it('can look at a nearer target', () => {
    const log = closed(new Log(0)).add('turn/start', { turn: 2 }).requestHeader({ system: 'other' }, 'change');
    expect(migrationPreview(log.source, { toVersion: 2 })).toMatchObject({ outcome: 'accepted', to: 2, eventCount: 9 });
    expect(() => migrationPreview(new Log(3).source, { toVersion: 1 })).toThrow(RangeError);
  });
});
