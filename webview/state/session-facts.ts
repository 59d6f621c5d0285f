/** What the header says of a session besides its title, most telling first. */
import type { SessionOverview, UsageTotals } from '../../src/protocol/index.ts';
import { compactCount } from '../../src/timeline/index.ts';
import { formatFull, formatNumber, formatPercent } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';

export interface Chip {
  readonly words: string;
  readonly title: string;
}

export function sessionFacts(overview: SessionOverview): Chip[] {
  const { counts, header } = overview;
  const format =
    overview.version === undefined
      ? t('no format')
      : `v${overview.version} · ${overview.encoding === 'zstd' ? 'zstd' : t('plain')}`;
  const numbers = [
    counts.turns === 1 ? t('1 turn') : t('{n} turns', { n: formatNumber(counts.turns) }),
    counts.steps === 1 ? t('1 step') : t('{n} steps', { n: formatNumber(counts.steps) }),
    counts.calls === 1 ? t('1 call') : t('{n} calls', { n: formatNumber(counts.calls) }),
  ];
  return [
    ...(overview.eventCount === 0 ? [] : [{ words: numbers.join(' · '), title: '' }]),
    ...tokens(overview),
    { words: format, title: fileFacts(overview) },
    ...(header?.cwd === undefined ? [] : [{ words: lastPart(header.cwd), title: header.cwd }]),
  ];
}

/** Own requests and inherited ones are never added up: the parent has paid for those. */
function tokens({ usage }: SessionOverview): Chip[] {
  const { own, inherited } = usage;
  if (own.attempts + inherited.attempts === 0) return [];
  const parts = [t('{n} tokens', { n: compactCount(billed(own) + own.output) })];
  if (billed(own) > 0) parts.push(t('{share} cached', { share: formatPercent(own.cacheRead / billed(own)) }));
  const title = [t('Tokens of this session’s own requests'), ...tokenLines(own)];
  if (inherited.attempts > 0) {
    parts.push(t('+{n} inherited', { n: compactCount(billed(inherited) + inherited.output) }));
    title.push('', t('Tokens of the inherited requests, counted in the parent'), ...tokenLines(inherited));
  }
  return [{ words: parts.join(' · '), title: title.join('\n') }];
}

const billed = (totals: UsageTotals): number => totals.input + totals.cacheRead + totals.cacheWrite;

const tokenLines = (totals: UsageTotals): string[] => [
  t('{n} input, uncached', { n: formatNumber(totals.input) }),
  t('{n} read from the cache', { n: formatNumber(totals.cacheRead) }),
  t('{n} written to the cache', { n: formatNumber(totals.cacheWrite) }),
  t('{n} output, {r} of it reasoning', { n: formatNumber(totals.output), r: formatNumber(totals.reasoning) }),
  t('{n} requests', { n: formatNumber(totals.attempts) }),
];

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

function fileFacts(overview: SessionOverview): string {
  const lines = [
    overview.path,
    t('{n} events in {lines} lines, {bytes} bytes', {
      n: formatNumber(overview.eventCount),
      lines: formatNumber(overview.lineCount),
      bytes: formatNumber(overview.size),
    }),
  ];
  if (overview.time) lines.push(`${formatFull(overview.time.first)} – ${formatFull(overview.time.last)}`);
  return lines.join('\n');
}
