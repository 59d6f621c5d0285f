/** Lines of the hover over the overview: the moment, the context then, and what is marked close by. */
import { compactCount, DIVIDER, MARK, NONE, REPLACEMENT, type TimelineTables } from '../../src/timeline/index.ts';
import { fromUnit, toUnit, upperBound } from '../../src/timeline/layout/axis.ts';
import type { Geometry } from '../../src/timeline/layout/geometry.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { visibleRange } from '../../src/timeline/layout/spans.ts';
import { formatClock, formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';

const most = 8;

/** `unit` under the pointer, `slack` units to either side count as close by. */
export function overviewTooltip(tables: TimelineTables, geometry: Geometry, unit: number, slack: number): string[] {
  const { axis } = geometry;
  const value = fromUnit(axis, unit);
  const lines = [axis.kind === 'time' ? formatClock(value) : `#${formatNumber(Math.floor(value))}`];
  const gap = axis.gaps.find((each) => unit > each.start && unit < each.end);
  if (gap) lines[0] = `${formatClock(gap.from)} – ${formatClock(gap.to)}`;
  const at = upperBound(geometry.context.start, unit) - 1;
  if (at >= 0) {
    const { tokens, window } = tables.context.columns;
    const row = geometry.context.row[at]!;
    lines.push(
      window[row]! > 0
        ? t('context {n} of {window} tokens', { n: compactCount(tokens[row]!), window: compactCount(window[row]!) })
        : t('context {n} tokens', { n: compactCount(tokens[row]!) }),
    );
  }
  const near = [
    ...replacementsNear(tables, geometry, unit, slack),
    ...dividersNear(tables, geometry, unit, slack),
    ...marksNear(tables, geometry, unit, slack),
  ];
  lines.push(...near.slice(0, most));
  if (near.length > most) lines.push(t('{n} more', { n: formatNumber(near.length - most) }));
  return lines;
}

function replacementsNear(tables: TimelineTables, geometry: Geometry, unit: number, slack: number): string[] {
  const { seq, kind, tokensBefore, tokensAfter } = tables.replacements.columns;
  const { axis } = geometry;
  const lines: string[] = [];
  for (let i = 0; i < tables.replacements.length; i++) {
    if (kind[i] !== REPLACEMENT.compaction && kind[i] !== REPLACEMENT.prune) continue;
    const entry = entryOfSeq(tables.entries, seq[i]!);
    if (entry === NONE) continue;
    const place = axis.kind === 'seq' ? seq[i]! : toUnit(axis, tables.entries.columns.time[entry]!);
    if (Math.abs(place - unit) > slack) continue;
    const word = kind[i] === REPLACEMENT.compaction ? t('compacted') : t('pruned');
    const freed = tokensBefore[i]! - (Number.isNaN(tokensAfter[i]!) ? 0 : tokensAfter[i]!);
    lines.push(`${word}${freed > 0 ? ` −${compactCount(freed)}` : ''} · #${String(seq[i]!)}`);
  }
  return lines;
}

function dividersNear(tables: TimelineTables, { dividers }: Geometry, unit: number, slack: number): string[] {
  const { first, last } = visibleRange(dividers, unit - slack, unit + slack);
  const lines: string[] = [];
  for (let i = first; i < last; i++) {
    const row = dividers.row[i]!;
    const word = tables.dividers.columns.kind[row] === DIVIDER.cut ? t('inherited up to here') : t('reopened here');
    lines.push(`${word} · #${String(tables.dividers.columns.seq[row]!)}`);
  }
  return lines;
}

function marksNear(tables: TimelineTables, { marks }: Geometry, unit: number, slack: number): string[] {
  const names: Readonly<Record<number, string>> = {
    [MARK.error]: t('error'),
    [MARK.retry]: t('retry'),
    [MARK.approval]: t('approval'),
    [MARK.prompt]: t('prompt'),
    [MARK.damage]: t('damage'),
  };
  const { first, last } = visibleRange(marks, unit - slack, unit + slack);
  const lines: string[] = [];
  for (let i = first; i < last; i++) {
    const row = marks.row[i]!;
    lines.push(`${names[tables.marks.columns.kind[row]!] ?? ''} · #${String(tables.marks.columns.seq[row]!)}`);
  }
  return lines;
}
