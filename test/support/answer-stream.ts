import type { Block, FinishReason, StreamChunk, TimedChunk, TokenUsage } from '../../src/core/messages.ts';
import type { Random } from './random.ts';

export interface AnswerSpec {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Milliseconds to the first token. */
  readonly waits?: number;
  /** Milliseconds between tokens. */
  readonly pace?: number;
  readonly finish?: FinishReason;
  readonly interrupted?: true;
  readonly usage?: TokenUsage;
}

export interface StreamedAnswer {
  readonly content: readonly Block[];
  readonly chunks: readonly TimedChunk[];
  readonly usage: TokenUsage;
  /** The clock after the last chunk. */
  readonly end: number;
}

/** The chunks a model streams for an answer, block by block, then its usage and the finish. */
export function streamAnswer(
  spec: AnswerSpec,
  given: { readonly now: number; readonly random: Random; readonly context: number; readonly cached: number },
): StreamedAnswer {
  const content = contentOf(spec);
  const chunks: TimedChunk[] = [];
  let now = given.now;
  const put = (chunk: StreamChunk, passes: number): void => {
    chunks.push({ time: now, chunk });
    now += passes;
  };
  const pace = spec.pace ?? 22;
  content.forEach((block, index) => {
    put({ type: 'block-start', index, blockType: block.type }, 1);
    for (const piece of tokens(block.type === 'tool-call' ? block.arguments : block.text)) {
      const passes = 1 + given.random.below(pace * 2);
      if (block.type === 'tool-call') {
        put({ type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: piece }, passes);
      } else put({ type: block.type === 'reasoning' ? 'reasoning-delta' : 'text-delta', index, text: piece }, passes);
    }
    if (spec.interrupted === undefined) put({ type: 'block-end', index, block }, 1);
  });
  const usage = spec.usage ?? {
    inputTokens: given.context - given.cached,
    outputTokens: Math.max(1, Math.ceil(JSON.stringify(content).length / 4)),
    cacheReadTokens: given.cached,
    ...(spec.reasoning === undefined ? {} : { reasoningTokens: Math.ceil(spec.reasoning.length / 4) }),
  };
  if (spec.finish?.failure === undefined) put({ type: 'usage', usage }, 1);
  put({ type: 'finish', reason: spec.finish ?? { kind: (spec.calls ?? []).length > 0 ? 'tool-calls' : 'stop' } }, 1);
  return { content, chunks, usage, end: now };
}

type AnswerBlock = Extract<Block, { type: 'reasoning' | 'text' | 'tool-call' }>;

function contentOf(spec: AnswerSpec): AnswerBlock[] {
  const content: AnswerBlock[] = [];
  if (spec.reasoning !== undefined) content.push({ type: 'reasoning', text: spec.reasoning });
  if (spec.text !== undefined) content.push({ type: 'text', text: spec.text });
  for (const call of spec.calls ?? [])
    content.push({ type: 'tool-call', id: call.id, name: call.name, arguments: call.arguments });
  return content;
}

/** Pieces about as long as a model's tokens: a word with its space, or two characters of Chinese. */
function tokens(text: string): string[] {
  return text.match(/[\u3400-\u9fff\u3000-\u303f\uff00-\uffef]{1,2}|\s*[^\s\u3000-\u9fff\uff00-\uffef]{1,7}|\s+/gu) ?? [];
}
