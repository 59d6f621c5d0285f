/** Line by line difference of two texts, for the edit cards. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Cells of the comparison table at most; past it the changed middle is shown as removed and added whole. */
const maxCells = 1_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const lines: DiffLine[] = [];
  for (let i = 0; i < head; i++) lines.push({ kind: 'same', text: a[i]! });
  pushMiddle(lines, a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  for (let i = a.length - tail; i < a.length; i++) lines.push({ kind: 'same', text: a[i]! });
  return lines;
}

function pushMiddle(lines: DiffLine[], a: readonly string[], b: readonly string[]): void {
  if (a.length * b.length > maxCells || a.length === 0 || b.length === 0) {
    for (const text of a) lines.push({ kind: 'removed', text });
    for (const text of b) lines.push({ kind: 'added', text });
    return;
  }
  // Longest common subsequence of the rests, from the end, so that walking forward reads it off.
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push({ kind: 'removed', text: a[i++]! });
    } else lines.push({ kind: 'added', text: b[j++]! });
  }
}

/** Same lines far from a change are folded: indexes of the lines to show, -1 where some are left out. */
export function foldSame(lines: readonly DiffLine[], around: number): number[] {
  const keep = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.kind !== 'same') keep.fill(1, Math.max(0, at - around), Math.min(lines.length, at + around + 1));
  });
  const shown: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (keep[i] === 1) shown.push(i);
    else if (shown.at(-1) !== -1) shown.push(-1);
  }
  return shown;
}
