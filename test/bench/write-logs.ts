// `node write-logs.ts ROOT`: writes the generated logs of the benchmark, unless they are there.
import { existsSync } from 'node:fs';
import { logPath, writeLog } from '../support/write-log.ts';
import { largeLog } from './large-log.ts';

const root = process.argv[2];
if (root === undefined) throw new Error('write-logs ROOT');
const id = 'large-100000';
const { header } = largeLog(1, { id });
if (!existsSync(logPath(root, header))) {
  const log = largeLog(100_000, { id });
  await writeLog(root, log.header, log.events);
}
