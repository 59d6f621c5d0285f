/** Vertical layout of the lanes canvas, px. */
export type LaneName = 'turns' | 'steps' | 'model' | 'calls' | 'surface';

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
  readonly height: number;
}

const rulerHeight = 24;
const heights = { turns: 24, steps: 22, model: 22, surface: 54 } as const;
const callPadding = 8;

/** Calls get lower bars as more of them run at once, so that the whole stack stays on screen. */
export function laneLayout(callLanes: number): LaneLayout {
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
  add('surface', heights.surface);
  return {
    ruler: { top: 0, height: rulerHeight },
    lanes: boxes,
    callHeight: Math.max(1, callPitch - (callPitch > 6 ? 3 : 1)),
    callPitch,
    height: top,
  };
}

export function laneAt(layout: LaneLayout, y: number): LaneBox | undefined {
  return layout.lanes.find((lane) => y >= lane.top && y < lane.top + lane.height);
}

/** Index of the stacked call lane at a height, or -1 between and outside. */
export function callLaneAt(layout: LaneLayout, y: number): number {
  const box = layout.lanes.find((lane) => lane.name === 'calls');
  if (!box) return -1;
  const lane = Math.floor((y - box.top - callPadding / 2) / layout.callPitch);
  return lane >= 0 && y < box.top + box.height ? lane : -1;
}

export function callTop(layout: LaneLayout, lane: number): number {
  const box = layout.lanes.find((candidate) => candidate.name === 'calls');
  return (box?.top ?? 0) + callPadding / 2 + lane * layout.callPitch;
}
