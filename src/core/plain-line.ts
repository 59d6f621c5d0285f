/**
 * One bounded line of text nobody has vouched for (titles, prompts, paths, tool output), fit for a label: runs of white
 * space and line ends become one space, terminal colour codes and control characters go, so do the characters that turn
 * the reading direction around or are invisible; half a surrogate pair becomes U+FFFD. At most `max` UTF-16 units, the
 * last one an ellipsis where something was cut.
 */
export function plainLine(value: string, max: number): string {
  let out = '';
  let space = false;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit === 0x1b) {
      i = afterEscape(value, i) - 1;
      continue;
    }
    if (isSpace(unit)) {
      space = out !== '';
      continue;
    }
    if (isDropped(unit)) continue;
    let character = value[i] ?? '';
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = value.charCodeAt(i + 1);
      if (unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) character += value[++i] ?? '';
      else character = '\ufffd';
    }
    if (out.length + (space ? 1 : 0) + character.length > max) return cut(out, max);
    out += space ? ` ${character}` : character;
    space = false;
  }
  return out;
}

function cut(line: string, max: number): string {
  if (max < 1) return '';
  let end = Math.min(line.length, max - 1);
  const last = line.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${line.slice(0, end).trimEnd()}…`;
}

/** Index after a terminal escape sequence: `ESC [ … letter`, or the escape alone. */
function afterEscape(value: string, at: number): number {
  if (value[at + 1] !== '[') return at + 1;
  let i = at + 2;
  while (i < value.length && i < at + 32 && /[0-9;?:]/.test(value[i] ?? '')) i++;
  return i + 1;
}

function isSpace(unit: number): boolean {
  return (
    (unit >= 0x09 && unit <= 0x0d) ||
    unit === 0x20 ||
    unit === 0x85 ||
    unit === 0xa0 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x3000
  );
}

/** Control characters, marks that steer the reading direction, and characters without a shape. A joiner between emoji stays. */
function isDropped(unit: number): boolean {
  return (
    unit < 0x20 ||
    (unit >= 0x7f && unit <= 0x9f) ||
    unit === 0xad ||
    unit === 0x61c ||
    unit === 0x180e ||
    unit === 0x200b ||
    unit === 0x200e ||
    unit === 0x200f ||
    (unit >= 0x202a && unit <= 0x202e) ||
    (unit >= 0x2060 && unit <= 0x206f) ||
    unit === 0xfeff ||
    (unit >= 0xfff9 && unit <= 0xfffb)
  );
}
