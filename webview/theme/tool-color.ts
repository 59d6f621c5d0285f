import { ENTRY_FLAG } from '../../src/timeline/index.ts';
import type { Palette } from './palette.ts';

/** Rough kind of a tool by its name, for colour only: the name itself is always written beside it. */
const kinds: readonly (readonly [RegExp, 'read' | 'write' | 'run' | 'agent'])[] = [
  [/bash|shell|exec|run|terminal|command|python|code/i, 'run'],
  [/edit|write|patch|create|delete|move|rename|apply/i, 'write'],
  [/read|grep|glob|search|list|^ls$|find|fetch|view|web|open/i, 'read'],
  [/agent|task|delegate|spawn|skill/i, 'agent'],
];

export function toolKind(name: string): 'read' | 'write' | 'run' | 'agent' | 'other' {
  for (const [pattern, kind] of kinds) if (pattern.test(name)) return kind;
  return 'other';
}

export const toolColor = (palette: Palette, name: string): string => palette[toolKind(name)];

/** Colour of an event on the surface. In the user role only a human's words are a prompt; what stands for a range has its bracket's colour. */
export function nodeColor(palette: Palette, type: string, flags: number): string {
  switch (type) {
    case 'user/message':
      if ((flags & ENTRY_FLAG.human) !== 0) return palette.human;
      return (flags & ENTRY_FLAG.replace) === 0 ? palette.context : palette.replace;
    case 'assistant/message':
      return palette.assistant;
    case 'tool/result':
      return palette.result;
    case 'system/message':
    case 'developer/message':
      return palette.context;
    default:
      return palette.other;
  }
}
