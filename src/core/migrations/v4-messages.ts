import type { StoredEvent } from '../events.ts';
import { isRecord, type UnknownRecord } from '../json.ts';
import { text } from '../text.ts';
import { refuse } from './edge.ts';

/** Messages, blocks and sources of v3 rewritten as v4 has them. format/migrations.md §4. */

/** Producers whose plugin name is their v4 source kind. */
const OWN_NAME: ReadonlySet<string> = new Set([
  'agent-instructions',
  'session-reference',
  'team-message',
  'goal',
  'skill-invocation',
  'skill-catalog',
  'coordinator',
  'subagent-report',
  'subagent-settled',
  'webhook',
  'agent-message',
  'model-selection',
  'plan-mode',
  'time-context',
  'tmux-context',
  'user-approval',
  'repeat-tool-reminder',
  'tool-cordis',
  'cordis-host-runner',
  'tool-goal',
  'tool-jobs',
  'hooks-codex',
  'hooks-claude-code',
  'schedule',
  'dsh-session-title-llm',
]);

const RENAMED: ReadonlyMap<string, string> = new Map([
  ['compact', 'compact-checkpoint'],
  ['tools-code-mode', 'ptc-mode'],
  ['tools-ptc', 'ptc-mode'],
  ['dsh-compaction-basic', 'compact-basic'],
]);

const V3_BLOCKS: ReadonlySet<string> = new Set(['text', 'reasoning', 'image', 'file', 'tool-call']);

/** The payload of a v3 event as v4 stores it: the same object when nothing changes. Refuses what v4 cannot hold. */
export function v4Payload(event: StoredEvent): unknown {
  const { data, type } = event;
  if (!isRecord(data)) return data;
  switch (type) {
    case 'user/message':
      return v4Message(event, data);
    case 'system/message':
      return withMessage(event, data);
    case 'assistant/message':
      return withStream(event, withMessage(event, data));
    case 'assistant/attempt':
      return withStream(event, data);
    case 'tool/result':
      return { ...data, message: v4ToolMessage(event, data['message']) };
    case 'agent/inbox/spliced':
      return withMessages(event, data, 'inserted');
    case 'session/title-llm-request':
      return withMessages(event, data, 'messages');
    case 'request/header':
      return requestHeader(event, data);
    case 'compaction/summary':
      return withoutResultBlocks(event, data, ['summary', 'rawOutput']);
    case 'tool/ptc-dispatch':
      return withoutResultBlocks(event, data, ['content']);
    default:
      return data;
  }
}

function withMessage(event: StoredEvent, data: UnknownRecord): UnknownRecord {
  const { message } = data;
  return isRecord(message) ? { ...data, message: v4Message(event, message) } : data;
}

function withMessages(event: StoredEvent, data: UnknownRecord, name: string): UnknownRecord {
  const list = data[name];
  if (!Array.isArray(list)) return data;
  const messages = (list as unknown[]).map((message) => (isRecord(message) ? v4Message(event, message) : message));
  return { ...data, [name]: messages };
}

function v4Message(event: StoredEvent, message: UnknownRecord): UnknownRecord {
  return {
    ...message,
    ...(Array.isArray(message['content']) ? { content: v4Blocks(event, message['content']) } : {}),
    ...(isRecord(message['source']) ? { source: v4Source(message['source'], message['role']) } : {}),
  };
}

function v4Source(source: UnknownRecord, role: unknown): UnknownRecord {
  if (source['kind'] !== 'plugin' || typeof source['plugin'] !== 'string') return source;
  const { kind: _kind, plugin, ...rest } = source;
  return { kind: kindOf(source['plugin'], role), ...rest };
}

function kindOf(plugin: string, role: unknown): string {
  if (plugin === '@deepseek-ai/dsh-system-prompt') return role === 'system' ? 'system-prompt' : 'runtime-context';
  return RENAMED.get(plugin) ?? (OWN_NAME.has(plugin) ? plugin : `plugin:${plugin}`);
}

function v4Blocks(event: StoredEvent, blocks: readonly unknown[]): unknown[] {
  return blocks.map((block) => v4Block(event, block));
}

function v4Block(event: StoredEvent, block: unknown): unknown {
  if (!isRecord(block)) return block;
  const type = v4BlockType(event, block['type']);
  return type === block['type'] ? block : { ...block, type };
}

function v4BlockType(event: StoredEvent, type: unknown): unknown {
  const { seq } = event;
  if (type === 'tool-result') {
    return refuse(3, seq, text('#{seq} holds a tool-result block where no tool answers; format 4 has none', { seq }));
  }
  return typeof type !== 'string' || V3_BLOCKS.has(type) ? type : `plugin:${type}`;
}

/** Captured content stays as it is, but format 4 knows no tool-result block anywhere. */
function withoutResultBlocks(event: StoredEvent, data: UnknownRecord, names: readonly string[]): UnknownRecord {
  for (const name of names) if (Array.isArray(data[name])) v4Blocks(event, data[name]);
  return data;
}

/** Of a stream only the block types change. */
function withStream(event: StoredEvent, data: UnknownRecord): UnknownRecord {
  const { stream } = data;
  if (!Array.isArray(stream)) return data;
  let changed = false;
  const records = (stream as unknown[]).map((record) => {
    const chunk = isRecord(record) && record['type'] === 'chunk' ? record['chunk'] : undefined;
    if (!isRecord(record) || !isRecord(chunk)) return record;
    const moved = v4Chunk(event, chunk);
    if (moved === chunk) return record;
    changed = true;
    return { ...record, chunk: moved };
  });
  return changed ? { ...data, stream: records } : data;
}

function v4Chunk(event: StoredEvent, chunk: UnknownRecord): UnknownRecord {
  if (chunk['type'] === 'block-start') {
    const blockType = v4BlockType(event, chunk['blockType']);
    return blockType === chunk['blockType'] ? chunk : { ...chunk, blockType };
  }
  if (chunk['type'] !== 'block-end') return chunk;
  const block = v4Block(event, chunk['block']);
  return block === chunk['block'] ? chunk : { ...chunk, block };
}

const WRAPPER_KEYS: ReadonlySet<string> = new Set(['type', 'toolCallId', 'content', 'isError']);
const MESSAGE_KEYS: ReadonlySet<string> = new Set(['id', 'role', 'source', 'content']);

/** The content moves out of its one wrapper; members nobody knows are kept under names of their own. */
function v4ToolMessage(event: StoredEvent, message: unknown): UnknownRecord {
  const { seq } = event;
  const content = isRecord(message) ? message['content'] : undefined;
  const wrapper: unknown = Array.isArray(content) && content.length === 1 ? (content as unknown[])[0] : undefined;
  if (!isRecord(message) || !isRecord(wrapper) || wrapper['type'] !== 'tool-result' || !Array.isArray(wrapper['content'])) {
    return refuse(3, seq, text('The tool result at #{seq} is not exactly one tool-result block', { seq }));
  }
  const { source } = message;
  if (!isRecord(source) || source['kind'] !== 'tool' || source['callId'] !== wrapper['toolCallId']) {
    return refuse(3, seq, text('The tool result at #{seq} names two different calls', { seq }));
  }
  const moved: Record<string, unknown> = {
    role: 'tool',
    source,
    toolCallId: wrapper['toolCallId'],
    content: v4Blocks(event, wrapper['content']),
  };
  if (Object.hasOwn(wrapper, 'isError')) moved['isError'] = wrapper['isError'];
  if (Object.hasOwn(message, 'id')) moved['id'] = message['id'];
  for (const [name, value] of Object.entries(wrapper)) if (!WRAPPER_KEYS.has(name)) moved[`plugin:result:${name}`] = value;
  for (const [name, value] of Object.entries(message)) if (!MESSAGE_KEYS.has(name)) moved[`plugin:message:${name}`] = value;
  return moved;
}

function requestHeader(event: StoredEvent, data: UnknownRecord): UnknownRecord {
  const tools = isRecord(data['header']) ? data['header']['tools'] : undefined;
  if (!Array.isArray(tools)) return data;
  const marked = (tools as unknown[]).some((tool) => isRecord(tool) && Object.hasOwn(tool, 'deferLoading'));
  if (!marked) return data;
  const { seq } = event;
  return refuse(
    3,
    seq,
    text('The request header at #{seq} defines a tool with "deferLoading", which belongs to format 4', { seq }),
  );
}
