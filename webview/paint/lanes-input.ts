/** Everything the painters of the lanes read. */
import type { TimelineStrings, TimelineTables } from '../../src/timeline/index.ts';
import type { Geometry } from '../../src/timeline/layout/geometry.ts';
import type { LaneLayout } from '../../src/timeline/layout/lanes.ts';
import { pixelScale, type PixelScale, type Viewport } from '../../src/timeline/layout/viewport.ts';
import type { Palette } from '../theme/palette.ts';

export interface LanesInput {
  readonly tables: TimelineTables;
  readonly strings: TimelineStrings;
  readonly geometry: Geometry;
  readonly layout: LaneLayout;
  readonly palette: Palette;
  readonly width: number;
  /** Height of the visible part, and how much of the lanes is scrolled away above it. */
  readonly height: number;
  readonly scrollTop: number;
  readonly gutter: number;
  readonly view: Viewport;
  /** Seq of the selection and of what is under the pointer, NONE. */
  readonly selected: number;
  readonly hover: number;
  readonly selectedUnit: number;
  readonly zoneOffset: number;
  /** Text of a turn or call when it is known. */
  readonly turnText: (turn: number) => string;
  readonly callText: (call: number) => string;
  readonly childText: (child: number) => string;
  /** Seq before which the request under the pointer was put together; its nodes are lit. NONE: no request. */
  readonly requestEnd: number;
  /** Seq up to which a replay has come, NONE without one; and the playhead's unit, NaN without one. */
  readonly playedTo: number;
  readonly playhead: number;
  /** Stretch the list is narrowed to, units. */
  readonly marked: Viewport | undefined;
}

/** Room for a node at the very end. */
const rightMargin = 20;

export const lanesScale = (view: Viewport, width: number, gutter: number): PixelScale =>
  pixelScale(view, gutter, width - gutter - rightMargin);
