import type { Dialect } from './dialects/dialect.ts';
import { rawMessageOf } from './derive.ts';
import type { StoredEvent } from './events.ts';
import { equalJson, isRecord, isSeq, wordOf, type UnknownRecord } from './json.ts';
import type { EventLookup } from './surface.ts';
import { text, type Text } from './text.ts';

/** Rule 5 of format/surface.md §3: a replacing tool result rewrites the content of exactly one result and nothing else. */
export function toolRewriteProblem(
  event: StoredEvent,
  shadowed: readonly number[],
  lookup: EventLookup,
  dialect: Dialect,
): Text | undefined {
  const { seq } = event;
  if (shadowed.length !== 1) return text('The tool result at #{seq} replaces more than one node', { seq });
  const target = shadowed[0] ?? -1;
  const original = lookup(target);
  if (original?.type !== 'tool/result')
    return text('The tool result at #{seq} replaces node #{node}, which is no tool result', { seq, node: target });
  if (equalJson(withoutContent(original, dialect), withoutContent(event, dialect))) return undefined;
  return text('The tool result at #{seq} changes more than the content of the one at #{node}', { seq, node: target });
}

/** The payload with the rewritable content blanked. */
function withoutContent(event: StoredEvent, dialect: Dialect): unknown {
  const message = rawMessageOf(event);
  if (message === undefined || !isRecord(event.data)) return event.data;
  if (dialect.toolMessage === 'direct') return { ...event.data, message: { ...message, content: null } };
  const content = message['content'];
  const block: unknown = Array.isArray(content) ? (content as unknown[])[0] : undefined;
  const wrapper = isRecord(block) ? [{ ...block, content: null }] : content;
  return { ...event.data, message: { ...message, content: wrapper } };
}

/**
 * Rule 7 of format/surface.md §3: a developer message with `headerSeq` names an earlier request header whose tools contain every added
 * tool exactly once, with a description and a parameter schema.
 */
export function developerProblem(event: StoredEvent, lookup: EventLookup): Text | undefined {
  const { seq } = event;
  if (!isRecord(event.data) || event.data['headerSeq'] === undefined) return undefined;
  const headerSeq: unknown = event.data['headerSeq'];
  const target = isSeq(headerSeq) && headerSeq < seq ? lookup(headerSeq) : undefined;
  if (target?.type !== 'request/header') {
    return text('The developer message at #{seq} names no earlier request header', { seq });
  }
  const tools = toolsOf(target);
  for (const name of addedTools(event)) {
    const matches = tools.filter((tool) => tool['name'] === name);
    const [tool] = matches;
    if (matches.length !== 1 || tool === undefined || typeof tool['description'] !== 'string' || !isRecord(tool['parameters'])) {
      return text('The developer message at #{seq} adds the tool "{name}", which its request header does not define once', {
        seq,
        name,
      });
    }
  }
  return undefined;
}

function toolsOf(event: StoredEvent): UnknownRecord[] {
  const header = isRecord(event.data) ? event.data['header'] : undefined;
  const tools = isRecord(header) ? header['tools'] : undefined;
  return Array.isArray(tools) ? (tools as unknown[]).filter(isRecord) : [];
}

function addedTools(event: StoredEvent): string[] {
  const content = rawMessageOf(event)?.['content'];
  if (!Array.isArray(content)) return [];
  const names: string[] = [];
  for (const block of content as unknown[]) {
    if (isRecord(block) && block['type'] === 'tool-addition') names.push(wordOf(block['toolName']));
  }
  return names;
}
