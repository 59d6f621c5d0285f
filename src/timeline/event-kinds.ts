import { knownSessionEventTypes } from '../core/index.ts';
import { FAMILY } from './tables.ts';

const STRUCTURE = new Set(['turn/start', 'turn/end', 'step/start', 'step/end', 'session/end-seed']);
const CONVERSATION = new Set([
  'user/message',
  'system/message',
  'developer/message',
  'assistant/chunk',
  'assistant/message',
  'assistant/attempt',
  'tool/call',
  'tool/result',
  'tool/code-dispatch-start',
  'tool/code-dispatch',
  'tool/ptc-dispatch-start',
  'tool/ptc-dispatch',
]);
const SETTINGS = new Set(['request/header', 'request/context']);
const CONTEXT = new Set(['compaction/start', 'compaction/summary', 'compaction/prune', 'compaction/end', 'image/offload']);

/** The family an event type is drawn in, one hue each. format/events.md §3. */
export function familyOf(type: string, version: number): number {
  if (STRUCTURE.has(type)) return FAMILY.structure;
  if (CONVERSATION.has(type)) return FAMILY.conversation;
  if (SETTINGS.has(type)) return FAMILY.settings;
  if (CONTEXT.has(type)) return FAMILY.context;
  return knownSessionEventTypes(version).has(type) ? FAMILY.state : FAMILY.unknown;
}
