import { describe, expect, it } from 'vitest';
import { english, text } from '../../../src/core/text.ts';

describe('text', () => {
  it('keeps template and arguments apart', () => {
    expect(text('Frame {frame} is torn', { frame: 3 })).toEqual({ template: 'Frame {frame} is torn', args: { frame: 3 } });
    expect(text('Nothing here')).toEqual({ template: 'Nothing here', args: {} });
  });
});

describe('english', () => {
  it('fills every place, repeated ones too', () => {
    expect(english(text('{a} of {b}, {a} left', { a: 0, b: 'many' }))).toBe('0 of many, 0 left');
  });

  it('leaves unknown names as written', () => {
    expect(english(text('{known} {unknown} {toString}', { known: 1 }))).toBe('1 {unknown} {toString}');
  });

  it('does not fill places that come in through a value', () => {
    expect(english(text('{a}{b}', { a: '{b}', b: '$&' }))).toBe('{b}$&');
  });
});
