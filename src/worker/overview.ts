import { dirname, join } from 'node:path';
import { plainLine, promptLine, type SessionHeader } from '../core/index.ts';
import type { SessionOverview } from '../protocol/index.ts';
import { fields, messageOf, NONE, TABLES, type TableName } from '../timeline/index.ts';
import type { LoadedLog } from './loaded.ts';

const TITLE_LENGTH = 200;
const DAMAGE_LIMIT = 500;

/** Complete snapshot of a reading. */
export function overviewOf(loaded: LoadedLog, since?: SessionOverview['since']): SessionOverview {
  const { log, timeline } = loaded;
  const { tables } = timeline;
  const lengths: Record<string, number> = {};
  for (const name of Object.keys(TABLES)) lengths[name] = tables[name as TableName].length; // keys of the schema
  let salvagedLines = 0;
  for (const _ of log.salvagedLines()) salvagedLines++;
  let calls = 0;
  let callLanes = 0;
  const { parent, lane } = tables.calls.columns;
  for (const p of parent) if (p === NONE) calls++;
  for (const l of lane) callLanes = Math.max(callLanes, l + 1);
  return {
    generation: loaded.generation,
    path: log.path,
    size: log.size,
    mtime: log.mtime,
    encoding: log.encoding,
    version: log.version,
    header: log.header && shownHeader(log.header),
    title: titleOf(loaded),
    eventCount: log.eventCount,
    lineCount: log.lineCount,
    inheritedEventCount: log.inheritedEventCount,
    uncommittedEvents: log.uncommittedEvents,
    salvagedLines,
    olderCopies: log.olderCopies.map((name) => join(dirname(log.path), name)),
    refusal: log.refusal && {
      kind: log.refusal.kind,
      text: log.refusal.text,
      ...(log.refusal.seq === undefined ? {} : { seq: log.refusal.seq }),
    },
    damage: log.damage.slice(0, DAMAGE_LIMIT),
    damageCount: log.damage.length,
    counts: { turns: tables.turns.length, steps: tables.steps.length, calls },
    callLanes,
    usage: timeline.usage,
    contextWindow: timeline.contextWindow,
    contextTokens: tables.context.columns.tokens[tables.context.length - 1],
    time: timeline.time,
    tables: lengths as Readonly<Record<TableName, number>>, // one per name above
    strings: timeline.strings,
    lastActivity: timeline.lastActivity,
    ...(since ? { since } : {}),
  };
}

/** Units kept of a header's texts: names and paths, so far beyond any real one. */
const HEADER_TEXT_LENGTH = 10_000;

/**
 * The fields of a header that hold what they should. A stored header may hold anything anywhere, also what no message can carry; the damage
 * names the fields that are left out here. format/on-disk.md §5.
 */
function shownHeader(header: SessionHeader): SessionHeader {
  const shown: Record<string, unknown> = { type: header.type, version: header.version };
  const stored = header as unknown as Readonly<Record<string, unknown>>;
  for (const key of ['id', 'cwd', 'parentSession', 'origin', 'agentPreset']) {
    const value = stored[key];
    if (typeof value === 'string') shown[key] = value.slice(0, HEADER_TEXT_LENGTH);
  }
  for (const key of ['createdAt', 'seedLength', 'delegationDepth']) {
    const value = stored[key];
    if (typeof value === 'number') shown[key] = value;
  }
  if (typeof stored['isSeeded'] === 'boolean') shown['isSeeded'] = stored['isSeeded'];
  // Fields that were left out are read as absent by everything that shows a header.
  return shown as unknown as SessionHeader;
}

/** Latest title, else the first human prompt, else the id, else the file's name. */
export function titleOf(loaded: LoadedLog): string {
  const { log, timeline } = loaded;
  const title = loaded.event(timeline.index.titleSeq);
  const named = title && fields(title.data)['title'];
  if (typeof named === 'string' && plainLine(named, TITLE_LENGTH) !== '') return plainLine(named, TITLE_LENGTH);
  const prompt = loaded.event(timeline.index.promptSeq);
  const words = prompt ? promptLine(messageOf(prompt.type, prompt.data)['content'], TITLE_LENGTH) : '';
  if (words !== '') return words;
  const id: unknown = log.header?.id; // a stored header may hold anything
  if (typeof id === 'string' && id !== '') return plainLine(id, TITLE_LENGTH);
  return plainLine(log.path.split(/[\\/]/).pop() ?? log.path, TITLE_LENGTH);
}
