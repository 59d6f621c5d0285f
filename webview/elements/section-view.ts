/** Sections of the inspector as templates. Content is only ever text nodes: nothing in a log can become markup. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ImageAnswer, Section } from '../../src/protocol/index.ts';
import { diffLines, foldSame } from '../content/line-diff.ts';
import { parseMarkdown, type Block, type Inline } from '../content/markdown.ts';
import { formatNumber } from '../l10n/format.ts';
import { say, t } from '../l10n/strings.ts';
import { icon } from '../theme/icon.ts';
import './dsh-image.ts';

export interface SectionActions {
  readonly jump: (seq: number) => void;
  readonly openSession: (id: string) => void;
  readonly copy: (text: string) => void;
  readonly loadImage: (id: string, signal: AbortSignal) => Promise<ImageAnswer>;
  readonly isRawText: boolean;
}

/**
 * Elements that formatted text and line diffs of one view may take together; a log may hold a table of ten thousand cells. Beyond that a
 * text stands as it was written, which is one element however long it is, and a diff ends.
 */
const mostElements = 2_000;

export function sectionViews(sections: readonly Section[], actions: SectionActions): TemplateResult[] {
  const room = { left: mostElements };
  return sections.map((section) => sectionView(section, actions, room));
}

/** How many more elements may be drawn. */
interface Room {
  left: number;
}

export function sectionView(section: Section, actions: SectionActions, room: Room = { left: mostElements }): TemplateResult {
  const title = 'heading' in section && section.heading ? say(section.heading) : '';
  return html`<section class=${section.kind}>
    ${title === '' || (section.kind === 'text' && section.folded) ? nothing : html`<h3>${title}${copyOf(section, actions)}</h3>`}
    ${bodyOf(section, title, actions, room)}
  </section>`;
}

function copyOf(section: Section, actions: SectionActions): TemplateResult | typeof nothing {
  if (section.kind !== 'text' && section.kind !== 'code') return nothing;
  return html`<button
    class="copy"
    title=${t('Copy')}
    aria-label=${t('Copy')}
    @click=${() => {
      actions.copy(section.text);
    }}
  >
    ${icon('copy')}
  </button>`;
}

function bodyOf(section: Section, title: string, actions: SectionActions, room: Room): TemplateResult {
  switch (section.kind) {
    case 'text': {
      const blocks = section.markdown && !actions.isRawText ? formatted(section.text, room) : undefined;
      const body = blocks
        ? html`<div class="markdown">${blocks.map(blockView)}</div>`
        : html`<div class="plain">${section.text}</div>`;
      const whole = html`${section.text === '' ? html`<p class="dim">${t('empty')}</p>` : body}${cutNote(section.cut)}`;
      return section.folded
        ? html`<details>
            <summary>
              <span>${title === '' ? t('Folded text') : title}</span
              ><span class="dim number">${sizeOf(section.text.length + section.cut)}</span>
            </summary>
            ${whole}
          </details>`
        : whole;
    }
    case 'code':
      return html`<pre class=${section.tone === 'error' ? 'bad' : ''} tabindex="0">${section.text}</pre>
        ${cutNote(section.cut)}`;
    case 'diff':
      return html`${section.path === undefined ? nothing : html`<div class="path">${section.path}</div>`}${diffView(section.before, section.after, room)}${cutNote(section.cut)}`;
    case 'facts':
      return html`<dl>
        ${section.facts.map(
          (fact) =>
            html`<dt>${say(fact.name)}</dt>
              <dd>${factValue(fact, actions)}</dd>`,
        )}
      </dl>`;
    case 'checklist':
      return html`<ul class="checks">
        ${section.items.map(
          (item) =>
            html`<li class=${item.state}>
              ${icon(item.state === 'completed' ? 'pass' : item.state === 'in_progress' ? 'target' : 'circle')}<span
                >${item.text}<span class="sr">, ${checkState(item.state)}</span></span
              >
            </li>`,
        )}
      </ul>`;
    case 'image':
      return html`<figure>
        <dsh-image .attachmentId=${section.attachmentId} .name=${section.name ?? ''} .load=${actions.loadImage}></dsh-image>
        <figcaption>
          ${section.name ?? section.attachmentId}<br /><span class="dim number"
            >${section.mediaType} · ${section.width} × ${section.height}${section.offloaded ? ` · ${t('offloaded')}` : ''}</span
          >
        </figcaption>
      </figure>`;
    case 'links':
      return html`<ul class="refs">
          ${section.links.map((ref) => html`<li>${link(ref.seq, `#${String(ref.seq)}`, actions)}<span>${say(ref.title)}${ref.note === undefined ? nothing : html` <span class="dim">${say(ref.note)}</span>`}</span></li>`)}
        </ul>
        ${section.more > 0 ? html`<p class="dim">${t('{n} more', { n: formatNumber(section.more) })}</p>` : nothing}`;
    case 'note':
      return html`<p class="note ${section.tone}">
        ${icon(section.tone === 'info' ? 'info' : section.tone)}<span>${say(section.text)}</span>
      </p>`;
  }
}

type Fact = Extract<Section, { kind: 'facts' }>['facts'][number];

function factValue(fact: Fact, actions: SectionActions): TemplateResult | string {
  const value = say(fact.value);
  const { session } = fact;
  if (fact.seq !== undefined) return link(fact.seq, value, actions);
  if (session === undefined) return value;
  return html`<button
    class="link"
    title=${t('Open the session {id}', { id: session })}
    @click=${() => {
      actions.openSession(session);
    }}
  >
    ${value}
  </button>`;
}

const checkState = (state: 'pending' | 'in_progress' | 'completed'): string =>
  state === 'completed' ? t('done') : state === 'in_progress' ? t('in progress') : t('to do');

export const link = (seq: number, label: string, actions: SectionActions): TemplateResult =>
  html`<button
    class="link number"
    @click=${() => {
      actions.jump(seq);
    }}
  >
    ${label}
  </button>`;

const cutNote = (cut: number): TemplateResult | typeof nothing =>
  cut > 0
    ? html`<p class="dim number">
        ${t('{n} more characters; open the event as a document for all of it', { n: formatNumber(cut) })}
      </p>`
    : nothing;

const sizeOf = (characters: number): string => t('{n} characters', { n: formatNumber(characters) });

/** The blocks of a text, where there is room for all of them. */
function formatted(source: string, room: Room): readonly Block[] | undefined {
  if (room.left <= 0) return undefined;
  const blocks = parseMarkdown(source);
  let elements = 0;
  for (const block of blocks) elements += elementsOf(block);
  if (elements > room.left) return undefined;
  room.left -= elements;
  return blocks;
}

function diffView(before: string, after: string, room: Room): TemplateResult {
  const lines = diffLines(before, after);
  const places = foldSame(lines, 3);
  const shown = places.slice(0, Math.max(0, Math.floor(room.left / 2)));
  room.left -= 2 * shown.length;
  const more = places.length - shown.length;
  return html`<pre class="lines" tabindex="0">
${shown.map((at) => {
        const line = lines[at];
        if (!line) return html`<span class="line gap">⋯</span>`;
        const sign = line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ' ';
        return html`<span class="line ${line.kind}"><span class="sign">${sign}</span>${line.text} </span>`;
      })}</pre>
    ${more > 0 ? html`<p class="dim number">${t('{n} more lines; open the event as a document for all of it', { n: formatNumber(more) })}</p>` : nothing}`;
}

/** About as many as {@link blockView} makes of it. */
function elementsOf(block: Block): number {
  switch (block.kind) {
    case 'list':
      return block.items.reduce((sum, { inlines }) => sum + 3 + inlines.length, 1);
    case 'table':
      return [block.head, ...block.rows].flat().reduce((sum, cell) => sum + 1 + cell.length, 4 + block.rows.length);
    case 'code':
    case 'rule':
      return 1;
    default:
      return 1 + block.inlines.length;
  }
}

function blockView(block: Block): TemplateResult {
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${block.inlines.map(inlineView)}</p>`;
    case 'heading':
      return html`<p class="heading level-${Math.min(3, block.level)}">${block.inlines.map(inlineView)}</p>`;
    case 'code':
      return html`<pre tabindex="0">${block.text}</pre>`;
    case 'quote':
      return html`<blockquote>${block.inlines.map(inlineView)}</blockquote>`;
    case 'list':
      return html`<ul class="items">
        ${block.items.map((item) => html`<li .style=${`--depth:${String(item.depth)}`}><span class="marker">${item.marker}</span><span>${item.inlines.map(inlineView)}</span></li>`)}
      </ul>`;
    case 'table':
      return html`<div class="wide" tabindex="0">
        <table>
          <thead>
            <tr>
              ${block.head.map((cell) => html`<th>${cell.map(inlineView)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${block.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell) => html`<td>${cell.map(inlineView)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
    case 'rule':
      return html`<hr />`;
  }
}

function inlineView(inline: Inline): TemplateResult {
  switch (inline.kind) {
    case 'code':
      return html`<code>${inline.text}</code>`;
    case 'strong':
      return html`<strong>${inline.text}</strong>`;
    case 'emphasis':
      return html`<em>${inline.text}</em>`;
    case 'link':
      // Shown, not followed: where a log's link leads is for the reader to decide.
      return html`<span class="target" title=${inline.target}>${inline.text}</span
        >${inline.text === inline.target ? nothing : html` <span class="dim">(${inline.target})</span>`}`;
    case 'text':
      return html`${inline.text}`;
  }
}
