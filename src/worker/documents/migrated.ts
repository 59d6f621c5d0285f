import {
  deriveEventMessage,
  foldSurface,
  migrateSession,
  migrationPreview,
  SESSION_FORMAT_VERSION,
  SessionMigrationRefusedError,
  text,
  type ChildFacts,
  type Damage,
  type DamageKind,
  type SessionHeader,
  type Text,
} from '../../core/index.ts';
import { RpcError, type CompareMethods, type DocumentRef } from '../../protocol/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { addComparison } from './comparison.ts';
import { historyOf, sessionName, type HistoryMessage } from './history.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';

/** Damage of bytes and lines: dsh reads the file as a whole or not at all, so what comes before is of no use to it. */
const UNREAD: ReadonlySet<DamageKind> = new Set([
  'corrupt-frame',
  'foreign-bytes',
  'misnamed',
  'torn-record',
  'bad-line',
  'bad-packed-line',
  'wrong-seq',
  'generation',
]);

function unreadDamage({ damage, version = 0 }: LoadedLog['log']): Damage | undefined {
  if (version >= SESSION_FORMAT_VERSION) return undefined; // nothing to migrate
  return damage.find(({ kind, dsh }) => UNREAD.has(kind) && dsh.open === 'refuses');
}

type Children = readonly ChildFacts[];
type MigratedRef = Extract<DocumentRef, { kind: 'migrated' }>;

/** What the newest dsh would make of this log; nothing is written. format/migrations.md. */
export function migrationOf({ log }: LoadedLog, children: Children, end = Infinity): ReturnType<CompareMethods['migration']> {
  const { header } = log;
  if (header === undefined || log.refusal) {
    const sentence = log.refusal?.text ?? text('This log has no readable header');
    const version = log.version ?? SESSION_FORMAT_VERSION;
    return { outcome: 'refused', from: version, to: SESSION_FORMAT_VERSION, text: sentence, reason: undefined };
  }
  const unread = unreadDamage(log);
  if (unread) {
    const sentence = text('A dsh of format {to} refuses this log before it migrates anything', { to: SESSION_FORMAT_VERSION });
    return { outcome: 'refused', from: header.version, to: SESSION_FORMAT_VERSION, text: sentence, reason: unread.text };
  }
  const preview = migrationPreview({ header: headerOf(header, log, end), events: eventsOf(log, end) }, { children });
  const { outcome, from, to } = preview;
  return { outcome, from, to, text: preview.text, reason: preview.outcome === 'refused' ? preview.reason : undefined };
}

/** As read; the migration checks every event itself. */
const eventsOf = (log: LoadedLog['log'], end: number): Iterable<never> =>
  log.events(0, Math.min(end, log.eventCount)) as Iterable<never>;

/**
 * The header of the part before `end`: one that ends within what a fork inherited lacks the cut, so that nothing in it is inherited.
 * format/on-disk.md §7.
 */
function headerOf(header: SessionHeader, { inheritedEventCount }: LoadedLog['log'], end: number): SessionHeader {
  if (end > inheritedEventCount || inheritedEventCount === 0) return header;
  const { seedLength: _, ...rest } = header;
  return header.isSeeded === undefined ? rest : { ...rest, isSeeded: false };
}

const endOf = ({ seq }: MigratedRef): number => (seq === undefined ? Infinity : seq + 1);

/** The history at the end of the migrated log, seqs in its own numbering. Throws a not-found error where dsh would refuse. */
export function migratedHistory(
  loaded: LoadedLog,
  ref: MigratedRef,
  children: Children,
  t: Translate,
): readonly HistoryMessage[] {
  const history = derive(loaded, children, endOf(ref));
  if (history) return history;
  throw new RpcError('not-found', sentences(loaded, children, endOf(ref)).map(t).join(' · '));
}

function sentences(loaded: LoadedLog, children: Children, end: number): Text[] {
  const { text: sentence, reason } = migrationOf(loaded, children, end);
  return reason ? [sentence, reason] : [sentence];
}

/** Undefined where a dsh refuses the log. */
function derive(loaded: LoadedLog, children: Children, end: number): readonly HistoryMessage[] | undefined {
  const { log } = loaded;
  const { header } = log;
  if (header === undefined || log.refusal || unreadDamage(log)) return undefined;
  // Nothing to migrate: the history it has, read as tolerantly as everywhere.
  if (header.version >= SESSION_FORMAT_VERSION) return historyOf(loaded, Math.min(end, log.eventCount));
  try {
    const part = { header: headerOf(header, log, end), events: eventsOf(log, end) };
    const { events } = migrateSession(part, SESSION_FORMAT_VERSION, { children });
    const { nodes, projectedMessages } = foldSurface(events);
    const history: HistoryMessage[] = [];
    for (const seq of nodes) {
      const event = events[seq];
      const message = projectedMessages.get(seq) ?? (event ? deriveEventMessage(event) : null);
      if (message !== null) history.push({ seq, message });
    }
    return history;
  } catch (error) {
    if (error instanceof SessionMigrationRefusedError) return undefined; // migrationOf says it in full
    throw error;
  }
}

export function addMigrated(lines: Lines, loaded: LoadedLog, ref: MigratedRef, children: Children, t: Translate): void {
  const { compared } = ref;
  const history = derive(loaded, children, endOf(ref));
  if (!history) {
    for (const sentence of sentences(loaded, children, endOf(ref))) lines.add(t(sentence));
    return;
  }
  const to = SESSION_FORMAT_VERSION;
  if (compared) addComparison(lines, compared, t);
  else
    lines
      .add(t(text('Derived history of {session}', { session: sessionName(loaded) })))
      .add(t(text('messages: {count}', { count: history.length })))
      .add(
        loaded.version >= to
          ? t(text('This log is already in format {to}; nothing is migrated', { to }))
          : t(text('after migration to format {to}, in memory only; nothing is written', { to })),
      )
      .add();
  for (const { seq, message } of history) addMessage(lines, seq, message, t, compared?.heading);
}
