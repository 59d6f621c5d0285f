/** The cells of one row of the list. */
import { html, nothing, type TemplateResult } from 'lit';
import { ROW } from '../../src/timeline/layout/rows.ts';
import { markMatches } from '../content/match.ts';
import { formatClock, formatDuration } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import type { RowView } from '../state/row-view.ts';
import { icon } from '../theme/icon.ts';

export interface RowPlace {
  /** From 1. */
  readonly level: number;
  readonly folded: boolean;
  /** The row above says the same second. */
  readonly repeatsTime: boolean;
  /** Part of its column the duration bar takes, 0 to 1. */
  readonly share: number;
  /** What is searched for in a row that holds it; empty in any other. */
  readonly query: string;
}

/**
 * The parts of a row in the order they are read out: the row's name is its content. The grid puts them in their columns, and unseen
 * punctuation keeps the words apart.
 */
export function rowCells(view: RowView, { level, folded, repeatsTime, share, query }: RowPlace): TemplateResult {
  const duration = formatDuration(view.duration);
  const note = view.note === '' && view.isError && view.outcome === undefined ? t('error') : view.note;
  const isInWords =
    query !== '' && [view.title, view.detail, note].some((words) => markMatches(words, query).some(({ isMatch }) => isMatch));
  return html`
    <span class="words" .style=${`--level:${String(level - 1)}`}>
      <span class="twisty">${view.kind === ROW.entry ? nothing : icon(folded ? 'chevron-right' : 'chevron-down')}</span>
      <span class="title ${view.detail === '' && note === '' && !view.isWaiting ? 'alone' : ''}"
        >${marked(view.title, query)}${view.detail === '' ? comma : colon}</span
      >
      <span class="rest ${view.detail.length <= briefDetail ? 'brief' : ''}">
        ${
          view.detail === '' && !view.isWaiting
            ? nothing
            : html`<span class="detail"
                >${view.isWaiting ? html`<i class="waiting"></i>` : html`${marked(view.detail, query)}${comma}`}</span
              >`
        }
        ${note === '' ? nothing : html`<span class="note ${view.outcome === t('error') ? 'size' : ''}">${view.isError && view.outcome === undefined ? icon('error') : nothing}<span>${marked(note, query)}${comma}</span></span>`}
      </span>
    </span>
    ${duration === '' ? nothing : html`<span class="duration number">${duration}${comma}</span>`}
    <span class="bar"
      >${view.duration > 0 ? html`<i class="tone-${view.tone}" .style=${`width:max(3px, ${(share * 100).toFixed(1)}%)`}></i>` : nothing}</span
    >
    <span class="state ${view.state}">
      ${view.canFork ? html`<span class="fork" title=${t('A fork is possible here')}>${icon('fork')}<span class="unseen">${t('can fork')}, </span></span>` : nothing}
      ${view.outcome === undefined ? nothing : html`<span class="outcome" title=${view.outcome === '' ? nothing : view.outcome}>${icon('error')}${view.outcome === '' ? nothing : html`<span>${view.outcome}${comma}</span>`}</span>`}
      ${view.stateText === '' ? nothing : html`<span class="state-text ${view.state === 'log-only' ? 'unseen' : ''}" title=${view.state === 'shadowed' ? view.stateText : nothing}>${stateWords(view)}${comma}</span>`}
    </span>
    ${view.isInherited ? html`<span class="unseen">${t('inherited')}, </span>` : nothing}
    <span class="time number">${repeatsTime ? nothing : html`${formatClock(view.time)}${comma}`}</span>
    <span class="seq number ${query !== '' && !isInWords ? 'found' : ''}">#${view.seq}</span>
  `;
}

/** Details up to this long leave what is beside them all the rest of the line. */
const briefDetail = 12;

/** Words with what is searched for marked in them. */
function marked(words: string, query: string): TemplateResult | string {
  if (query === '') return words;
  return html`${markMatches(words, query).map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text))}`;
}

/** Unseen punctuation between the parts of a row's name. */
const comma = html`<span class="unseen">, </span>`;
const colon = html`<span class="unseen">: </span>`;

const stateWords = (view: RowView): TemplateResult =>
  view.stateShort === ''
    ? html`${view.stateText}`
    : html`<span class="full">${view.stateText}</span><span class="short" aria-hidden="true">${view.stateShort}</span>`;

export function classesOf(view: RowView): string {
  const classes = [view.kind === ROW.turn ? 'turn' : view.kind === ROW.step ? 'step' : 'entry'];
  if (!(view.duration >= 0)) classes.push('instant');
  if (view.isHuman) classes.push('human');
  if (view.isError) classes.push('bad');
  if (view.outcome !== undefined) classes.push('failed');
  if (view.isDim) classes.push('dim');
  if (view.isFold) classes.push('fold');
  if (view.isAhead) classes.push('ahead');
  if (view.isInherited) classes.push('inherited');
  if (view.state === 'shadowed') classes.push('shadowed');
  return classes.join(' ');
}
