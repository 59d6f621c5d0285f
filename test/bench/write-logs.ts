// `node write-logs.ts ROOT`: writes the generated log of the benchmark, anew each time, as the generator makes it now.
import { buildLargeLog } from '../support/large-log.ts';
import { writeLog } from '../support/write-log.ts';

const root = process.argv[2];
if (root === undefined) throw new Error('write-logs ROOT');
const log = buildLargeLog(100_000);
await writeLog(root, log.header, log.events);
