import { plainLine, text, type Text } from '../../core/index.ts';
import { fields, items, stringOf, type Fields } from '../../timeline/index.ts';

/** Longest detail of a row, in characters. */
const DETAIL_LENGTH = 240;

/** Words of the log as they are, where a translatable sentence is asked for. */
export function plain(value: string): Text {
  return text('{value}', { value });
}

/** Words the format has for a few states of its own, in the reader's language; any other word as it is. format/events.md. */
const WORDS: ReadonlyMap<string, Text> = new Map([
  ['initial', text('initial')],
  ['resume', text('resumed')],
  ['change', text('changed')],
  ['series', text('new series')],
  ['create', text('created')],
  ['edit', text('edited')],
  ['pause', text('paused')],
  ['block', text('blocked')],
  ['complete', text('completed')],
  ['dispatch', text('fired')],
  ['delete', text('deleted')],
  ['clear', text('cleared')],
  ['ask', text('ask')],
  ['never', text('never ask')],
  ['completed', text('completed')],
  ['failed', text('failed')],
  ['cancelled', text('cancelled')],
  ['error', text('failed')],
]);

export function word(value: string): Text {
  return WORDS.get(value) ?? plain(value === '' ? '?' : value);
}

export function line(value: unknown, max = DETAIL_LENGTH): string {
  return typeof value === 'string' ? plainLine(value, max) : '';
}

/** The first words of a message's content: its text blocks, else what kind of block it holds. */
export function contentLine(content: unknown, max = DETAIL_LENGTH): string {
  let out = '';
  for (const item of items(content)) {
    if (out.length >= max) break;
    const words = blockLine(fields(item), max - out.length);
    if (words !== '') out += out === '' ? words : ` ${words}`;
  }
  return plainLine(out, max);
}

function blockLine(block: Fields, max: number): string {
  switch (block['type']) {
    case 'text':
      return line(block['text'], max);
    case 'image':
    case 'file': {
      const attachment = fields(block['attachment']);
      return `[${block['type']}${attachment['name'] === undefined ? '' : ` ${line(attachment['name'], 80)}`}]`;
    }
    case 'tool-result':
      return contentLine(block['content'], max);
    case 'reasoning':
    case 'tool-call':
      return '';
    default:
      return `[${line(block['type'], 40)}]`;
  }
}

/** Characters of text in a content list, nested results included. */
export function textLength(content: unknown): number {
  let length = 0;
  for (const item of items(content)) {
    const block = fields(item);
    if (block['type'] === 'tool-result') {
      for (const inner of items(block['content'])) length += (stringOf(fields(inner)['text']) ?? '').length;
    } else length += (stringOf(block['text']) ?? '').length;
  }
  return length;
}

/** First block of a type, in order. */
export function firstBlock(content: unknown, type: string): Fields | undefined {
  for (const item of items(content)) {
    const block = fields(item);
    if (block['type'] === type) return block;
  }
  return undefined;
}

/** Who put a message into the user role: a plugin by its name, else the kind of source. format/events.md §5. */
export function producerOf(source: unknown): string {
  const from = fields(source);
  const kind = stringOf(from['kind']) ?? '';
  const plugin = stringOf(from['plugin']);
  return line(kind === 'plugin' && plugin !== undefined ? plugin : kind.replace(/^plugin:/, ''), 80) || '?';
}

/** Whether a message is the checkpoint that stands for a compacted range. format/surface.md §7, by the names of migrations.md §4. */
export function isCheckpoint(source: unknown): boolean {
  const { kind, plugin, compactionId } = fields(source);
  const name = kind === 'plugin' ? plugin : undefined; // before v4, at first without an id
  return (
    name === 'compact' ||
    name === 'dsh-compaction-basic' ||
    kind === 'compact-checkpoint' ||
    kind === 'compact-basic' ||
    compactionId !== undefined
  );
}

/** `provider/model` of a header configuration, a route or a selection. */
export function routeLine(value: unknown): string {
  const route = fields(value);
  const provider = line(route['provider'], 80);
  const model = line(route['model'], 120);
  return provider === '' ? model : `${provider}/${model}`;
}
