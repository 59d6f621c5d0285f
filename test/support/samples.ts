import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectDirectoryName } from '../../src/storage/names.ts';
import { encodeFrame } from '../../src/storage/zstd/encode.ts';
import { walkFrames } from '../../src/storage/zstd/frames.ts';
import { LogBuilder, type Version } from './log-builder.ts';
import { sqliteMove } from './samples/compacted.ts';
import { errorAudit } from './samples/family.ts';
import { flakyRetry, flakyRetryForks } from './samples/http-client.ts';
import { cronFork, cronParser, pluginLog, safariTable } from './samples/other-projects.ts';
import { endingAt } from './samples/script.ts';
import { brokenLayout, csvExport, deadFlags, nodeUpgrade } from './samples/troubles.ts';
import { logBytes, logPath, writeLog } from './write-log.ts';
import { writeThroughStore } from './write-through-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Writes the sample sessions below `root`, which is cleared of earlier ones: a chat with tools, its fork and the fork of the fork, a
 * compacted session, a subagent family, retries and failures, parallel calls, one log per format version, a live-looking one, a damaged
 * one, one of a newer format, one with a plugin's event, an empty one. Those of `workspace` name it as the folder they ran in. Times are
 * relative to `now`. Gives the paths of the logs.
 */
export async function writeSampleSessions(root: string, workspace: string, now: number = Date.now()): Promise<string[]> {
  for (const project of PROJECTS(workspace))
    await rm(join(root, projectDirectoryName(project)), { recursive: true, force: true });
  await mkdir(root, { recursive: true, mode: 0o700 });

  const chat = endingAt(now - 26 * MINUTE, (start) => flakyRetry(start, workspace));
  const forks = flakyRetryForks(chat, now - 19 * MINUTE);
  const crons = ([0, 1, 2, 3, 4] as const).map((version: Version) =>
    endingAt(now - (9 - version) * 7 * DAY, (start) => cronParser(version, start)),
  );
  const [oldest] = crons;
  const logs: LogBuilder[] = [
    chat,
    ...forks,
    endingAt(now - 21 * HOUR, (start) => sqliteMove(start, workspace)),
    ...errorAudit(now - 3 * HOUR, workspace),
    endingAt(now - 2 * DAY, (start) => nodeUpgrade(start, workspace)),
    endingAt(now - 5 * HOUR, (start) => deadFlags(start, workspace)),
    endingAt(now - 3 * DAY, (start) => brokenLayout(start, workspace)),
    new LogBuilder({ version: 4, id: 'session-blank-0001', cwd: workspace, createdAt: now - 4 * HOUR }),
    endingAt(now - 30 * HOUR, (start) => safariTable(start)),
    ...crons,
    ...(oldest === undefined ? [] : [cronFork(oldest, now - 60 * DAY)]),
  ];
  const live = endingAt(now - 25_000, (start) => csvExport(start, workspace));
  const paths: string[] = [];
  for (const log of [...logs, live]) {
    await writeThroughStore(root, log);
    paths.push(logPath(root, log.header));
  }
  await appendTornFrame(paths.at(-1) ?? '', live);

  const plugin = endingAt(now - 6 * DAY, (start) => pluginLog(start));
  paths.push(await writeLog(root, plugin.header, plugin.events));
  paths.push(await writeDamaged(root, workspace, now), await writeNewer(root, workspace, now));
  return paths;
}

const PROJECTS = (workspace: string): readonly string[] => [
  workspace,
  '/home/mei/projects/报表前端',
  '/home/ann/work/cron-parser',
];

/** The start of the next batch, as a writer leaves it between two writes: one line of it is complete. */
async function appendTornFrame(path: string, log: LogBuilder): Promise<void> {
  const seq = log.events.length;
  const lines = [
    { type: 'todo/write', seq, time: log.now, data: { todos: [{ content: 'Measure the memory', status: 'in_progress' }] } },
    {
      type: 'hook/invoked',
      seq: seq + 1,
      time: log.now + 3,
      data: { turn: log.turn, point: 'PostToolUse', dialect: 'codex', handlerId: 'fmt' },
    },
  ];
  const frame = await encodeFrame(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  await appendFile(path, frame.subarray(0, frame.length - 2));
}

/** A byte of a frame in the middle has flipped on the disk. */
async function writeDamaged(root: string, workspace: string, now: number): Promise<string> {
  const log = endingAt(now - 4 * DAY, (start) => deadFlags(start, workspace));
  const header = { ...log.header, id: 'session-damaged-on-disk' };
  const bytes = await logBytes(header, log.events);
  const { frames } = walkFrames(bytes);
  const middle = frames[Math.floor(frames.length * 0.6)];
  if (middle === undefined) throw new Error('the log has no middle');
  const at = Math.floor((middle.headerEnd + middle.blocksEnd) / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  return put(logPath(root, header), bytes);
}

/** A log of a format that is newer than any this reader knows. */
async function writeNewer(root: string, workspace: string, now: number): Promise<string> {
  const log = endingAt(now - 90 * MINUTE, (start) => cronParser(4, start));
  const header = { ...log.header, id: 'session-from-a-newer-dsh', cwd: workspace, version: 5, branches: ['main'] };
  return put(logPath(root, header), await logBytes(header, log.events));
}

async function put(path: string, bytes: Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
  return path;
}
