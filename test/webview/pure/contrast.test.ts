import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, DARK, fillUnder, LIGHT, wordsOn, type Rgb } from '../../../webview/theme/contrast.ts';

describe('the contrast of words on a bar', () => {
  it('is as WCAG defines it', () => {
    expect(contrast(LIGHT, DARK)).toBe(21);
    expect(contrast(DARK, DARK)).toBe(1);
    // 0.2126 + 0.05 to 0 + 0.05, the coefficient of red alone.
    expect(contrast([255, 0, 0], DARK)).toBeCloseTo(5.252, 10);
    expect(contrast([0x77, 0x77, 0x77], LIGHT)).toBeLessThan(4.5);
    expect(contrast([0x76, 0x76, 0x76], LIGHT)).toBeGreaterThan(4.5);
  });

  it('lets a fill be that has it', () => {
    const blue: Rgb = [0, 0x5f, 0xb8];
    expect(fillUnder(LIGHT, blue)).toEqual(blue);
    expect(fillUnder(DARK, LIGHT)).toEqual(LIGHT);
  });

  it('is enough for either colour of words on whatever a theme fills with, and only just made so', () => {
    const channel = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(channel, channel, channel), fc.constantFrom(LIGHT, DARK), (fill, words) => {
        const made = fillUnder(words, fill);
        expect(contrast(made, words)).toBeGreaterThanOrEqual(4.5);
        if (contrast(fill, words) < 4.5) expect(contrast(made, words)).toBeLessThan(5);
        return true;
      }),
    );
  });

  it('chooses light words for the buttons of the editor’s own themes, dark ones on the blue of its dark high contrast', () => {
    expect(wordsOn([0, 0x78, 0xd4])).toBe(LIGHT);
    expect(wordsOn([0, 0x5f, 0xb8])).toBe(LIGHT);
    expect(wordsOn([0x0f, 0x4a, 0x85])).toBe(LIGHT);
    expect(wordsOn([0x37, 0x94, 0xff])).toBe(DARK);
  });
});
