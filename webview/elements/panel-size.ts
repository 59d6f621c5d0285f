/** Sizes of the panel, px, from which the view is arranged in another way. */

/** Width up to which the inspector stands below the list. */
export const NARROW = 760;

/** Height up to which everything above the list is made lower. */
export const LOW = 600;

/** Height from which everything fits, so that the page itself need not scroll. */
const TALL = 700;
/** The same where the inspector stands below the list. */
const TALL_STACKED = 860;

/** Height from which there is room for all; below it a replay has one line for what happens, and the page may scroll. */
export const tallEnough = (isStacked: boolean): number => (isStacked ? TALL_STACKED : TALL);
