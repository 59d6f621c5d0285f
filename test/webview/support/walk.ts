/** Goes through the list of a log by key, row by row, and looks at what each key led to. */
import type { Page } from 'playwright-core';
import type { TimelineModel } from '../../../webview/state/model.ts';
import { tree } from './reading.ts';

export interface Walk {
  /** Events of the log that stand in the rows. */
  readonly events: number;
  /** Rows at which the walk stopped to look at the whole page. */
  readonly stops: number;
  /** Most elements on the page at a stop, those in shadow trees included. */
  readonly elements: number;
  readonly troubles: readonly string[];
}

/** A list longer than this is walked this far from each end, and in between only gone to here and there. */
const walked = 1500;

/** Which kinds of rows to stop at, at the first of each: all of them, or so many of them from a place in their row on. */
export type Stops = 'all' | { readonly from: number; readonly count: number };

/**
 * Home, then Down to the last row, then End: real key events on the tree, each of which must select the row it leads to. At some rows
 * the walk stops until the page has drawn it, and checks that list and inspector show it and every text its box. All along, the events
 * selected are counted: every entry of the log exactly once by its own row, and besides only the heads of groups without an event of
 * their own. Needs `fitScript` in the page.
 */
export const walkByKeys = (page: Page, stops: Stops): Promise<Walk> =>
  page.locator(tree).evaluate(walk, { stops, limit: walked });

/** Runs in the page. */
async function walk(list: HTMLElement, { stops, limit }: { readonly stops: Stops; readonly limit: number }): Promise<Walk> {
  const NONE = 0xffffffff;
  const { model } = document.querySelector('dsh-app') as unknown as { model: TimelineModel };
  const rows = model.rows!;
  const { entries } = model.tables!;
  const { seq, count, type } = entries.columns;
  const types = model.overview!.strings.types;
  const troubles: string[] = [];
  const selections = new Map<number, number>(); // by the row's own entry
  let heads = 0;
  let elements = 0;
  const frame = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()));
  const entryOfRow = new Uint32Array(rows.length).fill(NONE);
  for (let entry = 0; entry < entries.length; entry++) {
    const row = rows.rowOfEntry[entry]!;
    if (row >= rows.length) troubles.push(`entry #${String(seq[entry])} has no row`);
    else if (entryOfRow[row] !== NONE) troubles.push(`entry #${String(seq[entry])} shares its row with another`);
    else entryOfRow[row] = entry;
    const next = entry + 1 < entries.length ? seq[entry + 1]! : model.overview!.eventCount;
    if (seq[entry]! + count[entry]! !== next) troubles.push(`the events from #${String(seq[entry])} on are not all in an entry`);
  }

  const press = (key: string, row: number): void => {
    list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }));
    if (model.selectedRow !== row) troubles.push(`${key} led to row ${String(model.selectedRow)}, not to ${String(row)}`);
  };
  /** Takes note of what is selected now. */
  const note = (row: number): void => {
    const entry = entryOfRow[row]!;
    if (entry === NONE) heads++;
    else if (model.selected === seq[entry]) selections.set(entry, (selections.get(entry) ?? 0) + 1);
    else troubles.push(`row ${String(row)} selects #${String(model.selected)}, not #${String(seq[entry])}`);
  };
  const everything = function* (root: Document | ShadowRoot): Generator<Element> {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* everything(element.shadowRoot);
    }
  };
  const kindOf = (row: number): string => {
    const entry = entryOfRow[row]!;
    return `${['turn', 'step', 'entry'][rows.codes[row]! >>> 30]!} ${entry === NONE ? '' : types[type[entry]!]!}`;
  };
  const firstOf = new Map<string, number>();
  for (let row = 0; row < rows.length; row++) if (!firstOf.has(kindOf(row))) firstOf.set(kindOf(row), row);
  const firsts = [...firstOf.values()];
  const wanted = new Set(firsts);
  if (stops !== 'all')
    for (const [i, row] of firsts.entries())
      if ((i + firsts.length - (stops.from % firsts.length)) % firsts.length >= stops.count) wanted.delete(row);
  let stopped = 0;

  /** Looks at the page once it shows the row, when it is one to stop at. */
  const stop = async (row: number): Promise<void> => {
    if (!wanted.delete(row)) return;
    stopped++;
    const { selected } = model;
    for (let frames = 0; model.detail?.value?.seq !== selected && !model.detail?.problem && frames < 2000; frames++)
      await frame();
    await frame();
    await frame();
    const where = `at ${kindOf(row)} #${String(selected)}: `;
    const item = list.querySelector(`#r${String(row)}`);
    if (item?.getAttribute('aria-selected') !== 'true') troubles.push(`${where}the row is not drawn as selected`);
    if (list.getAttribute('aria-activedescendant') !== item?.id) troubles.push(`${where}the row is not the active one`);
    const all = [...everything(document)];
    elements = Math.max(elements, all.length);
    const inspector = all.find((element) => element.localName === 'dsh-inspector');
    const title = inspector?.shadowRoot?.querySelector('h2')?.textContent ?? '';
    if (!title.includes(`#${String(selected)} `)) troubles.push(`${where}the inspector shows “${title.trim()}”`);
    const { badlyFitting } = window as unknown as { badlyFitting: () => string[] };
    for (const text of badlyFitting()) troubles.push(`${where}${text}`);
  };

  const last = rows.length - 1;
  const isWhole = rows.length <= 2 * limit;
  for (let row = 0; row < (isWhole ? rows.length : limit); row++) {
    press(row === 0 ? 'Home' : 'ArrowDown', row);
    note(row);
    await stop(row);
  }
  if (isWhole) press('ArrowDown', last); // there is no further row
  press('End', last);
  if (isWhole) {
    if (selections.size !== entries.length || [...selections.values()].some((times) => times !== 1))
      troubles.push(`${String(selections.size)} of ${String(entries.length)} entries were selected once`);
    if (heads !== rows.length - entries.length) troubles.push(`${String(heads)} heads were passed`);
  } else {
    for (let row = last; row > last - limit; row--) {
      if (row < last) press('ArrowUp', row);
      note(row);
      await stop(row);
    }
    press('Home', 0);
    // In long strides through the rows between.
    const stride = (list.clientHeight - (list.clientHeight % 24)) / 24 - 1;
    for (let row = stride; row < rows.length; row += stride) press('PageDown', row);
    press('End', last);
  }
  return { events: model.overview!.eventCount, stops: stopped, elements, troubles: troubles.slice(0, 20) };
}
