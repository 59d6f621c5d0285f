import {
  deriveEventMessage,
  foldSurface,
  migrateSession,
  migrationPreview,
  SESSION_FORMAT_VERSION,
  SessionMigrationRefusedError,
  text,
  type Damage,
  type DamageKind,
} from '../../core/index.ts';
import { RpcError, type Comparison, type CompareMethods } from '../../protocol/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { addComparison } from './comparison.ts';
import { sessionName, type HistoryMessage } from './history.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';

/** Damage of bytes and lines: dsh reads the file as a whole or not at all, so what comes before is of no use to it. */
const UNREAD: ReadonlySet<DamageKind> = new Set([
  'corrupt-frame',
  'foreign-bytes',
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

/** What the newest dsh would make of this log; nothing is written. format/migrations.md. */
export function migrationOf({ log }: LoadedLog): ReturnType<CompareMethods['migration']> {
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
  const preview = migrationPreview({ header, events: log.events() as Iterable<never> }); // as read; the migration checks every event itself
  const { outcome, from, to } = preview;
  return { outcome, from, to, text: preview.text, reason: preview.outcome === 'refused' ? preview.reason : undefined };
}

/** The history at the end of the migrated log, seqs in its own numbering. Throws a not-found error where dsh would refuse. */
export function migratedHistory(loaded: LoadedLog, t: Translate): readonly HistoryMessage[] {
  const history = derive(loaded);
  if (history) return history;
  const { text: sentence, reason } = migrationOf(loaded);
  throw new RpcError('not-found', [sentence, ...(reason ? [reason] : [])].map(t).join(' · '));
}

/** Undefined where a dsh refuses the log. */
function derive({ log }: LoadedLog): readonly HistoryMessage[] | undefined {
  const { header } = log;
  if (header === undefined || log.refusal || unreadDamage(log)) return undefined;
  try {
    const { events } = migrateSession({ header, events: log.events() as Iterable<never> }, SESSION_FORMAT_VERSION); // as above
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

export function addMigrated(lines: Lines, loaded: LoadedLog, compared: Comparison | undefined, t: Translate): void {
  const history = derive(loaded);
  if (!history) {
    const { text: sentence, reason } = migrationOf(loaded);
    lines.add(t(sentence));
    if (reason) lines.add(t(reason));
    return;
  }
  if (compared) addComparison(lines, compared, t);
  else {
    lines
      .add(t(text('Derived history of {session}', { session: sessionName(loaded) })))
      .add(t(text('messages: {count}', { count: history.length })));
  }
  lines.add(t(text('after migration to format {to}, in memory only; nothing is written', { to: SESSION_FORMAT_VERSION }))).add();
  for (const { seq, message } of history) addMessage(lines, seq, message, t, compared?.heading);
}
