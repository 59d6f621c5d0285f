import { describe, expect, it } from 'vitest';
import { ENTRY_FLAG } from '../../../src/timeline/index.ts';
import type { Palette } from '../../../webview/theme/palette.ts';
import { nodeColor } from '../../../webview/theme/tool-color.ts';

// Every colour by its own name; the palette's one flag is not asked for.
const palette = new Proxy({}, { get: (_, name) => name }) as unknown as Palette;
const { human, surface, replace } = ENTRY_FLAG;

describe('a node of the surface', () => {
  it('in the user role is a prompt only when a human wrote it, and a summary when it stands for a range', () => {
    expect(nodeColor(palette, 'user/message', surface | human)).toBe('human');
    expect(nodeColor(palette, 'user/message', surface)).toBe('context');
    expect(nodeColor(palette, 'user/message', surface | replace)).toBe('replace');
  });

  it('of any other kind has the colour of its kind', () => {
    expect(nodeColor(palette, 'assistant/message', surface)).toBe('assistant');
    expect(nodeColor(palette, 'tool/result', surface | replace)).toBe('result'); // shortened, and still a result
    expect(nodeColor(palette, 'system/message', surface)).toBe('context');
    expect(nodeColor(palette, 'plugin/thing', surface)).toBe('other');
  });
});
