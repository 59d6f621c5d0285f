import { equalJson, isRecord } from './json.ts';
import type { Block, StreamChunk } from './messages.ts';

interface OpenBlock {
  readonly index: number;
  blockType: string;
  text: string;
  id: string;
  name: string;
  /** The authoritative block, once it has ended. */
  ended: Block | undefined;
}

/** Puts the chunks of one attempt together: a block per index, deltas joined, an ended block taken as it is. format/fork-resume.md §6. */
export class BlockAssembler {
  readonly #blocks = new Map<number, OpenBlock>();

  /** What has no place or no text in the answer is passed over: a log may hold anything where a chunk belongs. */
  apply(chunk: StreamChunk): void {
    if (!isPlaced(chunk)) return;
    switch (chunk.type) {
      case 'block-start':
        this.#at(chunk.index).blockType = textOf(chunk.blockType);
        break;
      case 'text-delta':
        this.#delta(chunk.index, 'text', chunk.text);
        break;
      case 'reasoning-delta':
        this.#delta(chunk.index, 'reasoning', chunk.text);
        break;
      case 'tool-call-delta': {
        const block = this.#delta(chunk.index, 'tool-call', chunk.argumentsDelta);
        block.id = textOf(chunk.id) || block.id;
        block.name = textOf(chunk.name) || block.name;
        break;
      }
      case 'block-end':
        this.#at(chunk.index).ended = chunk.block;
        break;
      default:
        // usage, finish and whatever a plugin adds carry no content.
        break;
    }
  }

  /** The content so far, in index order. A block of a kind without deltas appears when it has ended. */
  content(): Block[] {
    const content: Block[] = [];
    for (const block of Array.from(this.#blocks.values()).sort((a, b) => a.index - b.index)) {
      const made = block.ended ?? unfinished(block);
      if (made !== undefined) content.push(made);
    }
    return content;
  }

  /** The content without calls that were still being written: what an interrupted answer may keep. */
  finishedContent(): Block[] {
    const cut = new Set<Block>();
    const content = this.content();
    const ended = new Set(Array.from(this.#blocks.values(), (block) => block.ended));
    for (const block of content) if (block.type === 'tool-call' && !ended.has(block)) cut.add(block);
    return content.filter((block) => !cut.has(block));
  }

  #at(index: number): OpenBlock {
    let block = this.#blocks.get(index);
    if (block === undefined) {
      block = { index, blockType: '', text: '', id: '', name: '', ended: undefined };
      this.#blocks.set(index, block);
    }
    return block;
  }

  #delta(index: number, blockType: string, text: unknown): OpenBlock {
    const block = this.#at(index);
    if (block.blockType === '') block.blockType = blockType;
    block.text += textOf(text);
    return block;
  }
}

/**
 * Whether a stored value can be shown as a chunk: a record of some type, at a number when it has an index. format/events.md §6.
 */
export function isPlaced(chunk: unknown): chunk is StreamChunk {
  if (!isRecord(chunk) || typeof chunk['type'] !== 'string') return false;
  return chunk['index'] === undefined ? !PLACED_TYPES.has(chunk['type']) : typeof chunk['index'] === 'number';
}

const PLACED_TYPES: ReadonlySet<string> = new Set([
  'block-start',
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'block-end',
]);

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function unfinished(block: OpenBlock): Block | undefined {
  const { blockType, text, id, name } = block;
  if (blockType === 'tool-call') return { type: 'tool-call', id, name, arguments: text };
  if (blockType === 'text' || blockType === 'reasoning') return { type: blockType, text };
  return undefined;
}

/**
 * Whether a stored answer holds what its stream assembled to. An interrupted one may stop earlier: fewer blocks, the last text cut short,
 * a call that was still being written left out. format/fork-resume.md §6.
 */
export function contentAgrees(stored: unknown, assembled: BlockAssembler, isInterrupted: boolean): boolean {
  if (!isInterrupted) return equalJson(stored, assembled.content());
  const whole = assembled.finishedContent();
  if (!Array.isArray(stored) || stored.length > whole.length) return false;
  return (stored as unknown[]).every((block, i) => equalJson(block, whole[i]) || isCutShort(block, whole[i]));
}

function isCutShort(stored: unknown, whole: Block | undefined): boolean {
  if (!isRecord(stored) || (whole?.type !== 'text' && whole?.type !== 'reasoning')) return false;
  return stored['type'] === whole.type && typeof stored['text'] === 'string' && whole.text.startsWith(stored['text']);
}
