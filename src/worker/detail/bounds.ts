import { plainLine, text, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { jsonText } from '../json-text.ts';

/** Longest text of one section, in UTF-16 units; the whole stands in the raw view and in documents. */
const SECTION_LENGTH = 65_536;
/** Longest texts of one tab together; of each that comes after, its beginning is kept. */
const TEXTS_LENGTH = 524_288;
const BEGINNING = 500;
/** Most sections of one tab. */
const SECTIONS = 200;
/** Most links of one section. */
export const LINKS = 200;

/** A text cut to `max` at a character border, and how many units were left out. */
export function clip(value: string, max: number = SECTION_LENGTH): { readonly text: string; readonly cut: number } {
  if (value.length <= max) return { text: value, cut: 0 };
  const last = value.charCodeAt(max - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return { text: value.slice(0, end), cut: value.length - end };
}

export function code(value: string, options: { heading?: Text; language?: string; tone?: 'error' } = {}): Section {
  return { kind: 'code', ...options, ...clip(value) };
}

export function words(value: string, options: { heading?: Text; markdown?: boolean; folded?: boolean } = {}): Section {
  return { kind: 'text', ...options, ...clip(value) };
}

/** Before and after, each clipped; `cut` counts both. */
export function diff(path: string, before: string, after: string, heading?: Text): Section {
  const left = clip(before);
  const right = clip(after);
  return {
    kind: 'diff',
    ...(heading ? { heading } : {}),
    ...(path === '' ? {} : { path }),
    before: left.text,
    after: right.text,
    cut: left.cut + right.cut,
  };
}

/** A text of the log as one line of a list of facts, in quotes where it says nothing: a fact without words would be left out. */
export function wordsOf(value: string, max: number): string {
  return plainLine(value, max) || plainLine(JSON.stringify(value.slice(0, max)), max);
}

/** Any value as indented JSON. */
export function json(value: unknown, heading?: Text): Section {
  return code(jsonText(value, 2), heading ? { heading, language: 'json' } : { language: 'json' });
}

/** Says how many parts were left out, where any were. */
export function moreNote(count: number): Section[] {
  if (count <= 0) return [];
  return [
    {
      kind: 'note',
      tone: 'info',
      text: count === 1 ? text('1 more part is not shown here') : text('{count} more parts are not shown here', { count }),
    },
  ];
}

export function bounded(all: readonly Section[]): readonly Section[] {
  const sections = shortened(all);
  if (sections.length <= SECTIONS) return sections;
  return [...sections.slice(0, SECTIONS - 1), ...moreNote(sections.length - SECTIONS + 1)];
}

/** The sections, their texts cut where they are too long together. */
function shortened(sections: readonly Section[]): readonly Section[] {
  let left = TEXTS_LENGTH;
  return sections.map((section) => {
    if (section.kind !== 'text' && section.kind !== 'code') return section;
    const { text: kept, cut } = clip(section.text, Math.max(left, BEGINNING));
    left -= kept.length;
    return cut === 0 ? section : { ...section, text: kept, cut: section.cut + cut };
  });
}

type Fact = { readonly name: Text; readonly value: Text | string; readonly session?: string };

/** Collects the facts that exist. */
export class Facts {
  readonly #facts: Fact[] = [];

  add(name: Text, value: Text | string | number | boolean | undefined): this {
    if (value === undefined || value === '') return this;
    this.#facts.push({ name, value: typeof value === 'number' || typeof value === 'boolean' ? String(value) : value });
    return this;
  }

  /** A session by its id, which the view can open. */
  session(name: Text, id: unknown): this {
    if (typeof id === 'string' && id !== '') this.#facts.push({ name, value: plainLine(id, 200), session: id });
    return this;
  }

  sections(heading?: Text): Section[] {
    return this.#facts.length === 0 ? [] : [{ kind: 'facts', ...(heading ? { heading } : {}), facts: this.#facts }];
  }
}
