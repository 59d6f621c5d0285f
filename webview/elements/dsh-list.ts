import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { NONE } from '../../src/timeline/index.ts';
import { entryOfSeq, ROW, rowIndex, rowKind, rowLevel, type RowList } from '../../src/timeline/layout/rows.ts';
import {
  mostRows,
  offsetShowing,
  rowWindow,
  scrollSpace,
  toPhysical,
  toVirtual,
  type ScrollSpace,
} from '../../src/timeline/layout/scroll-space.ts';
import { t } from '../l10n/strings.ts';
import { entryMenu, stepMenu, turnMenu } from '../state/menu-of.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel, Topic } from '../state/model.ts';
import { rowView, type RowView } from '../state/row-view.ts';
import { TypeAhead } from '../state/type-ahead.ts';
import { sharedStyles } from '../theme/shared-styles.ts';
import { classesOf, rowCells } from './row-cells.ts';
import { listNarrowStyles } from './list-narrow-styles.ts';
import { listStyles } from './list-styles.ts';
import { NARROW, tallEnough } from './panel-size.ts';

const rowHeight = 24;
const overscan = 12;
/** Rows kept in sight below the one at the playhead, so that what comes next can be read. */
const rowsAhead = 3;

/**
 * The list: a tree of turns, steps and events with only the rows on screen in the DOM. It owns the keyboard and is what a
 * screen reader reads; one tab stop, the selected row is its active descendant.
 */
export class DshList extends LitElement {
  static override properties = { model: { attribute: false } };
  declare model: TimelineModel;
  #height = 0;
  #scrollTop = 0;
  #longest = 1;
  #restored = false;
  /** Of the longest seq. */
  #digits = 0;
  #observer: ResizeObserver | undefined;
  readonly #typed = new TypeAhead();

  constructor() {
    super();
    new ModelController(this, ['data', 'rows', 'texts', 'selection', 'search', 'hover', 'replay', 'stream'], (topic) => {
      this.#onTopic(topic);
    });
  }

  #onTopic(topic: Topic): void {
    if (topic === 'data' || topic === 'rows') void this.#keepPlace(topic === 'data');
    else if (topic === 'selection') this.#showRow(this.model.selectedRow);
    this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver(() => {
      // What was in sight stays there when the panel or the list in it gets lower; who scrolled away stays away.
      const row = this.#isInSight(this.model.selectedRow) ? this.model.selectedRow : NONE;
      this.#measure();
      this.#showRow(row);
      this.requestUpdate();
    });
    void this.updateComplete.then(() => {
      const scroller = this.#scroller;
      if (!scroller) return;
      this.#observer?.observe(scroller);
      this.#measure();
      if (this.model.tables) void this.#keepPlace(true);
      this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
  }

  /** Asked for here only: after each change of the rows it would have the browser lay them out at once. */
  #measure(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    this.#height = scroller.clientHeight;
    this.style.setProperty('--scrollbar', `${String(scroller.offsetWidth - scroller.clientWidth)}px`);
  }

  override focus(options?: FocusOptions): void {
    this.#scroller?.focus(options);
  }

  get #scroller(): HTMLElement | null {
    return this.shadowRoot?.querySelector('.scroller') ?? null;
  }

  get #space(): ScrollSpace {
    return scrollSpace(this.model.rows?.length ?? 0, rowHeight, this.#height);
  }

  // --- place

  /** After rows came, went or were folded, the row that was on top (or the one just acted on) stays where it was. */
  async #keepPlace(measure: boolean): Promise<void> {
    const { model } = this;
    const { anchor } = model.kept;
    if (measure) this.#longest = longestDuration(model);
    const { rows, tables } = model;
    if (!rows || !tables) return;
    this.requestUpdate();
    await this.updateComplete; // the spacer has its new height
    const scroller = this.#scroller;
    if (!scroller || !anchor) return;
    if (!this.#restored && this.#height === 0) return;
    this.#restored = true;
    const entry = entryOfSeq(tables.entries, anchor.seq);
    const row = entry === NONE ? NONE : rows.rowOfEntry[entry]!;
    if (row === NONE) return;
    scroller.scrollTop = toPhysical(this.#space, row * rowHeight + anchor.offset);
  }

  /** By the measures of before: of a list just resized, whether the row was in sight. */
  #isInSight(row: number): boolean {
    if (row === NONE || this.#height === 0) return false;
    const top = row * rowHeight - toVirtual(this.#space, this.#scrollTop);
    return top > this.#coveredAbove(row) - rowHeight && top < this.#height;
  }

  /** Height of the heads of a row's groups, which stand on top of the list. */
  #coveredAbove(row: number): number {
    return this.model.rows ? (rowLevel(this.model.rows, row) - 1) * rowHeight : 0;
  }

  #showRow(row: number): void {
    const scroller = this.#scroller;
    if (row === NONE || !scroller || this.#height === 0) return;
    const space = this.#space;
    const offset = toVirtual(space, scroller.scrollTop);
    const isFar = Math.abs(row * rowHeight - offset) > this.#height * 2;
    // A jump lands where its surroundings can be read, a step moves no more than it has to.
    const below = this.model.replay.isFollowed ? rowsAhead * rowHeight : 0;
    const next = isFar
      ? Math.max(0, row * rowHeight - this.#height / 3)
      : offsetShowing(space, offset, row, this.#coveredAbove(row), below);
    if (next !== offset) scroller.scrollTop = toPhysical(space, next);
    this.#showInPage(row * rowHeight - next);
  }

  /** In a low panel, as at 200 %, the page itself scrolls. Under a pointer in the lanes nothing moves away. `top`: of the row, px. */
  #showInPage(top: number): void {
    const hasFocus = this.shadowRoot?.activeElement !== null;
    if (window.innerHeight >= tallEnough(window.innerWidth <= NARROW) || (!hasFocus && this.model.hover !== undefined)) return;
    const at = this.getBoundingClientRect().top + top;
    if (at < 0 || at + rowHeight > window.innerHeight) this.scrollIntoView({ block: 'nearest' });
  }

  #onScroll = (): void => {
    const scroller = this.#scroller;
    const { rows, tables } = this.model;
    if (!scroller) return;
    this.#scrollTop = scroller.scrollTop;
    if (rows && tables && rows.length > 0) {
      const offset = toVirtual(this.#space, this.#scrollTop);
      const row = Math.min(rows.length - 1, Math.floor(offset / rowHeight));
      this.model.setAnchor(this.#seqOfRow(rows, row), offset - row * rowHeight);
    }
    this.requestUpdate();
  };

  #seqOfRow(rows: RowList, row: number): number {
    const { tables } = this.model;
    const code = rows.codes[row]!;
    const index = rowIndex(code);
    if (!tables) return 0;
    if (rowKind(code) === ROW.turn) return tables.turns.columns.firstSeq[index]!;
    if (rowKind(code) === ROW.step) return tables.steps.columns.firstSeq[index]!;
    return tables.entries.columns.seq[index]!;
  }

  // --- acting

  #selectRow(row: number): void {
    const { rows } = this.model;
    if (!rows || rows.length === 0) return;
    const at = Math.max(0, Math.min(rows.length - 1, row));
    const code = rows.codes[at]!;
    this.model.select(this.#seqOfRow(rows, at), rowKind(code) === ROW.entry ? {} : { head: code });
  }

  #isFolded(code: number): boolean {
    const kind = rowKind(code);
    return kind !== ROW.entry && this.model.isFolded(kind === ROW.turn ? 'turn' : 'step', rowIndex(code));
  }

  #setFolded(code: number, folded: boolean): void {
    const kind = rowKind(code);
    if (kind !== ROW.entry) this.model.setFolded(kind === ROW.turn ? 'turn' : 'step', rowIndex(code), folded);
  }

  #onKey = (event: KeyboardEvent): void => {
    const { rows, selectedRow } = this.model;
    if (!rows || rows.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const none = selectedRow === NONE;
    const page = Math.max(1, Math.floor(this.#height / rowHeight) - 1);
    const code = none ? undefined : rows.codes[selectedRow];
    if (event.key === ' ' && this.model.replay.isOpen) return; // plays and pauses
    switch (event.key) {
      case 'ArrowDown':
        this.#selectRow(none ? 0 : selectedRow + 1);
        break;
      case 'ArrowUp':
        this.#selectRow(none ? 0 : selectedRow - 1);
        break;
      case 'PageDown':
        this.#selectRow(none ? page : selectedRow + page);
        break;
      case 'PageUp':
        this.#selectRow(none ? 0 : selectedRow - page);
        break;
      case 'Home':
        this.#selectRow(0);
        break;
      case 'End':
        this.#selectRow(rows.length - 1);
        break;
      case 'ArrowRight':
        if (code === undefined || rowKind(code) === ROW.entry) break;
        if (this.#isFolded(code)) this.#setFolded(code, false);
        else if (rows.parent[selectedRow + 1] === selectedRow) this.#selectRow(selectedRow + 1);
        break;
      case 'ArrowLeft':
        if (code === undefined) break;
        if (rowKind(code) !== ROW.entry && !this.#isFolded(code)) this.#setFolded(code, true);
        else if (rows.parent[selectedRow] !== NONE) this.#selectRow(rows.parent[selectedRow]!);
        break;
      case 'Enter':
        if (code !== undefined) this.#setFolded(code, !this.#isFolded(code));
        break;
      case '*':
        this.model.foldAll(false);
        break;
      case '-':
        this.model.foldAll(true);
        break;
      case 'ContextMenu':
        this.#openMenu();
        break;
      case 'F10':
        if (!event.shiftKey) return;
        this.#openMenu();
        break;
      default:
        if (event.key.length !== 1 || /[?[\]]/.test(event.key)) return;
        this.#typeTo(event.key);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  #typeTo(key: string): void {
    const { model } = this;
    const { rows } = model;
    if (!rows) return;
    const from = model.selectedRow === NONE ? 0 : model.selectedRow;
    const row = this.#typed.find(key, from, rows.length, (at) => {
      const view = rowView(model, rows.codes[at]!);
      return view ? [view.title, String(view.seq), `#${String(view.seq)}`] : [];
    });
    if (row >= 0) this.#selectRow(row);
  }

  /** The workbench places the menu at the event, so one is made where the row is. */
  #openMenu(): void {
    const row = this.shadowRoot?.getElementById(`r${String(this.model.selectedRow)}`);
    const box = row?.getBoundingClientRect();
    if (!row || !box) return;
    row.dispatchEvent(
      new MouseEvent('contextmenu', {
        bubbles: true,
        composed: true,
        cancelable: true,
        clientX: box.left + 120,
        clientY: box.bottom,
      }),
    );
  }

  #rowAt(event: Event): number {
    for (const node of event.composedPath()) {
      if (node instanceof HTMLElement && node.dataset['row'] !== undefined) return Number(node.dataset['row']);
    }
    return NONE;
  }

  menuContextAt(event: MouseEvent): string | undefined {
    const { rows, tables } = this.model;
    const row = this.#rowAt(event);
    if (!rows || !tables || row === NONE) return undefined;
    this.#selectRow(row);
    const code = rows.codes[row]!;
    const index = rowIndex(code);
    if (rowKind(code) === ROW.turn) return turnMenu(tables, index);
    return rowKind(code) === ROW.step ? stepMenu(tables, index) : entryMenu(tables, index);
  }

  #onClick = (event: MouseEvent): void => {
    const row = this.#rowAt(event);
    const { rows } = this.model;
    if (row === NONE || !rows) return;
    const onTwisty = event.composedPath().some((node) => node instanceof Element && node.classList.contains('twisty'));
    this.#selectRow(row);
    if (onTwisty) this.#setFolded(rows.codes[row]!, !this.#isFolded(rows.codes[row]!));
    this.#scroller?.focus({ preventScroll: true });
  };

  #onDoubleClick = (event: MouseEvent): void => {
    const row = this.#rowAt(event);
    const code = this.model.rows?.codes[row];
    if (code !== undefined) this.#setFolded(code, !this.#isFolded(code));
  };

  #onHover = (event: MouseEvent): void => {
    const row = this.#rowAt(event);
    const { rows } = this.model;
    this.model.setHover(row === NONE || !rows ? undefined : this.#seqOfRow(rows, row));
  };

  // --- drawing

  protected override willUpdate(_changed: PropertyValues): void {
    const { rows } = this.model;
    if (!rows || this.#height === 0) return;
    const shown = rowWindow(this.#space, this.#scrollTop, overscan);
    this.model.texts.want('list', [
      ...rows.codes.subarray(shown.first, Math.min(shown.last, shown.first + 200)),
      ...this.#ancestorRows(rows).map((row) => rows.codes[row]!),
    ]);
  }

  protected override updated(): void {
    const digits = String(this.model.overview?.eventCount ?? 0).length;
    if (digits === this.#digits) return;
    this.#digits = digits;
    this.style.setProperty('--seq-width', `${String(Math.max(4, digits + 1))}.5ch`);
    this.toggleAttribute('long', digits > 3); // numbers as wide as that need the short words sooner
  }

  override render(): TemplateResult {
    const { model } = this;
    const { rows } = model;
    const space = this.#space;
    const shown = rows && this.#height > 0 ? rowWindow(space, this.#scrollTop, overscan) : { first: 0, last: 0, top: 0 };
    const indexes = Array.from({ length: shown.last - shown.first }, (_, i) => shown.first + i);
    // The same at every scroll position, so that a row keeps its element while it is in sight: a click is on what it was aimed at.
    const elements = mostRows(space, overscan);
    const { selectedRow } = model;
    const isActiveBuilt = selectedRow >= shown.first && selectedRow < shown.last;
    return html`
      <div class="sticky" aria-hidden="true" @click=${this.#onClick}>
        ${rows ? this.#ancestorRows(rows).map((row) => this.#stickyRow(rows, row)) : nothing}
      </div>
      <div
        class="scroller"
        role="tree"
        tabindex="0"
        aria-label=${t('Turns, steps and events')}
        aria-activedescendant=${isActiveBuilt ? `r${String(selectedRow)}` : nothing}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
        @click=${this.#onClick}
        @dblclick=${this.#onDoubleClick}
        @mouseover=${this.#onHover}
        @mouseleave=${this.#onHover}
      >
        <div class="spacer" role="presentation" .style=${`height:${String(space.physical)}px`}>
          ${
            rows
              ? repeat(
                  indexes,
                  (row) => row % elements, // a row scrolled away gives its elements to the one that comes into sight
                  (row) => this.#row(rows, row, shown.top + (row - shown.first) * rowHeight),
                )
              : nothing
          }
        </div>
      </div>
      ${rows ? nothing : html`<div class="skeleton" aria-hidden="true">${Array.from({ length: 12 }, () => html`<i></i>`)}</div>`}
    `;
  }

  /** Heads of the groups the topmost visible row is in. */
  #ancestorRows(rows: RowList): number[] {
    const first = Math.floor(toVirtual(this.#space, this.#scrollTop) / rowHeight);
    let chain: number[] = [];
    if (toVirtual(this.#space, this.#scrollTop) === 0) return chain;
    // The heads themselves cover rows: look at the first row below them.
    for (let covered = 0; covered <= 2; covered++) {
      const row = first + covered;
      if (row >= rows.length) break;
      const above: number[] = [];
      for (let at = rows.parent[row]!; at !== NONE; at = rows.parent[at]!) above.unshift(at);
      chain = above;
      if (above.length <= covered) break;
    }
    return chain;
  }

  /** Row of what is under the pointer on the canvases; NONE. */
  get #hoveredRow(): number {
    const { hover, tables, rows } = this.model;
    const entry = hover === undefined || !tables ? NONE : entryOfSeq(tables.entries, hover);
    return entry === NONE || !rows ? NONE : rows.rowOfEntry[entry]!;
  }

  #stickyRow(rows: RowList, row: number): TemplateResult {
    const view = rowView(this.model, rows.codes[row]!);
    return view
      ? html`<div class="row ${classesOf(view)}" data-row=${row}>${this.#cells(view, rowLevel(rows, row))}</div>`
      : html``;
  }

  #row(rows: RowList, row: number, top: number): TemplateResult | typeof nothing {
    const code = rows.codes[row]!;
    const view = rowView(this.model, code);
    if (!view) return nothing;
    const level = rowLevel(rows, row);
    const isGroup = view.kind !== ROW.entry;
    const folded = isGroup && this.#isFolded(code);
    const selected = row === this.model.selectedRow;
    const found = !isGroup && this.model.search.entries.length > 0 && this.model.search.has(view.index);
    return html`<div
      class="row ${classesOf(view)} ${selected ? 'selected' : ''} ${found ? 'found' : ''} ${row === this.#hoveredRow ? 'hovered' : ''}"
      id="r${row}"
      data-row=${row}
      role="treeitem"
      aria-level=${level}
      aria-posinset=${rows.position[row]!}
      aria-setsize=${rows.setSize[row]!}
      aria-expanded=${isGroup ? String(!folded) : nothing}
      aria-selected=${selected ? 'true' : 'false'}
      .style=${`transform:translateY(${String(top)}px)`}
    >
      ${this.#cells(view, level, { folded, repeatsTime: this.#repeatsTime(rows, row, view), query: found ? this.model.search.query : '' })}
    </div>`;
  }

  /** Whether the row above says the same second; the topmost row on screen always says its own. */
  #repeatsTime(rows: RowList, row: number, view: RowView): boolean {
    if (row === 0 || row === Math.ceil(toVirtual(this.#space, this.#scrollTop) / rowHeight)) return false;
    const before = rowView(this.model, rows.codes[row - 1]!);
    return before !== undefined && Math.floor(before.time / 1000) === Math.floor(view.time / 1000);
  }

  #cells(view: RowView, level: number, more: { folded?: boolean; repeatsTime?: boolean; query?: string } = {}): TemplateResult {
    const share = Math.min(1, Math.sqrt(Math.max(0, view.duration) / this.#longest));
    return rowCells(view, {
      level,
      share,
      folded: more.folded ?? false,
      repeatsTime: more.repeatsTime ?? false,
      query: more.query ?? '',
    });
  }

  static override styles = [sharedStyles, listStyles, listNarrowStyles];
}

function longestDuration(model: TimelineModel): number {
  const { tables } = model;
  let longest = 1;
  if (!tables) return longest;
  const { start, end } = tables.turns.columns;
  for (let i = 0; i < tables.turns.length; i++) if (end[i]! - start[i]! > longest) longest = end[i]! - start[i]!;
  const { duration } = tables.entries.columns;
  for (let i = 0; i < tables.entries.length; i++) if (duration[i]! > longest) longest = duration[i]!;
  return longest;
}

customElements.define('dsh-list', DshList);
