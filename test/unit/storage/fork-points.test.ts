import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nearestBoundaries, openSession, rootOfLog } from '../../../src/storage/index.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { writeLog } from '../../support/write-log.ts';

const temp = tempRoot();

describe('nearestBoundaries', () => {
  it('names the turns around a place, and in v4 the place itself', async () => {
    for (const version of [3, 4] as const) {
      const log = new LogBuilder({ version, id: 'parent', cwd: '/work/demo', createdAt: 1_790_000_000_000 });
      log.prompt('one');
      log.reply('first');
      log.prompt('two');
      log.reply('second');
      const seqsOf = (type: string): number[] => log.events.filter((event) => event.type === type).map(({ seq }) => seq);
      const path = await writeLog(temp.fresh(), log.header, log.events);
      const source = await openSession(path);
      const [firstEnd = 0, secondEnd = 0] = seqsOf('turn/end');
      const [firstStart = 0, secondStart = 0] = seqsOf('turn/start');
      const found = nearestBoundaries(source, secondEnd - 1);
      expect(found.before).toMatchObject({ seq: secondStart - 1, label: { template: 'After turn {turn}', args: { turn: '1' } } });
      expect(found.after).toMatchObject({ seq: secondEnd, label: { template: 'End of turn {turn}', args: { turn: '2' } } });
      if (version === 4) expect(found.here).toMatchObject({ seq: secondEnd - 1, closes: true, label: { args: { turn: '2' } } });
      else expect(found.here).toBeUndefined();
      const inFirst = nearestBoundaries(source, firstEnd - 1);
      expect(inFirst.before).toMatchObject({ seq: firstStart - 1, label: { template: 'Before the first turn' } });
      expect(nearestBoundaries(source, firstEnd)).toMatchObject({ here: { closes: false } });
      expect(nearestBoundaries(source, log.events.length + 5)).toMatchObject({ before: { seq: log.events.length - 1 } });
    }
  });
});

it('finds the root of a log by the names of its directories', () => {
  expect(rootOfLog(join('/r', '--work--', 's', 'session.jsonl'))).toBe(join('/r'));
  expect(rootOfLog(join('/r', '_no-cwd', 's', 'session.jsonl'))).toBe(join('/r'));
  expect(rootOfLog(join('/home', 'ann', 'Downloads', 'session.jsonl'))).toBeUndefined();
  expect(existsSync('/r')).toBe(false);
});
