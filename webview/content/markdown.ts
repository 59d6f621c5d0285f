/**
 * A small part of Markdown as data: enough to read a message as it was meant, nothing that could act. No HTML, no links
 * to follow, no images; what is not understood stays text. Linear in its input.
 */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly target: string };

export type Block =
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly inlines: readonly Inline[] }
  | {
      readonly kind: 'list';
      readonly items: readonly { readonly depth: number; readonly marker: string; readonly inlines: readonly Inline[] }[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const listItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const quote = /^ {0,3}>\s?(.*)$/;
const rule = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseMarkdown(source: string): Block[] {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', inlines: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const opening = fence.exec(line);
    if (opening) {
      flush();
      const end = closingFence(lines, i + 1, opening[1]!);
      blocks.push({ kind: 'code', language: opening[2] ?? '', text: lines.slice(i + 1, end).join('\n') });
      i = end;
      continue;
    }
    if (line.trim() === '') {
      flush();
      continue;
    }
    const title = heading.exec(line);
    if (title) {
      flush();
      blocks.push({ kind: 'heading', level: title[1]!.length, inlines: parseInline(title[2]!) });
    } else if (rule.test(line)) {
      flush();
      blocks.push({ kind: 'rule' });
    } else if (line.includes('|') && tableRule.test(lines[i + 1] ?? '') && (lines[i + 1] ?? '').includes('-')) {
      flush();
      let end = i + 2;
      while (end < lines.length && lines[end]!.includes('|') && lines[end]!.trim() !== '') end++;
      blocks.push({ kind: 'table', head: cells(line), rows: lines.slice(i + 2, end).map(cells) });
      i = end - 1;
    } else if (listItem.test(line)) {
      flush();
      i = pushList(blocks, lines, i);
    } else if (quote.test(line)) {
      flush();
      const quoted: string[] = [];
      for (; i < lines.length && quote.test(lines[i]!); i++) quoted.push(quote.exec(lines[i]!)![1]!);
      i--;
      blocks.push({ kind: 'quote', inlines: parseInline(quoted.join('\n')) });
    } else paragraph.push(line);
  }
  flush();
  return blocks;
}

/** Line of the closing fence, or one past the end: an open fence takes the rest. */
function closingFence(lines: readonly string[], from: number, mark: string): number {
  for (let i = from; i < lines.length; i++) {
    const text = lines[i]!.trim();
    if (text.length >= mark.length && text === mark[0]!.repeat(text.length)) return i;
  }
  return lines.length;
}

function pushList(blocks: Block[], lines: readonly string[], from: number): number {
  const items: { depth: number; marker: string; text: string }[] = [];
  let i = from;
  for (; i < lines.length; i++) {
    const line = lines[i]!;
    const item = listItem.exec(line);
    if (item) {
      const marker = /\d/.test(item[2]!) ? item[2]!.replace(')', '.') : '•';
      items.push({ depth: Math.min(6, Math.floor(item[1]!.replace(/\t/g, '  ').length / 2)), marker, text: item[3]! });
    } else if (line.trim() !== '' && /^\s/.test(line)) items[items.length - 1]!.text += `\n${line.trim()}`;
    else break;
  }
  blocks.push({ kind: 'list', items: items.map(({ depth, marker, text }) => ({ depth, marker, inlines: parseInline(text) })) });
  return i - 1;
}

const cells = (line: string): Inline[][] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => parseInline(cell.trim()));

/** Bounded repetitions keep an unclosed mark from costing more than a short look ahead. */
const inlineMark =
  /(`{1,3})([^`\n]{1,2000})\1|\*\*([^*\n]{1,2000})\*\*|\*([^*\s][^*\n]{0,1000})\*|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g;

export function parseInline(source: string): Inline[] {
  const inlines: Inline[] = [];
  let at = 0;
  for (const match of source.matchAll(inlineMark)) {
    if (match.index > at) inlines.push({ kind: 'text', text: source.slice(at, match.index) });
    if (match[2] !== undefined) inlines.push({ kind: 'code', text: match[2] });
    else if (match[3] !== undefined) inlines.push({ kind: 'strong', text: match[3] });
    else if (match[4] !== undefined) inlines.push({ kind: 'emphasis', text: match[4] });
    else inlines.push({ kind: 'link', text: match[5]!, target: match[6]! });
    at = match.index + match[0].length;
  }
  if (at < source.length) inlines.push({ kind: 'text', text: source.slice(at) });
  return inlines;
}
