import { fields, items, stringOf, timeOf } from './payload.ts';
import { usageOf, type Usage } from './usage.ts';

/** What the timeline needs of an embedded stream. format/on-disk.md §6.2. */
export interface StreamFacts {
  /** Arrival of the first piece of content, NaN when there was none. */
  readonly firstToken: number;
  readonly usage: Usage | undefined;
  /** `kind` of the last finish chunk. */
  readonly finish: string | undefined;
}

/** Reads the records without expanding them. */
export function streamFacts(stream: unknown): StreamFacts {
  let firstToken = NaN;
  let usage: Usage | undefined;
  let finish: string | undefined;
  for (const item of items(stream)) {
    const record = fields(item);
    if (record['type'] !== 'chunk') {
      if (Number.isNaN(firstToken)) firstToken = timeOf(record['time0']);
      continue;
    }
    const chunk = fields(record['chunk']);
    if (chunk['type'] === 'usage') usage = usageOf(chunk['usage']) ?? usage;
    else if (chunk['type'] === 'finish') finish = stringOf(fields(chunk['reason'])['kind']) ?? finish;
    else if (Number.isNaN(firstToken)) firstToken = timeOf(record['time']);
  }
  return { firstToken, usage, finish };
}
