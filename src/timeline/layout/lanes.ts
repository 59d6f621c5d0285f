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
  readonly height: number;
}

const rulerHeight = 24;
const heights = { turns: 24, steps: 22, model: 22, surface: 54 } as const;
const callPadding = 8;

/** Calls get lower bars as more of them run at once, so that the whole stack stays on screen. */
export function laneLayout(callLanes: number, agentLanes = 0): LaneLayout {
  const lanes = Math.max(1, callLanes);
  const callPitch = lanes <= 5 ? 19 : lanes <= 10 ? 12 : lanes <= 24 ? 7 : Math.max(2, Math.floor(168 / lanes));
  const boxes: LaneBox[] = [];
  let top = rulerHeight;
  const add = (name: LaneName, height: number): void => {
    boxes.push({ name, top, height });
    top += height;
  };
  add('turns', heights.turns);
  add('steps', heights.steps);
  add('model', heights.model);
  add('calls', lanes * callPitch + callPadding);
  const agentPitch = agentLanes <= 4 ? 19 : agentLanes <= 10 ? 10 : Math.max(2, Math.floor(100 / agentLanes));
  if (agentLanes > 0) add('agents', agentLanes * agentPitch + callPadding);
  add('surface', heights.surface);
  return {
    ruler: { top: 0, height: rulerHeight },
    lanes: boxes,
    callHeight: Math.max(1, callPitch - (callPitch > 6 ? 3 : 1)),
    callPitch,
    agentPitch,
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
    top: (box?.top ?? 0) + callPadding / 2,
    height: (box?.height ?? 0) - callPadding,
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
