import * as vscode from 'vscode';
import type { Text } from '../core/index.ts';
import { RpcError } from '../protocol/index.ts';
import { grouped } from './sessions/formats.ts';

/** The reader's words for a sentence made elsewhere; content (strings) passes as it is. */
export function localise(sentence: Text | string): string {
  return typeof sentence === 'string' ? sentence : vscode.l10n.t(sentence.template, sentence.args);
}

/** A sentence for an error of any kind; where it was not made for a reader, its message is content, often English. */
export function reasonOf(error: unknown): string {
  if (error instanceof RpcError && error.text) return localise(error.text);
  return error instanceof Error ? error.message : String(error);
}

/** Language of the editor, as `Intl` wants it. */
export function displayLocale(): string {
  return vscode.env.language;
}

/** A count of things as the reader writes it. */
export function counted(n: number): string {
  return grouped(n, displayLocale());
}
