import { LogBuilder, type Version } from '../../support/log-builder.ts';

export interface LooseMessage {
  source: { callId?: string };
  content: { type: string; id?: string; toolCallId?: string; isError?: boolean }[];
  toolCallId?: string;
  isError?: boolean;
}

/** A payload being broken: some members by name, the rest unknown. */
export interface LooseData {
  [member: string]: unknown;
  message: LooseMessage;
  shadowedSeqs: number[];
  shadowedRange: { start: number; end: number };
}

/** An event of a log being broken on purpose. */
export interface Loose {
  type: string;
  seq: number;
  time: number;
  data: LooseData;
  surfaceOp?: unknown;
  sourceEventSeqs?: unknown;
  ignorable?: unknown;
}

/** A payload for {@link Loose}; that it lacks members is often the point. */
export function loose(data: Record<string, unknown>): LooseData {
  return data as LooseData;
}

/** Where a tool result of a version keeps its call id and error mark. */
export function resultHolder(event: Loose, version: Version): { toolCallId?: string; isError?: boolean } {
  const holder = version === 4 ? event.data.message : event.data.message.content[0];
  if (holder === undefined) throw new Error(`${event.type} ${String(event.seq)} holds no result`);
  return holder;
}

/**
 * A healthy log of every kind of relation the check knows: two turns of tool work, a retry, a code tool with a sub-call, a title, slash
 * commands, a prune inside a turn, a compaction between turns and one inside, a failed one, a resume, an unfinished tail.
 */
export function busyLog(version: Version): LogBuilder {
  const made = MADE.get(version) ?? makeBusyLog(version);
  MADE.set(version, made);
  return made;
}

/** The tests only read the log; {@link looseEvents} copies it. */
const MADE = new Map<Version, LogBuilder>();

function makeBusyLog(version: Version): LogBuilder {
  const log = new LogBuilder({ version, id: 'busy', createdAt: 1_790_000_000_000, cwd: '/work/demo', tokensPerCharacter: 1 });
  log.setUp();
  log.prompt('Read two files.');
  log.title('Read two files', 'provider');
  log.failedAttempt({ text: 'I will' });
  log.retry(1, 500, { message: 'busy', code: 'HTTP_503' }, 'retry-1');
  log.failedAttempt({ text: 'I' });
  log.retry(2, 500, { message: 'busy', code: 'HTTP_503' }, 'retry-1');
  log.work({
    text: 'Reading.',
    calls: [
      { name: 'read', args: { path: 'a.txt' }, result: 'alpha '.repeat(40) },
      { name: 'code', args: { script: 'run()' }, result: 'ran', during: ({ id }) => subCalls(log, id) },
    ],
  });
  log.prune(
    log.events.findIndex((event) => event.type === 'tool/result'),
    'alpha …',
  );
  log.reply('Both are read.');
  log.command('compact', '', (commandId) => log.compact('The user asked for two files.', { commandId }));
  log.prompt('Go on.');
  log.work({
    calls: [{ name: 'bash', args: { command: 'make' }, result: 'failed', error: { name: 'ShellError', code: 'EXIT_2' } }],
  });
  log.compact('The build failed.', { keep: 1 });
  log.reply('Done.');
  failedCompaction(log);
  log.push('session-log-deepseek/delivery-accepted', {
    sessionId: 'busy',
    throughSeq: 3,
    ...(version === 0 ? {} : { sessionFormatVersion: version }),
  });
  log.endSeed();
  log.prompt('Once more.');
  log.answer({ calls: [{ id: 'tail-1', name: 'read', arguments: '{}' }] });
  log.call({ id: 'tail-1', name: 'read', arguments: '{}' });
  return log;
}

function subCalls(log: LogBuilder, id: string): void {
  const prefix = log.version < 3 ? 'tool/code-dispatch' : 'tool/ptc-dispatch';
  const outer = { rootCallId: id, parentCallId: id, subCallId: 'sub-1', name: 'read', arguments: { path: 'b.txt' } };
  const inner = { rootCallId: id, parentCallId: 'sub-1', subCallId: 'sub-2', name: 'read', arguments: { path: 'c.txt' } };
  log.push(`${prefix}-start`, outer);
  log.push(`${prefix}-start`, inner);
  log.push(prefix, { ...inner, isError: false, content: [{ type: 'text', text: 'gamma' }] });
  log.push(prefix, { ...outer, isError: false, content: [{ type: 'text', text: 'beta' }] });
}

function failedCompaction(log: LogBuilder): void {
  log.push('compaction/start', { compactionId: 'failed-1', turn: null });
  log.push('compaction/end', { compactionId: 'failed-1', turn: null, error: 'no model' });
}

/** The log's events, free to be broken. */
export function looseEvents(log: LogBuilder): Loose[] {
  return structuredClone(log.events) as unknown as Loose[];
}

/** The nth event (from 0) of a type. */
export function nth(events: readonly Loose[], type: string, n = 0): Loose {
  const found = events.filter((event) => event.type === type)[n];
  if (found === undefined) throw new Error(`no ${type} number ${String(n)}`);
  return found;
}

/** Takes an event out without moving the others: a harmless state event stands in its place. */
export function blank(event: Loose): void {
  event.type = 'plan/mode';
  event.data = loose({ active: false });
  delete event.surfaceOp;
  delete event.sourceEventSeqs;
}
