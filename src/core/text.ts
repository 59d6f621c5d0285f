/**
 * A user-visible sentence before translation: an English template with `{name}` places and the values for them. Layers
 * that know no editor make these; the host and the webview turn them into the reader's language at the very end.
 */
export interface Text {
  readonly template: string;
  readonly args: Readonly<Record<string, string | number>>;
}

/**
 * Makes a {@link Text}. The first argument is always a string literal, because the translations are found by it and a
 * test collects the literals from the sources.
 */
export function text(template: string, args: Readonly<Record<string, string | number>> = {}): Text {
  return { template, args };
}

/** The English sentence: every `{name}` replaced by its value; a name without a value stays as it is written. */
export function english(t: Text): string {
  return t.template.replace(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(t.args, name) ? String(t.args[name]) : place));
}
