import { isRecord } from './json.ts';
import { plainLine } from './plain-line.ts';

/**
 * What a human prompt is called where it names its session: the words of its text blocks, else of the files that came with it; one bounded
 * plain line, empty where it has neither. List and timeline both ask here, so that a session has one name. format/events.md §5.
 */
export function promptLine(content: unknown, max: number): string {
  const blocks = Array.isArray(content) ? (content as readonly unknown[]).filter(isRecord) : [];
  const texts: string[] = [];
  const files: string[] = [];
  for (const { type, text, attachment } of blocks) {
    if (type === 'text' && typeof text === 'string') texts.push(text);
    if (type !== 'image' && type !== 'file') continue;
    const name = isRecord(attachment) && typeof attachment['name'] === 'string' ? ` ${attachment['name']}` : '';
    files.push(`[${type}${name}]`);
  }
  const words = plainLine(texts.join(' '), max);
  return words === '' ? plainLine(files.join(' '), max) : words;
}
