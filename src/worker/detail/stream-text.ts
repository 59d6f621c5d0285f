import type { StoredEvent } from '../../core/index.ts';
import { text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { fields, items, numberOf, stringOf, type Fields } from '../../timeline/index.ts';
import { failure } from '../labels/outcomes.ts';
import { line } from '../labels/words.ts';
import { code, words } from './bounds.ts';

interface Piece {
  kind: string;
  text: string;
  name: string;
}

/** Characters of one block kept while chunks are joined. */
const PIECE_LENGTH = 200_000;

/** Joins chunks by block index, as far as they arrived. format/events.md §6. */
class Pieces {
  readonly #pieces = new Map<number, Piece>();
  finish: Fields = {};

  add(chunk: Fields): void {
    const index = numberOf(chunk['index']) ?? 0;
    switch (chunk['type']) {
      case 'text-delta':
        this.#append(index, 'text', chunk['text']);
        break;
      case 'reasoning-delta':
        this.#append(index, 'reasoning', chunk['text']);
        break;
      case 'tool-call-delta':
        this.#append(index, 'tool-call', chunk['argumentsDelta'], chunk['name']);
        break;
      case 'finish':
        this.finish = fields(chunk['reason']);
        break;
      default:
    }
  }

  addRecord(record: Fields): void {
    if (record['type'] === 'chunk') {
      this.add(fields(record['chunk']));
      return;
    }
    const index = numberOf(record['index']) ?? 0;
    const kind = record['type'] === 'text-chunks' ? 'text' : record['type'] === 'reasoning-chunks' ? 'reasoning' : 'tool-call';
    for (const part of items(kind === 'tool-call' ? record['args'] : record['texts']))
      this.#append(index, kind, part, record['name']);
  }

  sections(): Section[] {
    const sections: Section[] = [];
    for (const index of [...this.#pieces.keys()].sort((a, b) => a - b)) {
      const piece = this.#pieces.get(index);
      if (!piece || piece.text === '') continue;
      if (piece.kind === 'reasoning') sections.push(words(piece.text, { heading: text('Reasoning'), folded: true }));
      else if (piece.kind === 'text') sections.push(words(piece.text, { markdown: true }));
      else
        sections.push(
          code(piece.text, { heading: text('Calls {tools}', { tools: line(piece.name, 80) || '?' }), language: 'json' }),
        );
    }
    const { kind, failure: why } = this.finish;
    if (why !== undefined) sections.push({ kind: 'note', tone: 'error', text: failure(why) });
    else if (kind !== undefined)
      sections.push({ kind: 'note', tone: 'info', text: text('Finished: {kind}', { kind: line(kind, 60) }) });
    return sections;
  }

  #append(index: number, kind: string, part: unknown, name?: unknown): void {
    let piece = this.#pieces.get(index);
    if (!piece) {
      piece = { kind, text: '', name: '' };
      this.#pieces.set(index, piece);
    }
    piece.kind = kind;
    if (piece.name === '' && typeof name === 'string') piece.name = name;
    if (piece.text.length < PIECE_LENGTH) piece.text += stringOf(part) ?? '';
  }
}

/** What the chunks of v0/v1 say when joined. */
export function chunkSections(events: Iterable<StoredEvent>): Section[] {
  const pieces = new Pieces();
  for (const event of events) pieces.add(fields(fields(event.data)['chunk']));
  return pieces.sections();
}

/** What an embedded stream says when joined. */
export function streamSections(stream: unknown): Section[] {
  const pieces = new Pieces();
  for (const record of items(stream)) pieces.addRecord(fields(record));
  return pieces.sections();
}
