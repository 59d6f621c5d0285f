/** How many children of a long node are shown: one page more at every "Show more…". */
export const outlinePage = 100;

export class OutlinePages {
  readonly #shown = new Map<string, number>();

  /** Children shown of the node with this id. */
  shown(id: string): number {
    return this.#shown.get(id) ?? outlinePage;
  }

  more(id: string): void {
    this.#shown.set(id, this.shown(id) + outlinePage);
  }

  /** Makes sure that the child at this index is among those shown. */
  include(id: string, index: number): boolean {
    if (index < this.shown(id)) return false;
    this.#shown.set(id, (Math.floor(index / outlinePage) + 1) * outlinePage);
    return true;
  }
}
