import { describe, expect, it } from 'vitest';
import { BlockAssembler, contentAgrees } from '../../../src/core/assemble.ts';
import type { StreamChunk } from '../../../src/core/messages.ts';

const assembled = (...chunks: StreamChunk[]): BlockAssembler => {
  const assembler = new BlockAssembler();
  for (const chunk of chunks) assembler.apply(chunk);
  return assembler;
};
const text = (index: number, value: string): StreamChunk => ({ type: 'text-delta', index, text: value });
const call = (index: number, id: string, argumentsDelta: string, name?: string): StreamChunk => ({
  type: 'tool-call-delta',
  index,
  id,
  argumentsDelta,
  ...(name === undefined ? {} : { name }),
});

describe('blocks', () => {
  it('are joined per index and ordered by it, however the chunks arrive', () => {
    const reasoning: StreamChunk = { type: 'reasoning-delta', index: 0, text: 'r' };
    expect(assembled(text(1, 'b'), reasoning, text(1, 'c')).content()).toEqual([
      { type: 'reasoning', text: 'r' },
      { type: 'text', text: 'bc' },
    ]);
  });

  it('that ended are taken as they ended, not as their deltas were', () => {
    const block = { type: 'text', text: 'whole' } as const;
    expect(assembled(text(0, 'part'), { type: 'block-end', index: 0, block }).content()).toEqual([block]);
  });

  it('keep the id and name of a call from whichever delta brings them', () => {
    expect(assembled(call(0, 'c1', '{"a', 'read'), call(0, '', '":1', ''), call(0, 'c1', '}')).content()).toEqual([
      { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"a":1}' },
    ]);
  });

  it('begin empty, and of a kind without deltas only appear when they end', () => {
    expect(assembled({ type: 'block-start', index: 0, blockType: 'text' }).content()).toEqual([{ type: 'text', text: '' }]);
    expect(assembled({ type: 'block-start', index: 0, blockType: 'image' }).content()).toEqual([]);
  });

  it('are not made by usage and finish', () => {
    const usage: StreamChunk = { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
    expect(assembled(usage, { type: 'finish', reason: { kind: 'stop' } }).content()).toEqual([]);
  });
});

describe('a stored answer', () => {
  const whole = assembled(text(0, 'one two'), call(1, 'c', '{', 'n'));

  it('must equal what was assembled', () => {
    const call1 = { type: 'tool-call', id: 'c', name: 'n', arguments: '{' };
    expect(contentAgrees([{ text: 'one two', type: 'text' }, call1], whole, false)).toBe(true);
    expect(contentAgrees([{ type: 'text', text: 'one two' }], whole, false)).toBe(false);
    expect(contentAgrees([{ type: 'text', text: 'one' }, call1], whole, false)).toBe(false);
  });

  it('may be cut short when interrupted, and lacks the unfinished call', () => {
    expect(contentAgrees([{ type: 'text', text: 'one two' }], whole, true)).toBe(true);
    expect(contentAgrees([{ type: 'text', text: 'one' }], whole, true)).toBe(true);
    expect(contentAgrees([], whole, true)).toBe(true);
    expect(contentAgrees([{ type: 'text', text: 'two' }], whole, true)).toBe(false);
    expect(contentAgrees([{ type: 'reasoning', text: 'one' }], whole, true)).toBe(false);
    expect(contentAgrees('one', whole, true)).toBe(false);
    const both = [
      { type: 'text', text: 'one two' },
      { type: 'text', text: '' },
    ];
    expect(contentAgrees(both, whole, true)).toBe(false);
  });

  it('keeps a call that had ended before the interruption', () => {
    const block = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' } as const;
    const ended = assembled(call(0, 'c', '{', 'n'), { type: 'block-end', index: 0, block });
    expect(contentAgrees([block], ended, true)).toBe(true);
  });
});
