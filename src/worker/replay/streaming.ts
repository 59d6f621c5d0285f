import { text, type Block } from '../../core/index.ts';
import { POINT, type StreamingAnswer } from '../../protocol/index.ts';
import { fields, NONE } from '../../timeline/index.ts';
import { runningChunk } from '../../timeline/layout/replay-clock.ts';
import { contentSections } from '../detail/blocks.ts';
import { bounded } from '../detail/bounds.ts';
import { chunkSections } from '../detail/stream-text.ts';
import { rowText } from '../labels/row-text.ts';
import type { LoadedLog } from '../loaded.ts';
import { entryRow } from '../rows.ts';
import type { ReplayPlan } from './plan.ts';
import { assembled, attemptChunks } from './stream.ts';

/** A block that has begun may be empty yet. */
const saysSomething = (block: Block): boolean => !(block.type === 'text' || block.type === 'reasoning') || block.text !== '';

/**
 * The answer under way at a point, as far as it has streamed: nothing of what its row and the inspector show may be ahead of the playhead,
 * not even whether it will be kept.
 */
export function streamingAt(loaded: LoadedLog, plan: ReplayPlan, point: number): StreamingAnswer | undefined {
  const chunk = runningChunk(plan, POINT, point);
  const seq = plan.seq[chunk];
  const entry = seq === undefined ? NONE : loaded.entryAt(seq);
  const event = seq === undefined ? undefined : loaded.event(seq);
  if (seq === undefined || entry === NONE || event === undefined) return undefined;
  if (event.type === 'assistant/chunk') {
    const first = loaded.timeline.tables.entries.columns.seq[entry] ?? seq;
    return { seq: first, row: entryRow(loaded, entry, seq), pretty: bounded(chunkSections(loaded.log.events(first, seq + 1))) };
  }
  const content = assembled(attemptChunks(loaded, seq, (plan.chunk[chunk] ?? 0) + 1)).filter(saysSomething);
  if (content.length === 0) return { seq, row: { title: text('Assistant'), detail: '' }, pretty: [] };
  const message = { ...fields(fields(event.data)['message']), content };
  const row = rowText({ ...event, type: 'assistant/message', data: { message } });
  return { seq, row, pretty: bounded(contentSections(content, 'prose')) };
}
