import { SESSION_FORMAT_VERSION, knownSessionEventTypes } from '../dialects/gates.ts';
import { SessionMigrationRefusedError } from '../errors.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from '../events.ts';
import { text, type Text } from '../text.ts';
import type { ChildFacts } from './catalog.ts';
import { MigrationRun } from './chain.ts';
import { PARTLY_KNOWN_TYPES } from './payload/event-rules.ts';

interface PreviewBase {
  /** Version of the log; its generation stays on disk whatever happens. */
  readonly from: number;
  readonly to: number;
  /** Event types of this log with payload rules that are not known, sorted: the prediction says nothing about them. */
  readonly notChecked: readonly string[];
  /** The prediction in one or two sentences. */
  readonly text: Text;
  /** What goes with it: that the old generation stays, what was not checked. */
  readonly notes: readonly Text[];
}

/** What a newer dsh will do with a log. */
export type MigrationPreview =
  | (PreviewBase & { readonly outcome: 'current'; readonly eventCount: number })
  | (PreviewBase & { readonly outcome: 'accepted'; readonly eventCount: number; readonly inheritedEventCount: number })
  | (PreviewBase & {
      readonly outcome: 'refused';
      /** Version of the edge that refuses. */
      readonly refusedFrom: number;
      /** The event it stumbles over in the log's own numbering; undefined for the header or the log as a whole. */
      readonly seq: number | undefined;
      readonly reason: Text;
    });

/**
 * Predicts what a dsh of format `toVersion` does when it opens this log: nothing is written here. `children` as for
 * {@link migrateSession}. Never throws for what the log holds; RangeError for a target that is no newer format. format/migrations.md.
 */
export function migrationPreview(
  input: { header: SessionHeader; events: Iterable<SessionEvent> },
  options: { toVersion?: number; children?: readonly ChildFacts[] } = {},
): MigrationPreview {
  const { header } = input;
  const from = header.version;
  const to = options.toVersion ?? SESSION_FORMAT_VERSION;
  const seen = new Set<string>();
  let run: MigrationRun | undefined;
  let eventCount = 0;
  try {
    run = new MigrationRun(header, to, options.children ?? [], () => eventCount++);
    for (const event of input.events as Iterable<StoredEvent>) {
      run.push(event);
      seen.add(event.type);
    }
    run.finish();
  } catch (error) {
    if (!(error instanceof SessionMigrationRefusedError)) throw error;
    return refusedPreview(error, run, { from, to, notChecked: notChecked(from, seen) });
  }
  const unknown = notChecked(from, seen);
  const base = { from, to, notChecked: unknown };
  if (from === to) {
    return {
      ...base,
      outcome: 'current',
      eventCount,
      text: text('This log is already in format {to}; nothing is migrated', { to }),
      notes: [],
    };
  }
  return {
    ...base,
    outcome: 'accepted',
    eventCount,
    inheritedEventCount: run.inheritedEventCount,
    text: text('A dsh of format {to} accepts this log and continues it with {count} events', { to, count: eventCount }),
    notes: [
      text('The file of format {from} stays beside the new one; event numbers differ between the two', { from }),
      ...notCheckedNotes(unknown),
    ],
  };
}

function refusedPreview(
  error: SessionMigrationRefusedError,
  run: MigrationRun | undefined,
  base: { from: number; to: number; notChecked: readonly string[] },
): MigrationPreview {
  const { from, to } = base;
  const seq = error.seq === undefined || run === undefined ? error.seq : run.sourceOf(error.from, error.seq);
  const sentence =
    seq === undefined
      ? text('A dsh of format {to} refuses this log', { to })
      : text('A dsh of format {to} refuses this log because of #{seq}', { to, seq });
  return {
    ...base,
    outcome: 'refused',
    refusedFrom: error.from,
    seq,
    reason: error.text,
    text: sentence,
    notes: [text('The file of format {from} stays as it is, and no newer one is written', { from })],
  };
}

function notCheckedNotes(types: readonly string[]): Text[] {
  if (types.length === 0) return [];
  return [text('Not checked, because their payload rules are not known: {types}', { types: types.join(', ') })];
}

/** From v3 on the edge looks only into what it converts and what the order rules speak of. */
const LOOKED_INTO_FROM_V3: ReadonlySet<string> = new Set([
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'user/message',
  'system/message',
  'assistant/message',
  'assistant/attempt',
  'tool/call',
  'tool/result',
  'tool/ptc-dispatch-start',
  'tool/ptc-dispatch',
  'request/header',
  'request/context',
  'session/end-seed',
  'session/title',
  'session-log-deepseek/delivery-accepted',
  'agent/inbox/spliced',
  'command/run',
  'command/done',
  'compaction/start',
  'compaction/summary',
  'compaction/prune',
  'compaction/end',
  'image/offload',
  'llm/retry',
  'llm/retry-started',
  'subagent/catalog',
]);

function notChecked(from: number, seen: ReadonlySet<string>): string[] {
  if (from >= SESSION_FORMAT_VERSION) return [];
  const known = knownSessionEventTypes(from);
  const isOpen = (type: string): boolean =>
    from < 3 ? PARTLY_KNOWN_TYPES.has(type) : known.has(type) && !LOOKED_INTO_FROM_V3.has(type);
  return [...seen].filter(isOpen).sort();
}
