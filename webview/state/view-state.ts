/** What the view keeps over a reload: place and arrangement only, with a version (style.md "Host and view"). */
import type { AxisKind } from '../../src/timeline/layout/axis.ts';

const version = 1;

export const inspectorTabs = ['pretty', 'raw', 'model', 'sources'] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

export interface ViewState {
  readonly version: typeof version;
  readonly selected: number | undefined;
  readonly axis: AxisKind;
  readonly collapseIdle: boolean;
  /** Visible stretch in axis values (ms or seq), so that it outlives a change of units; undefined shows all. */
  readonly view: { readonly from: number; readonly to: number } | undefined;
  /** First row on screen, by its first seq, and how many px of it are scrolled away. */
  readonly anchor: { readonly seq: number; readonly offset: number } | undefined;
  /** First seqs of folded turns and steps. */
  readonly foldedTurns: readonly number[];
  readonly foldedSteps: readonly number[];
  readonly tab: InspectorTab;
  /** Share of the body the inspector takes beside the list, and below it where the panel is narrow. */
  readonly inspectorShare: number;
  readonly stackedShare: number;
  /** Seq at the playhead; undefined while nothing is replayed. */
  readonly playhead: number | undefined;
  /** Height of the lanes, px; undefined as what is in them needs. */
  readonly lanesHeight: number | undefined;
}

export const initialState: ViewState = {
  version,
  selected: undefined,
  axis: 'time',
  collapseIdle: true,
  view: undefined,
  anchor: undefined,
  foldedTurns: [],
  foldedSteps: [],
  tab: 'pretty',
  inspectorShare: 0.36,
  stackedShare: 0.25,
  playhead: undefined,
  lanesHeight: undefined,
};

/** Checks a kept state field by field; anything of another shape or version falls back to the initial value. */
export function restoreState(kept: unknown): ViewState {
  if (!isRecord(kept) || kept['version'] !== version) return initialState;
  const view = kept['view'];
  const anchor = kept['anchor'];
  return {
    version,
    selected: isIndex(kept['selected']) ? kept['selected'] : undefined,
    axis: kept['axis'] === 'seq' ? 'seq' : 'time',
    collapseIdle: kept['collapseIdle'] !== false,
    view:
      isRecord(view) && isFiniteNumber(view['from']) && isFiniteNumber(view['to']) && view['from'] < view['to']
        ? { from: view['from'], to: view['to'] }
        : undefined,
    anchor:
      isRecord(anchor) && isIndex(anchor['seq']) && isFiniteNumber(anchor['offset'])
        ? { seq: anchor['seq'], offset: anchor['offset'] }
        : undefined,
    foldedTurns: indexes(kept['foldedTurns']),
    foldedSteps: indexes(kept['foldedSteps']),
    tab: inspectorTabs.find((tab) => tab === kept['tab']) ?? initialState.tab,
    inspectorShare: shareOf(kept['inspectorShare']) ?? initialState.inspectorShare,
    stackedShare: shareOf(kept['stackedShare']) ?? initialState.stackedShare,
    playhead: isIndex(kept['playhead']) ? kept['playhead'] : undefined,
    lanesHeight: isIndex(kept['lanesHeight']) && kept['lanesHeight'] < 4000 ? kept['lanesHeight'] : undefined,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const shareOf = (value: unknown): number | undefined => (isFiniteNumber(value) && value > 0.1 && value < 0.9 ? value : undefined);
const indexes = (value: unknown): readonly number[] => (Array.isArray(value) ? value.filter(isIndex) : []);
