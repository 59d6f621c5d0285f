/** What the reader chose about the tree and finds again after a restart: pins, hidden sessions, scope. */
import type * as vscode from 'vscode';

export type Scope = 'workspace' | 'all';

const pinnedKey = 'sessions.pinned';
const hiddenKey = 'sessions.hidden';
const scopeKey = 'sessions.scope';

export class TreeSettings {
  readonly #global: vscode.Memento;
  readonly #workspace: vscode.Memento;

  constructor(global: vscode.Memento, workspace: vscode.Memento) {
    this.#global = global;
    this.#workspace = workspace;
  }

  get pinned(): ReadonlySet<string> {
    return stringsOf(this.#global.get(pinnedKey));
  }

  get hidden(): ReadonlySet<string> {
    return stringsOf(this.#global.get(hiddenKey));
  }

  get scope(): Scope {
    return this.#workspace.get(scopeKey) === 'workspace' ? 'workspace' : 'all';
  }

  async setPinned(key: string, on: boolean): Promise<void> {
    await this.#global.update(pinnedKey, toggled(this.pinned, key, on));
  }

  async setHidden(key: string, on: boolean): Promise<void> {
    await this.#global.update(hiddenKey, toggled(this.hidden, key, on));
  }

  async setScope(scope: Scope): Promise<void> {
    await this.#workspace.update(scopeKey, scope);
  }
}

/** Stored state may come from any earlier version: only strings of an array count. */
function stringsOf(stored: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(stored) ? stored.filter((value) => typeof value === 'string') : []);
}

function toggled(set: ReadonlySet<string>, key: string, on: boolean): string[] {
  const next = new Set(set);
  if (on) next.add(key);
  else next.delete(key);
  return [...next];
}
