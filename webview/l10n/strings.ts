/** The view's words: English templates in the code, translated by the bundle the host hands over at start. */
import type { Text } from '../../src/core/index.ts';
import { RpcError } from '../../src/protocol/index.ts';

type Args = Readonly<Record<string, string | number>>;

let bundle: Readonly<Record<string, string>> = {};

export function setBundle(next: Readonly<Record<string, string>>): void {
  bundle = next;
}

/** Translates a literal template and fills its `{name}` places. A test demands a translation of every literal. */
export function t(template: string, args: Args = {}): string {
  const found = Object.hasOwn(bundle, template) ? bundle[template]! : template;
  return found.replace(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : place));
}

/** A sentence made elsewhere, or plain content of the log, which is never translated. */
export function say(value: Text | string): string {
  return typeof value === 'string' ? value : fill(value);
}

const fill = (value: Text): string => t(value.template, value.args);

/** What names a problem has no full stop of its own; before another sentence it needs one. */
export const closed = (sentence: string): string => (/[.。]$/.test(sentence) ? sentence : t('{sentence}.', { sentence }));

/** A sentence for an error of any kind; where it was not made for a reader, its message is content. */
export function reasonOf(error: unknown): string {
  if (error instanceof RpcError && error.text) return fill(error.text);
  return error instanceof Error ? error.message : String(error);
}
