/** Longest document, in UTF-16 units (decisions.md "Documents"). */
const DOCUMENT_LENGTH = 8_000_000;

/** Collects the lines of a document up to its cap; the last line says that something was left out. */
export class Lines {
  /** Nothing is left out: neither at the cap nor of a long block. */
  readonly isWhole: boolean;
  readonly #parts: string[] = [];
  #length = 0;
  complete = true;

  constructor(options: { readonly isWhole?: boolean } = {}) {
    this.isWhole = options.isWhole === true;
  }

  add(line = ''): this {
    if (!this.complete) return this;
    this.#length += line.length + 1;
    if (this.#length > DOCUMENT_LENGTH && !this.isWhole) this.complete = false;
    else this.#parts.push(line);
    return this;
  }

  finish(cutNotice: string): { readonly text: string; readonly complete: boolean } {
    if (!this.complete) this.#parts.push('', cutNotice);
    return { text: `${this.#parts.join('\n')}\n`, complete: this.complete };
  }
}
