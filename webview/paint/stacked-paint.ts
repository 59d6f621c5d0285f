/** Paints what is stacked in lanes, calls and child sessions, and writes their labels inside or beside the bars. */
import { NONE, OUTCOME } from '../../src/timeline/index.ts';
import { placeLabels } from '../../src/timeline/layout/bar-labels.ts';
import { stackedTop } from '../../src/timeline/layout/lanes.ts';
import { toPixel, type PixelScale } from '../../src/timeline/layout/viewport.ts';
import { toolColor } from '../theme/tool-color.ts';
import { chooseLabel, forEachBar, isBad, paintBar, type Bar } from './bars-paint.ts';
import { textWidth } from './canvas.ts';
import type { LanesInput } from './lanes-input.ts';

interface Stacked {
  readonly bar: Bar;
  readonly name: string;
  /** The name, and what it is about. */
  readonly words: string;
}

/** Words beside a bar are a help, not a second list. */
const widestOutside = 150;

/** Labels of stacked bars, lane by lane: inside where they fit, else beside the bar while the lane is free. */
function paintStackedLabels(
  context: CanvasRenderingContext2D,
  input: LanesInput,
  scale: PixelScale,
  lanes: ReadonlyMap<number, readonly Stacked[]>,
  middleOf: (lane: number) => number,
): void {
  const { palette, geometry, width } = input;
  const stops = [...geometry.axis.gaps.map((gap) => gap.start), ...geometry.dividers.start]
    .map((unit) => toPixel(scale, unit))
    .sort((a, b) => a - b);
  for (const [lane, bars] of lanes) {
    const places = placeLabels(
      bars.map(({ bar, name }) => ({ ...bar, least: name === '' ? 0 : textWidth(context, name) })),
      { left: scale.left, right: width - 2, stops, widest: widestOutside },
    );
    bars.forEach(({ name, words }, at) => {
      const place = places[at];
      if (!place) return;
      const text = chooseLabel(context, words === name ? [name] : [words, name], place.room);
      context.fillStyle = place.isInside ? palette.words : palette.dim;
      context.fillText(text, place.x, middleOf(lane) + 0.5);
    });
  }
}

function collect(lanes: Map<number, Stacked[]>, lane: number, stacked: Stacked): void {
  const own = lanes.get(lane);
  if (own) own.push(stacked);
  else lanes.set(lane, [stacked]);
}

export function paintCalls(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { tables, geometry, palette, layout, view, selected, hover, strings } = input;
  const { seq, result, lane, name, outcome, parent } = tables.calls.columns;
  const lanes = new Map<number, Stacked[]>();
  forEachBar(
    geometry.calls,
    view,
    scale,
    4,
    (call, bar) => {
      const tool = strings.names[name[call]!] ?? '';
      const color = isBad(outcome[call]!) ? palette.failed : toolColor(palette, tool);
      const inset = parent[call] === NONE ? 0 : 2; // a sub-call is a little lower than its parent's bar
      paintBar(context, palette, bar, stackedTop(layout, 'calls', lane[call]!) + inset, layout.callHeight - inset, {
        color,
        labels: [],
        isOpen: outcome[call] === OUTCOME.open || outcome[call] === OUTCOME.abandoned,
        isBad: false,
        isSelected: seq[call] === selected || (result[call] !== NONE && result[call] === selected),
        isHover: seq[call] === hover,
        left: scale.left,
        right: input.width,
      });
      const about = input.callText(call);
      collect(lanes, lane[call]!, { bar, name: tool, words: about === '' ? tool : `${tool} ${about}` });
    },
    (call) => lane[call]!,
  );
  if (layout.callHeight < 13) return;
  paintStackedLabels(context, input, scale, lanes, (at) => stackedTop(layout, 'calls', at) + layout.callHeight / 2);
}

/** Child sessions under the calls they run under; one without an end is a tick. */
export function paintAgents(context: CanvasRenderingContext2D, input: LanesInput, scale: PixelScale): void {
  const { geometry, palette, layout, view, selected, hover, tables } = input;
  const { seq } = tables.children.columns;
  const height = layout.agentPitch - 3;
  const lanes = new Map<number, Stacked[]>();
  forEachBar(
    geometry.agents,
    view,
    scale,
    6,
    (child, bar) => {
      const lane = geometry.agentLane[child]!;
      paintBar(context, palette, bar, stackedTop(layout, 'agents', lane), height, {
        color: palette.agent,
        labels: [],
        isOpen: false,
        isBad: false,
        isSelected: seq[child] === selected,
        isHover: seq[child] === hover,
        left: scale.left,
        right: input.width,
      });
      const about = input.childText(child);
      collect(lanes, lane, { bar, name: '▸', words: about === '' ? '▸' : `▸ ${about}` });
    },
    (child) => geometry.agentLane[child]!,
  );
  if (height < 13) return;
  paintStackedLabels(context, input, scale, lanes, (at) => stackedTop(layout, 'agents', at) + height / 2);
}
