import {
  BlockAssembler,
  dialectOf,
  expandStream,
  streamProblem,
  type AssistantStreamRecord,
  type Block,
  type StreamChunk,
} from '../../core/index.ts';
import type { StreamedBlock } from '../../protocol/index.ts';
import { fields, stringOf } from '../../timeline/index.ts';
import { line } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';

/** Characters of a block shown, from its end, and blocks shown, from the last. */
const SHOWN = 1200;
const BLOCKS = 3;

/** The chunks of the attempt that ends at, or reaches, the event at `seq`: `count` of them where they are stored with it. */
export function attemptChunks(loaded: LoadedLog, seq: number, count = Infinity): StreamChunk[] {
  const event = loaded.event(seq);
  if (event === undefined) return [];
  if (dialectOf(loaded.version).embeddedStreams) {
    const { stream } = fields(event.data);
    const chunks: StreamChunk[] = [];
    // A malformed stream has no chunks that could be told apart.
    for (const { chunk } of streamProblem(stream) === undefined ? expandStream(stream as readonly AssistantStreamRecord[]) : []) {
      if (chunks.length >= count) break;
      chunks.push(chunk);
    }
    return chunks;
  }
  return looseChunks(loaded, event.type === 'assistant/chunk' ? seq : seq - 1, fields(event.data));
}

/** In v0 and v1 every chunk is an event: those before `last` back to whatever began or ended an attempt. */
function looseChunks(loaded: LoadedLog, last: number, address: ReturnType<typeof fields>): StreamChunk[] {
  const chunks: StreamChunk[] = [];
  for (let seq = last; seq >= 0; seq--) {
    const event = loaded.event(seq);
    if (event === undefined || BOUNDS.has(event.type)) break;
    if (event.type !== 'assistant/chunk') continue;
    const { chunk, turn, step } = fields(event.data);
    if (turn !== address['turn'] || step !== address['step']) break;
    // A chunk after a finish begins the next attempt. format/migrations.md §2.
    if (fields(chunk)['type'] === 'finish' && chunks.length > 0) break;
    chunks.push(chunk as StreamChunk); // an unknown kind of chunk carries no content
  }
  return chunks.reverse();
}

const BOUNDS: ReadonlySet<string> = new Set([
  'step/start',
  'step/end',
  'turn/end',
  'assistant/message',
  'assistant/attempt',
  'llm/retry',
  'llm/retry-started',
]);

export function assembled(chunks: readonly StreamChunk[]): Block[] {
  const assembler = new BlockAssembler();
  for (const chunk of chunks) assembler.apply(chunk);
  return assembler.content();
}

/** What is shown of an answer on its way: the ends of its last blocks. */
export function streamedBlocks(blocks: readonly Block[]): StreamedBlock[] {
  return blocks.slice(-BLOCKS).map((block) => {
    const { type, text, arguments: args, name } = fields(block);
    const whole = stringOf(type === 'tool-call' ? args : text) ?? '';
    const shown = tail(whole);
    const kind = type === 'text' || type === 'reasoning' || type === 'tool-call' ? type : 'other';
    return { kind, name: kind === 'tool-call' ? line(name, 80) : '', text: shown, cut: whole.length - shown.length };
  });
}

/** The end of a text, not beginning inside a surrogate pair. */
function tail(whole: string): string {
  if (whole.length <= SHOWN) return whole;
  const at = whole.length - SHOWN;
  const first = whole.charCodeAt(at);
  return whole.slice(first >= 0xdc00 && first <= 0xdfff ? at + 1 : at);
}
