/** Lines of the hover over a bar or node: first what it is, then its figures. */
import { NONE, OUTCOME, type TimelineTables } from '../../src/timeline/index.ts';
import { entryOfSeq, ROW } from '../../src/timeline/layout/rows.ts';
import { formatClock, formatDuration, formatNumber } from '../l10n/format.ts';
import { say, t } from '../l10n/strings.ts';
import type { LaneHit } from './lane-hit.ts';
import type { TimelineModel } from './model.ts';

export function tooltipOf(model: TimelineModel, hit: LaneHit): string[] {
  const { tables, overview } = model;
  if (!tables || !overview) return [];
  switch (hit.kind) {
    case 'turn': {
      const { number, start, end, outcome, calls } = tables.turns.columns;
      const words = textOf(model, ROW.turn, hit.row);
      return lines(`${t('Turn {n}', { n: number[hit.row]! })}${words === '' ? '' : ` · ${words}`}`, [
        figures(start[hit.row]!, end[hit.row]! - start[hit.row]!, outcome[hit.row]!),
        calls[hit.row] === 1 ? t('1 call') : t('{n} calls', { n: formatNumber(calls[hit.row]!) }),
      ]);
    }
    case 'step': {
      const { number, turn, start, end, outcome } = tables.steps.columns;
      const name = t('Step {turn}.{step}', { turn: tables.turns.columns.number[turn[hit.row]!] ?? 0, step: number[hit.row]! });
      return lines(name, [
        textOf(model, ROW.step, hit.row),
        figures(start[hit.row]!, end[hit.row]! - start[hit.row]!, outcome[hit.row]!),
      ]);
    }
    case 'attempt':
      return attemptLines(tables, hit.row);
    case 'call': {
      const { name, start, end, outcome, entry } = tables.calls.columns;
      const words = textOf(model, ROW.entry, entry[hit.row]!);
      return lines(`${overview.strings.names[name[hit.row]!] ?? ''} ${words}`.trim(), [
        figures(start[hit.row]!, end[hit.row]! - start[hit.row]!, outcome[hit.row]!),
        `#${String(hit.seq)}`,
      ]);
    }
    case 'agent': {
      const { child, time, entry } = tables.children.columns;
      const words = textOf(model, ROW.entry, entry[hit.row]!);
      return lines(words === '' ? t('Agent') : words, [
        overview.strings.children[child[hit.row]!] ?? '',
        `${formatClock(time[hit.row]!)} · #${String(hit.seq)}`,
        t('Double click opens its session'),
      ]);
    }
    case 'node': {
      const { type, time, shadowedBy } = tables.entries.columns;
      const state = shadowedBy[hit.row] === NONE ? t('current') : t('shadowed by #{seq}', { seq: shadowedBy[hit.row]! });
      return lines(`#${String(hit.seq)} ${overview.strings.types[type[hit.row]!] ?? ''}`, [
        textOf(model, ROW.entry, hit.row),
        `${formatClock(time[hit.row]!)} · ${state}`,
      ]);
    }
  }
}

const lines = (head: string, rest: readonly string[]): string[] => [head, ...rest.filter((line) => line !== '')];

function textOf(model: TimelineModel, kind: number, index: number): string {
  const text = model.texts.get(((kind << 30) | index) >>> 0);
  return text ? say(text.detail) : '';
}

function figures(start: number, duration: number, outcome: number): string {
  const parts = [formatClock(start)];
  if (duration > 0) parts.push(formatDuration(duration));
  const word = outcomeWord(outcome);
  if (word !== '') parts.push(word);
  return parts.join(' · ');
}

function attemptLines(tables: TimelineTables, attempt: number): string[] {
  const c = tables.attempts.columns;
  const wait = c.firstToken[attempt]! - c.start[attempt]!;
  const decode = c.end[attempt]! - c.firstToken[attempt]!;
  const rest = [figures(c.start[attempt]!, c.end[attempt]! - c.start[attempt]!, c.outcome[attempt]!)];
  if (wait >= 0 && decode >= 0) {
    rest.push(t('first token after {wait}, then {decode}', { wait: formatDuration(wait), decode: formatDuration(decode) }));
  }
  if (c.hasUsage[attempt] === 1) {
    const input = c.input[attempt]! + c.cacheRead[attempt]! + c.cacheWrite[attempt]!;
    rest.push(
      t('{input} in, {cached} of it cached; {output} out', {
        input: formatNumber(input),
        cached: formatNumber(c.cacheRead[attempt]!),
        output: formatNumber(c.output[attempt]!),
      }),
    );
  }
  const entry = entryOfSeq(tables.entries, c.seq[attempt]!);
  if (entry !== NONE) rest.push(`#${String(c.seq[attempt]!)}`);
  return lines(c.number[attempt] === 1 ? t('Model') : t('Model, attempt {n}', { n: c.number[attempt]! }), rest);
}

function outcomeWord(outcome: number): string {
  switch (outcome) {
    case OUTCOME.open:
      return t('not finished');
    case OUTCOME.error:
      return t('failed');
    case OUTCOME.aborted:
      return t('aborted');
    case OUTCOME.interrupted:
      return t('interrupted');
    case OUTCOME.maxTokens:
      return t('ran into the token limit');
    case OUTCOME.blocked:
      return t('blocked');
    case OUTCOME.forked:
      return t('forked here');
    case OUTCOME.abandoned:
      return t('abandoned');
    default:
      return '';
  }
}
