import { english, text, type Text } from '../text.ts';

/** The newest format this reader interprets. format/migrations.md §6.1. */
export const SESSION_FORMAT_VERSION = 4;

const V0_EARLY = [
  'agent-preset/selected',
  'agent/inbox/spliced',
  'approval/asked',
  'approval/decided',
  'approval/policy',
  'assistant/chunk',
  'assistant/message',
  'command/done',
  'command/run',
  'compaction/end',
  'compaction/prune',
  'compaction/start',
  'compaction/summary',
  'feedback/record',
  'goal/change',
  'hook/invoked',
  'hook/result',
  'llm/retry',
  'llm/retry-started',
  'permission/preset',
  'plan/mode',
  'request/context',
  'request/header',
  'sandbox/mode',
  'schedule/change',
  'session/end-seed',
  'session/title',
  'session/title-llm-request',
  'step/end',
  'step/start',
  'subagent/descriptor',
  'team/member',
  'team/message/delivered',
  'team/message/queued',
  'team/task',
  'todo/write',
  'tool-workflow/agent-end',
  'tool-workflow/agent-start',
  'tool-workflow/run-end',
  'tool-workflow/run-start',
  'tool/call',
  'tool/code-dispatch',
  'tool/code-dispatch-start',
  'tool/result',
  'turn/end',
  'turn/start',
  'user/message',
  'web/deepseek-search-llm-request',
];

const V0 = new Set([...V0_EARLY, 'model/selection', 'session-log-deepseek/delivery-accepted', 'subagent/model-selection-policy']);
const V2 = changed(V0, ['assistant/chunk'], ['assistant/attempt', 'feedback/message-put', 'feedback/message-delete']);
const V3 = changed(
  V2,
  ['tool/code-dispatch', 'tool/code-dispatch-start'],
  [
    'tool/ptc-dispatch',
    'tool/ptc-dispatch-start',
    'system/message',
    'subagent/catalog',
    'deliverables/presented',
    'image/offload',
    'workspace/changes',
  ],
);
const V4 = changed(V3, [], ['developer/message']);

const NONE: ReadonlySet<string> = new Set();
const KNOWN: readonly ReadonlySet<string>[] = [V0, V0, V2, V3, V4];

/** Names older v0 releases wrote, and what they are called since. format/migrations.md §1. */
export const LEGACY_V0_TYPES: ReadonlyMap<string, string> = new Map([
  ['steering/message', 'user/message'],
  ['compact/start', 'compaction/start'],
  ['compact/summary', 'compaction/summary'],
  ['compact/end', 'compaction/end'],
  ['compact/prune', 'compaction/prune'],
]);

/** Types no release reads any more. format/migrations.md §1. */
export const RETIRED_TYPES: ReadonlySet<string> = new Set(['request/header-delta', 'mode/set']);

/** Event types of the newest format. */
export const KNOWN_SESSION_EVENT_TYPES: ReadonlySet<string> = V4;

/**
 * The event types of one format version: the union over its releases, since the list grew inside v0 and v3.
 * Empty for a version outside 0–4. format/migrations.md §6.2.
 */
export function knownSessionEventTypes(version: number): ReadonlySet<string> {
  return KNOWN[version] ?? NONE;
}

/** One sentence saying why a session of `version` cannot be read, naming the direction. format/migrations.md §6.1. */
export function sessionFormatVersionRefusal(id: string, version: number): string {
  return english(versionRefusalText(id, version));
}

export function versionRefusalText(id: string, version: number): Text {
  if (!Number.isSafeInteger(version) || version < 0) {
    return text('Session {id}: its format version {version} is not a version number.', {
      id,
      version: String(version),
    });
  }
  if (version > SESSION_FORMAT_VERSION) {
    return text(
      'Session {id} has format {version}, newer than the newest this extension reads ({newest}). A newer harness wrote it; nothing is damaged. Update the extension.',
      { id, version, newest: SESSION_FORMAT_VERSION },
    );
  }
  return text('Session {id} has format {version}, older than the newest ({newest}), and there is no upgrade path here.', {
    id,
    version,
    newest: SESSION_FORMAT_VERSION,
  });
}

/**
 * Whether an event passes the ignorable gate: known to its version, after legacy names are mapped, or marked
 * with the literal `true`. format/migrations.md §6.2.
 */
export function passesEventGate(version: number, type: string, ignorable: unknown): boolean {
  if (ignorable === true || knownSessionEventTypes(version).has(type)) return true;
  return version === 0 && LEGACY_V0_TYPES.has(type);
}

/** Units of a type name that a sentence shows; the name comes from the log and may be anything. */
const MAX_SHOWN = 200;

/** One sentence naming the event that stops the ignorable gate. */
export function unknownEventText(type: string, seq: number): Text {
  if (RETIRED_TYPES.has(type))
    return text('#{seq} has the retired type "{type}", which an early release wrote and no later one reads.', { type, seq });
  return text(
    '#{seq} has the type "{type}", which this format version does not know and which is not marked ignorable. A newer harness or a plugin wrote it; it is not corruption.',
    { type: type.slice(0, MAX_SHOWN), seq },
  );
}

function changed(base: ReadonlySet<string>, without: string[], plus: string[]): ReadonlySet<string> {
  const result = new Set(base);
  for (const type of without) result.delete(type);
  for (const type of plus) result.add(type);
  return result;
}
