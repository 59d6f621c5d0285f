/** What the inspector shows while nothing is selected: the session itself. */
import { text, type Text } from '../../src/core/index.ts';
import type { Section, SessionOverview } from '../../src/protocol/index.ts';
import { formatDuration, formatFull, formatNumber } from '../l10n/format.ts';

type Facts = Extract<Section, { kind: 'facts' }>;
type Fact = Facts['facts'][number];

export function sessionSummary(overview: SessionOverview): Section[] {
  const { header, time, usage } = overview;
  const facts: (Fact | undefined)[] = [
    fact(text('Session'), header?.id),
    fact(text('Project'), header?.cwd),
    header?.parentSession === undefined
      ? undefined
      : { name: text('Parent'), value: header.parentSession, session: header.parentSession },
    fact(text('Preset'), header?.agentPreset),
    fact(text('Created'), Number.isFinite(header?.createdAt) ? formatFull(header?.createdAt ?? NaN) : undefined),
    fact(text('Last activity'), overview.lastActivity === undefined ? undefined : formatFull(overview.lastActivity)),
    fact(text('From first to last event'), time ? formatDuration(time.last - time.first) : undefined),
    fact(text('Events'), formatNumber(overview.eventCount)),
    fact(text('Inherited events'), overview.inheritedEventCount > 0 ? formatNumber(overview.inheritedEventCount) : undefined),
    fact(text('Context now'), overview.contextTokens === undefined ? undefined : tokensOf(overview)),
    fact(text('File'), overview.path),
    fact(text('Older copies'), overview.olderCopies.length > 0 ? overview.olderCopies.join('\n') : undefined),
  ];
  const sections: Section[] = [{ kind: 'facts', heading: text('Session'), facts: facts.filter((each) => each !== undefined) }];
  if (usage.own.attempts > 0) sections.push(usageSection(text('Tokens of its own requests'), usage.own));
  if (usage.inherited.attempts > 0) sections.push(usageSection(text('Tokens inherited, counted in the parent'), usage.inherited));
  return sections;
}

const fact = (name: Text, value: Text | string | undefined): Fact | undefined =>
  value === undefined ? undefined : { name, value };

function tokensOf({ contextTokens = 0, contextWindow }: SessionOverview): Text {
  return contextWindow === undefined
    ? text('{n} tokens', { n: formatNumber(contextTokens) })
    : text('{n} of {window} tokens', { n: formatNumber(contextTokens), window: formatNumber(contextWindow) });
}

function usageSection(heading: Text, totals: SessionOverview['usage']['own']): Facts {
  return {
    kind: 'facts',
    heading,
    facts: [
      { name: text('Requests'), value: formatNumber(totals.attempts) },
      { name: text('Input, uncached'), value: formatNumber(totals.input) },
      { name: text('Read from the cache'), value: formatNumber(totals.cacheRead) },
      { name: text('Written to the cache'), value: formatNumber(totals.cacheWrite) },
      { name: text('Output'), value: formatNumber(totals.output) },
      { name: text('Reasoning, part of the output'), value: formatNumber(totals.reasoning) },
    ],
  };
}
