/** The `dsh-session:` URI: a log's path and a place in it are its whole state, so that restored tabs work (decisions.md). */
import { plainLine } from '../../core/index.ts';
import type { DocumentRef } from '../../protocol/index.ts';

export const documentScheme = 'dsh-session';

export interface DocumentPlace {
  readonly path: string; // of the log
  readonly ref: DocumentRef;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0; // an integer is a number

/** A reference of the right shape with nothing else in it; undefined otherwise. */
export function asDocumentRef(value: unknown): DocumentRef | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, seq, turn, step, attempt } = value as Record<string, unknown>; // an object: reading a missing key gives undefined
  switch (kind) {
    case 'history':
    case 'event':
      return isCount(seq) ? { kind, seq } : undefined;
    case 'request':
      return isCount(turn) && isCount(step) && isCount(attempt) ? { kind, turn, step, attempt } : undefined;
    case 'jsonl':
    case 'transcript':
    case 'damage':
      return { kind };
    default:
      return undefined;
  }
}

/** The query of a document's URI. Same place, same text: the editor knows a document by its URI. */
export function encodePlace({ path, ref }: DocumentPlace): string {
  return JSON.stringify({ log: path, ...asDocumentRef(ref) });
}

export function decodePlace(query: string): DocumentPlace | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(query);
  } catch {
    return undefined; // somebody else's idea of our scheme
  }
  const ref = asDocumentRef(parsed);
  const path = ref ? (parsed as { readonly log?: unknown }).log : undefined; // an object, or ref were undefined
  return ref && typeof path === 'string' && path !== '' ? { path, ref } : undefined;
}

/**
 * Last part of the URI's path, which the editor shows as the tab's title and reads a language off its ending: slashes
 * would cut it, and a title that ends in ".html" must not be taken for one.
 */
export function tabTitle(label: string, title: string, extension = ''): string {
  const name = plainLine(title, 60)
    .replaceAll(/[/\\]/g, '∕')
    .replace(/\.(?=\w+$)/, '․');
  return (name === '' ? label : `${label} · ${name}`) + extension;
}
