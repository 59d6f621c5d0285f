/** What one row of the list says, put together from the tables and the row's text when it has come. */
import type { RowText } from '../../src/protocol/index.ts';
import { ENTRY_FLAG, NONE, OUTCOME, type TimelineStrings, type TimelineTables } from '../../src/timeline/index.ts';
import { upperBound } from '../../src/timeline/layout/axis.ts';
import { ROW, rowIndex, rowKind } from '../../src/timeline/layout/rows.ts';
import { say, t } from '../l10n/strings.ts';
import { toolKind } from '../theme/tool-color.ts';
import type { TimelineModel } from './model.ts';

export type BarTone = 'turn' | 'step' | 'model' | 'read' | 'write' | 'run' | 'agent' | 'other' | 'error' | 'replace';

export interface RowView {
  readonly kind: number;
  readonly index: number;
  readonly seq: number;
  readonly time: number;
  readonly title: string;
  readonly detail: string;
  readonly note: string;
  /** How it went wrong, for the state column; empty where the details say so, undefined where nothing did. */
  readonly outcome: string | undefined;
  readonly duration: number; // ms, NaN none
  readonly tone: BarTone;
  readonly isError: boolean;
  readonly isHuman: boolean;
  readonly isDim: boolean;
  readonly isFold: boolean; // the context was folded or trimmed here
  readonly isInherited: boolean;
  readonly isAhead: boolean; // the playhead has not come to it
  readonly state: 'current' | 'shadowed' | 'replaces' | 'log-only' | 'uncertain' | 'none';
  readonly stateText: string;
  /** For a narrow column; empty where the whole text is short. */
  readonly stateShort: string;
  readonly canFork: boolean;
  readonly isWaiting: boolean; // its text is not here yet
}

export function rowView(model: TimelineModel, code: number): RowView | undefined {
  const { tables, overview } = model;
  if (!tables || !overview) return undefined;
  const text = model.texts.get(code);
  const index = rowIndex(code);
  const playedTo = model.replay.playedTo ?? Infinity;
  switch (rowKind(code)) {
    case ROW.turn:
      return turnView(tables, index, text, playedTo);
    case ROW.step:
      return stepView(tables, index, text, playedTo);
    default:
      return entryView(model, tables, overview.strings, index, text);
  }
}

const noState = { state: 'none', stateText: '', stateShort: '', canFork: false } as const;

function turnView(tables: TimelineTables, turn: number, text: RowText | undefined, playedTo: number): RowView {
  const { number, firstSeq, lastSeq, start, end, outcome } = tables.turns.columns;
  // At the playhead it goes on; what is ahead as a whole is shown as it will be.
  const isOver = lastSeq[turn]! < playedTo || firstSeq[turn]! >= playedTo;
  const isError = isOver && isBad(outcome[turn]!);
  return {
    kind: ROW.turn,
    index: turn,
    seq: firstSeq[turn]!,
    time: start[turn]!,
    ...words(isOver ? text : unfinished(text), t('Turn {n}', { n: number[turn]! }), isError),
    duration: isOver ? end[turn]! - start[turn]! : NaN,
    tone: isError ? 'error' : 'turn',
    isError,
    isHuman: false,
    isDim: false,
    isFold: false,
    isInherited: isInherited(tables, tables.turns.columns.firstEntry[turn]!),
    isAhead: firstSeq[turn]! >= playedTo,
    ...noState,
  };
}

function stepView(tables: TimelineTables, step: number, text: RowText | undefined, playedTo: number): RowView {
  const { number, turn, firstSeq, lastSeq, start, end, outcome } = tables.steps.columns;
  const isOver = lastSeq[step]! < playedTo || firstSeq[step]! >= playedTo;
  const isError = isOver && isBad(outcome[step]!);
  return {
    kind: ROW.step,
    index: step,
    seq: firstSeq[step]!,
    time: start[step]!,
    ...words(
      isOver ? text : unfinished(text),
      t('Step {turn}.{step}', { turn: tables.turns.columns.number[turn[step]!] ?? 0, step: number[step]! }),
      isError,
    ),
    duration: isOver ? end[step]! - start[step]! : NaN,
    tone: isError ? 'error' : 'step',
    isError,
    isHuman: false,
    isDim: false,
    isFold: false,
    isInherited: isInherited(tables, tables.steps.columns.firstEntry[step]!),
    isAhead: firstSeq[step]! >= playedTo,
    ...noState,
  };
}

function entryView(
  model: TimelineModel,
  tables: TimelineTables,
  strings: TimelineStrings,
  entry: number,
  text: RowText | undefined,
): RowView {
  const { seq, time, duration, type, flags, shadowedBy, count } = tables.entries.columns;
  const flag = flags[entry]!;
  const isStreaming = model.replay.streamingEntry === entry;
  const isError = (flag & ENTRY_FLAG.error) !== 0 && !isStreaming;
  const typeName = strings.types[type[entry]!] ?? '';
  const onSurface = (flag & ENTRY_FLAG.surface) !== 0;
  // As of the playhead while replaying, else as of the log's end (decisions.md "State column").
  const playedTo = model.replay.playedTo ?? Infinity;
  const isAhead = seq[entry]! >= playedTo;
  const isFailed = isError || isFailedCall(model, tables, entry, playedTo);
  const shadowing = shadowedBy[entry]! < playedTo ? shadowedBy[entry]! : NONE;
  const isRunning = !isAhead && isRunningAt(tables, entry, playedTo);
  // Of an answer under way nothing but what has streamed, not even how it ended; of a call what it was asked for.
  const shownText = isStreaming ? model.replay.streaming?.row : isRunning ? withoutNote(text) : text;
  return {
    kind: ROW.entry,
    index: entry,
    seq: seq[entry]!,
    time: time[entry]!,
    ...(isStreaming && !shownText
      ? unstreamed(typeName)
      : words(shownText, typeName, isFailed && !isAhead && !hasState(flag), typeName !== 'assistant/chunk')),
    duration: isStreaming || isRunning ? NaN : duration[entry]!,
    tone: isFailed ? 'error' : toneOf(model, tables, strings, entry, typeName, flag),
    isError,
    isHuman: (flag & ENTRY_FLAG.human) !== 0,
    isDim: !onSurface && quiet.has(typeName),
    isFold: folding.has(typeName) || (onSurface && typeName === 'user/message' && (flag & ENTRY_FLAG.replace) !== 0),
    isInherited: (flag & ENTRY_FLAG.inherited) !== 0,
    isAhead,
    ...(isStreaming || isAhead ? ahead(isStreaming) : stateOf(flag, shadowing, onSurface)),
    canFork: isBoundary(tables, seq[entry]! + Math.max(1, count[entry]!) - 1),
  };
}

/** Bookkeeping around what was said and done. */
const quiet: ReadonlySet<string> = new Set([
  'step/end',
  'assistant/chunk',
  'agent/inbox/spliced',
  'compaction/start',
  'compaction/end',
  'session/title-llm-request',
]);
const folding: ReadonlySet<string> = new Set(['compaction/summary', 'compaction/prune']);

type Words = Pick<RowView, 'title' | 'detail' | 'note' | 'outcome' | 'isWaiting'>;

/** Longer words about a failure stay beside the details: the state column has no room for a sentence. */
const longestOutcome = 14;

/**
 * `tellsOutcome`: what went wrong is said in the state column, which has nothing else to say; `isOutcome`: the note tells it, and not
 * a size.
 */
function words(text: RowText | undefined, fallback: string, tellsOutcome: boolean, isOutcome = true): Words {
  const outcome = tellsOutcome ? '' : undefined;
  if (!text) return { title: fallback, detail: '', note: '', outcome, isWaiting: true };
  const part = { title: say(text.title), detail: say(text.detail), isWaiting: false };
  const note = text.note ? say(text.note) : '';
  if (!tellsOutcome) return { ...part, note, outcome };
  if (note !== '' && isOutcome)
    return note.length <= longestOutcome ? { ...part, note: '', outcome: note } : { ...part, note, outcome };
  return { ...part, note, outcome: part.detail.startsWith(t('error')) ? '' : t('error') };
}

/** Whether the state column says how an event stands on the surface. */
const hasState = (flag: number): boolean =>
  (flag & (ENTRY_FLAG.uncommitted | ENTRY_FLAG.refused)) !== 0 ||
  ((flag & ENTRY_FLAG.surface) !== 0 && (flag & ENTRY_FLAG.invalid) === 0);

/** A call that failed; its result has a row, and the error, of its own. */
function isFailedCall(model: TimelineModel, tables: TimelineTables, entry: number, playedTo: number): boolean {
  const call = model.callOfEntry(entry);
  if (call === NONE) return false;
  const { entry: own, outcome, result } = tables.calls.columns;
  if (own[call] !== entry || (result[call] !== NONE && result[call]! >= playedTo)) return false;
  const pair = tables.entries.columns.pair[entry]!;
  const hasFailed = pair < tables.entries.length && (tables.entries.columns.flags[pair]! & ENTRY_FLAG.error) !== 0;
  return isBad(outcome[call]!) || hasFailed;
}

/** The start of a turn, step, call, question or bracket whose end is still to come at the playhead. */
function isRunningAt({ entries, turns, steps }: TimelineTables, entry: number, playedTo: number): boolean {
  const { pair, seq, turn, step } = entries.columns;
  const other = pair[entry]!;
  if (other > entry && other < entries.length && seq[other]! >= playedTo) return true;
  const [ownTurn, ownStep] = [turn[entry]!, step[entry]!];
  return (
    (turns.columns.firstEntry[ownTurn] === entry && turns.columns.lastSeq[ownTurn]! >= playedTo) ||
    (steps.columns.firstEntry[ownStep] === entry && steps.columns.lastSeq[ownStep]! >= playedTo)
  );
}

const withoutNote = (text: RowText | undefined): RowText | undefined => text && { title: text.title, detail: text.detail };

/** What a turn or step that goes on at the playhead says: not how it ended, nor what its request came to. */
function unfinished(text: RowText | undefined): RowText | undefined {
  const { detail } = text ?? {};
  if (!text || typeof detail !== 'object' || detail.args['output'] === undefined) return withoutNote(text);
  const { model = '', tools = 0 } = detail.args;
  return {
    title: text.title,
    detail: tools === 1 ? t('{model} · 1 tool', { model }) : t('{model} · {tools} tools', { model, tools }),
  };
}

/** An answer of which nothing is known yet. */
const unstreamed = (typeName: string): Words => ({
  title: typeName === 'assistant/chunk' ? t('Stream') : t('Assistant'),
  detail: '',
  note: '',
  outcome: undefined,
  isWaiting: false,
});

const isBad = (outcome: number): boolean =>
  outcome === OUTCOME.error || outcome === OUTCOME.maxTokens || outcome === OUTCOME.blocked;

function isInherited(tables: TimelineTables, entry: number): boolean {
  return entry < tables.entries.length && (tables.entries.columns.flags[entry]! & ENTRY_FLAG.inherited) !== 0;
}

function isBoundary(tables: TimelineTables, seq: number): boolean {
  const { first, last } = tables.boundaries.columns;
  const at = upperBound(first, seq) - 1;
  return at >= 0 && seq <= last[at]!;
}

function toneOf(
  model: TimelineModel,
  tables: TimelineTables,
  strings: TimelineStrings,
  entry: number,
  typeName: string,
  flag: number,
): BarTone {
  if ((flag & ENTRY_FLAG.replace) !== 0 || typeName.startsWith('compaction/')) return 'replace';
  if (typeName.startsWith('assistant/')) return 'model';
  const call = model.callOfEntry(entry);
  return call === NONE ? 'other' : toolKind(strings.names[tables.calls.columns.name[call]!] ?? '');
}

type StateView = Pick<RowView, 'state' | 'stateText' | 'stateShort'>;

/** After the playhead: an answer that streams just now, or what is still to come. */
const ahead = (isStreaming: boolean): StateView =>
  isStreaming
    ? { state: 'none', stateText: t('streaming'), stateShort: '' }
    : { state: 'none', stateText: t('not yet played'), stateShort: t('ahead') };

function stateOf(flag: number, shadowedBy: number, onSurface: boolean): StateView {
  const view = (state: RowView['state'], stateText: string, stateShort = ''): StateView => ({ state, stateText, stateShort });
  if ((flag & ENTRY_FLAG.uncommitted) !== 0) return view('uncertain', t('not yet committed'), t('uncommitted'));
  if ((flag & ENTRY_FLAG.refused) !== 0) return view('uncertain', t('not derived'));
  if (!onSurface || (flag & ENTRY_FLAG.invalid) !== 0) return view('log-only', t('log only'));
  if (shadowedBy !== NONE) return view('shadowed', t('shadowed by #{seq}', { seq: shadowedBy }), `→ #${String(shadowedBy)}`);
  if ((flag & ENTRY_FLAG.replace) !== 0) return view('replaces', t('replaces'));
  return view('current', t('current'));
}
