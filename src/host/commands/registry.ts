import * as vscode from 'vscode';
import { reasonOf } from '../localise.ts';
import type { Output } from '../output.ts';

/** Registers commands whose failures are said and logged, never lost in the console. */
export class CommandRegistry implements vscode.Disposable {
  readonly #output: Output;
  readonly #registered: vscode.Disposable[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  /** `name` without the prefix `dshTimeline.`. */
  add(name: string, run: (...args: unknown[]) => unknown): void {
    this.#registered.push(
      vscode.commands.registerCommand(`dshTimeline.${name}`, async (...args: unknown[]) => {
        try {
          return await run(...args);
        } catch (error) {
          this.#output.error(`command ${name}`, error);
          await this.#say(reasonOf(error));
          return undefined;
        }
      }),
    );
  }

  async #say(reason: string): Promise<void> {
    const showLog = vscode.l10n.t('Show Log');
    if ((await vscode.window.showErrorMessage(reason, showLog)) === showLog) this.#output.show();
  }

  dispose(): void {
    for (const command of this.#registered) command.dispose();
  }
}
