import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forkLog } from '../../support/fork-log.ts';
import { LogBuilder } from '../../support/log-builder.ts';
import { logPath, writeLog, type WriteOptions } from '../../support/write-log.ts';

/** A dsh home of a test, and a workspace beside it that its first sessions ran in. */
export class Home {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'dsh-timeline-home-'));
  readonly dshHome = path.join(this.folder, 'home');
  readonly sessions = path.join(this.dshHome, 'sessions');
  readonly workspace = path.join(this.folder, 'workspace');

  constructor() {
    mkdirSync(this.sessions, { recursive: true });
    mkdirSync(this.workspace, { recursive: true });
  }

  write(log: LogBuilder, options?: WriteOptions): Promise<string> {
    return writeLog(this.sessions, log.header, log.events, options);
  }

  pathOf(log: LogBuilder): string {
    return logPath(this.sessions, log.header);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const day = Date.UTC(2026, 10, 20, 8, 30, 0);

/** Two turns: one of two steps, the first of which calls two tools, and one that only answers. */
export function chat(cwd: string, version: 0 | 1 | 2 | 3 | 4 = 4): LogBuilder {
  const log = new LogBuilder({ version, id: `chat-v${String(version)}`, createdAt: day, cwd });
  log.prompt('Why does the parser drop the last line?');
  log.title(`The parser drops a line (v${String(version)})`);
  log.work({
    reasoning: 'The loop may end one line early.',
    text: 'Let me look.',
    calls: [
      { name: 'read', args: { path: 'src/parser.ts' }, result: 'for (let i = 0; i < lines.length - 1; i++) parse(lines[i]);' },
      { name: 'bash', args: { command: 'npm test' }, result: '1 failed', error: { name: 'Error', code: 'EXIT_1' } },
    ],
  });
  log.reply('The loop stops one short: `lines.length - 1` should be `lines.length`.');
  log.wait(120_000).prompt('Thanks. Is it the same in the writer?');
  log.reply('No, the writer counts from the end.');
  return log;
}

/** Three turns of which the first two were folded into a summary, then resumed in a later lifecycle. */
export function compacted(cwd: string): LogBuilder {
  const log = new LogBuilder({ version: 4, id: 'compacted', createdAt: day + 3_600_000, cwd });
  log.prompt('List the modules.');
  log.title('Modules, then a summary');
  log.reply('There are three: reader, parser, writer.');
  log.prompt('Which one is slow?');
  log.reply('The parser.');
  log.compact('The user asked for modules; the parser is the slow one.');
  log.endSeed();
  log.wait(86_400_000).prompt('Make it quick.');
  log.reply('It is quick now.');
  return log;
}

/** A fork of the chat after its first turn, with a turn of its own. */
export function forkOf(parent: LogBuilder): LogBuilder {
  const boundary = parent.events.find((event) => event.type === 'turn/end');
  if (boundary === undefined) throw new Error('the parent has no ended turn');
  const cwd = parent.header.cwd;
  const child = forkLog(parent, boundary.seq, {
    id: 'forked',
    createdAt: day + 7_200_000,
    ...(cwd === undefined ? {} : { cwd }),
  });
  child.wait(60_000).prompt('Try the other way round.');
  child.title('The other way round', 'user');
  child.reply('The other way round works as well.');
  return child;
}

/** A log that was cut off in the middle of its last frame, and one with foreign bytes behind it. */
export async function writeDamaged(home: Home): Promise<{ torn: LogBuilder; foreign: LogBuilder }> {
  const make = (id: string, title: string): LogBuilder => {
    const log = new LogBuilder({ version: 4, id, createdAt: day + 10_800_000, cwd: home.workspace });
    log.prompt('Write it down.');
    log.title(title);
    log.reply(
      'It is written, in a rather long sentence that fills the last frame of this log with something that can be cut in two.',
    );
    return log;
  };
  const torn = make('torn', 'Cut off while writing');
  const tornPath = await home.write(torn, { batch: 3 });
  await truncate(tornPath, (await logSize(tornPath)) - 9);
  const foreign = make('foreign', 'Something else behind it');
  await appendFile(await home.write(foreign), 'this is no frame');
  return { torn, foreign };
}

/** A log of a format this extension does not know. */
export async function writeNewer(home: Home): Promise<LogBuilder> {
  const log = new LogBuilder({ version: 4, id: 'newer', createdAt: day + 14_400_000, cwd: home.workspace });
  log.prompt('From the future.');
  log.reply('Indeed.');
  const header = { ...log.header, version: 5 };
  await writeLog(home.sessions, header, log.events);
  return log;
}

const logSize = async (file: string): Promise<number> => (await stat(file)).size;
