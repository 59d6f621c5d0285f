/** What streams at the playhead of a replay, and the session's state there: some lines, or one where the panel is low. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ReplayMoment, ReplayTodo, StreamedBlock } from '../../src/protocol/index.ts';
import { compactCount, NONE } from '../../src/timeline/index.ts';
import { formatNumber } from '../l10n/format.ts';
import { say, t } from '../l10n/strings.ts';
import type { TimelineModel } from '../state/model.ts';
import { icon, type IconName } from '../theme/icon.ts';

export interface StageOptions {
  /** All in one line. */
  readonly isLine: boolean;
  /** Makes of one line some, and back; undefined where there is room for all anyway. */
  readonly toggle: (() => void) | undefined;
}

export function stageView(model: TimelineModel, { isLine, toggle }: StageOptions): TemplateResult {
  const { moment } = model.replay;
  return html`<div class="strip ${isLine ? 'line' : ''}">
    <div class="stream" tabindex="0" role="region" aria-label=${t('What happens at the playhead')}>
      ${foldedView(model)}${moment === undefined ? nothing : happening(moment)}
    </div>
    <div class="state">
      <div class="figures">${contextView(model)}${moment && moment.todoCount > 0 ? doneView(moment) : nothing}</div>
      ${moment && moment.todoCount > 0 ? (isLine ? currentView(moment) : todosView(moment)) : nothing}
    </div>
    ${toggle ? toggleView(isLine, toggle) : nothing}
  </div>`;
}

function toggleView(isLine: boolean, toggle: () => void): TemplateResult {
  const label = isLine ? t('Show all that streams, and the todo list') : t('Show one line of it');
  return html`<button
    class="square toggle"
    aria-expanded=${isLine ? 'false' : 'true'}
    title=${label}
    aria-label=${label}
    @click=${toggle}
  >
    ${icon(isLine ? 'chevron-up' : 'chevron-down')}
  </button>`;
}

function happening(moment: ReplayMoment): TemplateResult | TemplateResult[] {
  if (moment.blocks.length > 0) return moment.blocks.map(blockView);
  return html`<p class="event"><b>${say(moment.row.title)}</b> ${say(moment.row.detail)}</p>`;
}

function blockView({ kind, name, text, cut }: StreamedBlock): TemplateResult {
  const head = kind === 'tool-call' ? name : kind === 'reasoning' ? t('Reasoning') : '';
  return html`<p class=${kind}>
    ${head === '' ? nothing : html`<b>${head}</b> `}<span class="said">${cut > 0 ? '…' : ''}${text}</span>
  </p>`;
}

/** Says that history was folded just now: the surface lane and the list show what was shadowed. */
function foldedView({ tables, replay }: TimelineModel): TemplateResult | typeof nothing {
  const row = replay.foldedBy;
  if (!tables || row === NONE) return nothing;
  const { seq, from, to } = tables.replacements.columns;
  const n = to[row]! - from[row]!;
  const values = { seq: seq[row]!, n: formatNumber(n) };
  return html`<p class="folded">
    ${icon('fold')}
    ${n === 1 ? t('#{seq} takes the place of 1 message', values) : t('#{seq} takes the place of {n} messages', values)}
  </p>`;
}

/** The figure as recorded; once the history was folded after it, with the words that it is of before. */
function contextView({ replay }: TimelineModel): TemplateResult {
  const { tokens, window, outdatedBy } = replay.context;
  if (Number.isNaN(tokens)) return html`<span class="context number">${t('no context measured yet')}</span>`;
  const values = { n: compactCount(tokens), window: compactCount(window), seq: outdatedBy };
  const isOld = outdatedBy !== NONE;
  const short = window > 0 ? `${values.n} / ${values.window}` : values.n;
  const meaning = isOld
    ? t(
        'As recorded with the last answer. #{seq} has folded messages since; how large the context is now, the next answer tells.',
        values,
      )
    : t('As recorded with the last answer.');
  return html`<span class="context number" title=${meaning}>
    <span class="full">${contextWords(values, window > 0, isOld)}</span>
    <span class="short" aria-hidden="true">${isOld ? t('{size} before #{seq}', { size: short, seq: outdatedBy }) : short}</span>
    ${
      window > 0
        ? html`<span class="gauge ${isOld ? 'old' : ''}" aria-hidden="true"
            ><i .style=${`width:${Math.min(100, (tokens / window) * 100).toFixed(1)}%`}></i
          ></span>`
        : nothing
    }
    ${isOld ? html`<span class="until">${t('measured again with the next answer')}</span>` : nothing}
  </span>`;
}

type ContextValues = { readonly n: string; readonly window: string; readonly seq: number };

function contextWords(values: ContextValues, hasWindow: boolean, isOld: boolean): string {
  if (isOld) return hasWindow ? t('{n} of {window} tokens before #{seq}', values) : t('{n} tokens before #{seq}', values);
  return hasWindow ? t('{n} of {window} tokens in context', values) : t('{n} tokens in context', values);
}

const doneView = (moment: ReplayMoment): TemplateResult =>
  html`<span class="done number">${t('{n} of {all} done', { n: moment.doneCount, all: moment.todoCount })}</span>`;

const icons: Readonly<Record<ReplayTodo['state'], IconName>> = { completed: 'check', in_progress: 'target', pending: 'circle' };

function todoView({ text, state }: ReplayTodo): TemplateResult {
  const states = { completed: t('done'), in_progress: t('in progress'), pending: t('pending') } as const;
  return html`${icon(icons[state])}<span class="sr">${states[state]}: </span><span title=${text}>${text}</span>`;
}

const todosView = ({ todos }: ReplayMoment): TemplateResult =>
  html`<ul tabindex="0" aria-label=${t('Todo list')}>
    ${todos.map((todo) => html`<li class=${todo.state}>${todoView(todo)}</li>`)}
  </ul>`;

/** The todo in progress; without one the next that is to be done. */
function currentView({ todos }: ReplayMoment): TemplateResult | typeof nothing {
  const current = todos.find(({ state }) => state === 'in_progress') ?? todos.find(({ state }) => state === 'pending');
  return current ? html`<span class="todo ${current.state}">${todoView(current)}</span>` : nothing;
}
