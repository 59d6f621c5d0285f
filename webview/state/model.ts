/**
 * The one owner of everything the view shows: the log's data (complete snapshots by generation), where the reader is in
 * it, and what is kept over a reload. Elements read it and call its methods; they hold no copies.
 */
import type { SessionOverview, ViewBoot } from '../../src/protocol/index.ts';
import { VIEW_PROTOCOL } from '../../src/protocol/index.ts';
import { NONE, type TimelineTables } from '../../src/timeline/index.ts';
import { fromUnit, toUnit, type AxisKind } from '../../src/timeline/layout/axis.ts';
import { buildGeometry, type Geometry } from '../../src/timeline/layout/geometry.ts';
import { buildRows, entryOfSeq, type RowList } from '../../src/timeline/layout/rows.ts';
import { clampViewport, fitViewport, isFit, revealIn, type Viewport } from '../../src/timeline/layout/viewport.ts';
import { isObsolete, type SessionClient } from '../api/session-client.ts';
import type { VsCodeApi } from '../api/vscode-api.ts';
import { setLocale } from '../l10n/format.ts';
import { reasonOf, setBundle } from '../l10n/strings.ts';
import { DetailLoader, type DetailState } from './event-detail.ts';
import { isFiltering, keeps, noFilter, sumsOf, type Filter, type FilterSums } from './filters.ts';
import { Folding, type GroupKind } from './folding.ts';
import { History } from './history.ts';
import { loadTables } from './load-tables.ts';
import { callsByEntry, seqPlace, timePlace } from './places.ts';
import { requestEndsBySeq } from './requests.ts';
import { RowTextCache } from './row-texts.ts';
import { SearchState } from './search-state.ts';
import { ReplayState, type ReplayTopic } from './replay.ts';
import { initialState, restoreState, type InspectorTab, type ViewState } from './view-state.ts';

type ViewTopic =
  'data' | 'geometry' | 'view' | 'selection' | 'rows' | 'texts' | 'detail' | 'hover' | 'search' | 'theme' | 'layout' | 'problem';
export type Topic = ViewTopic | ReplayTopic;

interface SelectOptions {
  /** Unfold what hides it. */
  readonly unfold?: boolean;
  /** Row code of the group head that is meant: an implied turn or step has the seq of its first event. */
  readonly head?: number;
  /** Bring it into the visible stretch; true when absent. */
  readonly showOnAxis?: boolean;
  /** It follows the playhead: no place to come back to. */
  readonly isFollowing?: boolean;
}

export class TimelineModel {
  readonly client: SessionClient;
  readonly texts: RowTextCache;
  readonly search: SearchState;
  readonly replay: ReplayState;
  boot: ViewBoot | undefined;
  overview: SessionOverview | undefined;
  parentTitle: string | undefined;
  tables: TimelineTables | undefined;
  geometry: Geometry | undefined;
  rows: RowList | undefined;
  /** Visible stretch, in units of the axis. */
  view: Viewport = { from: 0, to: 1 };
  selected: number | undefined;
  filter: Filter = noFilter;
  /** Seq under the pointer. */
  hover: number | undefined;
  /** A sentence for the reader when the log could not be read or is gone. */
  problem: string | undefined;

  readonly #api: VsCodeApi;
  readonly #listeners = new Set<(topic: Topic) => void>();
  readonly #folding: Folding;
  readonly #details: DetailLoader;
  #kept: ViewState;
  #keepEntry: ((entry: number) => boolean) | undefined;
  #viewTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #views = new History<Viewport>();
  readonly #selections = new History<number>();
  #selectedHead: number | undefined;
  #callOfEntry = new Uint32Array(0);
  #requestEnds: ReadonlyMap<number, number> = new Map();
  #loading: AbortController | undefined;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: VsCodeApi, client: SessionClient) {
    this.#api = api;
    this.client = client;
    this.#kept = restoreState(api.getState());
    this.replay = new ReplayState(this);
    this.#folding = new Folding(this.#kept);
    this.#details = new DetailLoader(client, () => {
      this.emit('detail');
    });
    this.texts = new RowTextCache(
      client,
      () => {
        this.emit('texts');
      },
      (error) => {
        this.fail(error);
      },
    );
    this.search = new SearchState(
      client,
      () => {
        this.emit('search');
      },
      (error) => {
        this.fail(error);
      },
    );
  }

  get kept(): ViewState {
    return this.#kept;
  }

  get detail(): DetailState | undefined {
    return this.#details.state;
  }

  subscribe(listener: (topic: Topic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(topic: Topic): void {
    for (const listener of this.#listeners) listener(topic);
  }

  fail(error: unknown): void {
    this.problem = reasonOf(error);
    this.emit('problem');
  }

  setParentTitle(title: string | undefined): void {
    this.parentTitle = title;
    this.emit('layout');
  }

  async start(): Promise<void> {
    const playheadBefore = this.#kept.playhead;
    try {
      const boot = await this.client.call('ready', { protocol: VIEW_PROTOCOL });
      setLocale(boot.locale);
      setBundle(boot.bundle);
      this.boot = boot;
      this.parentTitle = boot.parentTitle;
      document.documentElement.lang = boot.locale;
      this.emit('layout');
      await this.load();
      if (boot.reveal !== undefined) this.reveal(boot.reveal);
      const playhead = boot.replay ?? (boot.reveal === undefined ? playheadBefore : undefined);
      if (playhead !== undefined) void this.replay.open(playhead);
    } catch (error) {
      if (!isObsolete(error)) this.fail(error);
    }
  }

  /** Reads the log's present state; selection, zoom and scroll place stay where they are. */
  async load(): Promise<void> {
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    try {
      const overview = await this.client.call('overview', {}, controller.signal);
      const first = this.overview === undefined;
      if (first) {
        this.overview = overview; // the header can be drawn before the tables are here
        this.emit('data');
      }
      const known = this.tables && this.overview ? { generation: this.overview.generation, tables: this.tables } : undefined;
      const tables = await loadTables(this.client, overview, controller.signal, known);
      this.#adopt(overview, tables, first);
    } catch (error) {
      if (isObsolete(error)) return; // the next "changed" event loads again
      this.fail(error);
    } finally {
      if (this.#loading === controller) this.#loading = undefined;
    }
  }

  #adopt(overview: SessionOverview, tables: TimelineTables, first: boolean): void {
    const axisBefore = this.geometry?.axis.kind;
    const seen = this.#viewInValues();
    this.overview = overview;
    this.tables = tables;
    const place = axisBefore === this.axis ? seen : undefined; // values of another axis mean nothing on this one
    this.problem = undefined;
    this.texts.reset(overview.generation);
    this.search.reset(overview.generation);
    this.#callOfEntry = callsByEntry(tables);
    this.#requestEnds = requestEndsBySeq(tables);
    this.#buildGeometry(first ? this.#kept.view : place);
    this.#buildRows();
    this.emit('data');
    const wanted = this.selected ?? this.#kept.selected;
    const detailIsOld = this.detail?.value?.generation !== overview.generation;
    if (wanted !== undefined && wanted < overview.eventCount) {
      this.selected = wanted;
      this.emit('selection');
      if (detailIsOld) this.#loadDetail(wanted);
    } else if (this.selected !== undefined) {
      this.selected = undefined;
      this.#details.clear();
      this.emit('selection');
    }
  }

  #viewInValues(): ViewState['view'] {
    const { geometry, view } = this;
    if (!geometry || isFit(view, geometry.axis.length)) return undefined;
    return { from: fromUnit(geometry.axis, view.from), to: fromUnit(geometry.axis, view.to) };
  }

  #buildGeometry(place: ViewState['view']): void {
    const { overview, tables } = this;
    if (!overview || !tables) return;
    const { collapseIdle } = this.#kept;
    const geometry = buildGeometry(tables, {
      kind: this.axis,
      collapseIdle,
      eventCount: overview.eventCount,
      time: overview.time,
    });
    this.geometry = geometry;
    const { axis } = geometry;
    this.#views.clear();
    this.view = place
      ? clampViewport({ from: toUnit(axis, place.from), to: toUnit(axis, place.to) }, axis.length)
      : fitViewport(axis.length);
    this.#views.push(this.view);
  }

  #buildRows(): void {
    const { tables } = this;
    if (!tables) return;
    this.#keepEntry = isFiltering(this.filter) ? keeps(tables, this.filter) : undefined;
    this.rows = buildRows(tables, {
      ...(this.#keepEntry ? { keep: this.#keepEntry } : {}),
      isTurnFolded: (turn) => this.#folding.has(tables, 'turn', turn),
      isStepFolded: (step) => this.#folding.has(tables, 'step', step),
    });
  }

  // --- filter

  setFilter(filter: Filter): void {
    this.filter = filter;
    this.#buildRows();
    this.emit('rows');
  }

  /** A stretch of the axis, in units, as a filter; too short a one clears it. */
  setRange(range: Viewport | undefined): void {
    const axis = this.geometry?.axis;
    this.setFilter({
      ...this.filter,
      range: range && axis ? { axis: axis.kind, from: fromUnit(axis, range.from), to: fromUnit(axis, range.to) } : undefined,
    });
  }

  filterSums(): FilterSums {
    return this.tables ? sumsOf(this.tables, this.#keepEntry ?? ((): boolean => true)) : { entries: 0, calls: 0, tokens: 0 };
  }

  // --- axis and zoom

  /** Whether there is time between the events; without any all of them would lie on one point. */
  get hasTime(): boolean {
    const time = this.overview?.time;
    return this.overview === undefined || (time !== undefined && time.last > time.first);
  }

  get axis(): AxisKind {
    return this.hasTime ? this.#kept.axis : 'seq';
  }

  setAxis(axis: AxisKind): void {
    if (axis === this.axis || !this.hasTime) return;
    const { geometry, tables } = this;
    let place: ViewState['view'];
    const seen = this.#viewInValues();
    if (seen && geometry && tables) place = axis === 'seq' ? seqPlace(tables, seen) : timePlace(tables, seen);
    this.#keep({ axis });
    this.#buildGeometry(place);
    this.emit('geometry');
  }

  setCollapseIdle(collapseIdle: boolean): void {
    const place = this.#viewInValues();
    this.#keep({ collapseIdle });
    this.#buildGeometry(place);
    this.emit('geometry');
  }

  setView(view: Viewport): void {
    this.#showView(view);
    clearTimeout(this.#viewTimer);
    // A drag or a turn of the wheel is one place in the history, not hundreds.
    this.#viewTimer = setTimeout(() => {
      this.#views.push(this.view);
    }, 400);
  }

  #showView(view: Viewport): void {
    if (!this.geometry) return;
    this.view = clampViewport(view, this.geometry.axis.length);
    this.#keep({ view: this.#viewInValues() });
    this.emit('view');
  }

  /** The zoom before or after this one. */
  goView(step: -1 | 1): void {
    const view = this.#views.go(step);
    if (view) this.#showView(view);
  }

  /** The selection before or after this one. */
  goSelection(step: -1 | 1): void {
    const seq = this.#selections.go(step);
    if (seq !== undefined) this.#select(seq, { unfold: true });
  }

  fit(): void {
    if (this.geometry) this.setView(fitViewport(this.geometry.axis.length));
  }

  // --- selection

  /** Row of the calls table an entry belongs to, as call or as result; NONE. */
  callOfEntry(entry: number): number {
    return this.#callOfEntry[entry] ?? NONE;
  }

  /** Entry index of the selection; NONE. */
  get selectedEntry(): number {
    return this.selected === undefined || !this.tables ? NONE : entryOfSeq(this.tables.entries, this.selected);
  }

  get selectedRow(): number {
    const entry = this.selectedEntry;
    const { rows } = this;
    if (entry === NONE || !rows) return NONE;
    const own = rows.rowOfEntry[entry]!;
    for (let row = own; row !== NONE; row = rows.parent[row]!) if (rows.codes[row] === this.#selectedHead) return row;
    return own;
  }

  select(seq: number, options: SelectOptions = {}): void {
    if (seq !== this.selected && !options.isFollowing) this.#selections.push(seq);
    this.#select(seq, options);
  }

  #select(seq: number, options: SelectOptions): void {
    if (options.unfold) this.#unfold(seq);
    if (options.showOnAxis !== false) this.#showOnAxis(seq);
    const isSame = seq === this.selected;
    if (isSame && options.head === this.#selectedHead && !options.isFollowing) return;
    this.#selectedHead = options.head;
    if (isSame) {
      this.emit('selection');
      return;
    }
    this.selected = seq;
    this.#kept = { ...this.#kept, selected: seq };
    this.save(); // at once: a window loaded again right after comes back to it
    this.emit('selection');
    this.#loadDetail(seq);
    // At once: a command by its keys, right after a step in the list, is about the row stepped to.
    this.client.call('selected', { seq }).catch((error: unknown) => {
      this.fail(error);
    });
  }

  #loadDetail(seq: number): void {
    if (this.overview) void this.#details.load(this.overview.generation, seq, this.replay.knownUntil(seq));
  }

  /** Asks again for what is known of the selection where the playhead has moved since. */
  refreshDetail(): void {
    const { selected } = this;
    if (selected !== undefined && this.#details.until !== this.replay.knownUntil(selected)) this.#loadDetail(selected);
  }

  /** Selects and shows a seq, unfolding what hides it. */
  reveal(seq: number): void {
    const last = (this.overview?.eventCount ?? 0) - 1;
    if (last >= 0) this.select(Math.min(seq, last), { unfold: true });
  }

  setHover(seq: number | undefined): void {
    if (seq === this.hover) return;
    this.hover = seq;
    this.emit('hover');
  }

  /** Seq before which the request under the pointer was put together, be it an answer or a step anywhere in the view; NONE. */
  get hoveredRequest(): number {
    return this.hover === undefined ? NONE : (this.#requestEnds.get(this.hover) ?? NONE);
  }

  #showOnAxis(seq: number): void {
    const { geometry, tables } = this;
    if (!geometry || !tables) return;
    const entry = entryOfSeq(tables.entries, seq);
    if (entry === NONE) return;
    const { axis } = geometry;
    const { time, duration } = tables.entries.columns;
    const long = Number.isNaN(duration[entry]!) ? 0 : duration[entry]!;
    const from = axis.kind === 'seq' ? seq : toUnit(axis, time[entry]!);
    const to = axis.kind === 'seq' ? seq + 1 : toUnit(axis, time[entry]! + long);
    if (Number.isNaN(from)) return;
    const shown = revealIn(this.view, from, Math.max(from, to), axis.length);
    if (shown !== this.view) this.setView(shown);
  }

  // --- folding

  isFolded(kind: GroupKind, index: number): boolean {
    return this.#folding.has(this.tables, kind, index);
  }

  setFolded(kind: GroupKind, index: number, folded: boolean): void {
    this.#folding.set(this.tables, kind, index, folded);
    this.#afterFolding();
  }

  foldAll(folded: boolean): void {
    this.#folding.setAll(this.tables, folded);
    this.#afterFolding();
  }

  /** Also drops a filter that leaves the event out: what is asked for is shown. */
  #unfold(seq: number): void {
    const { tables } = this;
    const entry = tables ? entryOfSeq(tables.entries, seq) : NONE;
    if (!tables || entry === NONE) return;
    if (this.#keepEntry && !this.#keepEntry(entry) && this.rows?.rowOfEntry[entry] === NONE) this.setFilter(noFilter);
    if (this.#folding.show(tables, entry, seq)) this.#afterFolding();
  }

  #afterFolding(): void {
    this.#buildRows();
    this.#keep(this.#folding.kept);
    this.emit('rows');
  }

  // --- arrangement

  setTab(tab: InspectorTab): void {
    this.#keep({ tab });
    this.emit('layout');
  }

  /** The inspector's share beside the list, or below it; undefined for the usual one. */
  setInspectorShare(where: 'inspectorShare' | 'stackedShare', share: number | undefined): void {
    this.#keep({ [where]: share ?? initialState[where] });
    this.emit('layout');
  }

  /** Height of the lanes in px; undefined for as much as they need. */
  setLanesHeight(lanesHeight: number | undefined): void {
    this.#keep({ lanesHeight });
    this.emit('layout');
  }

  /** Where a replay is, so that it is there again after a reload; undefined when it is left. */
  setPlayhead(playhead: number | undefined): void {
    if (playhead !== this.#kept.playhead) this.#keep({ playhead });
  }

  setAnchor(seq: number, offset: number): void {
    this.#keep({ anchor: { seq, offset } });
  }

  #keep(part: Partial<ViewState>): void {
    this.#kept = { ...this.#kept, ...part };
    this.#saveTimer ??= setTimeout(() => {
      this.save();
    }, 150);
  }

  save(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#api.setState(this.#kept);
  }

  /** Asks the host for the timeline of a parent or child. */
  openSession(id: string): void {
    this.client.call('openSession', { id }).catch((error: unknown) => {
      this.fail(error);
    });
  }
}
