/** Small helpers every painter shares. */
import type { Palette } from '../theme/palette.ts';

/** Sizes a canvas's bitmap to its box and the screen's density, and clears it. Undefined while it has no box. */
export function prepareCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio || 1;
  const pixelWidth = Math.round(width * ratio);
  const pixelHeight = Math.round(height * ratio);
  if (pixelWidth <= 0 || pixelHeight <= 0) return undefined;
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth;
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Widths of texts by font, and the font each context has: asking the context for it costs more than all the rest. */
const widthsOfFonts = new Map<string, Map<string, number>>();
const widthsOf = new WeakMap<CanvasRenderingContext2D, Map<string, number>>();

/** The only way a painter sets its font. */
export function setFont(context: CanvasRenderingContext2D, font: string): void {
  context.font = font;
  const widths = widthsOfFonts.get(font) ?? new Map<string, number>();
  widthsOfFonts.set(font, widths);
  widthsOf.set(context, widths);
}

export function textWidth(context: CanvasRenderingContext2D, text: string): number {
  const widths = widthsOf.get(context);
  let width = widths?.get(text);
  if (width === undefined) {
    width = context.measureText(text).width;
    if (widths && widths.size > 20_000) widths.clear();
    widths?.set(text, width);
  }
  return width;
}

/** The text if it fits, else its longest beginning with …, else nothing: a letter is never cut in two. */
export function fitText(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (room <= 6 || text === '') return '';
  if (textWidth(context, text) <= room) return text;
  const letters = [...text.slice(0, 200)];
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (textWidth(context, `${letters.slice(0, middle).join('').trimEnd()}…`) <= room) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? '' : `${letters.slice(0, low).join('').trimEnd()}…`;
}

/** Crisp one-pixel vertical line. */
export function verticalLine(context: CanvasRenderingContext2D, x: number, top: number, bottom: number): void {
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, top);
  context.lineTo(Math.round(x) + 0.5, bottom);
  context.stroke();
}

/** Diagonal hatching of a box. */
export function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  color: string,
  gap = 7,
): void {
  if (width <= 0 || height <= 0) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  // Lines start on multiples of the gap, so that the pattern stands still while its box moves.
  for (let at = Math.floor((x - height) / gap) * gap; at < x + width; at += gap) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** The line of a replay, with what lies after it veiled. `x` NaN: no replay. */
export function paintPlayhead(
  context: CanvasRenderingContext2D,
  palette: Palette,
  x: number,
  width: number,
  height: number,
): void {
  if (Number.isNaN(x)) return;
  context.fillStyle = palette.shade;
  context.fillRect(x, 0, Math.max(0, width - x), height);
  context.fillStyle = palette.foreground;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
}
