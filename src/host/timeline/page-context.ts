/**
 * Which timeline a context menu was opened on. A menu's command is told what `data-vscode-context` says where the click was, but not in which
 * of several timelines side by side; the one in front may still be another. So the page says which log it shows.
 */

/** The attribute's value for a page, as HTML. */
export function pageContext(log: string): string {
  return JSON.stringify({ log }).replace(/[&"<>']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

/** The log a menu's merged context names, if that is open; anybody may run a command with whatever arguments. */
export function logOfMenu(context: Readonly<Record<string, unknown>>, openPaths: ReadonlySet<string>): string | undefined {
  const { log } = context;
  return typeof log === 'string' && openPaths.has(log) ? log : undefined;
}
