import { text, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { fields, items, numberOf, stringOf, type Fields } from '../../timeline/index.ts';
import { argumentsOf } from '../labels/tool-call.ts';
import { compactBytes } from '../labels/numbers.ts';
import { line } from '../labels/words.ts';
import { code, Facts, json, words } from './bounds.ts';

/** How plain text of a message is shown: as prose with Markdown, or as output. */
export type TextStyle = 'prose' | 'output';

/** The blocks of a message, in order. format/events.md §5; unknown blocks are shown as JSON. */
export function contentSections(content: unknown, style: TextStyle, heading?: Text): Section[] {
  const sections: Section[] = [];
  for (const item of items(content)) {
    for (const section of blockSections(fields(item), style)) {
      sections.push(
        heading && sections.length === 0 && !('heading' in section) && section.kind !== 'note'
          ? { ...section, heading }
          : section,
      );
    }
  }
  return sections;
}

function blockSections(block: Fields, style: TextStyle): Section[] {
  switch (block['type']) {
    case 'text': {
      const value = stringOf(block['text']) ?? '';
      if (value === '') return [];
      return [style === 'prose' ? words(value, { markdown: true }) : code(value)];
    }
    case 'reasoning':
      return [words(stringOf(block['text']) ?? '', { heading: text('Reasoning'), folded: true })];
    case 'image':
      return [imageSection(block)];
    case 'file': {
      const file = fields(block['attachment']);
      return new Facts()
        .add(text('Name'), line(file['name']))
        .add(text('Size'), size(file['bytes']))
        .add(text('Attachment'), line(file['attachmentId']))
        .sections(text('File'));
    }
    case 'tool-call':
      return [callSection(block)];
    case 'tool-result':
      return contentSections(block['content'], 'output', block['isError'] === true ? text('Failed result') : text('Result'));
    case 'tool-addition':
      return [{ kind: 'note', tone: 'info', text: text('Tool added: {tool}', { tool: line(block['toolName'], 120) }) }];
    case 'tool-removal':
      return [{ kind: 'note', tone: 'info', text: text('Tool removed: {tool}', { tool: line(block['toolName'], 120) }) }];
    default:
      return [json(block, text('Block {type}', { type: line(block['type'], 80) || '?' }))];
  }
}

function imageSection(block: Fields): Section {
  const image = fields(block['attachment']);
  const name = line(image['name'], 120);
  return {
    kind: 'image',
    attachmentId: stringOf(image['attachmentId']) ?? '',
    mediaType: stringOf(image['mediaType']) ?? '',
    width: numberOf(image['width']) ?? 0,
    height: numberOf(image['height']) ?? 0,
    ...(name === '' ? {} : { name }),
    offloaded: block['offloaded'] === true,
  };
}

function callSection(block: Fields): Section {
  const heading = text('Calls {tools}', { tools: line(block['name'], 80) });
  const raw = stringOf(block['arguments']) ?? '';
  const parsed = argumentsOf(raw);
  return parsed ? json(parsed, heading) : code(raw, { heading });
}

function size(bytes: unknown): string | undefined {
  const value = numberOf(bytes);
  return value === undefined ? undefined : compactBytes(value);
}
