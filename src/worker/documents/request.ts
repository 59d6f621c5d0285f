import { text } from '../../core/index.ts';
import { RpcError, type CompareMethods, type DocumentRef } from '../../protocol/index.ts';
import { fields, items, NONE, stringOf, type Fields } from '../../timeline/index.ts';
import { jsonText } from '../json-text.ts';
import { line, routeLine } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { addMessage, body, type Translate } from './message-text.ts';
import { historyOf, sessionName } from './history.ts';
import { addComparison } from './comparison.ts';
import type { Lines } from './lines.ts';

type RequestRef = Extract<DocumentRef, { kind: 'request' }>;
type RequestPlace = Pick<RequestRef, 'turn' | 'step' | 'attempt'>;

/**
 * What the model was sent for (turn, step, attempt), by their numbers: route and settings, system prompt, messages, tools.
 * The history is the fold of all events before the attempt's answer began; of the whole step when it was never answered
 * (decisions.md "Request").
 */
export function addRequest(lines: Lines, loaded: LoadedLog, ref: RequestRef, t: Translate): void {
  const { turn, step, attempt, compared } = ref;
  const { eventCount, header, context } = requestParts(loaded, ref);
  const history = historyOf(loaded, eventCount);
  if (compared) addComparison(lines, compared, t);
  else {
    lines
      .add(t(text('Request of {session}', { session: sessionName(loaded) })))
      .add(t(text('turn {turn}, step {step}, attempt {attempt}', { turn, step, attempt })))
      .add(t(text('messages: {count}', { count: history.length })))
      .add();
  }
  addSettings(lines, header, context, t);
  const system = stringOf(header['system']);
  if (system !== undefined)
    lines
      .add(`=== ${t(text('system prompt'))} ===`)
      .add(body(system, t))
      .add();
  for (const { seq, message } of history) addMessage(lines, seq, message, t);
  for (const tool of items(header['tools'])) addTool(lines, fields(tool), t);
}

/** Events a request had seen, and the header and route it was sent with. */
export function requestParts(
  loaded: LoadedLog,
  ref: RequestPlace,
): { readonly eventCount: number; readonly header: Fields; readonly context: Fields } {
  const { index } = loaded.timeline;
  const { step, attempt } = findRequest(loaded, ref);
  const eventCount =
    attempt === NONE ? (loaded.timeline.tables.steps.columns.lastSeq[step] ?? 0) + 1 : (index.requestEnds[attempt] ?? 0);
  const header = fields(fields(loaded.event(loaded.latestBefore(index.headers, eventCount))?.data)['header']);
  const context = fields(loaded.event(loaded.latestBefore(index.contexts, eventCount))?.data);
  return { eventCount, header, context };
}

/** The request after one: the next attempt of its step, else the first of the next step. */
export function nextRequest(loaded: LoadedLog, ref: RequestPlace): ReturnType<CompareMethods['nextRequest']> {
  const { turns, steps, attempts } = loaded.timeline.tables;
  const { step, attempt } = findRequest(loaded, ref);
  if (attempt !== NONE && attempt + 1 < loaded.attemptsOf(step).to)
    return { next: { turn: ref.turn, step: ref.step, attempt: attempts.columns.number[attempt + 1] ?? 1 } };
  if (step + 1 >= steps.length) return { next: undefined };
  const turn = turns.columns.number[steps.columns.turn[step + 1] ?? NONE];
  const { from, to } = loaded.attemptsOf(step + 1);
  const first = from === to ? 1 : (attempts.columns.number[from] ?? 1);
  return turn === undefined ? { next: undefined } : { next: { turn, step: steps.columns.number[step + 1] ?? 0, attempt: first } };
}

export function lastAttempt(
  loaded: LoadedLog,
  { turn, step }: Pick<RequestPlace, 'turn' | 'step'>,
): ReturnType<CompareMethods['lastAttempt']> {
  const row = rowsOfStep(loaded, turn, step).next().value;
  if (row === undefined) throw new RpcError('not-found', text('There is no step {turn}.{step}', { turn, step }));
  const { from, to } = loaded.attemptsOf(row);
  return { attempt: from === to ? 1 : (loaded.timeline.tables.attempts.columns.number[to - 1] ?? 1) };
}

/** Rows of the steps with these numbers, the latest first: a log may number two alike. */
function* rowsOfStep(loaded: LoadedLog, turn: number, step: number): Generator<number, undefined> {
  const { turns, steps } = loaded.timeline.tables;
  for (let i = steps.length - 1; i >= 0; i--) {
    if (steps.columns.number[i] === step && turns.columns.number[steps.columns.turn[i] ?? NONE] === turn) yield i;
  }
}

/** Rows of a request's step and attempt; attempt NONE for the one a step without any stands for. */
function findRequest(
  loaded: LoadedLog,
  { turn, step, attempt }: RequestPlace,
): { readonly step: number; readonly attempt: number } {
  const { attempts } = loaded.timeline.tables;
  for (const i of rowsOfStep(loaded, turn, step)) {
    const { from, to } = loaded.attemptsOf(i);
    for (let k = from; k < to; k++) if (attempts.columns.number[k] === attempt) return { step: i, attempt: k };
    if (from === to && attempt === 1) return { step: i, attempt: NONE };
  }
  throw new RpcError('not-found', text('There is no attempt {attempt} of step {turn}.{step}', { attempt, turn, step }));
}

export function addSettings(lines: Lines, header: Fields, context: Fields, t: Translate): void {
  lines.add(`=== ${t(text('settings'))} ===`);
  const config = fields(header['config']);
  lines.add(`${t(text('route'))}: ${routeLine(context) || routeLine(config)}`);
  const keys = Object.keys(config).sort();
  for (const key of keys) lines.add(`${line(key, 80)}: ${line(jsonText(config[key]), 400)}`);
  const window = context['contextWindow'];
  if (typeof window === 'number') lines.add(`contextWindow: ${window}`);
  const defaults = Object.keys(fields(header['adapterDefaults'])).sort();
  if (defaults.length > 0) lines.add(`adapterDefaults: ${line(defaults.join(', '), 400)}`);
  lines.add(`${t(text('tools'))}: ${items(header['tools']).length}`).add();
}

export function addTool(lines: Lines, tool: Fields, t: Translate): void {
  lines
    .add(`=== ${t(text('tool'))} ${line(tool['name'], 120)} ===`)
    .add(body(stringOf(tool['description']) ?? '', t))
    .add(body(jsonText(tool['parameters'] ?? {}, 2), t))
    .add();
}
