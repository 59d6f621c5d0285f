import { createHash } from 'node:crypto';
import { text, wordOf, type Text } from '../../core/index.ts';
import { fields, items, stringOf, type Fields } from '../../timeline/index.ts';
import { jsonText } from '../json-text.ts';
import { argumentsOf } from '../labels/tool-call.ts';
import { isCheckpoint, line, producerOf } from '../labels/words.ts';
import { HEADING_DIGITS, type HeadingStyle } from '../../protocol/index.ts';
import { Lines } from './lines.ts';

/** A block longer than this is left out but for its beginning (decisions.md "Documents"), in UTF-8 bytes. */
const BLOCK_BYTES = 64_000;
const BEGINNING = 2_000;

export type Translate = (text: Text) => string;

/** One message: heading with seq, role and source, then its blocks. Nothing in it changes between two readings. */
export function addMessage(
  lines: Lines,
  seq: number | undefined,
  message: unknown,
  t: Translate,
  heading: HeadingStyle = 'seq',
): void {
  const m = fields(message);
  const place = seq === undefined || heading === 'content' || heading === 'id' ? '' : `#${seq} · `;
  lines.add(`=== ${place}${stringOf(m['role']) ?? '?'} · ${sourceWords(m, t)}${tagOf(message, heading, t)} ===`);
  if (m['isError'] === true) lines.add(`[${t(text('failed'))}]`);
  for (const item of items(m['content'])) addBlock(lines, fields(item), t);
  lines.add();
}

/** SHA-256 (hex) of what a document shows of a message but for its seq. */
export function messageHash(message: unknown, t: Translate): string {
  const lines = new Lines();
  addMessage(lines, undefined, message, t);
  return hashOf(lines.finish('').text);
}

export function hashOf(shown: string): string {
  return createHash('sha256').update(shown, 'utf8').digest('hex');
}

/** What ties a message to its equal on the other side of a comparison. */
function tagOf(message: unknown, heading: HeadingStyle, t: Translate): string {
  if (heading === 'seq') return '';
  const id = stringOf(fields(message)['id']);
  return ` · ${(heading === 'id' && id !== undefined ? hashOf(id) : messageHash(message, t)).slice(0, HEADING_DIGITS)}`;
}

function sourceWords(message: Fields, t: Translate): string {
  const source = fields(message['source']);
  switch (source['kind']) {
    case 'user':
      return t(text('human'));
    case 'model':
      return line(`${wordOf(source['provider'])}/${wordOf(source['model'])}`, 160);
    case 'tool':
      return line(`${t(text('tool'))} ${wordOf(source['callId'])}`, 160);
    default:
      return isCheckpoint(source) ? t(text('checkpoint of a compaction')) : producerOf(source);
  }
}

function addBlock(lines: Lines, block: Fields, t: Translate): void {
  switch (block['type']) {
    case 'text':
      lines.add(shown(lines, stringOf(block['text']) ?? '', t));
      return;
    case 'reasoning':
      lines
        .add(`[${t(text('reasoning'))}]`)
        .add(shown(lines, stringOf(block['text']) ?? '', t))
        .add(`[/${t(text('reasoning'))}]`);
      return;
    case 'tool-call':
      lines
        .add(`[${t(text('call'))} ${line(block['name'], 80)} ${line(block['id'], 160)}]`)
        .add(shown(lines, argumentText(block['arguments']), t));
      return;
    case 'tool-result':
      if (block['isError'] === true) lines.add(`[${t(text('failed'))}]`);
      for (const inner of items(block['content'])) addBlock(lines, fields(inner), t);
      return;
    case 'image':
    case 'file': {
      const attachment = fields(block['attachment']);
      const gone = block['offloaded'] === true ? ` ${t(text('removed from context'))}` : '';
      const name = attachment['name'] === undefined ? '' : ` ${line(attachment['name'], 160)}`;
      lines.add(`[${String(block['type'])}${name} ${line(attachment['attachmentId'], 160)}${gone}]`);
      return;
    }
    default:
      lines.add(`[${line(block['type'], 80) || '?'}]`).add(shown(lines, jsonText(block, 2), t));
  }
}

/** Arguments one member a line, so that a diff shows which one changed; as they are when they are no JSON. */
function argumentText(raw: unknown): string {
  const args = argumentsOf(raw);
  return args ? jsonText(args, 2) : (stringOf(raw) ?? '');
}

function shown(lines: Lines, value: string, t: Translate): string {
  return lines.isWhole ? value : body(value, t);
}

/** A text whole, or its beginning with the length and hash of all of it, so that a diff still sees a change. */
export function body(value: string, t: Translate): string {
  if (value.length <= BLOCK_BYTES / 3) return value;
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length <= BLOCK_BYTES) return value;
  const hash = createHash('sha256').update(bytes).digest('hex');
  const last = value.charCodeAt(BEGINNING - 1);
  const beginning = value.slice(0, last >= 0xd800 && last <= 0xdbff ? BEGINNING - 1 : BEGINNING);
  return `${beginning}\n[${t(text('{bytes} bytes in all, left out here; sha256 {hash}', { bytes: bytes.length, hash }))}]`;
}
