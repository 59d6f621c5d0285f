import * as vscode from 'vscode';
import { reasonOf } from './localise.ts';

/** The extension's own log, "DSH Session Timeline" in the Output view. Its lines are English, for reports. */
export class Output implements vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('DSH Session Timeline', { log: true });

  info(message: string): void {
    this.#channel.info(message);
  }

  warn(message: string): void {
    this.#channel.warn(message);
  }

  error(what: string, error: unknown): void {
    this.#channel.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : reasonOf(error)}`);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }
}
