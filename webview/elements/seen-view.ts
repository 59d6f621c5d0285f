/** Where an event went, in two lines of links under its card: the requests that contained it, and the events that name it. */
import { html, nothing, type TemplateResult } from 'lit';
import type { EventDetail, Section } from '../../src/protocol/index.ts';
import { NONE, type TimelineTables } from '../../src/timeline/index.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { formatNumber } from '../l10n/format.ts';
import { say, t } from '../l10n/strings.ts';
import type { TimelineModel } from '../state/model.ts';
import { requestsWith } from '../state/requests.ts';
import { link, type SectionActions } from './section-view.ts';

/** Links in one line; the tabs behind have all of them. */
const most = 6;

interface Seen {
  readonly requests: readonly { readonly seq: number; readonly name: string }[];
  readonly count: number;
  readonly isCurrent: boolean;
  /** Result of the call, whose message it is that was seen; undefined for a message of its own. */
  readonly result: number | undefined;
}

export function seenView(model: TimelineModel, value: EventDetail, actions: SectionActions): TemplateResult | typeof nothing {
  const { tables } = model;
  const seen = ownRequests(value) ?? (tables ? requestsOfResult(model, tables, value.seq) : undefined);
  if (!seen || seen.count === 0) return nothing;
  return html`<section>
    <h3>${t('Seen by the model in')}</h3>
    <p>
      ${seen.requests.map(({ seq, name }, at) => html`${at > 0 ? ' · ' : ''}${link(seq, name, actions)}`)}
      ${seen.count > seen.requests.length ? html` · ${t('{n} more', { n: formatNumber(seen.count - seen.requests.length) })}` : nothing}
      — ${seen.isCurrent ? t('still in context') : t('no longer in context')}
      ${seen.result === undefined ? nothing : html`(${t('its result')} ${link(seen.result, `#${String(seen.result)}`, actions)})`}
    </p>
  </section>`;
}

function ownRequests({ model: { state, requests, requestCount } }: EventDetail): Seen | undefined {
  if (state !== 'current' && state !== 'shadowed') return undefined;
  return {
    requests: requests.slice(0, most).map((request) => ({ seq: request.seq, name: requestName(request) })),
    count: requestCount,
    isCurrent: state === 'current',
    result: undefined,
  };
}

/** A call itself is never a message: what the model sees of it is its result. */
function requestsOfResult(model: TimelineModel, tables: TimelineTables, seq: number): Seen | undefined {
  const call = model.callOfEntry(entryOfSeq(tables.entries, seq));
  const result = call === NONE || tables.calls.columns.seq[call] !== seq ? NONE : tables.calls.columns.result[call]!;
  const until = model.replay.knownUntil(seq) ?? Infinity;
  const entry = result === NONE || result >= until ? NONE : entryOfSeq(tables.entries, result);
  if (entry === NONE) return undefined;
  const { requests, count } = requestsWith(tables, entry, most, until);
  const shadower = tables.entries.columns.shadowedBy[entry]!;
  const { number, step } = tables.attempts.columns;
  const nameOf = (attempt: number): string => {
    const own = step[attempt]!;
    const turn = tables.steps.columns.turn[own] ?? NONE;
    return requestName({
      turn: tables.turns.columns.number[turn] ?? 0,
      step: tables.steps.columns.number[own] ?? 0,
      attempt: number[attempt]!,
    });
  };
  return {
    requests: requests.map((request) => ({ seq: request.seq, name: nameOf(request.attempt) })),
    count,
    isCurrent: shadower === NONE || shadower >= until,
    result,
  };
}

export function requestName(request: { readonly turn: number; readonly step: number; readonly attempt: number }): string {
  return request.attempt > 1
    ? t('Step {turn}.{step}, attempt {attempt}', { turn: request.turn, step: request.step, attempt: request.attempt })
    : t('Step {turn}.{step}', { turn: request.turn, step: request.step });
}

type Links = Extract<Section, { kind: 'links' }>;

export function citedView(model: TimelineModel, value: EventDetail, actions: SectionActions): TemplateResult | typeof nothing {
  const cited = value.sources.find(
    (section): section is Links => section.kind === 'links' && section.heading?.template === 'Cited by',
  );
  if (!cited?.heading) return nothing;
  const { tables, overview } = model;
  const typeOf = (seq: number): string => {
    const entry = tables ? entryOfSeq(tables.entries, seq) : NONE;
    return tables && entry !== NONE ? (overview?.strings.types[tables.entries.columns.type[entry]!] ?? '') : '';
  };
  const shown = cited.links.slice(0, most);
  const more = cited.more + cited.links.length - shown.length;
  return html`<section>
    <h3>${say(cited.heading)}</h3>
    <p>
      ${shown.map(({ seq }, at) => html`${at > 0 ? ' · ' : ''}${link(seq, `#${String(seq)} ${typeOf(seq)}`.trimEnd(), actions)}`)}
      ${more > 0 ? html` · ${t('{n} more', { n: formatNumber(more) })}` : nothing}
    </p>
  </section>`;
}
