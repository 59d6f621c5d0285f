/** Colours of the canvases, read from the theme's custom properties and read again when the theme changes. */
export interface Palette {
  readonly highContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly dim: string;
  readonly border: string;
  readonly grid: string;
  readonly focus: string;
  readonly selection: string;
  readonly turn: string;
  /** Every other turn, so that neighbours stay apart without a gap. */
  readonly turnEven: string;
  readonly step: string;
  readonly wait: string;
  readonly decode: string;
  readonly read: string;
  readonly write: string;
  readonly run: string;
  readonly agent: string;
  readonly other: string;
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
    turn: highContrast ? blue : read('button-background', 'charts-blue'),
    turnEven: mix(highContrast ? blue : read('button-background', 'charts-blue'), 78, background),
    step: mix(foreground, 26, background),
    wait: mix(blue, 42, background),
    decode: blue,
    read: soften(read('terminal-ansiCyan', 'charts-green')),
    write: soften(read('charts-purple')),
    run: soften(orange),
    agent: soften(read('charts-green')),
    other: mix(foreground, 45, background),
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

const probe = { context: undefined as CanvasRenderingContext2D | null | undefined, known: new Map<string, boolean>() };

/** Whether a colour, mixed ones included, wants dark letters on it (WCAG relative luminance). */
export function wantsDarkText(color: string): boolean {
  const known = probe.known.get(color);
  if (known !== undefined) return known;
  probe.context ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  const context = probe.context;
  if (!context) return false;
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  // Light letters are what the workbench puts on its own filled controls; they stay while they reach 3.8 : 1.
  const dark = 1.05 / (luminance + 0.05) < 3.8;
  if (probe.known.size > 200) probe.known.clear();
  probe.known.set(color, dark);
  return dark;
}
