import { streamProblem } from './codec/stream-records.ts';
import { RETIRED_TYPES } from './dialects/gates.ts';
import { dialectOf } from './dialects/dialect.ts';
import type { DamageKind } from './damage.ts';
import { rawMessageOf } from './derive.ts';
import type { StoredEvent } from './events.ts';
import { isRecord, isSeq, numberOf, type UnknownRecord } from './json.ts';
import { text, type Text } from './text.ts';

/**
 * Something wrong with one event alone. `refuses`: whether dsh of the event's version refuses the log over it on open; when not, it is
 * still nothing to build a fork on.
 */
export interface EventProblem {
  readonly kind: DamageKind;
  readonly text: Text;
  readonly refuses: boolean;
}

const ENVELOPE_KEYS: ReadonlySet<string> = new Set(['type', 'seq', 'time', 'data', 'surfaceOp', 'sourceEventSeqs', 'ignorable']);

/** Why a stored value has no valid event envelope, or undefined. Its place in the log is not looked at. format/events.md §1. */
export function envelopeProblem(event: UnknownRecord): Text | undefined {
  const seq = numberOf(event['seq']);
  for (const key of Object.keys(event)) {
    if (!ENVELOPE_KEYS.has(key)) return text('The event at #{seq} has the unknown key "{key}"', { seq, key: key.slice(0, 200) });
  }
  if (typeof event['type'] !== 'string') return text('The event at #{seq} has no type', { seq });
  if (!Number.isSafeInteger(event['time'])) return text('The time of the event at #{seq} is not a whole number', { seq });
  if (event['data'] === undefined) return text('The event at #{seq} has no data', { seq });
  if (event['ignorable'] !== undefined && event['ignorable'] !== true) {
    return text('The ignorable mark of the event at #{seq} is not the literal true', { seq });
  }
  return undefined;
}

/**
 * What is wrong with one event's payload as far as dsh looks at it when it opens a log of that version; the event is in today's shape of
 * its version (legacy.ts). Order and surface are checked elsewhere. format/on-disk.md §6, format/events.md §2, §5.
 */
export function payloadProblem(event: StoredEvent, version: number): EventProblem | undefined {
  const { type, seq } = event;
  if (RETIRED_TYPES.has(type) && (version < 2 || type === 'request/header-delta')) {
    return refused('retired-event', text('The event at #{seq} has the retired type {type}', { seq, type }));
  }
  switch (type) {
    case 'user/message':
    case 'assistant/message':
    case 'tool/result':
    case 'system/message':
    case 'developer/message':
      if (!dialectOf(version).surfaceTypes.has(type)) return undefined;
      return messageProblem(event, version) ?? (type === 'assistant/message' ? streamOf(event, version) : undefined);
    case 'assistant/attempt':
      return streamOf(event, version);
    case 'request/header':
      return headerProblem(event, version);
    case 'session/end-seed':
      return endSeedProblem(event, version);
    case 'turn/start':
      return version === 0 && isRecord(event.data) && Object.hasOwn(event.data, 'trigger')
        ? refused('message', text('The turn/start at #{seq} is malformed', { seq }))
        : undefined;
    case 'turn/end':
      return version === 0 ? turnEndProblem(event) : undefined;
    case 'steering/message':
      return version === 0 ? refused('message', text('The steering/message at #{seq} is malformed', { seq })) : undefined;
    default:
      return undefined;
  }
}

function refused(kind: DamageKind, sentence: Text): EventProblem {
  return { kind, text: sentence, refuses: true };
}

const ROLES: Readonly<Record<string, string>> = {
  'user/message': 'user',
  'assistant/message': 'assistant',
  'system/message': 'system',
  'developer/message': 'developer',
};

function messageProblem(event: StoredEvent, version: number): EventProblem | undefined {
  const { type, seq } = event;
  // The v3 restorer lets messages without identity pass; releases before it do not. format/open-questions.md, item 20.
  const refuses = version < 3;
  const problem = (sentence: Text, always = false): EventProblem => ({
    kind: 'message',
    text: sentence,
    refuses: refuses || always,
  });
  const message = rawMessageOf(event);
  if (message === undefined) return problem(text('{type} at #{seq} holds no message', { type, seq }), true);
  if (typeof message['id'] !== 'string' || message['id'] === '') return problem(text('The message at #{seq} has no id', { seq }));
  const role = type === 'tool/result' ? (dialectOf(version).toolMessage === 'direct' ? 'tool' : 'user') : ROLES[type];
  if (message['role'] !== role) {
    return problem(
      text('The message at #{seq} should have the role {role}', { seq, role: String(role) }),
      type === 'tool/result',
    );
  }
  const source = message['source'];
  if (!isRecord(source) || typeof source['kind'] !== 'string' || source['kind'] === '') {
    return problem(text('The message at #{seq} does not say where it comes from', { seq }));
  }
  if (version >= 4 && source['kind'] === 'plugin') {
    return problem(text('The message at #{seq} has the source kind plugin, which ended with format 3', { seq }), true);
  }
  if (!Array.isArray(message['content']))
    return problem(text('The content of the message at #{seq} is not a list', { seq }), true);
  if (version >= 4 && holdsToolResult(message['content'])) {
    return problem(text('The message at #{seq} holds a tool-result block, which ended with format 3', { seq }), true);
  }
  if (type === 'tool/result') return toolResultProblem(event, message, source, version);
  if (version < 3 && type === 'assistant/message' && (source['kind'] !== 'model' || !namesModel(source))) {
    return problem(text('The answer at #{seq} does not name its provider and model', { seq }));
  }
  return undefined;
}

function toolResultProblem(
  event: StoredEvent,
  message: UnknownRecord,
  source: UnknownRecord,
  version: number,
): EventProblem | undefined {
  const { seq } = event;
  const problem = (sentence: Text): EventProblem => refused('message', sentence);
  if (source['kind'] !== 'tool' || typeof source['callId'] !== 'string' || source['callId'] === '') {
    return problem(text('The tool result at #{seq} does not say which call it answers', { seq }));
  }
  const content = message['content'] as readonly unknown[];
  const direct = dialectOf(version).toolMessage === 'direct';
  const block: unknown = direct ? message : content[0];
  if (
    !direct &&
    (content.length !== 1 || !isRecord(block) || block['type'] !== 'tool-result' || !Array.isArray(block['content']))
  ) {
    return problem(text('The tool result at #{seq} is not exactly one tool-result block', { seq }));
  }
  if (isRecord(block) && block['toolCallId'] !== source['callId']) {
    return problem(text('The tool result at #{seq} names two different calls', { seq }));
  }
  const data = event.data as UnknownRecord;
  if (version >= 3 && data['error'] !== undefined && isRecord(block) && block['isError'] !== true) {
    return problem(text('The tool result at #{seq} carries an error but is not marked as one', { seq }));
  }
  return undefined;
}

function holdsToolResult(content: unknown): boolean {
  const pending: unknown[] = [content];
  while (pending.length > 0) {
    const blocks = pending.pop();
    if (!Array.isArray(blocks)) continue;
    for (const block of blocks as unknown[]) {
      if (!isRecord(block)) continue;
      if (block['type'] === 'tool-result') return true;
      if (block['content'] !== undefined) pending.push(block['content']);
    }
  }
  return false;
}

function streamOf(event: StoredEvent, version: number): EventProblem | undefined {
  if (!dialectOf(version).embeddedStreams) return undefined;
  const { type, seq } = event;
  const stream = isRecord(event.data) ? event.data['stream'] : undefined;
  const problem = streamProblem(stream);
  return problem === undefined
    ? undefined
    : refused('message', text('{type} at #{seq}: its recorded stream is malformed', { type, seq }));
}

function headerProblem(event: StoredEvent, version: number): EventProblem | undefined {
  const { seq } = event;
  const data = isRecord(event.data) ? event.data : {};
  if (data['reason'] === 'fallback') {
    return refused('retired-event', text('The request header at #{seq} has the retired reason "fallback"', { seq }));
  }
  const header = data['header'];
  const config = isRecord(header) ? header['config'] : undefined;
  if (!isRecord(header) || !isRecord(config) || !namesModel(config)) {
    return refused('message', text('The request header at #{seq} does not name its provider and model', { seq }));
  }
  const effort = config['reasoningEffort'];
  if (effort !== undefined && (typeof effort !== 'string' || effort === '')) {
    return refused('message', text('The reasoning effort in the request header at #{seq} is not a word', { seq }));
  }
  if (adapterDefaultsAreWrong(header['adapterDefaults'], config)) {
    return refused('message', text('The adapter defaults in the request header at #{seq} are malformed', { seq }));
  }
  if (version < 3) return undefined;
  const { tools, adapterDefaults } = header;
  const empty =
    (Array.isArray(tools) && tools.length === 0) || (isRecord(adapterDefaults) && Object.keys(adapterDefaults).length === 0);
  if (!empty && !Object.hasOwn(header, 'system')) return undefined;
  return refused('message', text('The request header at #{seq} has members this format leaves out', { seq }));
}

function adapterDefaultsAreWrong(defaults: unknown, config: UnknownRecord): boolean {
  if (defaults === undefined) return false;
  if (!isRecord(defaults)) return true;
  for (const [key, mark] of Object.entries(defaults)) {
    if ((key !== 'reasoningEffort' && key !== 'maxTokens') || mark !== true || config[key] === undefined) return true;
  }
  return false;
}

function endSeedProblem(event: StoredEvent, version: number): EventProblem | undefined {
  if (version < 2) return undefined;
  const { data } = event;
  const keys = isRecord(data) ? Object.keys(data) : ['?'];
  if (keys.length === 0 || (keys.length === 1 && isRecord(data) && data['inherited'] === true)) return undefined;
  return refused(
    'message',
    text('The payload of the end-seed at #{seq} is neither empty nor marked as inherited', { seq: event.seq }),
  );
}

/** Reasons that say nothing beyond their kind. format/events.md §4. */
const BARE_REASONS: ReadonlySet<string> = new Set(['completed', 'blocked', 'max-tokens', 'interrupted']);

/** The v0 reader looks into a turn end to bring old reasons up to date; what is no record it lets pass. */
function turnEndProblem(event: StoredEvent): EventProblem | undefined {
  const { data, seq } = event;
  if (!isRecord(data)) return undefined;
  const { turn, reason } = data;
  const good =
    Object.keys(data).length === 2 &&
    isSeq(turn) &&
    turn >= 1 &&
    isRecord(reason) &&
    typeof reason['kind'] === 'string' &&
    (!BARE_REASONS.has(reason['kind']) || Object.keys(reason).length === 1) &&
    // What could be brought up to date has been by now.
    reason['kind'] !== 'disposed' &&
    (reason['kind'] !== 'aborted' || Object.hasOwn(reason, 'reason')) &&
    (reason['kind'] !== 'error' || Object.hasOwn(reason, 'error'));
  return good ? undefined : refused('message', text('The turn/end at #{seq} is malformed', { seq }));
}

function namesModel(record: UnknownRecord): boolean {
  const { provider, model } = record;
  return typeof provider === 'string' && provider !== '' && typeof model === 'string' && model !== '';
}
