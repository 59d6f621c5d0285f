/**
 * Content of a log in a Markdown file. What people and models wrote stays Markdown, so that it reads as it was meant; but
 * an opened preview must not reach out for what some page or tool put there: images and HTML show as their own source.
 * What tools were given and answered is code.
 */
import { plainLine, text, wordOf } from '../../core/index.ts';
import { items, fields, stringOf, type Fields } from '../../timeline/index.ts';
import type { Translate } from '../documents/message-text.ts';
import { jsonText } from '../json-text.ts';
import { argumentsOf } from '../labels/tool-call.ts';
import { line } from '../labels/words.ts';

/** One line of content in which no character means anything to Markdown. */
export function plainMarkdown(content: string): string {
  return plainLine(content, 2000).replace(/[\\`*_[\]<&~$]|#(?!\d)/g, '\\$&');
}

/** Content as a code block: its fence is longer than any run of backticks in it. */
function fenced(content: string, language = ''): string {
  let longest = 2;
  for (const run of content.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}\n\n`;
}

/** Markdown of the log with its images and HTML made inert outside of code. */
export function inertMarkdown(content: string): string {
  const lines = content.split('\n');
  // A fence inside a list or quote ends with it, which only a whole parser knows: then nothing counts as code.
  const hasInnerFence = lines.some((row) => /^(?:[ \t]|[>*+-]|\d+[.)])[ \t>*+\-\d.)]*(?:`{3,}|~{3,})/.test(row));
  const keepsSpans = lines.every(hasOnlyClosedSpans);
  let fence = '';
  const out: string[] = [];
  for (const row of lines) {
    const opening: string | undefined = hasInnerFence ? undefined : /^(`{3,}(?=[^`]*$)|~{3,})/.exec(row)?.[1];
    if (fence !== '') {
      out.push(row);
      if (isClosing(row, fence)) fence = '';
    } else if (opening !== undefined) {
      out.push(row);
      fence = opening;
    } else out.push(keepsSpans ? outsideSpans(row) : inert(row));
  }
  if (fence !== '') out.push(fence); // or all that follows in the file would be code
  return out.join('\n');
}

function isClosing(row: string, fence: string): boolean {
  const run = /^ {0,3}(`+|~+)[ \t]*\r?$/.exec(row)?.[1];
  return run !== undefined && run[0] === fence[0] && run.length >= fence.length;
}

/** `<` as an entity: a backslash before it might meet one that is there already. */
function inert(words: string): string {
  return words.replaceAll('![', '!\\[').replace(/<(?=[a-z/!?])/gi, '&lt;');
}

/** Code spans of one line; a bar ends a table's cell even inside of one. */
const span = /(?<!`)(`+)(?!`)[^|]*?(?<!`)\1(?!`)/g;

function hasOnlyClosedSpans(row: string): boolean {
  return !row.includes('\\`') && !row.replace(span, '').includes('`');
}

function outsideSpans(row: string): string {
  let out = '';
  let from = 0;
  for (const found of row.matchAll(span)) {
    out += inert(row.slice(from, found.index)) + found[0];
    from = found.index + found[0].length;
  }
  return out + inert(row.slice(from));
}

/** One block of a message of this role. */
export function blockMarkdown(block: Fields, role: unknown, t: Translate): string {
  switch (block['type']) {
    case 'text': {
      const words = stringOf(block['text']) ?? '';
      if (words === '') return '';
      return role === 'user' || role === 'assistant' ? `${inertMarkdown(words)}\n\n` : fenced(words);
    }
    case 'reasoning':
      return `*${t(text('reasoning'))}*\n\n${fenced(stringOf(block['text']) ?? '')}`;
    case 'tool-call': {
      const args = argumentsOf(block['arguments']);
      const shown = args ? jsonText(args, 2) : (stringOf(block['arguments']) ?? '');
      return `**${t(text('call'))} ${plainMarkdown(line(block['name'], 80))}**\n\n${fenced(shown, args ? 'json' : '')}`;
    }
    case 'tool-result': {
      const failed = block['isError'] === true ? `**${t(text('failed'))}**\n\n` : '';
      return (
        failed +
        items(block['content'])
          .map((inner) => blockMarkdown(fields(inner), 'tool', t))
          .join('')
      );
    }
    case 'image':
    case 'file': {
      const attachment = fields(block['attachment']);
      const gone = block['offloaded'] === true ? ` ${t(text('removed from context'))}` : '';
      const name = stringOf(attachment['name']) ?? stringOf(attachment['attachmentId']) ?? '';
      return `${plainMarkdown(`[${wordOf(block['type'])} ${name}${gone}]`)}\n\n`;
    }
    default:
      return fenced(jsonText(block, 2), 'json');
  }
}
