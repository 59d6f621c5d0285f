import { rawMessageOf } from './derive.ts';
import type { StoredEvent } from './events.ts';
import { isRecord, isSeq } from './json.ts';
import type { Block, Message } from './messages.ts';
import type { EventLookup } from './surface.ts';
import { text, type Text } from './text.ts';

/** Events that change the content of nodes without changing the node list: `image/offload`. format/surface.md §6. */

export interface OffloadTarget {
  readonly seq: number;
  /** Counts all image blocks of the message depth first, offloaded ones included. */
  readonly imageIndexes: readonly number[];
}

/** Why an `image/offload` cannot take effect, or undefined. */
export function offloadProblem(event: StoredEvent, isCurrent: (seq: number) => boolean, lookup: EventLookup): Text | undefined {
  const { seq } = event;
  const { data } = event;
  const stored = isRecord(data) && Object.keys(data).length === 1 ? data['targets'] : undefined;
  if (!Array.isArray(stored) || stored.length === 0) return text('The image removal at #{seq} names no targets', { seq });
  const seen = new Set<number>();
  for (const target of stored as unknown[]) {
    if (!isTarget(target) || seen.has(target.seq)) return text('A target of the image removal at #{seq} is malformed', { seq });
    seen.add(target.seq);
    const node = isCurrent(target.seq) ? lookup(target.seq) : undefined;
    if (node?.type !== 'user/message' && node?.type !== 'tool/result') {
      return text('The image removal at #{seq} names #{node}, which is no current prompt or tool result', {
        seq,
        node: target.seq,
      });
    }
    const images = countImages(rawMessageOf(node)?.['content']);
    if ((target.imageIndexes.at(-1) ?? 0) >= images) {
      return text('The image removal at #{seq} names an image that node #{node} does not have', { seq, node: target.seq });
    }
  }
  return undefined;
}

/** The targets of an `image/offload` that took effect. */
export function offloadTargets(data: unknown): readonly OffloadTarget[] {
  const targets = isRecord(data) ? data['targets'] : undefined;
  return Array.isArray(targets) ? (targets as unknown[]).filter(isTarget) : [];
}

/** The message with `offloaded: true` as the last key of each selected image block. Shares what it does not change. */
export function withOffloadedImages(message: Message, indexes: ReadonlySet<number>): Message {
  let image = 0;
  const rewritten = rebuildBlocks(message.content, (block) => {
    if (!indexes.has(image++)) return block;
    const { offloaded: _before, ...rest } = block;
    return { ...rest, offloaded: true };
  });
  return rewritten === message.content ? message : { ...message, content: rewritten };
}

interface BlockLevel {
  readonly source: readonly unknown[];
  readonly made: unknown[];
  changed: boolean;
}

/** Copies a block tree depth first, image blocks through `change`. Iterative: nesting comes from the log. */
function rebuildBlocks(
  content: readonly Block[],
  change: (block: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): readonly Block[] {
  const root: BlockLevel = { source: content, made: [], changed: false };
  const levels: BlockLevel[] = [root];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.made.length === level.source.length) {
      levels.pop();
      const parent = levels.at(-1);
      if (parent === undefined) break;
      const owner = parent.source[parent.made.length];
      const kept = level.changed && isRecord(owner) ? { ...owner, content: level.made } : owner;
      parent.changed ||= level.changed;
      parent.made.push(kept);
      continue;
    }
    const block = level.source[level.made.length];
    if (isRecord(block) && block['type'] === 'image') {
      const next = change(block);
      level.changed ||= next !== block;
      level.made.push(next);
    } else if (isRecord(block) && Array.isArray(block['content'])) {
      levels.push({ source: block['content'], made: [], changed: false });
    } else level.made.push(block);
  }
  // Blocks are copied as they are, image blocks with one more key.
  return root.changed ? (root.made as Block[]) : content;
}

function countImages(content: unknown): number {
  let images = 0;
  const pending: unknown[] = [content];
  while (pending.length > 0) {
    const blocks = pending.pop();
    if (!Array.isArray(blocks)) continue;
    for (const block of blocks as unknown[]) {
      if (!isRecord(block)) continue;
      if (block['type'] === 'image') images++;
      else pending.push(block['content']);
    }
  }
  return images;
}

function isTarget(target: unknown): target is OffloadTarget {
  if (!isRecord(target) || Object.keys(target).length !== 2 || !isSeq(target['seq'])) return false;
  const indexes = target['imageIndexes'];
  if (!Array.isArray(indexes) || indexes.length === 0) return false;
  let previous = -1;
  for (const index of indexes as unknown[]) {
    if (!isSeq(index) || index <= previous) return false;
    previous = index;
  }
  return true;
}
