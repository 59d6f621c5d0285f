import { text } from '../../core/index.ts';
import { RpcError } from '../../protocol/index.ts';
import { fields, items, NONE, stringOf, type Fields } from '../../timeline/index.ts';
import { line, routeLine } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { addMessage, body, type Translate } from './message-text.ts';
import { historyOf, sessionName } from './history.ts';
import type { Lines } from './lines.ts';

/**
 * What the model was sent for (turn, step, attempt), by their numbers: route and settings, system prompt, messages, tools.
 * The history is the fold of all events before the attempt's answer began; of the whole step when it was never answered
 * (decisions.md "Request").
 */
export function addRequest(lines: Lines, loaded: LoadedLog, turn: number, step: number, attempt: number, t: Translate): void {
  const eventCount = requestEnd(loaded, turn, step, attempt);
  const { index } = loaded.timeline;
  const header = fields(fields(loaded.event(loaded.latestBefore(index.headers, eventCount))?.data)['header']);
  const context = fields(loaded.event(loaded.latestBefore(index.contexts, eventCount))?.data);
  const history = historyOf(loaded, eventCount);
  lines
    .add(t(text('Request of {session}', { session: sessionName(loaded) })))
    .add(t(text('turn {turn}, step {step}, attempt {attempt}', { turn, step, attempt })))
    .add(t(text('messages: {count}', { count: history.length })))
    .add();
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

/** Number of events a request had seen. */
function requestEnd(loaded: LoadedLog, turn: number, step: number, attempt: number): number {
  const { turns, steps, attempts } = loaded.timeline.tables;
  for (let i = steps.length - 1; i >= 0; i--) {
    if (steps.columns.number[i] !== step) continue;
    if (turns.columns.number[steps.columns.turn[i] ?? NONE] !== turn) continue;
    const { from, to } = loaded.attemptsOf(i);
    for (let k = from; k < to; k++) {
      if (attempts.columns.number[k] === attempt) return loaded.timeline.index.requestEnds[k] ?? 0;
    }
    if (from === to && attempt === 1) return (steps.columns.lastSeq[i] ?? 0) + 1;
  }
  throw new RpcError('not-found', `no attempt ${attempt} of step ${turn}.${step}`);
}

function addSettings(lines: Lines, header: Fields, context: Fields, t: Translate): void {
  lines.add(`=== ${t(text('settings'))} ===`);
  const config = fields(header['config']);
  lines.add(`${t(text('route'))}: ${routeLine(context) || routeLine(config)}`);
  const keys = Object.keys(config).sort();
  for (const key of keys) lines.add(`${line(key, 80)}: ${line(JSON.stringify(config[key]), 400)}`);
  const window = context['contextWindow'];
  if (typeof window === 'number') lines.add(`contextWindow: ${window}`);
  const defaults = Object.keys(fields(header['adapterDefaults'])).sort();
  if (defaults.length > 0) lines.add(`adapterDefaults: ${line(defaults.join(', '), 400)}`);
  lines.add(`${t(text('tools'))}: ${items(header['tools']).length}`).add();
}

function addTool(lines: Lines, tool: Fields, t: Translate): void {
  lines
    .add(`=== ${t(text('tool'))} ${line(tool['name'], 120)} ===`)
    .add(body(stringOf(tool['description']) ?? '', t))
    .add(body(JSON.stringify(tool['parameters'] ?? {}, null, 2), t))
    .add();
}
