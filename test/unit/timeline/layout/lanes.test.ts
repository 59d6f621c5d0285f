import { describe, expect, it } from 'vitest';
import { laneAt, laneLayout, stackedLaneAt, stackedTop, type LaneLayout } from '../../../../src/timeline/layout/lanes.ts';

const layoutOf = (callLanes: number, agentLanes = 0, isCompact = false): LaneLayout =>
  laneLayout({ callLanes, agentLanes, hasReplacements: true, isCompact });

describe('laneLayout', () => {
  it('stacks the lanes without overlap, whatever runs at once', () => {
    for (const lanes of [0, 1, 5, 6, 10, 24, 25, 80, 400]) {
      const layout = layoutOf(lanes, lanes >> 1, lanes % 2 === 0);
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
      const layout = layoutOf(lanes);
      for (let lane = 0; lane < lanes; lane++) {
        expect(stackedLaneAt(layout, 'calls', stackedTop(layout, 'calls', lane) + layout.callHeight / 2)).toBe(lane);
        expect(laneAt(layout, stackedTop(layout, 'calls', lane))?.name).toBe('calls');
      }
    }
  });

  it('has a lane for child sessions only when there are any', () => {
    expect(layoutOf(2).lanes.map((lane) => lane.name)).toEqual(['turns', 'steps', 'model', 'calls', 'surface']);
    const layout = layoutOf(2, 3);
    expect(layout.lanes.map((lane) => lane.name)).toEqual(['turns', 'steps', 'model', 'calls', 'agents', 'surface']);
    expect(stackedLaneAt(layout, 'agents', stackedTop(layout, 'agents', 2) + 4)).toBe(2);
    expect(stackedLaneAt(layout, 'agents', stackedTop(layout, 'calls', 0))).toBe(-1);
  });

  it('stays low enough for a screen up to eighty calls at once', () => {
    expect(layoutOf(80).height).toBeLessThan(400);
  });

  it('has nothing above the ruler’s end and below the last lane', () => {
    const layout = layoutOf(2);
    expect(laneAt(layout, 3)).toBeUndefined();
    expect(laneAt(layout, layout.height)).toBeUndefined();
  });

  it('is lower in a small panel, and where nothing was ever replaced', () => {
    expect(layoutOf(1, 0, true).height).toBeLessThan(layoutOf(1).height - 30);
    const plain = laneLayout({ callLanes: 1, agentLanes: 0, hasReplacements: false, isCompact: false });
    expect(plain.height).toBeLessThan(layoutOf(1).height - 20);
    expect(plain.caption).toBe(0);
  });
});
