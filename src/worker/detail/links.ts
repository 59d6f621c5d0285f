import { plainLine, text, type Text } from '../../core/index.ts';
import type { EventRef, Section } from '../../protocol/index.ts';
import { rowText } from '../labels/row-text.ts';
import { textLength } from '../labels/words.ts';
import { compactCount, messageOf } from '../../timeline/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { LINKS } from './bounds.ts';

/** An event as a link, with the title of its row. */
function refOf(loaded: LoadedLog, seq: number): EventRef {
  const event = loaded.event(seq);
  if (!event) return { seq, title: text('Unreadable event') };
  const pair = event.type === 'tool/result' ? loaded.pairOf(loaded.entryAt(seq)) : undefined;
  return { seq, title: rowText(event, { pair }).title };
}

/** Events as links; `sizes` adds the length of each one's message. */
export function linkSection(
  loaded: LoadedLog,
  heading: Text,
  seqs: readonly number[],
  options: { sizes?: boolean; total?: number } = {},
): Section[] {
  if (seqs.length === 0) return [];
  const links = seqs.slice(0, LINKS).map((seq) => (options.sizes ? sizedRef(loaded, seq) : refOf(loaded, seq)));
  return [{ kind: 'links', heading, links, more: (options.total ?? seqs.length) - links.length }];
}

function sizedRef(loaded: LoadedLog, seq: number): EventRef & { note?: Text | string } {
  const event = loaded.event(seq);
  if (!event) return refOf(loaded, seq);
  const size = textLength(messageOf(event.type, event.data)['content']);
  const { title, detail } = rowText(event, { pair: loaded.pairOf(loaded.entryAt(seq)) });
  const words = typeof detail === 'string' ? plainLine(detail, 80) : '';
  return {
    seq,
    title,
    note:
      words === ''
        ? text('{count} characters', { count: compactCount(size) })
        : text('{words} · {count} characters', { words, count: compactCount(size) }),
  };
}
