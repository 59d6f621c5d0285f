import { relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyReplay } from '../../src/core/replay.ts';
import { readCorpusLog } from '../support/corpus.ts';
import { hasSharedData, sharedLogs, sharedPath } from '../support/shared.ts';

const logs = hasSharedData
  ? sharedLogs('corpus')
      .map((path) => relative(sharedPath('corpus'), path).split(sep).join('/'))
      .filter((path) => !path.startsWith('faults/') && !path.includes('core-surface/'))
  : [];

describe.runIf(hasSharedData)('every recorded stream makes the answer that settles it', () => {
  it('in every healthy log of every generation', async () => {
    let answers = 0;
    for (const path of logs) {
      const { header, events } = await readCorpusLog(path);
      const report = verifyReplay(events, header.version);
      expect({ path, ...report }).toEqual({ path, answers: report.answers, disagreeing: [], historyAgrees: true });
      answers += report.answers;
    }
    expect(logs.length).toBeGreaterThan(200);
    expect(answers).toBeGreaterThan(1_000);
  });
});
