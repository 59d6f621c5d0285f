/** Columns of half a diff editor in a window 1,400 pixels wide with its side bar open: what is longer has to be scrolled to. */
export const LINE_COLUMNS = 48;

/** What the editor draws two columns wide: Chinese, Japanese and Korean, full-width forms, pictographs. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

export function columnsOf(content: string): number {
  let columns = 0;
  for (const character of content) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

/** A text of at most so many columns; what was longer ends in an ellipsis. */
export function cutToColumns(content: string, most: number): string {
  if (columnsOf(content) <= most) return content;
  let kept = '';
  let left = most - 1;
  for (const character of content) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** A list behind its name as lines of at most {@link LINE_COLUMNS}, the later ones indented; only a longer item makes a longer line. */
export function wrapped(list: string): string[] {
  const lines: string[] = [];
  let open = '';
  for (const item of list.split(', ')) {
    const longer = open === '' ? item : `${open}, ${item}`;
    if (open === '' || columnsOf(longer) < LINE_COLUMNS) {
      open = longer; // a comma may have to follow
      continue;
    }
    lines.push(`${open},`);
    open = `  ${item}`;
  }
  return [...lines, open];
}
