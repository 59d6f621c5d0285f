import { describe, expect, it } from 'vitest';
import { laneAt, laneLayout, stackedLaneAt, stackedTop } from '../../../../src/timeline/layout/lanes.ts';

describe('laneLayout', () => {
  it('stacks the lanes without overlap, whatever runs at once', () => {
    for (const lanes of [0, 1, 5, 6, 10, 24, 25, 80, 400]) {
      const layout = laneLayout(lanes, lanes >> 1);
      let top = layout.ruler.height;
      for (const lane of layout.lanes) {
        expect(lane.top).toBe(top);
        top += lane.height;
      }
      expect(layout.height).toBe(top);
      expect(layout.callHeight).toBeGreaterThanOrEqual(1);
      expect(layout.callHeight).toBeLessThan(layout.callPitch);
    }
  });

  it('finds each call lane at its own height', () => {
    for (const lanes of [1, 4, 9, 20]) {
      const layout = laneLayout(lanes);
      for (let lane = 0; lane < lanes; lane++) {
        expect(stackedLaneAt(layout, 'calls', stackedTop(layout, 'calls', lane) + layout.callHeight / 2)).toBe(lane);
        expect(laneAt(layout, stackedTop(layout, 'calls', lane))?.name).toBe('calls');
      }
    }
  });

  it('has a lane for child sessions only when there are any', () => {
    expect(laneLayout(2).lanes.map((lane) => lane.name)).toEqual(['turns', 'steps', 'model', 'calls', 'surface']);
    const layout = laneLayout(2, 3);
    expect(layout.lanes.map((lane) => lane.name)).toEqual(['turns', 'steps', 'model', 'calls', 'agents', 'surface']);
    expect(stackedLaneAt(layout, 'agents', stackedTop(layout, 'agents', 2) + 4)).toBe(2);
    expect(stackedLaneAt(layout, 'agents', stackedTop(layout, 'calls', 0))).toBe(-1);
  });

  it('stays low enough for a screen up to eighty calls at once', () => {
    expect(laneLayout(80).height).toBeLessThan(400);
  });

  it('has nothing above the ruler’s end and below the last lane', () => {
    const layout = laneLayout(2);
    expect(laneAt(layout, 3)).toBeUndefined();
    expect(laneAt(layout, layout.height)).toBeUndefined();
  });
});
