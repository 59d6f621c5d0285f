// `node write-logs.ts ROOT`: writes the generated logs of the benchmark, unless they are there.
import { existsSync } from 'node:fs';
import { logPath, writeLog } from '../support/write-log.ts';
import { buildLargeLog } from '../support/large-log.ts';

const root = process.argv[2];
if (root === undefined) throw new Error('write-logs ROOT');
const { header } = buildLargeLog(1);
if (!existsSync(logPath(root, header))) {
  const log = buildLargeLog(100_000);
  await writeLog(root, log.header, log.events);
}
