/** The `dsh-session:` URI: a log's path and a place in it are its whole state, so that restored tabs work (decisions.md). */
import { plainLine } from '../../core/index.ts';
import { documentRefOf, type DocumentRef } from '../../protocol/index.ts';

export const documentScheme = 'dsh-session';

export interface DocumentPlace {
  readonly path: string; // of the log
  readonly ref: DocumentRef;
}

/** The query of a document's URI. Same place, same text: the editor knows a document by its URI. */
export function encodePlace({ path, ref }: DocumentPlace): string {
  return JSON.stringify({ log: path, ...documentRefOf(ref) });
}

export function decodePlace(query: string): DocumentPlace | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(query);
  } catch {
    return undefined; // somebody else's idea of our scheme
  }
  const ref = documentRefOf(parsed);
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
