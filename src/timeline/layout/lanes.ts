/** Vertical layout of the lanes canvas, px. */
export type LaneName = 'turns' | 'steps' | 'model' | 'calls' | 'agents' | 'surface';

export interface LaneBox {
  readonly name: LaneName;
  readonly top: number;
  readonly height: number;
}

export interface LaneLayout {
  readonly ruler: { readonly top: number; readonly height: number };
  readonly lanes: readonly LaneBox[];
  /** Height of one stacked call and its distance to the next. */
  readonly callHeight: number;
  readonly callPitch: number;
  /** The same for child sessions. */
  readonly agentPitch: number;
  /** Above and below a stack, together. */
  readonly padding: number;
  /** Strip at the bottom that the words about replacements have to themselves. */
  readonly caption: number;
  readonly height: number;
}

interface LaneHeights {
  readonly ruler: number;
  readonly turns: number;
  readonly steps: number;
  readonly model: number;
  readonly pitch: number; // of up to five stacked calls or child sessions
  readonly padding: number; // above and below a stack, together
  readonly surface: number; // with the brackets of replacements
  readonly plainSurface: number;
  readonly caption: number; // of the surface, for the words about replacements
}

const roomy: LaneHeights = {
  ruler: 24,
  turns: 24,
  steps: 22,
  model: 22,
  pitch: 19,
  padding: 8,
  surface: 54,
  plainSurface: 26,
  caption: 16,
};
const compact: LaneHeights = {
  ruler: 20,
  turns: 20,
  steps: 19,
  model: 16,
  pitch: 17,
  padding: 6,
  surface: 40,
  plainSurface: 24,
  caption: 0,
};

export interface LaneOptions {
  readonly callLanes: number;
  readonly agentLanes: number;
  /** Whether anything in the log was replaced: without that the surface needs no room for brackets. */
  readonly hasReplacements: boolean;
  /** For a panel with little room. */
  readonly isCompact: boolean;
}

/** Calls get lower bars as more of them run at once, so that the whole stack stays on screen. */
export function laneLayout({ callLanes, agentLanes, hasReplacements, isCompact }: LaneOptions): LaneLayout {
  const heights = isCompact ? compact : roomy;
  const lanes = Math.max(1, callLanes);
  const callPitch = lanes <= 5 ? heights.pitch : lanes <= 10 ? 12 : lanes <= 24 ? 7 : Math.max(2, Math.floor(168 / lanes));
  const boxes: LaneBox[] = [];
  let top = heights.ruler;
  const add = (name: LaneName, height: number): void => {
    boxes.push({ name, top, height });
    top += height;
  };
  add('turns', heights.turns);
  add('steps', heights.steps);
  add('model', heights.model);
  add('calls', lanes * callPitch + heights.padding);
  const agentPitch = agentLanes <= 4 ? heights.pitch : agentLanes <= 10 ? 10 : Math.max(2, Math.floor(100 / agentLanes));
  if (agentLanes > 0) add('agents', agentLanes * agentPitch + heights.padding);
  add('surface', hasReplacements ? heights.surface : heights.plainSurface);
  return {
    ruler: { top: 0, height: heights.ruler },
    lanes: boxes,
    callHeight: Math.max(1, callPitch - (callPitch > 6 ? 3 : 1)),
    callPitch,
    agentPitch,
    padding: heights.padding,
    caption: hasReplacements ? heights.caption : 0,
    height: top,
  };
}

export function laneAt(layout: LaneLayout, y: number): LaneBox | undefined {
  return layout.lanes.find((lane) => y >= lane.top && y < lane.top + lane.height);
}

const stacked = (
  layout: LaneLayout,
  name: 'calls' | 'agents',
): { readonly top: number; readonly height: number; readonly pitch: number } => {
  const box = layout.lanes.find((lane) => lane.name === name);
  return {
    top: (box?.top ?? 0) + layout.padding / 2,
    height: (box?.height ?? 0) - layout.padding,
    pitch: name === 'calls' ? layout.callPitch : layout.agentPitch,
  };
};

/** Index of the stacked lane of calls or agents at a height, or -1 between and outside. */
export function stackedLaneAt(layout: LaneLayout, name: 'calls' | 'agents', y: number): number {
  const { top, height, pitch } = stacked(layout, name);
  return y < top || y >= top + height ? -1 : Math.floor((y - top) / pitch);
}

export function stackedTop(layout: LaneLayout, name: 'calls' | 'agents', lane: number): number {
  const { top, pitch } = stacked(layout, name);
  return top + lane * pitch;
}
