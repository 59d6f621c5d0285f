/** Where the words about a replacement stand on the surface lane. */

export interface Bracket {
  /** Left end of the bracket, and the node its curve leads to, px; either may lie outside of the view. */
  readonly from: number;
  readonly target: number;
  /** Edges of the room for words, px. */
  readonly left: number;
  readonly right: number;
  /** No words before this, px: others end there. */
  readonly after: number;
}

/** Room a node needs on its right for the shortest words beside it, px. */
const least = 150;

/** Beside the node that stands for the range; where that leaves no room, under what is seen of the bracket. Px. */
export function captionStart({ from, target, left, right, after }: Bracket): number {
  return Math.max(left, after, target + 10 + least <= right ? target + 10 : from);
}
