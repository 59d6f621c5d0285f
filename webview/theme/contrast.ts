/** Contrast of words on filled bars (WCAG 2 relative luminance). */
export type Rgb = readonly [red: number, green: number, blue: number]; // 0 to 255

export const LIGHT: Rgb = [255, 255, 255];
export const DARK: Rgb = [0, 0, 0];

/** What small letters need. */
const wanted = 4.5;
/** Light letters are what the workbench puts on its own filled controls: they are right from here on. */
const wantedOfLight = 3.8;

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Light letters while they can be read, else dark ones. */
export const wordsOn = (fill: Rgb): Rgb => (contrast(fill, LIGHT) < wantedOfLight ? DARK : LIGHT);

/** The fill itself where the words can be read on it, else mixed with no more of the words' opposite than that takes. */
export function fillUnder(words: Rgb, fill: Rgb): Rgb {
  const opposite = words === LIGHT ? DARK : LIGHT;
  for (let percent = 0; percent < 100; percent++) {
    const mixed = mix(fill, opposite, percent / 100);
    if (contrast(mixed, words) >= wanted) return mixed;
  }
  return opposite;
}

/** `share` of the other colour, 0 to 1. */
export function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const [red, green, blue] = one.map((channel, at) => Math.round(channel + (other[at]! - channel) * share));
  return [red!, green!, blue!];
}

export const cssOf = (color: Rgb): string => `rgb(${color.join(' ')})`;
