import type { Finding } from './damage.ts';
import type { SessionHeader, StoredEvent } from './events.ts';
import { isRecord, isSeq, type UnknownRecord } from './json.ts';
import type { EventLookup, SurfaceFold } from './surface.ts';
import { english, type Text } from './text.ts';

/** What dsh does about a broken rule, before the version of the log is known. */
type Weight =
  /** Every release refuses the log when it opens it. */
  | 'open'
  /** A rule of format/events.md §7: v4 checks it on every open, earlier formats when they migrate. */
  | 'order'
  /** Only a migration minds. */
  | 'migration'
  /** dsh does not look. */
  | 'note';

/** Every rule {@link checkSession} knows, with its weight. */
export const CHECK_RULES = {
  // envelope, header and gates: format/events.md §1, format/on-disk.md §5, §7, format/migrations.md §6
  header: 'open',
  cut: 'open',
  record: 'open',
  seq: 'open',
  envelope: 'open',
  'lossless-json': 'open',
  'unknown-event': 'open',
  'unknown-ignorable': 'migration',
  'retired-event': 'open',
  payload: 'open',
  'message-identity': 'note',
  'strict-payload': 'migration',
  migration: 'migration',
  // surface: format/surface.md §3, §6
  surface: 'open',
  // order: format/events.md §7
  'turn-start': 'order',
  'turn-number': 'order',
  'turn-end': 'order',
  'turn-end-open-step': 'order',
  'turn-end-open-calls': 'order',
  'turn-end-open-compaction': 'order',
  'step-start': 'order',
  'step-number': 'order',
  'step-end': 'order',
  'step-end-open-calls': 'order',
  'outside-step': 'order',
  'result-outside-turn': 'order',
  'request-outside-turn': 'order',
  'call-id-reused': 'order',
  'call-not-advertised': 'order',
  'call-started-twice': 'order',
  'call-differs': 'order',
  'result-without-call': 'order',
  'result-not-started': 'order',
  'retry-place': 'order',
  'retry-provider': 'order',
  'retry-number': 'order',
  'retry-started': 'order',
  'dispatch-start': 'order',
  'dispatch-parent': 'order',
  'dispatch-settlement': 'order',
  'command-run': 'order',
  'command-done': 'order',
  'command-source': 'order',
  'title-messages': 'order',
  'compaction-start': 'order',
  'compaction-summary': 'order',
  'compaction-span': 'order',
  'compaction-end': 'order',
  delivery: 'order',
  'subagent-catalog': 'order',
  // "Model-visible ⟺ logged": every answer has a request one can reconstruct
  'model-visible-header': 'note',
  'model-visible-route': 'note',
  'model-visible-request': 'note',
} as const satisfies Record<string, Weight>;

export type CheckRule = keyof typeof CHECK_RULES;

/** Takes one broken relation. */
export type Report = (rule: CheckRule, seq: number, sentence: Text) => void;

/** What the parts of the order check share. Turn and step are undefined when none is open. */
export interface OrderContext {
  readonly version: number;
  readonly header: SessionHeader;
  readonly surface: SurfaceFold;
  /** Earlier surface events, request headers and message projections. */
  readonly eventAt: EventLookup;
  readonly report: Report;
  turn: number | undefined;
  step: number | undefined;
}

/** One part of the order check. Called for every event in order, with the payload when it is a record, else an empty one. */
export interface OrderPart {
  apply(event: StoredEvent, data: UnknownRecord): void;
  finish?(): void;
}

export function dshOf(rule: CheckRule, version: number): Finding['dsh'] {
  switch (CHECK_RULES[rule]) {
    case 'open':
      return 'refuses';
    case 'order':
      return version >= 4 ? 'refuses' : 'refuses-on-migration';
    case 'migration':
      return 'refuses-on-migration';
    case 'note':
      return 'accepts';
  }
}

export function findingOf(rule: CheckRule, seq: number, sentence: Text, dsh: Finding['dsh']): Finding {
  return { rule, seq, message: english(sentence), text: sentence, dsh };
}

export function ordinalOf(value: unknown): number | undefined {
  return isSeq(value) && value > 0 ? value : undefined;
}

export function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : NOTHING;
}

const NOTHING: UnknownRecord = {};

/** How a value that may be anything reads in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return '?';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
}
