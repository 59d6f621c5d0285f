/** Colours of the canvases, read from the theme's custom properties and read again when the theme changes. */
import { cssOf, DARK, fillUnder, LIGHT, mix as blend, wordsOn, type Rgb } from './contrast.ts';

export interface Palette {
  readonly highContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly dim: string;
  readonly border: string;
  readonly grid: string;
  readonly focus: string;
  readonly selection: string;
  /** Of what is written on a filled bar; the fills of turns and calls are made so that it can be read on all of them. */
  readonly words: string;
  readonly turn: string;
  /** Every other turn, so that neighbours stay apart without a gap. */
  readonly turnEven: string;
  readonly step: string;
  readonly stepWords: string;
  readonly wait: string;
  readonly decode: string;
  readonly read: string;
  readonly write: string;
  readonly run: string;
  readonly agent: string;
  readonly other: string;
  /** A call that failed. */
  readonly failed: string;
  readonly human: string;
  readonly assistant: string;
  readonly result: string;
  readonly context: string;
  readonly replace: string;
  readonly error: string;
  readonly warning: string;
  readonly approval: string;
  readonly fork: string;
  readonly cut: string;
  readonly lifecycle: string;
  readonly gap: string;
  readonly hatch: string;
  readonly shade: string;
  /** Over what the brush leaves out: it stays to be read. */
  readonly veil: string;
  readonly font: string;
  readonly monoFont: string;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (...names: string[]): string => {
    for (const name of names) {
      const value = style.getPropertyValue(`--vscode-${name}`).trim();
      if (value !== '') return value;
    }
    return style.color;
  };
  const mix = (color: string, percent: number, other = 'transparent'): string =>
    `color-mix(in srgb, ${color} ${percent}%, ${other})`;
  const highContrast = document.body.matches('.vscode-high-contrast, .vscode-high-contrast-light');
  const background = read('editor-background');
  const foreground = read('editor-foreground', 'foreground');
  const blue = read('charts-blue');
  // The charts' own orange is a see-through brown in some themes; the symbol icons' is made to be seen.
  const orange = read('symbolIcon-classForeground', 'charts-orange');
  const soften = (color: string): string => mix(color, 82, background);
  const isLightContrast = document.body.matches('.vscode-high-contrast-light');
  // The dark high contrast paints its buttons in the background's colour.
  const button = highContrast && !isLightContrast ? blue : read('button-background', 'charts-blue');
  const seen = (color: string): Rgb => rgbOf(color, background);
  const words = wordsOn(seen(button));
  const under = (color: string): string => cssOf(fillUnder(words, seen(color)));
  const turn = fillUnder(words, seen(button));
  const step = mix(foreground, 26, background);
  const family = style.getPropertyValue('--vscode-font-family').trim() || 'sans-serif';
  return {
    highContrast,
    background,
    foreground,
    dim: highContrast ? foreground : read('descriptionForeground'),
    border: highContrast ? read('contrastBorder', 'foreground') : read('editorGroup-border', 'panel-border'),
    grid: mix(foreground, highContrast ? 30 : 8),
    focus: read('focusBorder'),
    selection: highContrast ? read('contrastActiveBorder', 'focusBorder') : read('focusBorder'),
    words: cssOf(words),
    turn: cssOf(turn),
    turnEven: cssOf(blend(turn, words === LIGHT ? DARK : LIGHT, 0.22)),
    step,
    stepWords: cssOf(wordsOn(seen(step))),
    wait: mix(blue, 42, background),
    decode: blue,
    read: under(read('terminal-ansiCyan', 'charts-green')),
    write: under(read('charts-purple')),
    run: under(orange),
    agent: under(read('charts-green')),
    other: under(mix(foreground, 45, background)),
    failed: under(read('charts-red', 'errorForeground')),
    human: foreground,
    assistant: blue,
    result: soften(orange),
    context: soften(read('charts-green')),
    replace: read('charts-purple'),
    error: read('charts-red', 'errorForeground'),
    warning: read('charts-yellow', 'editorWarning-foreground'),
    approval: read('terminal-ansiCyan', 'charts-blue'),
    fork: read('charts-green'),
    cut: read('charts-yellow'),
    lifecycle: mix(foreground, 55),
    gap: mix(foreground, 5),
    hatch: mix(foreground, highContrast ? 40 : 15),
    shade: mix(background, 55),
    veil: mix(background, highContrast ? 12 : 30),
    font: family,
    monoFont: style.getPropertyValue('--vscode-editor-font-family').trim() || 'monospace',
  };
}

/** Calls back after the theme, its contrast or its fonts changed. Returns what stops it. */
export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  observer.observe(document.body, { attributes: true, attributeFilter: ['class'] });
  return () => {
    observer.disconnect();
  };
}

let probe: CanvasRenderingContext2D | null | undefined;

/** A colour as it looks on a background: mixed and see-through ones included. */
function rgbOf(color: string, background: string): Rgb {
  probe ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  if (!probe) return DARK;
  for (const style of [background, color]) {
    probe.fillStyle = style;
    probe.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}
